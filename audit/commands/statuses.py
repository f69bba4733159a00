"""How a command ends."""

NOTHING_FOUND, VIOLATIONS, COULD_NOT_BE_DONE = 0, 1, 2
BROKEN_OFF = 130
"""Somebody pressed Ctrl-C."""
