"""The rows that a statement found, sums over several units; and small queries on what it leaves out: other spellings,
flagged rows, missing values; and on its dates."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import chain, islice

from sqlglot import exp

from askwell.checking.finding import Finding, Rewrite, Severity, finding, worst_first
from askwell.checking.periods import Interval, ReadDates, asked_periods, said_day
from askwell.checking.question import AskedWords, cues
from askwell.checking.statement import Written
from askwell.checking.values import ValueIndex
from askwell.mdl.names import words
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import ColumnRef
from askwell.providers.engine.base import QueryRows
from askwell.question.lexicon import english
from askwell.question.periods import day_of
from askwell.question.words import stems
from askwell.sql.binder import readable

_WHOLE, _MOST_PROBES = 100, 3


def results(asked: AskedWords, written: Written, rows: QueryRows) -> Iterator[Finding]:
    """What rows can hardly be the answer."""
    if all(value is None for row in rows.rows for value in row):
        yield finding("no_value" if rows.rows else "no_rows")
    elif written.root is not None and len(written.items) == len(rows.columns):
        for item, column in zip(written.items, zip(*rows.rows, strict=True), strict=True):
            yield from _figures(asked, written, item, [number for value in column for number in _number(value)])
        yield from _repeated(written, rows)


def _figures(asked: AskedWords, written: Written, item: exp.Expr, numbers: list[float]) -> Iterator[Finding]:
    """Averages of 0, durations below 0, and shares above 100."""
    text, least, most = written.text(item.unalias()), min(numbers, default=0), max(numbers, default=0)
    if numbers and least == most == 0 and item.find(exp.Avg):
        yield finding("zero_average", sql=text)
    dates = [ref for ref in written.refs_in(item) if not cues().stems["date"].isdisjoint(stems(ref.column))]
    if (
        least < 0
        and len(dates) > 1
        and item.find(exp.Sub, exp.DateDiff, exp.TimestampDiff)
        and not item.find(exp.Predicate)
    ):
        yield finding("negative_duration", sql=text, least=least)
    is_ratio = any(not isinstance(node.expression, exp.Literal) for node in item.find_all(exp.Div))
    if most > _WHOLE and is_ratio and (share := asked.cue("SHARE")):
        yield finding("share_above_100", share.words, text, most=most)


def _repeated(written: Written, rows: QueryRows) -> Iterator[Finding]:
    """The same row twice, and more groups than the things that they are shown for."""
    group, shown = written.clause("group"), [item.unalias() for item in written.items]
    hidden = [ref for node in group.expressions if node not in shown and (ref := written.ref(node))] if group else []
    labels = Counter(tuple(value for value in row if isinstance(value, str)) for row in rows.rows)
    label, count = labels.most_common(1)[0]
    if hidden and written.keys.isdisjoint(hidden) and label and count > 1:
        yield finding("more_groups", label=" ".join(label), count=count)
    elif len(set(map(str, rows.rows))) < len(rows.rows):
        read, things = {table.name for table in written.tables}, {ref.table for ref in written.shown if ref is not None}
        is_by_join = bool(things and label) and not any(read <= written.looked_up(table) for table in things)
        yield finding("row_twice", severity=Severity.DOUBT if is_by_join else None)


def _number(value: object) -> Iterator[float]:
    """The number that a value of a result is; decimals come as text."""
    try:
        yield float(str(value))
    except ValueError:
        return


def mixed_units(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Sums and averages over rows that are in several currencies or units, as a column of their table says."""
    chosen = {written.ref(node) for group in written.tree.find_all(exp.Group) for node in group.expressions}
    chosen |= {part.ref for part in written.filters} | set(written.shown if written.clause("group") else ())
    others = cues().stems["date"] | cues().stems["flags"]
    for figure in written.tree.find_all(exp.Sum, exp.Avg):
        refs = set(written.refs_in(figure))
        if len(refs) > 1 or _is_count_or_share(figure, written):
            continue  # what is calculated may be converted
        tables = {ref.table for ref in refs if others.isdisjoint(stems(ref.column))}
        for ref, texts in index.texts.items():
            is_unit = ref.table in tables and ref.column.lower().split("_")[-1] in cues().words["unit"]
            if is_unit and len(texts) > 1 and ref not in chosen:
                units = " and ".join(sorted(texts)[:2])
                yield finding("mixed_units", sql=written.text(figure), units=units, ref=ref)


def _is_count_or_share(figure: exp.Expr, written: Written) -> bool:
    """Whether a sum counts rows, as one of conditions or of a whole number `paid` does, or is divided by a sum."""
    over, column = figure.find_ancestor(exp.Div, exp.Select), written.column(written.ref(figure.this))
    if isinstance(over, exp.Div) and over.this.find(exp.Sum) and over.expression.find(exp.Sum):
        return True
    if column is None:
        return isinstance(figure.this, exp.Predicate | exp.Not)
    name, lexicon = column.name.lower(), english()
    return "INT" in column.type.upper() and (name in lexicon.verbs or name.endswith(lexicon.past_endings))


# Small queries beside a statement


@dataclass(frozen=True, slots=True)
class Probe:
    """A query over the model's names, and what its rows say of the statement."""

    tree: exp.Expr
    say: Callable[[QueryRows], Finding | None]


def probes(asked: AskedWords, written: Written, index: ValueIndex, today: date) -> tuple[Probe, ...]:
    """The queries that may say most about a statement, at most 3."""
    found = chain(_spellings(written), _ranges(asked, written, index, today), _flags(asked, written), _missing(written))
    return tuple(islice(found, _MOST_PROBES))


async def probed(
    findings: tuple[Finding, ...],
    probes: Sequence[Probe],
    dialect: str,
    glance: Callable[[str], Awaitable[QueryRows | None]],
) -> tuple[Finding, ...]:
    """The findings with what small queries beside the statement say, which takes the place of what samples of the data
    say of the same. `glance` gives the first rows of one; None where they do not come soon, and nothing is said."""
    found = await asyncio.gather(*(glance(readable(one.tree, dialect)) for one in probes))
    heard = (probe.say(rows) for probe, rows in zip(probes, found, strict=True) if rows is not None and rows.rows)
    said = tuple(one for one in heard if one is not None)
    known = {(one.code, one.sql) for one in said}
    return worst_first((*said, *(one for one in findings if (one.code, one.sql) not in known)))


def _spellings(written: Written) -> Iterator[Probe]:
    """Values that differ from one that is compared with only by case or by blanks around it."""
    for part in written.filters:
        node, text = part.node, part.values[0].name if part.values else ""
        compared = node.this if isinstance(node.this, exp.Column) else node.args.get("expression")
        if not isinstance(node, exp.EQ) or not isinstance(compared, exp.Column) or text.upper() == text.lower():
            continue
        if (held := written.column(part.ref)) is None or is_secret(held):
            continue  # what is asked of it does not show how others are spelled
        column, plain = exp.column(part.ref.column, quoted=True), exp.Literal.string(text.strip().lower())
        bare = [exp.Lower(this=exp.Trim(this=one.copy())) for one in (column, compared)]
        alike, wide = (exp.EQ(this=one, expression=plain) for one in bare)
        tree = exp.select(column, exp.Count(this=exp.Star())).from_(exp.table_(part.ref.table, quoted=True))
        tree = tree.where(alike, column.neq(exp.Literal.string(text))).group_by(column.copy())
        yield Probe(tree, partial(_spelled, written.text(node), text, written.replaced(node, wide)))


def _spelled(sql: str, text: str, tree: exp.Expr, rows: QueryRows) -> Finding | None:
    count, said = sum(int(row[1]) for row in rows.rows), rows.rows[0][0] if rows.rows else ""
    others = f"{count} more {'is' if count == 1 else 'are'}"
    rewrite = Rewrite(tree, f"{others} spelled “{said}”, and counted in with “{text}”.")
    return finding("spelled_otherwise", said, sql, rewrite=rewrite, others=others) if count else None


def _ranges(asked: AskedWords, written: Written, index: ValueIndex, today: date) -> Iterator[Probe]:
    """The first and the last day that there is, where the period that is asked for lies outside."""
    said = [period for period in asked_periods(asked, today) if period.readings]
    filters, readings = ReadDates(said, written, index).filters, [period.readings[0] for period in said]
    held = written.column(filters[0].ref) if len(readings) == 1 and filters else None
    if held is None or is_secret(held):
        return
    ref, column = filters[0].ref, exp.column(filters[0].ref.column, quoted=True)
    tree = exp.select(exp.Min(this=column), exp.Max(this=column.copy())).from_(exp.table_(ref.table, quoted=True))
    yield Probe(tree, partial(_outside, ref, readings[0]))


def _outside(ref: ColumnRef, meant: Interval, rows: QueryRows) -> Finding | None:
    low, high = (day_of(str(value)) for value in rows.rows[0])
    if low is None or high is None or ((meant[1] is None or low < meant[1]) and (meant[0] is None or meant[0] <= high)):
        return None
    things = ref.table.capitalize()
    return finding("outside_dates", sql=str(ref), things=things, low=said_day(low), high=said_day(high))


def _figure(written: Written) -> exp.Select | None:
    """A statement that gives one figure."""
    is_one = written.root is written.tree and len(written.items) == 1 and not written.clause("group")
    return written.root if is_one and isinstance(written.items[0].unalias(), exp.AggFunc) else None


def _flags(asked: AskedWords, written: Written) -> Iterator[Probe]:
    """What the one figure is without rows that are refunded, deleted or void."""
    figure, flags = _figure(written), cues().stems["flags"]
    sources = {one.name.lower(): one.alias_or_name for one in written.tree.find_all(exp.Table)}
    for ref in (ColumnRef(table.name, column.name) for table in written.tables for column in table.columns):
        named = set(stems(ref.column))
        is_flag = named & flags - asked.stems and named <= flags | cues().stems["beside_flags"]
        if figure is None or not is_flag or ref in written.columns or ref.table.lower() not in sources:
            continue
        place = exp.cast(exp.column(ref.column, sources[ref.table.lower()], quoted=True), "text")
        text = exp.Lower(this=exp.Coalesce(this=place, expressions=[exp.Literal.string("")]))
        denied = [exp.Literal.string(one) for one in sorted(cues().words["negative_values"])]
        unset = exp.In(this=text, expressions=denied)
        pair = [exp.Subquery(this=one) for one in (figure.copy(), figure.where(unset))]
        yield Probe(exp.select(*pair), partial(_flagged, " ".join(words(ref.column))))


def _flagged(said: str, rows: QueryRows) -> Finding | None:
    with_them, without = rows.rows[0]
    return finding("flag_ignored", sql=said, total=with_them, without=without) if with_them != without else None


def _missing(written: Written) -> Iterator[Probe]:
    """How many rows an average leaves out."""
    figure = _figure(written)
    mean = figure.expressions[0].unalias() if figure is not None else None
    if figure is not None and isinstance(mean, exp.Avg) and (ref := written.ref(mean.this)) is not None:
        tree = figure.copy()
        tree.set("expressions", [exp.Count(this=exp.Star()) - exp.Count(this=mean.this.copy())])
        yield Probe(tree, partial(_left_out, written.text(mean), ref.column))


def _left_out(text: str, column: str, rows: QueryRows) -> Finding | None:
    count = int(rows.rows[0][0])
    return finding("nulls_left_out", sql=text, count=count, column=column) if count else None
