"""What a reading takes for granted, in sentences for whoever asked."""

from __future__ import annotations

from collections.abc import Iterator

from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.chart import Item
from askwell.semantic_parsing.forms import During, Metric, Ref, Value
from askwell.semantic_parsing.linking import TAUGHT
from askwell.semantic_parsing.model.catalog import PARTIAL, Catalog
from askwell.semantic_parsing.parser import Candidate
from askwell.semantic_parsing.translation import Assumption

_UNDONE = {"sql:undone_too": "are counted too", "sql:undone_left_out": "are not counted"}


def assumptions_of(candidate: Candidate, catalog: Catalog) -> tuple[Assumption, ...]:
    """The assumptions of a candidate, each once."""
    found = [*_spelling(candidate), *_dropped(candidate), *_links(candidate, catalog), *_time(candidate, catalog)]
    found += _undone(candidate, catalog)
    return tuple(dict.fromkeys(found))


def _spelling(candidate: Candidate) -> Iterator[Assumption]:
    for fix in candidate.lattice.fixes:
        yield Assumption("misspelling", f"“{fix.written}” was read as “{fix.meant}”.")


def _dropped(candidate: Candidate) -> Iterator[Assumption]:
    if "sentence:dropped" in candidate.features:
        read = " ".join(token.text for token in candidate.lattice.tokens)
        yield Assumption("one_sentence", f"Only this part of the question was read: “{read}”.")


def _links(candidate: Candidate, catalog: Catalog) -> Iterator[Assumption]:
    """Names that stand for others, and values that are written otherwise."""
    for leaf in candidate.reading.leaves():
        said = " ".join(token.text for token in candidate.lattice.tokens[leaf.start : leaf.end])
        if TAUGHT in leaf.features:
            yield Assumption("taught", f"“{said}” means {_readable(leaf.meaning, catalog)}, as was said.")
        elif leaf.category == "TABLE" and _is_loose("table", leaf):
            yield Assumption("partial_table", f"“{said}” was taken to mean {catalog.table(leaf.meaning).readable}.")
        elif leaf.category == "COL" and _is_loose("col", leaf):
            for column in _columns(candidate, leaf.meaning):
                readable = catalog.column(column).readable
                yield Assumption("partial_column", f"“{said}” was taken to mean {readable}.")
        elif leaf.category == "VAL":
            yield from _value(candidate, catalog, leaf.meaning, said)


def said_as_taught(candidate: Candidate) -> Iterator[str]:
    """The words that mean what somebody has taught."""
    for leaf in candidate.reading.leaves():
        if TAUGHT in leaf.features:
            yield " ".join(token.text for token in candidate.lattice.tokens[leaf.start : leaf.end])


def _readable(meaning: str | Ref | Metric, catalog: Catalog) -> str:
    match meaning:
        case Metric():
            return meaning.formula.in_words
        case Ref():
            return catalog.column(meaning.options[0][0]).readable
        case _:
            return catalog.table(meaning).readable


def _is_loose(kind: str, leaf: Item) -> bool:
    levels = (sign.removeprefix(f"{kind}:") for sign in leaf.features if sign.startswith(f"{kind}:"))
    return any(level == "event" or (level.isdigit() and int(level) >= PARTIAL) for level in levels)


def _columns(candidate: Candidate, ref: Ref) -> Iterator[ColumnRef]:
    options = {column for column, _ in ref.options}
    chosen = {c for part, c in candidate.grounding.columns.items() if isinstance(part, Ref) and c in options}
    yield from sorted(chosen, key=lambda column: (column.table, column.column))[:1]


def _value(candidate: Candidate, catalog: Catalog, value: Value, said: str) -> Iterator[Assumption]:
    chosen = set(candidate.grounding.columns.values())
    for column, text in value.options:
        if column in chosen and text.strip().lower() != said.lower():
            readable = catalog.column(column).readable
            yield Assumption("value", f"“{said}” was looked for as “{text}” in {readable}.")
            return


def _time(candidate: Candidate, catalog: Catalog) -> Iterator[Assumption]:
    for predicate in candidate.query.where:
        column = candidate.grounding.columns.get(predicate.of) if isinstance(predicate, During) else None
        if column is not None:
            yield Assumption("implicit_time", f"Time was taken to mean {catalog.column(column).readable}.")


def _undone(candidate: Candidate, catalog: Catalog) -> Iterator[Assumption]:
    """Whether what came to nothing was counted, unless the question speaks of its state."""
    for sign, told in _UNDONE.items():
        for table in candidate.tables if sign in candidate.features else ():
            column, states = catalog.undone.get(table, (None, ()))
            if column is not None and column not in candidate.grounding.columns.values():
                said = " or ".join(f"“{state}”" for state in states)
                yield Assumption(
                    sign.removeprefix("sql:"), f"{_capital(catalog.table(table).readable)} that are {said} {told}."
                )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
