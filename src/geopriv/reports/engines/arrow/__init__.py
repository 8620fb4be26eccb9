"""Files and tables in memory, read by Arrow in this process."""
