"""Which functions a statement may call."""

from __future__ import annotations

import re

from rapidfuzz import fuzz, process
from sqlglot import exp

from askwell.sql.guard.denied_functions import denied_reason
from askwell.sql.guard.outcome import Refused, Rule
from askwell.sql.guard.typed_functions import TYPED
from askwell.sql.names import fold

# What other dialects and spreadsheets call it.
_SAME: dict[str, tuple[str, ...]] = {
    "mean": ("avg",),
    "average": ("avg",),
    "total_sum": ("sum",),
    "sumtotal": ("sum",),
    "total_count": ("count",),
    "maximum": ("max",),
    "minimum": ("min",),
    "len": ("length",),
    "char_length": ("length",),
    "nvl": ("coalesce", "ifnull"),
    "isnull": ("coalesce", "ifnull"),
    "charindex": ("instr", "strpos", "position"),
    "getdate": ("current_timestamp", "datetime", "now"),
    "now": ("current_timestamp", "datetime"),
    "curdate": ("current_date", "date"),
    "today": ("current_date", "date"),
    "date_format": ("strftime", "to_char", "format_datetime"),
    "to_char": ("strftime", "date_format", "printf"),
    "datediff": ("julianday", "date_diff"),
    "date_trunc": ("strftime", "date"),
    "year": ("strftime", "date_part"),
    "month": ("strftime", "date_part"),
    "day": ("strftime", "date_part"),
    "group_concat": ("string_agg", "listagg"),
    "string_agg": ("group_concat", "listagg"),
    "ucase": ("upper",),
    "lcase": ("lower",),
    "power": ("pow",),
}
_EVERYWHERE = frozenset(
    {"avg", "sum", "count", "max", "min", "length", "coalesce", "current_timestamp", "upper", "lower"}
)
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,63}")


def check_call(node: exp.Expr, functions: frozenset[str], table_functions: frozenset[str]) -> Refused | None:
    """Refuse a function that is denied or not understood; raises `Refused`.

    A name that is merely not in the engine's catalogue is returned instead of raised, so that graver faults come first.
    """
    if not isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        if type(node) in TYPED:
            return None
        raise Refused(Rule.FUNCTION_DENIED, node, f"The function {node.key.upper()} is not allowed.")
    name = fold(node.name)
    reason = denied_reason(name)
    if reason:
        raise Refused(Rule.FUNCTION_DENIED, node, f"The function {name} is not allowed: {reason}.")
    if not _NAME.fullmatch(name):
        raise Refused(Rule.FUNCTION_DENIED, node, "A function has to be given by a plain name.")
    if name in functions or name in table_functions:
        return None
    near = [same for same in _SAME.get(name, ()) if same in functions or same in _EVERYWHERE]
    near += [match for match, _, _ in process.extract(name, functions, scorer=fuzz.ratio, limit=3, score_cutoff=70)]
    nearest = tuple(dict.fromkeys(near))[:3]
    hint = f"; nearest: {', '.join(nearest)}" if nearest else ""
    return Refused(Rule.FUNCTION_UNKNOWN, node, f"The database has no function {name}{hint}.", name, nearest)
