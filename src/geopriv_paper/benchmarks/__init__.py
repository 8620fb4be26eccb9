"""Measured claims: what `geopriv bench` prints."""
