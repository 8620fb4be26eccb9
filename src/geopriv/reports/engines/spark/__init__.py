"""Frames and files, by Spark wherever it runs."""
