"""In which order rows are shown and how many of them, and what a ranking groups by."""

from __future__ import annotations

from dataclasses import replace

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.rules.draft import DeadEnd, Draft, Extreme
from askwell.sql.rules.grammar.selecting import SelectList
from askwell.sql.rules.query import Output, Sort
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.refusals import refuse_own_figure, refuse_single_amount, refuse_single_rating

_ROW_COUNT = Output(aggregate="count")


def in_order(
    reader: Reader, draft: Draft, listing: SelectList, groups: list[Output]
) -> tuple[list[Output], list[Sort], int | None, tuple[str, ...]]:
    """Groups, sort keys, limit, and the tables whose rows are counted for the order."""
    sorts: list[Sort] = []
    limit = draft.limit
    counted: tuple[str, ...] = ()
    if draft.extreme is not None:
        groups, sorts, counted = _extreme(reader, draft.extreme, listing, groups)
        limit = draft.extreme.limit
    if draft.sort is not None:
        groups, sorts, by_count = _sorted(reader, draft, listing, groups)
        counted += by_count
    if sorts and sorts[0].output.aggregate == "count" and not groups and not listing.aggregated:
        raise DeadEnd("sort_by_what")
    return groups, sorts, limit, counted


def _extreme(
    reader: Reader, extreme: Extreme, listing: SelectList, groups: list[Output]
) -> tuple[list[Output], list[Sort], tuple[str, ...]]:
    output, descending = extreme.output, extreme.descending
    match extreme.kind:
        case "common":
            others = [o for o in listing.outputs if o != output and o.aggregate != "count"]
            if others:
                raise DeadEnd("most_common_as_filter")
            if output not in listing.outputs:
                listing.outputs.insert(0, output)
            return [output], [Sort(_ROW_COUNT, descending)], ()
        case "column":
            if listing.aggregated and not groups:
                raise DeadEnd("aggregate_of_superlative")
            if any(o.aggregate == "count" for o in listing.outputs):
                raise DeadEnd("count_with_superlative")
            refuse_single_rating(reader, listing, output)
            refuse_single_amount(reader, listing, extreme)
            return groups, [Sort(output, descending)], ()
        case "aggregate":
            groups = groups or _entity_group(reader, listing, output.table)
            refuse_own_figure(reader, groups, output)
            return groups, [Sort(output, descending)], ()
        case _:
            groups = groups or _entity_group(reader, listing, output.rows_of)
            counted = (output.rows_of,) if output.rows_of is not None else ()
            return groups, [Sort(replace(_ROW_COUNT, rows_of=output.rows_of), descending)], counted


def _sorted(
    reader: Reader, draft: Draft, listing: SelectList, groups: list[Output]
) -> tuple[list[Output], list[Sort], tuple[str, ...]]:
    wish = draft.sort
    if wish is None:
        return groups, [], ()
    if not wish.terms:
        if not listing.outputs:
            raise DeadEnd("sort_by_what")
        first = next((output for output in listing.outputs if output.aggregate), listing.outputs[0])
        return groups, [Sort(first, wish.descending)], ()
    sorts = [Sort(_as_shown(term, listing), wish.descending) for term in wish.terms]
    first = sorts[0].output if wish.terms[0] == _ROW_COUNT else wish.terms[0]
    counted: tuple[str, ...] = ()
    if first.aggregate == "count" and first.column is None:
        counted = (first.rows_of,) if first.rows_of is not None else ()
        sorts[0] = Sort(replace(_ROW_COUNT, rows_of=first.rows_of), wish.descending)
        if not groups and first.rows_of is not None:
            groups = _entity_group(reader, listing, first.rows_of)
    elif first.aggregate and not groups and not listing.aggregated:
        groups = _entity_group(reader, listing, first.table)
    return groups, sorts, counted


def _as_shown(term: Output, listing: SelectList) -> Output:
    """ "total spending, sorted by spending": by the total that is shown; "sorted by number": by the count."""
    counts = [output for output in listing.outputs if output.aggregate == "count"]
    if term == _ROW_COUNT and len(counts) == 1:
        return counts[0]
    same = [output for output in listing.outputs if output.aggregate is not None and output.column == term.column]
    return same[0] if term.aggregate is None and term.column is not None and len(same) == 1 else term


def _entity_group(reader: Reader, listing: SelectList, counted: str | None) -> list[Output]:
    """What a superlative ranks: the rows of the shown entity by its key, or the shown values themselves."""
    shown = [output for output in listing.outputs if output.aggregate is None and output.column is not None]
    if not shown or shown[0].column is None:
        raise DeadEnd("group_of_what")
    table = shown[0].column.table
    key = reader.key(table)
    if counted is None or counted == table or key is None or table not in reader.sentence.tables:
        return shown
    return shown if _of_all(reader, shown[0].column) else [Output(key)]


def _of_all(reader: Reader, ref: ColumnRef) -> bool:
    """ "which country's customers spend the most" ranks countries, and not customers."""
    sentence = reader.sentence
    return sentence.span(0).low == "which" and ref in sentence.span(1).columns and sentence.table(2) == ref.table
