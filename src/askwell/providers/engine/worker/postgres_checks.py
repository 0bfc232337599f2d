"""What a statement for PostgreSQL reads and calls: by the server's plan (`EXPLAIN (VERBOSE, FORMAT JSON)`), and by its
text where code of the database's own hides behind reviewed names: overloads of functions, operators and casts.

PostgreSQL chooses among all of one name by the types of the arguments, so that `lower(born)` may be a person's. Whether
a statement could mean one of them is read from its text, before the server plans it: planning already calls functions
of constants. What views and row-level policies use is not in that text; it is their owner's affair.

Not seen: operator classes, which only a superuser can make.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from askwell.providers.engine.worker.outcomes import ways_of
from askwell.providers.engine.worker.session import fold

# -- the plan ---------------------------------------------------------------------------------------------------------

CONSTRUCTS = frozenset(ways_of("postgres")["constructs"].split())
_WRITES = frozenset({"ModifyTable", "LockRows"})
_NAMES = frozenset(ways_of("postgres")["plan_names"])
_PIECE = re.compile(r"'(?:[^']|'')*'|\"((?:[^\"]|\"\")*)\"|[^\W\d]\w*|::|\s+|.", re.DOTALL)


def nodes(plan: Any) -> Iterator[dict[str, Any]]:
    """Every node of the plan of one statement."""
    stack = [node["Plan"] for node in plan]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.get("Plans", ()))


def writes(plan: Any) -> bool:
    """Whether the plan changes or locks rows."""
    return any(node.get("Node Type") in _WRITES for node in nodes(plan))


def relations(plan: Any) -> frozenset[str]:
    """Folded names of what the plan reads; parts that the planner proved useless are not read, and not there."""
    return frozenset(fold(node["Relation Name"]) for node in nodes(plan) if "Relation Name" in node)


def functions(plan: Any) -> frozenset[str]:
    """Lower-case names of the functions that the plan calls, with their schema where the server names one: those that
    are left after it worked out what is constant. What stands for grammar is left out."""
    found: set[str] = set()
    for node in nodes(plan):
        for key, value in node.items():
            if key in _NAMES or key == "Plans":
                continue
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str):
                    found.update(_called(text))
    return frozenset(found - CONSTRUCTS)


def _called(text: str) -> Iterator[str]:
    """Names in front of a bracket, as the server writes expressions: calls have no blank there, `IN (…)` has. The names
    of types (`::numeric(10,2)`) are none."""
    name, qualifier, dotted, in_type = "", "", False, False
    for piece in _PIECE.finditer(text):
        word = piece[0]
        if word == "(" and name and not in_type:
            yield f"{qualifier}.{name}" if qualifier not in ("", "pg_catalog") else name
        if word == "::":
            in_type = True
        elif word == "." and name:
            dotted = True
            continue
        elif piece[1] is not None or word[0].isidentifier():
            qualifier = name if dotted else ""
            name = piece[1].replace('""', '"') if piece[1] is not None else word.lower()
            dotted = False
            continue
        elif not word.isspace():
            in_type = in_type and word == "."
        name, qualifier, dotted = "", "", False


# -- code of the database's own ---------------------------------------------------------------------------------------

_ADVICE = "Its owner can rename it, move it to a schema off the search path, or make it part of an extension."
_TOKEN = re.compile(
    r"""
    (?P<text>[eE]'(?:[^'\\]|''|\\.)*' | '(?:[^']|'')*' | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
    | "(?P<quoted>(?:[^"]|"")*)"
    | (?P<gap>\s+ | --[^\n]* | /\*.*?\*/)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<number>\d[\w.]*)
    | (?P<operator>(?:(?!--|/\*)[-+*/<>=~!@\#%^&|`?])+)
    | (?P<sign>::|.)
    """,
    re.DOTALL | re.VERBOSE,
)
_BEHIND_WORDS = {word: set(made.split()) for word, made in ways_of("postgres")["behind_words"].items()}
# Where those words stand for no operator: what follows them then, or (`True`) what does not.
_NEXT = {"case": (False, "when"), "distinct": (True, "from")}
# An operator ends in + or - only if it also holds one of these.
# https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-OPERATORS
_MAY_END_IN_SIGN = re.compile(r"[~!@#%^&|`?]")
# What converts a value although no implicit cast does; the last two are built on a conversion to text.
_CONVERTING = frozenset({"::", "cast", "||", "quote_literal", "quote_nullable"})
# JSON functions convert by casts to these, however they were declared.
_JSON = frozenset({"json", "jsonb"})
_NOTHING = ("", "")
# What an asterisk follows where it is no operator.
_BEFORE_STAR = frozenset({"(", ",", ".", "select", "distinct", "all"})


@dataclass(frozen=True, slots=True)
class _Cast:
    source: str
    target: str
    is_implicit: bool
    tables: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class OwnCode:
    """What a database has of its own: names of functions, symbols of operators, and casts."""

    functions: frozenset[str]
    operators: frozenset[str]
    casts: tuple[_Cast, ...]

    @classmethod
    def of(cls, rows: list[tuple[Any, ...]]) -> Self:
        """From the rows of `own_code` (`postgres.sql`)."""
        return cls(
            frozenset(row[1] for row in rows if row[0] == "function"),
            frozenset(row[1] for row in rows if row[0] == "operator"),
            tuple(
                _Cast(source, target, is_implicit, None if tables is None else frozenset(tables))
                for kind, target, source, is_implicit, tables in rows
                if kind == "cast"
            ),
        )

    def hidden(self, callable_functions: frozenset[str]) -> list[str]:
        """What of it a statement could be made to run, in words that fit after "defines"."""
        return [
            *sorted(f"a cast of {cast.source} to {cast.target}" for cast in self.casts),
            *(f"a function {name}" for name in sorted(self.functions & callable_functions)),
            *(f"an operator {symbol}" for symbol in sorted(self.operators)),
        ]

    def meant_by(self, sql: str, tables: frozenset[str], callable_functions: frozenset[str]) -> str:
        """A sentence on what of it a statement could run, with what to do; empty if nothing. `tables` are those that
        the statement may read, folded."""
        if not (self.functions or self.operators or self.casts):
            return ""
        tokens = list(_tokens(sql))
        for name in sorted(self.functions & set(_calls_in(tokens))):
            return own_function(name) if name in callable_functions else f"The statement may not call {name}."
        words = {word for kind, word in tokens if kind != "quoted"}
        for symbol in sorted(self.operators & _operators(tokens)):
            return f"The statement may use the operator {symbol}, for which the database has code of its own. {_ADVICE}"
        for cast in self.casts:
            if cast.tables is not None and not cast.tables & tables:
                continue
            in_json = cast.target in _JSON and any("json" in word for word in words)
            if cast.is_implicit or in_json or words & _CONVERTING:
                return (
                    f"The statement may convert {cast.source} to {cast.target} by a cast of the database's own. "
                    "Its owner can drop it, or make it part of an extension."
                )
        return ""


def own_function(name: str) -> str:
    """The sentence on a call of a name that the database has a function of its own for."""
    return f"The statement may not call {name}: the database has a function of its own of that name. {_ADVICE}"


def _tokens(sql: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each, as PostgreSQL's lexer splits them. Words are in lower case, texts are empty."""
    for found in _TOKEN.finditer(sql):
        kind = found.lastgroup or "sign"
        if kind == "gap":
            continue
        if kind in ("text", "tag"):
            yield "text", ""
        elif kind == "quoted":
            yield kind, found["quoted"].replace('""', '"')
        elif kind == "operator":
            yield from _split(found[0])
        else:
            yield kind, fold(found[0])


def _split(run: str) -> Iterator[tuple[str, str]]:
    """The operators in a run of their signs."""
    while run:
        operator = run
        while len(operator) > 1 and operator[-1] in "+-" and not _MAY_END_IN_SIGN.search(operator):
            operator = operator[:-1]
        yield "operator", "<>" if operator == "!=" else operator
        run = run[len(operator) :]


def _calls_in(tokens: list[tuple[str, str]]) -> Iterator[str]:
    """Names in front of a bracket, but for those that AS gives."""
    for before, (kind, name), (_, behind) in zip([_NOTHING, *tokens], tokens, tokens[1:], strict=False):
        if behind == "(" and kind in ("word", "quoted") and before != ("word", "as"):
            yield name


def _operators(tokens: list[tuple[str, str]]) -> set[str]:
    """Symbols of the operators that stand in a statement or behind its words."""
    found: set[str] = set()
    for before, (kind, word), (_, behind) in zip([_NOTHING, *tokens], tokens, [*tokens[1:], _NOTHING], strict=False):
        if kind == "operator" and (word != "*" or before[1] not in _BEFORE_STAR):
            found.add(word)
        elif kind == "word" and word in _BEHIND_WORDS:
            follows, what = _NEXT.get(word, (True, behind))
            if (behind == what) == follows:
                found |= _BEHIND_WORDS[word]
    return found
