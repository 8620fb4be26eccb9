"""The command line and the demo; one file a command."""
