"""Text from a source, made fit to be shown: nothing in it can steer a terminal or forge a line."""

from audit.errors import BadInput


def visible(text: str) -> str:
    """Write out the characters that are not for the eye, a line feed as its escape."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def check_unicode(text: str) -> str:
    """Give a text back if it can be looked for, which bytes of another encoding cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadInput(f"{text!r} is not Unicode text") from None
    return text
