"""An answer as a saved question with parameters: which of its values could be asked for, and the pair that asks."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from askwell.errors import InvalidRequest
from askwell.knowledge.questions import normalise_question
from askwell.question.periods import day_of
from askwell.question.slots import Edge
from askwell.services.pair_parameters import edge_of

_PLACE = {TokenType.STRING: True, TokenType.NUMBER: False}
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A value of a statement that could be a parameter: `type` is a SQL type, `text` what stands there."""

    name: str
    type: str
    text: str
    is_text: bool


def proposals(sql: str, dialect: str | None = None) -> tuple[Proposal, ...]:
    """The values that columns are compared with, each of which stands once in the statement. Empty for a statement that
    cannot be parsed."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return ()
    literals = list(tree.find_all(exp.Literal))
    count = Counter((one.this, one.is_string) for one in literals)
    found: dict[str, Proposal] = {}
    for literal in literals:
        column = _compared(literal)
        if column is None or count[literal.this, literal.is_string] > 1 or not literal.this.strip():
            continue
        name = _name(literal, column.name)
        if name not in found:
            found[name] = Proposal(name, _type(literal), literal.this, literal.is_string)
    return tuple(found.values())


def pair_with(question: str, sql: str, chosen: Sequence[Proposal], dialect: str | None = None) -> dict[str, Any]:
    """A SQL pair in which the chosen values are parameters. Raises `InvalidRequest` for a value that the question does
    not say: nobody could say another one in its place."""
    asked = question
    ends = {one.name: one for one in chosen if day_of(one.text) is not None and one.name in ("from", "to")}
    if len(ends) == 2 and (year := _year_of(ends["from"], ends["to"])) and year in asked:
        asked = asked.replace(year, "{from} to {to}", 1)
    else:
        ends = {}
    for one in chosen:
        if one.name in ends:
            continue
        place = re.search(rf"(?<!\w){re.escape(one.text)}(?!\w)", asked, re.IGNORECASE)
        if place is None:
            raise InvalidRequest(
                f"The question does not say “{one.text[:80]}”, so it cannot be a parameter.",
                "Ask with the value in the question, or leave it out.",
            )
        asked = f"{asked[: place.start()]}{{{one.name}}}{asked[place.end() :]}"
    digest = hashlib.sha256(normalise_question(asked).encode()).hexdigest()[:24]
    parameters = [{"name": one.name, "type": one.type, "required": True} for one in chosen]
    return {
        "id": f"saved-{digest}",
        "question": asked,
        "sql": _with_places(sql, chosen, dialect),
        "parameters": parameters,
    }


def _compared(literal: exp.Expr) -> exp.Column | None:
    """The column that a literal is compared with."""
    node = literal.parent
    while node is not None and not isinstance(node, exp.Predicate | exp.Query):
        if not isinstance(node, exp.Cast | exp.Paren | exp.Lower | exp.Upper):
            return None
        node = node.parent
    if not isinstance(node, exp.EQ | exp.GT | exp.GTE | exp.LT | exp.LTE | exp.Between | exp.In):
        return None
    return next(iter(node.find_all(exp.Column)), None)


def _name(literal: exp.Expr, column: str) -> str:
    name = re.sub(r"\W", "_", column.lower())
    if literal.is_string and day_of(literal.this) is not None:
        edge = edge_of(literal)
        return "from" if edge is Edge.START else "to" if edge in (Edge.LAST, Edge.END) else name
    if _YEAR.fullmatch(literal.this):
        return "year"
    if not literal.is_string:
        edge = edge_of(literal)
        return f"min_{name}" if edge is Edge.START else f"max_{name}" if edge in (Edge.LAST, Edge.END) else name
    return name if name[:1].isalpha() or name.startswith("_") else f"value_{name}"


def _type(literal: exp.Expr) -> str:
    if not literal.is_string:
        return "INTEGER" if literal.this.isdigit() else "DOUBLE"
    return "DATE" if re.fullmatch(r"\d{4}-\d{2}-\d{2}", literal.this) and day_of(literal.this) else "VARCHAR"


def _year_of(first: Proposal, last: Proposal) -> str | None:
    """The year that two days are the ends of."""
    year = first.text[:4]
    ends = (f"{year}-12-31", f"{int(year) + 1:04d}-01-01")
    return year if first.text == f"{year}-01-01" and last.text in ends else None


def _with_places(sql: str, chosen: Sequence[Proposal], dialect: str | None) -> str:
    """The statement as it is written, with `:name` in the place of each value."""
    names = {(one.text, one.is_text): one.name for one in chosen}

    def pieces() -> Iterator[str]:
        end = 0
        for token in Dialect.get_or_raise(dialect).tokenize(sql):
            name = names.get((token.text, _PLACE[token.token_type])) if token.token_type in _PLACE else None
            if name is not None:
                yield f"{sql[end : token.start]}:{name}"
                end = token.end + 1
        yield sql[end:]

    return "".join(pieces())
