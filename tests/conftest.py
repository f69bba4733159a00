"""Tests draw the same examples every time; with CATWALK_EXPLORE=1 they look for new ones."""

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.register_profile("exploring", derandomize=False)
settings.load_profile("exploring" if os.environ.get("CATWALK_EXPLORE") else "repeatable")
