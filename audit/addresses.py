"""Addresses of streams as they may be shown and kept: without names, passwords and keys."""

import re
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

_ADDRESS: Final = re.compile(r"(rtsps?|https?|[a-z][a-z0-9+.-]+(?=://)):/{1,2}", re.IGNORECASE)
_SECRET: Final = re.compile(r"(pass\w*|pwd|pw|token|auth\w*|key|secret)=[^/]*", re.IGNORECASE)


def is_address(source: str) -> bool:
    """Whether it is the address of a stream rather than the name of a file."""
    return _ADDRESS.match(source) is not None


def without_secrets(source: Path | str) -> str:
    """Give the name of a file as it is, and of an address only what is no secret.

    That is its host and its path, in which some cameras want the password, too. What follows the
    path is left out: keys are often there.
    """
    text = str(source)
    address = _ADDRESS.match(text)
    if address is None:
        return text
    place = _place(text[address.end() :])
    return f"{address[1].lower()}://{'…' if place is None else place}"


def _place(rest: str) -> str | None:
    """Host, port and path; None where they cannot be told from a password.

    A password with a sign in it that ends a host, like /, makes a host of its own first half. Then
    the @ that should stand before the host comes after it.
    """
    try:
        parts = urlsplit(f"//{rest}")
        port = parts.port
    except ValueError:
        return None
    if "@" in f"{parts.path}{parts.query}{parts.fragment}":
        return None
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    path = _SECRET.sub(r"\1=…", parts.path)
    return f"{host}{'' if port is None else f':{port}'}{path}"
