"""Which functions a statement of a dialect may call.

A function that the parser knows by type may be called if `allowed.yaml` names it. Any other is called only if it was
reviewed for its dialect (`catalogues/`) and nothing is held against its name (`denied_functions.yaml`, which always
wins). Where the engine lists all its functions, it also has to be among these. What a database has besides is not
callable, least of all what people wrote themselves: a catalogue tells that a function is there, but not what it does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from askwell.resources import words_file
from askwell.sql.guard.catalogues import REVIEWED
from askwell.sql.guard.nodes import ALLOWED, types_named

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


# Rows out of one value. These, and the series, may also stand where a table stands.
EXPANDERS = types_named(ALLOWED["expanders"])
SERIES = types_named(ALLOWED["series"])
TYPED = types_named(ALLOWED["functions"]) | EXPANDERS | SERIES


@dataclass(frozen=True, slots=True)
class Functions:
    """`callable` may be called; `unreviewed` are there, but nobody has looked at them."""

    callable: frozenset[str]
    unreviewed: frozenset[str]


@lru_cache(maxsize=64)
def functions_of(dialect: str, live: frozenset[str] | None) -> Functions:
    """What may be called in `dialect`; `live` is the engine's own catalogue in lower case, where it can be asked."""
    reviewed = frozenset(name for name in REVIEWED[dialect] if not denied_reason(name))
    if not live:
        return Functions(reviewed, frozenset())
    constructs = ALLOWED["constructs"].get(dialect)
    if constructs is None:
        return Functions(reviewed, live - reviewed)
    return Functions(reviewed & live.union(constructs.split()), live - reviewed)
