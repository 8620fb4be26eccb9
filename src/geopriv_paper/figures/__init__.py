"""Pictures of the results, one file an experiment."""
