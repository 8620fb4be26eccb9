"""Exact sampling: what a person sends follows the theorem's law exactly, rounded to a public grid.

Names are imported from the files themselves, so that the generator of random bytes can be had without numpy.
"""
