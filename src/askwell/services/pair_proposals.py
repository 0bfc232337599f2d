"""An answer as a saved question with parameters: which of its values could be asked for, and the pair that asks."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from askwell.knowledge.questions import normalise_question
from askwell.question.days import days_at
from askwell.question.filling import day_words
from askwell.question.periods import day_of
from askwell.question.slots import Edge
from askwell.question.tokens import tokenize
from askwell.services.pair_parameters import edge_of

_PLACE = {TokenType.STRING: True, TokenType.NUMBER: False}
_LONGEST_PERIOD = 8  # words: “from the 5th of March to May 2024”
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """A literal of a statement that a column is compared with; `type` is a SQL type, `text` what stands there."""

    name: str
    type: str
    text: str
    is_text: bool
    edge: Edge


@dataclass(frozen=True, slots=True)
class Proposal:
    """Words of a question that could be asked for, from `start` to `end` in it, with the values of its statement that
    they gave: one, or both ends of a period."""

    values: tuple[ComparedValue, ...]
    start: int
    end: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.values)


def proposals(question: str, sql: str, dialect: str | None = None) -> tuple[Proposal, ...]:
    """What the question says of the values that columns are compared with, each of which stands once in the statement.
    Empty for a statement that cannot be parsed."""
    values = {one.name: one for one in _compared_values(sql, dialect)}
    found = []
    ends = values.get("from"), values.get("to")
    if ends[0] is not None and ends[1] is not None and (place := _period(question, ends[0], ends[1])) is not None:
        found.append(Proposal((ends[0], ends[1]), *place))
        del values["from"], values["to"]
    places = ((one, re.search(rf"(?<!\w){re.escape(one.text)}(?!\w)", question, re.I)) for one in values.values())
    return (*found, *(Proposal((one,), *said.span()) for one, said in places if said is not None))


def pair_with(question: str, sql: str, chosen: Sequence[Proposal], dialect: str | None = None) -> dict[str, Any]:
    """A SQL pair in which the chosen values are parameters."""
    asked = question
    for one in sorted(chosen, key=lambda one: one.start, reverse=True):
        places = " to ".join(f"{{{name}}}" for name in one.names)
        asked = f"{asked[: one.start]}{places}{asked[one.end :]}"
    values = [value for one in chosen for value in one.values]
    digest = hashlib.sha256(normalise_question(asked).encode()).hexdigest()[:24]
    return {
        "id": f"saved-{digest}",
        "question": asked,
        "sql": _with_places(sql, values, dialect),
        "parameters": [{"name": one.name, "type": one.type, "required": True} for one in values],
    }


def _compared_values(sql: str, dialect: str | None) -> Iterator[ComparedValue]:
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return
    literals = list(tree.find_all(exp.Literal))
    count = Counter((one.this, one.is_string) for one in literals)
    names: set[str] = set()
    for literal in literals:
        column = _compared(literal)
        if column is None or count[literal.this, literal.is_string] > 1 or not literal.this.strip():
            continue
        name = _name(literal, column.name)
        if name not in names:
            names.add(name)
            edge = edge_of(literal) or Edge.NONE
            yield ComparedValue(name, _type(literal), literal.this, literal.is_string, edge)


def _period(question: str, first: ComparedValue, last: ComparedValue) -> tuple[int, int] | None:
    """Where the question says the period from the one day to the other."""
    start, end = day_of(first.text), day_of(last.text)
    if start is None or end is None:
        return None
    end = end + timedelta(days=last.edge is Edge.LAST)
    words = [word.span() for word in re.finditer(r"[\w-]+", question)]
    for place in range(len(words)):
        for _, stop in reversed(words[place : place + _LONGEST_PERIOD]):
            tokens = tokenize(question[words[place][0] : stop])
            said = days_at(tokens, 0, start, day_words())
            if said is not None and said[1] == len(tokens) and (said[0].start, said[0].end) == (start, end):
                return words[place][0], stop
    return None


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


def _with_places(sql: str, chosen: Sequence[ComparedValue], dialect: str | None) -> str:
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
