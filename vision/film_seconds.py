"""Seconds into a film as people write them."""

import re
from typing import Final

from audit.errors import BadInput

_TIME: Final = re.compile(r"(?:(?:([0-9]{1,6}):)?([0-9]{1,6}):)?([0-9]{1,6}(?:\.[0-9]{1,9})?)")


def clock(at_s: float) -> str:
    """Write seconds as players show them."""
    whole = int(at_s)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def seconds(text: str | None, option: str) -> float | None:
    """Read 90, 1:30 or 0:01:30 as seconds."""
    if text is None:
        return None
    said = _TIME.fullmatch(text.strip())
    if said is None:
        raise BadInput(f"{option}: {text!r} is not a time into the film, like 90 or 1:30")
    parts = [float(part) for part in said.groups() if part is not None]
    if any(part >= 60 for part in parts[1:]):
        raise BadInput(f"{option}: {text!r} has a part of 60 or more")
    total = 0.0
    for part in parts:
        total = total * 60 + part
    return total
