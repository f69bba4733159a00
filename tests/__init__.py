"""Everything that must hold before a change lands; `python -m tests` runs it all."""
