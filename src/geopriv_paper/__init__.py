"""The reproduction of the paper and the benches: a user of the library, with its own commands."""
