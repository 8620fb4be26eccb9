"""`python -m geopriv` is the command line."""

from geopriv.commands.cli import main

main()
