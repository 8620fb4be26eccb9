"""`python -m geopriv` is the command line."""

from geopriv.cli import main

main()
