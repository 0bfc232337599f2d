"""How database engines compare names."""

from __future__ import annotations

from collections.abc import Callable

# By the schema and the name of a table that the model does not have, the table of the model that it is; None for none.
Renamed = Callable[[str, str], str | None]


def as_named(schema: str, name: str) -> str | None:
    """Nothing has another name."""
    return None


def fold(name: str) -> str:
    """Lower case for ASCII letters only, as database engines fold names.

    Python's `str.lower` would make the Kelvin sign a "k", and so take two different tables for one.
    """
    if name.isascii():
        return name.lower()
    return "".join(c.lower() if c.isascii() else c for c in name)
