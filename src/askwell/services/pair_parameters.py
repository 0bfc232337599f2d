"""Saved questions with parameters: found by a question, and made statements by values.

What stands as `:name` in the SQL of a pair is filled in when it is used, as a literal of the tree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from askwell.errors import InvalidRequest
from askwell.knowledge.saved import PairParameter, SavedKnowledge, SqlPair
from askwell.mdl.semantic_model import ColumnRef, SampledValues, SemanticModel
from askwell.mdl.types import TypeFamily, type_family
from askwell.messages import say
from askwell.principal import NOBODY
from askwell.question.slots import Edge, Kind, Plain, Slot, Value
from askwell.question.templates import Match, Template, could_be, match

if TYPE_CHECKING:
    from askwell.services.projects import ProjectModel

_LIST = re.compile(r"\b(?:list|array)\b")
_WHOLE = re.compile(r"int|serial|long|short|year")
_SAMPLES: Mapping[Kind, Plain] = {
    Kind.INTEGER: 1,
    Kind.NUMBER: 1,
    Kind.BOOLEAN: True,
    Kind.DATE: "2024-01-01",
    Kind.MOMENT: "2024-01-01 00:00:00",
    Kind.TEXT: "x",
}
# `:from` is no parameter to a parser that knows the keyword; under another name it is one.
_PREFIX = "askwell_"


def with_samples(pair: SqlPair, dialect: str) -> str:
    """The pair's SQL with a value of the right type for each parameter, so that it can be planned; as it is where it
    has none or cannot be parsed. What is no parameter of the pair stays a placeholder, which no statement may have.
    Raises `InvalidRequest` for a default that is none of the parameter's type."""
    if not pair.parameters:
        return pair.sql
    tree = _tree(pair, dialect)
    if tree is None:
        return pair.sql
    found: dict[str, Value | None] = {}
    for one in pair.parameters:
        slot = _slot(one, Edge.NONE, {})
        sample = slot.default if slot.default is not None else _SAMPLES[slot.kind]
        found[slot.name.lower()] = sample
    _put(tree, found)
    return tree.sql(dialect=dialect)


def with_defaults(pair: SqlPair, dialect: str) -> str:
    """The pair's SQL with the defaults of its parameters, and NULL for parameters without one; as it is where it has
    none or cannot be parsed. Raises as `with_samples` does."""
    tree = _tree(pair, dialect) if pair.parameters else None
    if tree is None:
        return pair.sql
    slots = [_slot(one, Edge.NONE, {}) for one in pair.parameters]
    _put(tree, {slot.name.lower(): slot.default for slot in slots})
    return tree.sql(dialect=dialect)


def slots_of(
    pair: SqlPair, dialect: str, model: SemanticModel | None = None, values: SampledValues | None = None
) -> tuple[Slot, ...]:
    """The parameters that the pair's SQL has, as they were declared, with what the SQL and the values of the columns
    that they are compared with say of them. Empty for SQL that cannot be parsed. Raises as `with_samples` does."""
    tree = _tree(pair, dialect)
    if tree is None:
        return ()
    places: dict[str, list[exp.Expr]] = {}
    for name, place in _places(tree):
        places.setdefault(name, []).append(place)
    found = []
    for one in pair.parameters:
        used = places.get(one.name.lower())
        if used:
            known = _known(tree, used, model, values or {}) if model is not None else {}
            found.append(_slot(one, _edge(used), known))
    return tuple(found)


def filled(pair: SqlPair, values: Mapping[str, Value | None], dialect: str) -> str:
    """The pair's SQL with a literal in the place of each parameter; NULL where `values` has none. Raises
    `InvalidRequest` where that cannot be written in this dialect so that it reads the same again."""
    tree = _tree(pair, dialect)
    if tree is None:
        return pair.sql
    _put(tree, {one.name.lower(): values.get(one.name) for one in pair.parameters})
    sql = tree.sql(dialect=dialect)
    # A text that a dialect would end earlier than we think must not get further than this.
    if _texts(sqlglot.parse_one(sql, dialect=dialect)) != _texts(tree):
        raise InvalidRequest(*say("parameters.value_unwritable"))
    return sql


def with_values(pair: SqlPair, values: Mapping[str, object], dialect: str) -> str:
    """The pair's SQL with these values as someone said them; a default, or NULL, stands for what may be left out and
    is. Raises `InvalidRequest` for unknown names, values of another type and missing ones, and as `filled` does."""
    slots = {slot.name: slot for slot in slots_of(pair, dialect)}
    taken: dict[str, Value | None] = {name: slot.default for name, slot in slots.items()}
    for name, value in values.items():
        if name not in {one.name for one in pair.parameters}:
            raise InvalidRequest(*say("parameters.unknown", name=name))
        if name in slots and value is not None:
            taken[name] = _typed(slots[name], value)
    missing = [name for name, value in taken.items() if value is None and not slots[name].may_be_left_out]
    if missing:
        raise InvalidRequest(*say("parameters.value_missing", missing=", ".join(missing)))
    return filled(pair, taken, dialect)


def _typed(slot: Slot, value: object) -> Value:
    try:
        return slot.typed(value)
    except ValueError as error:
        raise InvalidRequest(str(error), "Correct the value, or the type of the parameter.") from None


def _slot(parameter: PairParameter, edge: Edge, known: Mapping[str, str]) -> Slot:
    kind, many = _kind(parameter.type)
    slot = Slot(
        name=parameter.name,
        kind=kind,
        edge=edge,
        many=many,
        required=parameter.required,
        known=known if kind is Kind.TEXT else {},
    )
    if parameter.default is None:
        return slot
    try:
        typed = slot.typed(parameter.default)
    except ValueError as error:
        raise InvalidRequest(*say("parameters.default", error=error)) from None
    return Slot(slot.name, kind, edge, many, slot.required, typed, slot.known)


def _kind(type_name: str) -> tuple[Kind, bool]:
    name = type_name.lower()
    if _LIST.search(name):
        return _kind(_LIST.sub("", name).strip("()[] "))[0], True
    match type_family(name):
        case TypeFamily.NUMBER:
            return (Kind.INTEGER if _WHOLE.search(name) else Kind.NUMBER), False
        case TypeFamily.BOOLEAN:
            return Kind.BOOLEAN, False
        case TypeFamily.TIME if "date" in name or "stamp" in name:
            return (Kind.DATE if "time" not in name else Kind.MOMENT), False
        case TypeFamily.TIME if name.startswith("year"):
            return Kind.INTEGER, False
    return Kind.TEXT, False


def _tree(pair: SqlPair, dialect: str) -> exp.Expr | None:
    try:
        return sqlglot.parse_one(_renamed(pair, dialect), dialect=dialect)
    except (SqlglotError, RecursionError):
        return None


def _renamed(pair: SqlPair, dialect: str) -> str:
    """The pair's SQL with another name for each of its parameters, one that is no keyword anywhere. DuckDB takes
    `:name` behind SELECT for an alias, and `$name` everywhere for a parameter."""
    mark = "$" if dialect == "duckdb" else ":"
    declared = {one.name.lower() for one in pair.parameters}
    pieces, end = [], 0
    tokens: Sequence[Token] = Dialect.get_or_raise(dialect).tokenize(pair.sql)
    for before, colon, name in zip([None, *tokens], tokens, tokens[1:], strict=False):
        is_path = before is not None and before.end + 1 == colon.start and before.token_type is TokenType.VAR
        if colon.token_type is TokenType.COLON and name.start == colon.end + 1 and not is_path:
            word = pair.sql[name.start : name.end + 1]
            if word.lower() in declared:
                pieces += [pair.sql[end : colon.start], f"{mark}{_PREFIX}{word}"]
                end = name.end + 1
    return "".join([*pieces, pair.sql[end:]])


def _places(tree: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    for place in list(tree.find_all(exp.Placeholder, exp.Parameter)):
        yield place.name.lower().removeprefix(_PREFIX), place


def _put(tree: exp.Expr, values: Mapping[str, Value | None]) -> None:
    for name, place in _places(tree):
        if name not in values:
            continue
        value = values[name]
        if isinstance(value, list) and isinstance(place.parent, exp.In):
            others = [one for one in place.parent.expressions if one is not place]
            place.parent.set("expressions", [*others, *map(_literal, value)])
        else:
            literals = [_literal(one) for one in value] if isinstance(value, list) else [_literal(value)]
            place.replace(literals[0] if len(literals) == 1 else exp.Tuple(expressions=literals))


def _literal(value: Plain | None) -> exp.Expr:
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, bool) or value is None:
        return exp.convert(value)
    number = exp.Literal.number(repr(abs(value)))
    return exp.Neg(this=number) if value < 0 else number


def _texts(tree: exp.Expr) -> list[str]:
    return sorted(one.this for one in tree.find_all(exp.Literal) if one.is_string)


def _edge(places: Sequence[exp.Expr]) -> Edge:
    """What all places say; `NONE` where they do not agree."""
    edges = {_edge_of(place) for place in places} - {None}
    return edges.pop() or Edge.NONE if len(edges) == 1 else Edge.NONE


def _edge_of(place: exp.Expr) -> Edge | None:
    """Which end of a range a placeholder or literal is; None where it is compared with nothing: `:country IS NULL`."""
    inner, node, is_changed = place, place.parent, False
    while node is not None and not isinstance(node, exp.Predicate | exp.Query):
        is_changed = is_changed or not isinstance(node, exp.Cast | exp.Paren)
        inner, node = node, node.parent
    match node:
        case exp.Is():
            return None
        case exp.Between():
            return Edge.START if inner is node.args["low"] else Edge.LAST if inner is node.args["high"] else Edge.NONE
        case exp.GT() | exp.GTE() | exp.LT() | exp.LTE():
            is_lower_end = isinstance(node, exp.GT | exp.GTE) == (inner is node.expression)
            if is_lower_end:
                return Edge.START
            # `d < date(:to, '+1 day')` counts the day itself.
            return Edge.LAST if is_changed or isinstance(node, exp.GTE | exp.LTE) else Edge.END
    return Edge.NONE


def _known(
    tree: exp.Expr, places: Sequence[exp.Expr], model: SemanticModel, values: SampledValues
) -> Mapping[str, str]:
    """Values of the column that a parameter is compared with, by their lower case; see `Slot`."""
    tables = {one.alias_or_name.lower(): one.name for one in tree.find_all(exp.Table)}
    for place in places:
        node = place.parent
        if not isinstance(node, exp.EQ | exp.In | exp.NEQ):
            continue
        column = node.this if node.this is not place else node.expression
        if not isinstance(column, exp.Column):
            continue
        named = [tables[column.table.lower()]] if column.table.lower() in tables else list(tables.values())
        for table in filter(None, map(model.table, named)):
            for one in table.columns:
                if one.name.lower() == column.name.lower():
                    held = (*one.values, *values.get(ColumnRef(table.name, one.name), ()))
                    folded = Counter(text.casefold() for text in set(held))
                    return {text.casefold(): text if folded[text.casefold()] == 1 else "" for text in held}
    return {}


@dataclass(frozen=True, slots=True)
class SavedForm:
    """A saved question that has parameters."""

    pair: SqlPair
    slots: tuple[Slot, ...]

    @classmethod
    def of(cls, pair: SqlPair, project: ProjectModel) -> SavedForm | None:
        """None for a pair without parameters, for one that cannot be used any more, and for one that holds values which
        not everybody may know. Takes some milliseconds: call it on a thread."""
        try:
            if not project.may_use(NOBODY, pair):
                return None
            slots = slots_of(pair, project.engine.dialect, project.model, project.values)
        except InvalidRequest:
            return None
        return cls(pair, slots) if slots else None


@dataclass(frozen=True, slots=True)
class FormTemplates:
    """The saved questions of a project that have parameters, ready to be compared with questions; saved last at the
    end."""

    pairs: tuple[SqlPair, ...]
    templates: tuple[Template, ...]

    @classmethod
    def of(cls, saved: SavedKnowledge) -> FormTemplates:
        """Takes some 50 µs a pair: for thousands, call it on a thread."""
        pairs = tuple(pair for pair in saved.pairs.values() if pair.parameters)
        return cls(pairs, tuple(_template(pair) for pair in pairs))

    def find(self, question: str, project: ProjectModel, today: date) -> tuple[SavedForm, Match] | None:
        """The saved question that this one is; of several, one of which all parameters are said, then the one with the
        most words of its own, then the one saved last."""
        found: list[tuple[tuple[bool, bool, int, int], SavedForm, Match]] = []
        for place in could_be(question, self.templates):
            form = SavedForm.of(self.pairs[place], project)
            said = match(question, self.templates[place], form.slots, today) if form is not None else None
            if form is not None and said is not None:
                rank = (said.is_said, said.hints, len(self.templates[place].words), place)
                found.append((rank, form, said))
        return max(found, key=lambda one: one[0])[1:] if found else None


def _template(pair: SqlPair) -> Template:
    defaults = {one.name: one.default for one in pair.parameters}
    return Template.of(pair.question, {name: None if value is None else str(value) for name, value in defaults.items()})


def parameter_names(slots: Sequence[Slot]) -> str:
    """`from`, `to` and `country` for people."""
    names = [f"“{slot.name}”" for slot in slots]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""
