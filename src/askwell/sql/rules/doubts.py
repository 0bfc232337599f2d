"""Signs in a finished reading that it may not be what was meant, though every word is placed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askwell.question.stems import stem, stem_set
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.facts import ColumnFacts
from askwell.sql.rules.grammar.selecting import SelectList
from askwell.sql.rules.query import Output, Sort
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.translation import Assumption

_COUNT_WORDS = frozenset({"number", "no", "count", "amount", "total", "quantity"})


def doubts(
    reader: Reader, draft: Draft, listing: SelectList, groups: Sequence[Output], sorts: Sequence[Sort]
) -> tuple[Assumption, ...]:
    """Each doubt as an assumption, once."""
    _refuse_shown_filters(draft, listing)
    _refuse_plain_figures(reader, draft, listing, groups, sorts)
    return tuple(dict.fromkeys(_stored_counts(reader, draft, listing, sorts)))


def _stored_counts(reader: Reader, draft: Draft, listing: SelectList, sorts: Sequence[Sort]) -> Iterator[Assumption]:
    """Rows are counted although a column holds such a number already: "customers" and `no_of_customers`. Where that
    column is as near, nobody can tell which is meant."""
    outputs = [*listing.outputs, *(sort.output for sort in sorts), *(having.output for having in draft.having)]
    if draft.extreme is not None:
        outputs.append(draft.extreme.output)
    counted = {o.rows_of for o in outputs if o.aggregate == "count" and o.column is None and o.rows_of is not None}
    for table in counted:
        words = reader.facts.tables[table].words
        two = reader.facts.tables[table].readable
        bare = (stem("count"),), (stem("number"),)
        for column in reader.facts.measures_named((words[0], words[-1], *(word for (word,) in bare))):
            if not ((column.ref.table == table and column.words in bare) or _counts(column, words)):
                continue
            if column.ref.table == table or column.ref.table in reader.sentence.tables:
                raise DeadEnd("rival_count", two, reader.readable(column.ref), final=column.words != words)
            yield assumption("rival_count", two, reader.readable(column.ref))


def _counts(column: ColumnFacts, words: tuple[str, ...]) -> bool:
    own = set(column.words)
    about = words == column.words or words[-1:] == column.words
    return about or (bool(own & stem_set(_COUNT_WORDS)) and words[0] in own and stem("id") not in own)


def _refuse_plain_figures(
    reader: Reader, draft: Draft, listing: SelectList, groups: Sequence[Output], sorts: Sequence[Sort]
) -> None:
    """What is computed from lines says something about many of them together, and nothing about one."""
    outputs = [*listing.outputs, *groups, *(s.output for s in sorts), *(h.output for h in draft.having)]
    for output in outputs:
        if output.column is None or reader.column(output.column).formula is None:
            continue
        fitting = ("sum", "avg") if reader.column(output.column).per is not None else ("sum",)
        if output.aggregate not in fitting:
            raise DeadEnd("aggregate_of_what", reader.column(output.column).readable)
    for output in outputs:
        if output.aggregate == "sum" and output.column is not None and output.column in reader.facts.fractions:
            raise DeadEnd("aggregate_of_what", reader.column(output.column).readable)  # fractions do not add up
    for ref in draft.filtered_columns():
        if reader.column(ref).formula is not None:
            raise DeadEnd("comparison_without_column", reader.column(ref).readable)


def _refuse_shown_filters(draft: Draft, listing: SelectList) -> None:
    """What is shown is known beforehand: "the name of the track 'X'" asks for something else."""
    shown = {output.column for output in listing.outputs if output.aggregate is None}
    for placed in draft.conditions:
        condition = placed.condition
        told = condition.operator == "=" and condition.values and not condition.negated
        if told and condition.column in shown and len(shown) == 1:
            raise DeadEnd("already_given", str(condition.values[0]))
