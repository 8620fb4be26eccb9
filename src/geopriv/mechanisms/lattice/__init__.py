"""A cell of a public grid: one report that answers every query."""
