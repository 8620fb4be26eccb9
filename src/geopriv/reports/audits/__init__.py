"""What is shipped, sampled: reports drawn by every way at the worst places of a design."""
