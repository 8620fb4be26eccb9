"""What a phone runs, of the standard library only: read, verify, draw, remember.

Nothing here imports numpy, and nothing here knows an estimate: a device reads a design, verifies what it promises,
turns one value into a few whole numbers and keeps account of what was spent.
"""
