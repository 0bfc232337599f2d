"""Small queries on what a statement leaves out: other spellings, flagged rows, missing values; and on its dates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import chain, islice

from sqlglot import exp

from askwell.checking.finding import Finding, Rewrite, Severity
from askwell.checking.lexicon import cues
from askwell.checking.periods import ReadDates, asked_periods, said_day
from askwell.checking.question import AskedWords
from askwell.checking.statement import Written, names_of
from askwell.checking.values import ValueIndex
from askwell.mdl.names import words
from askwell.mdl.semantic_model import ColumnRef
from askwell.providers.engine.base import QueryRows
from askwell.question.periods import day_of
from askwell.question.stems import stems

_MOST = 3
_D, _N = Severity.DOUBT, Severity.NOTE


@dataclass(frozen=True, slots=True)
class Probe:
    """A query over the model's names, and what its rows say of the statement."""

    tree: exp.Expr
    say: Callable[[QueryRows], Finding | None]


def probes(asked: AskedWords, written: Written, index: ValueIndex, today: date) -> tuple[Probe, ...]:
    """The queries that may say most about a statement, at most 3."""
    found = chain(_spellings(written), _ranges(asked, written, index, today), _flags(asked, written), _missing(written))
    return tuple(islice(found, _MOST))


def _spellings(written: Written) -> Iterator[Probe]:
    """Values that differ from one that is compared with only by case or by blanks around it."""
    for part in written.filters:
        if not isinstance(part.node, exp.EQ) or len(part.values) != 1 or not part.values[0].is_string:
            continue
        node, ref, text = part.node, part.ref, part.values[0].name
        column = exp.column(ref.column, quoted=True)
        alike = exp.EQ(this=_plain(column), expression=exp.Literal.string(text.strip().lower()))
        tree = exp.select(column, exp.Count(this=exp.Star())).from_(exp.table_(ref.table, quoted=True))
        tree = tree.where(alike, column.neq(exp.Literal.string(text))).group_by(column.copy())
        compared = node.this if isinstance(node.this, exp.Column) else node.expression
        if isinstance(compared, exp.Column):
            wide = exp.EQ(this=_plain(compared), expression=alike.expression.copy())
            rewrite = Rewrite(written.replaced(node, wide), f"All spellings of “{text}” are counted in.")
            yield Probe(tree, lambda rows, node=node, rewrite=rewrite: _spelled(rows, written.text(node), rewrite))


def _plain(column: exp.Expr) -> exp.Expr:
    return exp.Lower(this=exp.Trim(this=column.copy()))


def _spelled(rows: QueryRows, text: str, rewrite: Rewrite) -> Finding | None:
    count, said = sum(int(row[1]) for row in rows.rows), rows.rows[0][0] if rows.rows else ""
    message = f"{count} more {'is' if count == 1 else 'are'} spelled “{said}”."
    return Finding("spelled_otherwise", _D, said, text, message, rewrite) if count else None


def _ranges(asked: AskedWords, written: Written, index: ValueIndex, today: date) -> Iterator[Probe]:
    """The first and the last day that there is, where the period that is asked for lies outside."""
    said = [period for period in asked_periods(asked, today) if period.readings]
    filters, readings = ReadDates(said, written, index).filters, [period.readings[0] for period in said]
    if len(readings) != 1 or not filters:
        return
    ref, (start, end) = filters[0].ref, readings[0]
    column = exp.column(ref.column, quoted=True)

    def say(rows: QueryRows) -> Finding | None:
        low, high = (day_of(str(value)) for value in rows.rows[0])
        if low is None or high is None or ((end is None or low < end) and (start is None or start <= high)):
            return None
        message = f"{ref.table.capitalize()} run from {said_day(low)} to {said_day(high)}."
        return Finding("outside_dates", _N, "", str(ref), message)

    tree = exp.select(exp.Min(this=column), exp.Max(this=column.copy())).from_(exp.table_(ref.table, quoted=True))
    yield Probe(tree, say)


def _figure(written: Written) -> tuple[exp.Select, exp.AggFunc] | None:
    """The only figure of a statement that has one."""
    root = written.root
    item = root.expressions[0].unalias() if root is not None and len(root.expressions) == 1 else None
    is_one = root is written.tree and isinstance(item, exp.AggFunc) and not root.args.get("group")
    return (root, item) if is_one and root is not None and isinstance(item, exp.AggFunc) else None


def _flags(asked: AskedWords, written: Written) -> Iterator[Probe]:
    """What the one figure is without rows that are refunded, deleted or void."""
    figure = _figure(written)
    for table in written.tables if figure is not None else ():
        source = next((one for one in written.tree.find_all(exp.Table) if one.name.lower() == table.name.lower()), None)
        for column in table.columns:
            named = {stem for name in names_of(column) for stem in stems(name)}
            flag = named & cues().stems["flags"]
            if (
                source is None
                or figure is None
                or not flag
                or flag & set(asked.stems)
                or ColumnRef(table.name, column.name) in written.columns
            ):
                continue
            place = exp.cast(exp.column(column.name, source.alias_or_name, quoted=True), "text")
            text = exp.Lower(this=exp.Coalesce(this=place, expressions=[exp.Literal.string("")]))
            unset = exp.In(this=text, expressions=[exp.Literal.string(one) for one in sorted(cues().negative_values)])
            pair = [exp.Subquery(this=one) for one in (figure[0].copy(), figure[0].where(unset))]
            said = " ".join(words(column.display_name or column.name))

            def say(rows: QueryRows, said: str = said) -> Finding | None:
                with_them, without = rows.rows[0]
                message = f"{without} where “{said}” is not set, {with_them} in all."
                return Finding("flag_ignored", _N, "", said, message) if with_them != without else None

            yield Probe(exp.select(*pair), say)


def _missing(written: Written) -> Iterator[Probe]:
    """How many rows an average leaves out."""
    figure = _figure(written)
    if figure is None or not isinstance(figure[1], exp.Avg) or (ref := written.ref(figure[1].this)) is None:
        return
    tree, text = figure[0].copy(), written.text(figure[1])
    tree.set("expressions", [exp.Count(this=exp.Star()) - exp.Count(this=figure[1].this.copy())])

    def say(rows: QueryRows) -> Finding | None:
        count = int(rows.rows[0][0])
        message = f"{count} of them have no {ref.column} and are left out of the average."
        return Finding("nulls_left_out", _N, "", text, message) if count else None

    yield Probe(tree, say)
