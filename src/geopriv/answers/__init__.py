"""Counts → estimates, intervals, bands: one file a form of answer (share, distribution, map)."""
