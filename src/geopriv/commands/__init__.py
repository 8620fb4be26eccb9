"""The commands of the command line, one file each; `geopriv.cli` lists them."""
