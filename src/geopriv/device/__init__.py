"""What a device runs: plain functions of the standard library, so that a report needs no other package.

Nothing here imports numpy, and nothing here knows an estimate: a device reads a design, verifies what it promises,
turns one value into a few whole numbers and keeps account of what was spent.
"""
