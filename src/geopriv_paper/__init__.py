"""The paper's tables and figures from this implementation, and what its corrections and new mechanisms do to them."""
