"""Counts become estimates: shares, distributions and maps, each with its intervals."""
