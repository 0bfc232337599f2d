"""What a reading takes for granted, in sentences for whoever asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.words import PARTS_OF_A_DAY, stems, stems_of_word
from askwell.semantic_parsing.chart import Item
from askwell.semantic_parsing.forms import Bucket, Compare, During, Every, Measure, Metric, Ref, Value
from askwell.semantic_parsing.linking import TAUGHT
from askwell.semantic_parsing.model.catalog import NUMBER, PARTIAL, Catalog
from askwell.semantic_parsing.model.facts import ColumnKind
from askwell.semantic_parsing.parser import Candidate
from askwell.semantic_parsing.translation import Assumption

# Words for amounts, whatever these are called.
_MONEY = frozenset({"MONEY", "SPENT"})
AS_SAID = ", as was said."
_STATED = {
    "sql:none_left_out": "Those that have none at all are left out.",
    "sql:flag_missing": "Those without a yes or no count as no.",
    "sql:none_counted": "Those that have none count as 0.",
}
# Of two parts that begin alike the first names them.
_STATED |= {
    f"sql:hours{first}": f"The {part} was taken to be from {first}:00 {f'to {last}:00' if last < 24 else 'on'}."
    for part, (first, last) in reversed([*PARTS_OF_A_DAY.items()])
}
_UNDONE = {"sql:undone_too": "are counted too", "sql:undone_left_out": "are not counted"}


def assumptions_of(candidate: Candidate, catalog: Catalog) -> tuple[Assumption, ...]:
    """The assumptions of a candidate, each once."""
    found = [*_spelling(candidate), *_dropped(candidate), *_links(candidate, catalog), *_time(candidate, catalog)]
    found += [*_undone(candidate, catalog), *_counted_apart(candidate, catalog), *_numbers_in_text(candidate, catalog)]
    found += [*_once(candidate, catalog), *_units(candidate, catalog)]
    found += [Assumption(s.removeprefix("sql:"), told) for s, told in _STATED.items() if s in candidate.features]
    return tuple(dict.fromkeys(found))


def _spelling(candidate: Candidate) -> Iterator[Assumption]:
    for fix in candidate.lattice.fixes:
        yield Assumption("misspelling", f"“{fix.written}” was read as “{fix.meant}”.")


def _dropped(candidate: Candidate) -> Iterator[Assumption]:
    if {"sentence:dropped", "aside:purpose"} & set(candidate.features):
        read = " ".join(token.text for token in candidate.lattice.tokens)
        yield Assumption("one_sentence", f"Only this part of the question was read: “{read}”.")


def _links(candidate: Candidate, catalog: Catalog) -> Iterator[Assumption]:
    """Names that stand for others, and values that are written otherwise."""
    for leaf in candidate.reading.leaves():
        said = " ".join(token.text for token in candidate.lattice.tokens[leaf.start : leaf.end])
        if TAUGHT in leaf.features:
            yield Assumption("taught", f"“{said}” means {_readable(leaf.meaning, catalog)}{AS_SAID}", said=said)
        elif leaf.category == "TABLE" and _is_loose("table", leaf):
            yield Assumption(
                "partial_table", f"“{said}” was taken to mean {catalog.table(leaf.meaning).readable}.", leaf.meaning
            )
        elif leaf.category == "COL" and _is_loose("col", leaf):
            for column in _chosen(candidate, (column for column, _ in leaf.meaning.options)):
                readable = catalog.column(column).readable
                yield Assumption("partial_column", f"“{said}” was taken to mean {readable}.", column)
        elif leaf.category == "COL":
            yield from _called_otherwise(candidate, catalog, leaf, (column for column, _ in leaf.meaning.options))
        elif leaf.category in _MONEY:
            options = (column for column, _ in catalog.hinted(leaf.meaning, (NUMBER,)))
            yield from _called_otherwise(candidate, catalog, leaf, options)
        elif leaf.category == "VAL":
            yield from _value(candidate, catalog, leaf.meaning, said)


def _called_otherwise(
    candidate: Candidate, catalog: Catalog, leaf: Item, options: Iterable[ColumnRef]
) -> Iterator[Assumption]:
    """The amount that was meant where it is called nothing like what was said: "money", "revenue", "spent"."""
    tokens = candidate.lattice.tokens[leaf.start : leaf.end]
    said = {stem for token in tokens for stem in stems_of_word(token.low)}
    for column in _chosen(candidate, options):
        facts, table = catalog.column(column), catalog.table(column.table)
        names = (facts.readable, table.readable)
        if catalog.kind(column) == NUMBER and not said & {
            *facts.words,
            *table.words,
            *(stem for name in names for stem in stems(name)),
        }:
            text, name = " ".join(token.text for token in tokens), catalog.full_name(column)
            yield Assumption("partial_column", f"“{text}” was taken to mean {name}.", column)


def said_as_taught(candidate: Candidate) -> Iterator[str]:
    """The words that mean what somebody has taught."""
    for leaf in candidate.reading.leaves():
        if TAUGHT in leaf.features:
            yield " ".join(token.text for token in candidate.lattice.tokens[leaf.start : leaf.end])


def _readable(meaning: str | Ref | Metric | Value, catalog: Catalog) -> str:
    match meaning:
        case Value():
            return f"“{meaning.text}”"
        case Metric():
            return meaning.formula.in_words
        case Ref():
            return catalog.column(meaning.options[0][0]).readable
        case _:
            return catalog.table(meaning).readable


def _is_loose(kind: str, leaf: Item) -> bool:
    levels = (sign.removeprefix(f"{kind}:") for sign in leaf.features if sign.startswith(f"{kind}:"))
    return any(level == "event" or (level.isdigit() and int(level) >= PARTIAL) for level in levels)


def _chosen(candidate: Candidate, options: Iterable[ColumnRef]) -> Iterator[ColumnRef]:
    known = set(options)
    chosen = {c for part, c in candidate.grounding.columns.items() if isinstance(part, Ref) and c in known}
    yield from sorted(chosen, key=lambda column: (column.table, column.column))[:1]


def _value(candidate: Candidate, catalog: Catalog, value: Value, said: str) -> Iterator[Assumption]:
    chosen = set(candidate.grounding.columns.values())
    for column, text in value.options:
        spellings = catalog.column(column).spelled(text, value.text)
        if column in chosen and (len(spellings) > 1 or text.strip().lower() != said.lower()):
            facts = catalog.column(column)
            name = facts.column.value_names.get(text, said)
            meaning = f" ({name})" if name.lower() != said.lower() else ""
            looked_for = f"“{said}” was looked for as {_listed(spellings)}{meaning} in {facts.readable}."
            yield Assumption("value", looked_for, column, text)
            return


def _listed(texts: Sequence[str]) -> str:
    *others, last = (f"“{text}”" for text in texts)
    return f"{', '.join(others)} and {last}" if others else last


def _counted_apart(candidate: Candidate, catalog: Catalog) -> Iterator[Assumption]:
    """Spellings of one value, where groups or a count of different values have to take them for one or for several."""
    query, columns = candidate.query, candidate.grounding.columns
    counted = [one.of for one in query.select if isinstance(one, Measure) and one.op == "count" and one.distinct]
    for part in (*query.group, *counted, *(query.select if query.distinct else ())):
        column = columns.get(part) if isinstance(part, Ref) else None
        if column is not None and (spellings := list(catalog.column(column).spellings.values())):
            facts = catalog.column(column)
            count = "one value" if facts.varies or facts.shortened else "different values"
            text = f"Different spellings in {facts.readable} count as {count}: {_listed(spellings[0])}."
            yield Assumption("spellings", text, column)


def _units(candidate: Candidate, catalog: Catalog) -> Iterator[Assumption]:
    """The unit that was said after a number, of a column that does not say its own."""
    lefts = [one.left for one in candidate.query.where if isinstance(one, Compare)]
    columns = [candidate.grounding.columns[left] for left in lefts if isinstance(left, Ref)]
    for said, _ in candidate.lattice.units[:1]:
        for column in (column for column in columns if catalog.unit_of(column) is None):
            yield Assumption("unit", f"{catalog.column(column).readable} was taken to be in {said}.", column)


def _once(candidate: Candidate, catalog: Catalog) -> Iterator[Assumption]:
    """That a row counts once in a figure, however often joins repeat it."""
    figures = [one.of for one in candidate.query.select if isinstance(one, Measure) and isinstance(one.of, Ref)]
    for of in figures if "sql:figure_once" in candidate.features else ():
        table = candidate.grounding.columns[of].table
        yield Assumption("figure_once", f"Each of the {catalog.table(table).readable} counts once.", table)


def _numbers_in_text(candidate: Candidate, catalog: Catalog) -> Iterator[Assumption]:
    """That a figure leaves out the texts of its column that are no numbers."""
    figures = [one for one in candidate.query.select if isinstance(one, Measure) and one.op != "count"]
    columns = [candidate.grounding.columns[one.of] for one in figures if isinstance(one.of, Ref)]
    for facts in (facts for facts in map(catalog.column, columns) if facts.number_form):
        if facts.kind is ColumnKind.TEXT:
            text = f"{facts.readable} is kept as text. What is empty or no number in it is left out."
            yield Assumption("numbers_in_text", text, facts.ref)


def _time(candidate: Candidate, catalog: Catalog) -> Iterator[Assumption]:
    """The date of a period; that of groups, where the tables that are read have another one."""
    for part in (*candidate.query.where, *candidate.query.group):
        part = part.parts[0] if isinstance(part, Every) else part
        of = part.of if isinstance(part, During | Bucket) else part.left if isinstance(part, Compare) else None
        is_told = isinstance(part, Compare) and isinstance(of, Ref) and not of.implicit
        column = candidate.grounding.columns.get(of) if isinstance(of, Ref) and not is_told else None
        if column is None or (
            isinstance(part, Bucket) and not (part.of.implicit and _is_chosen(column, candidate, catalog))
        ):
            continue
        yield Assumption("implicit_time", f"Time was taken to mean {catalog.column(column).readable}.", column)


def _is_chosen(taken: ColumnRef, candidate: Candidate, catalog: Catalog) -> bool:
    columns = (column for table in candidate.tables for column in catalog.table(table).columns)
    return any(column.is_date and column.ref != taken for column in columns)


def still_assumed(
    earlier: Iterable[Assumption], candidate: Candidate, own: Iterable[Assumption]
) -> Iterator[Assumption]:
    """What a follow-up takes for granted because the question before it did: what was taken for words that are not
    said again, as long as its statement still reads it. What time means is one of its `own` assumptions."""
    read = {ColumnRef(column.table, column.name) for column in candidate.tree.find_all(exp.Column)}
    written = {literal.name for literal in candidate.tree.find_all(exp.Literal)}
    said = {one.text for one in own}
    for one in earlier:
        kept = one.taken in read or one.taken in candidate.tables
        if (
            kept
            and one.kind != "implicit_time"
            and one.text not in said
            and (one.value is None or one.value in written)
        ):
            yield one


def _undone(candidate: Candidate, catalog: Catalog) -> Iterator[Assumption]:
    """Whether what came to nothing was counted, unless the question speaks of its state."""
    for sign, told in _UNDONE.items():
        for table in candidate.tables if sign in candidate.features else ():
            column, states = catalog.undone.get(table, (None, ()))
            if column is not None and column not in candidate.grounding.columns.values():
                said = " or ".join(f"“{state}”" for state in states)
                text = f"{catalog.table(table).readable} that are {said} {told}."
                yield Assumption(sign.removeprefix("sql:"), text[:1].upper() + text[1:])
