"""The two halves of a query: a 1-Lipschitz coordinate s and a one-dimensional profile f0."""
