"""The best report of a few values: a table of integers."""
