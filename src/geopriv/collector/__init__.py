"""The service that hands out a design and takes reports in: receiver, store, tokens, pages."""
