"""Programs that show geopriv at work; each runs as it stands."""
