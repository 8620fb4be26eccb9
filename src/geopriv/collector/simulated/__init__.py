"""Participants that are made up, honest and otherwise, against a collector on this machine."""
