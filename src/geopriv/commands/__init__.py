"""The commands of the command line, one file each; `geopriv.commands.cli` lists them."""
