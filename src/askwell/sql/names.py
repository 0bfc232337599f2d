"""How database engines compare names."""

from __future__ import annotations


def fold(name: str) -> str:
    """Lower case for ASCII letters only, as database engines fold names.

    Python's `str.lower` would make the Kelvin sign a "k", and so take two different tables for one.
    """
    if name.isascii():
        return name.lower()
    return "".join(c.lower() if c.isascii() else c for c in name)
