"""People become reports, and reports become counts."""
