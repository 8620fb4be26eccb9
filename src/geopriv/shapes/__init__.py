"""The two halves of a query, one file a shape: coordinate s and profile f0, in floats with an error, and in balls."""
