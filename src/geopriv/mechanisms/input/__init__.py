"""Noise on the value or on its coordinate, and how it is undone."""
