"""Functions of an engine's own catalogue that no statement may call, and why. Reviewed by hand, name by name.

What a catalogue has and this list does not is allowed, so the list errs on the long side: it also names functions that
are harmless today but show internals, and whole families by prefix.
"""

from __future__ import annotations

from askwell.resources import words_file

_FILE = words_file("askwell.sql.guard", "denied_functions.yaml")
DENIED_PREFIXES: tuple[str, ...] = tuple(_FILE["prefixes"])
DENIED: frozenset[str] = frozenset(_FILE["names"].split())


def denied_reason(name: str) -> str | None:
    """Why a function of this lower-case name is not allowed, or None if nothing is held against it."""
    if name in DENIED:
        return next(
            (why for why, names in _FILE["reasons"].items() if name in names.split()),
            "it is on the reviewed list of denied functions",
        )
    if name.startswith(DENIED_PREFIXES):
        return "its family reads files, settings, the catalogue or the server"
    return None
