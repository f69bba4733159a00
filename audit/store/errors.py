"""What is said when the audit database cannot be used: one sentence that names the file."""

from audit.errors import CatwalkError


class BadStore(CatwalkError):
    """A file that is not an audit database, is damaged, too new, or may not be opened."""


class StoreBusy(CatwalkError):
    """Another program held the audit database for longer than we were willing to wait."""
