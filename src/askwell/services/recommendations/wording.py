"""What a table and its columns are, in the words of their names, types and keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from askwell.mdl.abbreviations import written_out
from askwell.mdl.names import listed, singular, words
from askwell.mdl.semantic_model import Cardinality, Column, ColumnRole, Relationship, SemanticModel, Table, TableKind
from askwell.mdl.types import TypeFamily, type_family
from askwell.mdl.units import unit_of_name, without_unit

# Last words of names that only say that the column is a key, a moment or a day.
_KEY_WORDS = frozenset({"id", "key", "uuid", "guid", "fk", "pk"})
_MOMENT_WORDS = frozenset({"at", "time", "timestamp", "datetime", "ts"})
_DAY_WORDS = frozenset({"date", "day", "on"})
# Verbs that a moment's name ends with: when something starts. Others are said as things that were done, or as names.
_VERBS = frozenset(
    {
        "arrives",
        "begins",
        "closes",
        "departs",
        "ends",
        "expires",
        "finishes",
        "leaves",
        "opens",
        "renews",
        "resumes",
        "returns",
        "starts",
        "stops",
    }
)
_DONE = frozenset(
    {
        "born",
        "built",
        "done",
        "drawn",
        "found",
        "given",
        "left",
        "lost",
        "made",
        "paid",
        "read",
        "seen",
        "sent",
        "shown",
        "sold",
        "taken",
        "won",
    }
)
# What may be said of a row that is so; of other names nobody can tell whether a row is or has it.
_STATES = frozenset({"active", "closed", "inactive", "invalid", "new", "open", "private", "public", "valid", "visible"})
_ASKING = frozenset({"is", "has", "was", "can", "did"})
_KINDS = {
    TableKind.VIEW: "A saved query",
    TableKind.METRIC: "Results, one row for each combination of its dimensions",
    TableKind.CUBE: "Results, one row for each combination of its dimensions",
}
# Tables, values and columns that a sentence names.
_MOST_NAMED = 5


def table_in_words(table: Table, model: SemanticModel) -> str:
    """One or two sentences: what a row is, by which columns it is known, and how the table relates to others."""
    if table.description:
        return table.description
    start = _KINDS.get(table.kind, f"One row for each {row_name(table)}")
    key = f", identified by {listed(table.primary_key)}" if table.primary_key else ""
    return ". ".join([f"{start}{key}", *_relations(table, model.relationships)]) + "."


def column_in_words(table: Table, column: Column, model: SemanticModel) -> str:
    """One sentence, or two: what the column holds, and what it refers to."""
    if column.description:
        return column.description
    target = _target(table, column, model.relationships)
    column = replace(column, unit=column.unit or unit_of_name(column.name, [other.name for other in table.columns]))
    said = f"{_held(table, column)}{f' (in {column.unit})' if column.unit else ''}"
    if target is not None:
        # `reports_to` says nothing of a row, but whom it refers to.
        called = said if said.startswith("identifier ") else " ".join(_words(column))
        said = f"{called}; refers to {target}"
    values = f" One of: {', '.join(column.values[:_MOST_NAMED])}." if 0 < len(column.values) <= _MOST_NAMED else ""
    return f"{said[:1].upper()}{said[1:]}.{values}"


def row_name(table: Table) -> str:
    """What one row of the table is called."""
    *first, last = written_out(words(table.display_name or table.name)) or (table.name,)
    return " ".join((*first, singular(last)))


def _words(column: Column) -> tuple[str, ...]:
    named = words(column.display_name or column.name)
    return written_out(without_unit(named, column.unit) if column.unit else named) or (column.name,)


def _held(table: Table, column: Column) -> str:
    named = _words(column)
    row = row_name(table)
    if column.role is ColumnRole.CALCULATED:
        return f"{' '.join(named)} of the {row}, computed by the model"
    if column.role in (ColumnRole.MEASURE, ColumnRole.DIMENSION):
        return f"{' '.join(named)} ({column.role.value})"
    if table.primary_key == (column.name,) or named[-1] in _KEY_WORDS:
        subject = " ".join(named[:-1]) if named[-1] in _KEY_WORDS else ""
        return f"identifier of the {subject or row}"
    family = type_family(column.type)
    if family is TypeFamily.BOOLEAN or (named[0] in _ASKING and len(named) > 1):
        return _yes_or_no(named, row)
    if family is TypeFamily.TIME:
        return _moment(named, row, column.type)
    # `customer_name` of customers says already what it is of.
    is_said = set(row.split()) <= set(named)
    return " ".join(named) if is_said else f"{' '.join(named)} of the {row}"


def _yes_or_no(named: tuple[str, ...], row: str) -> str:
    if named[0] in _ASKING and len(named) > 1:
        return f"whether the {row} {' '.join(named)}"
    if _is_done(named[-1]) or named[-1] in _STATES:
        return f"whether the {row} is {' '.join(named)}"
    return f"{' '.join(named)} of the {row}, yes or no"


def _is_done(word: str) -> bool:
    """Whether a word is a participle: archived, paid."""
    return word in _DONE or (len(word) > 4 and word.endswith("ed") and not word.endswith("eed"))


def _moment(named: tuple[str, ...], row: str, type_name: str) -> str:
    """`created_at`, `order_date`, `birthday`."""
    if named[-1] in ("at", "on") and len(named) > 1:
        what = "day on" if "time" not in type_name.lower() else "time at"
        if _is_done(named[-2]):
            return f"{what} which the {row} was {' '.join(named[:-1])}"
        if named[-2] in _VERBS:
            return f"{what} which the {row} {' '.join(named[:-1])}"
        named = named[:-1]
    if named[-1] in _MOMENT_WORDS | _DAY_WORDS:
        return f"{' '.join(named)} of the {row}" if row.split()[-1] not in named else " ".join(named)
    return f"{' '.join(named)} of the {row} (a {'day' if type_name.lower() == 'date' else 'time'})"


def _target(table: Table, column: Column, links: Iterable[Relationship]) -> str | None:
    """The table whose key the column holds, by the model's relationships."""
    for link in links:
        for here, there in link.pairs:
            if (link.left, here) == (table.name, column.name) and link.cardinality is not Cardinality.ONE_TO_MANY:
                return link.right
            if (link.right, there) == (table.name, column.name) and link.cardinality is Cardinality.ONE_TO_MANY:
                return link.left
    return None


def _relations(table: Table, links: Iterable[Relationship]) -> list[str]:
    to, by = [], []
    for link in links:
        turned = link.cardinality is Cardinality.ONE_TO_MANY
        source, target = (link.right, link.left) if turned else (link.left, link.right)
        if source == table.name:
            to.append(target)
        elif target == table.name:
            by.append(source)
    said = [("Refers to", to), ("Referred to by", by)]
    return [f"{verb} {_some(dict.fromkeys(names))}" for verb, names in said if names]


def _some(names: Iterable[str]) -> str:
    all_names = list(names)
    more = len(all_names) - _MOST_NAMED
    return listed(all_names) if more <= 0 else f"{listed([*all_names[:_MOST_NAMED], f'{more} more'])}"
