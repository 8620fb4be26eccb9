"""The answer plus noise whose scale depends on the coordinate."""
