"""What the guard is told, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sqlglot import exp

from askwell.sql.names import Renamed, as_named
from askwell.sql.scopes import Shape


class Rule(StrEnum):
    """Which rule refused. The names are stable: metrics and reports count by them."""

    TOO_LARGE = "too_large"
    TOO_DEEP = "too_deep"
    CHARACTERS = "characters"
    COMMENT = "comment"
    UNPARSABLE = "unparsable"
    STATEMENTS = "statements"
    ROOT = "root"
    NODE = "node"
    ARGUMENT = "argument"
    LITERAL = "literal"
    TYPE = "type"
    FUNCTION_DENIED = "function_denied"
    FUNCTION_UNKNOWN = "function_unknown"
    TABLE_FUNCTION = "table_function"
    FIELD = "field"
    GROWTH = "growth"
    SERIES = "series"
    FORMAT_WIDTH = "format_width"
    SCHEMA = "schema"
    SYSTEM_NAME = "system_name"
    TABLE = "table"
    QUALIFIER = "qualifier"
    COLUMN = "column"


# A name that is merely unknown is a mistake: the binder explains it with the nearest valid names. The rest is final.
NAME_RULES = frozenset({Rule.TABLE, Rule.QUALIFIER, Rule.COLUMN, Rule.FUNCTION_UNKNOWN})


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a statement may read.

    `tables` maps folded table names to their folded column names (None: not known, any column is taken). `qualifiers`
    are the schema or catalog.schema prefixes that may stand before these tables, folded. `functions` is the engine's
    own catalogue in lower case; None leaves the one the guard was made with. `spelling` (folded name → the engine's own
    spelling) makes engines that tell `Orders` from `orders` read exactly that one. `shapes` gives the declared inner
    structure of tables' columns (table and column folded), `cte_shapes` that of the CTEs that the planner wrote.
    `renamed` tables have another name now, which repairs give them.
    """

    tables: Mapping[str, frozenset[str] | None]
    qualifiers: frozenset[str] = frozenset()
    functions: frozenset[str] | None = None
    spelling: Mapping[str, str] = field(default_factory=dict)
    shapes: Mapping[str, Mapping[str, Shape]] = field(default_factory=dict)
    cte_shapes: Mapping[str, Mapping[str, Shape]] = field(default_factory=dict)
    renamed: Renamed = as_named


@dataclass(frozen=True, slots=True)
class GuardPass:
    """The statement is harmless. `sql` is its rendering, the only text that may ever be run."""

    tree: exp.Expr
    sql: str


@dataclass(frozen=True, slots=True)
class GuardRefusal:
    """The statement is not run. `where` is the offending piece of SQL (shortened), `message` says it to a person.

    With `FUNCTION_UNKNOWN`, a function that nobody has anything against but that the database does not have, `name` is
    that function in lower case and `nearest` what may be called in its place, best first. A function that is not
    allowed is `FUNCTION_DENIED` and has no substitutes.
    """

    rule: Rule
    where: str
    message: str
    name: str = ""
    nearest: tuple[str, ...] = ()


_EXCERPT = 120


class Refused(Exception):
    """Raised by the checks, turned into a `GuardRefusal` at the door."""

    def __init__(
        self, rule: Rule, where: str | exp.Expr, message: str, name: str = "", nearest: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.refusal = GuardRefusal(rule, _excerpt(where), message, name, nearest)


def _excerpt(where: str | exp.Expr) -> str:
    """A short piece of SQL. Only small trees are written out: a large one can take for ever, and nobody reads it."""
    if isinstance(where, exp.Expr):
        try:
            where = where.sql(comments=False) if _is_small(where) else f"{type(where).__name__} {where.name}".strip()
        except Exception:  # noqa: BLE001 - a tree that cannot be written is refused all the same
            where = type(where).__name__
    return where if len(where) <= _EXCERPT else where[: _EXCERPT - 1] + "…"


def _is_small(tree: exp.Expr) -> bool:
    stack = [(tree, 1)]
    count = 0
    while stack:
        node, depth = stack.pop()
        count += 1
        if depth > 7 or count > 60:
            return False
        stack += [(child, depth + 1) for child in node.iter_expressions()]
    return True
