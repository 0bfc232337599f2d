"""Which functions a statement of a dialect may call.

The rule: a function is called only if it was reviewed for its dialect (`catalogues`) and nothing is held against its
name (`denied_functions`, which always wins). Where the engine lists all its functions, it also has to be among these.
What a database has besides is not callable, least of all what people wrote themselves: a catalogue tells that a
function is there, but not what it does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from askwell.sql.guard.catalogues import REVIEWED
from askwell.sql.guard.denied_functions import denied_reason

# Parts of the grammar that look like functions and that no catalogue lists, where the catalogue is else complete.
_CONSTRUCTS = {
    "duckdb": "all any cast coalesce columns extract grouping grouping_id if ifnull nullif try_cast unnest",
    "sqlite": "cast coalesce ifnull iif nullif",
    "postgres": "all any coalesce current_date current_time current_timestamp greatest grouping json json_array "
    "json_arrayagg json_exists json_object json_objectagg json_query json_scalar json_serialize json_table json_value "
    "least localtime localtimestamp nullif row some trim",
}


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
    constructs = _CONSTRUCTS.get(dialect)
    if constructs is None:
        return Functions(reviewed, live - reviewed)
    return Functions(reviewed & live.union(constructs.split()), live - reviewed)
