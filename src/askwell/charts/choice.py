"""The chart that a result asks for, chosen without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from askwell.charts.columns import MeasuredColumn, Role, measure_columns
from askwell.charts.fields import is_drawable
from askwell.charts.labels import Labels
from askwell.charts.plan import (
    MOST_BESIDE,
    MOST_SERIES,
    MOST_SLICES,
    Chart,
    ChartPlan,
    NoChart,
    kept_apart,
    why_not_together,
)
from askwell.charts.statement import with_statement
from askwell.charts.vega_spec import vega_lite
from askwell.charts.words import ChartType, chart_words
from askwell.providers.engine.base import ResultColumn

_PLAIN = Labels()
# Amounts share an axis when the larger is at most so many times the smaller, and they are not more than these.
_SAME_SCALE = 10.0
_MOST_MEASURES = 4
# What makes a whole, with what rounding leaves.
_WHOLES = (1.0, 100.0)
_ROUNDING = 0.02


def choose_chart(
    question: str,
    columns: Sequence[ResultColumn],
    rows: Sequence[Sequence[Any]],
    *,
    sql: str = "",
    dialect: str = "",
    labels: Labels = _PLAIN,
) -> Chart:
    """The chart that shows the answer to `question` best, or one of type "" that says why none does.

    `sql`, in sqlglot's `dialect`, tells whether the order of the rows means something. The chart type that the question
    names is taken where the result can be drawn so.
    """
    if not rows:
        return Chart("There are no rows to draw.", "")
    measured, is_ordered = with_statement(sql, measure_columns(columns, rows), dialect)
    try:
        plan, notes = _plan(question, measured, is_ordered=is_ordered)
    except NoChart as refused:
        return Chart(" ".join([refused.reason, *_undrawable(measured)]), "")
    schema, drawn = vega_lite(plan, labels)
    said = [*notes, *drawn, *_undrawable(measured)]
    return Chart(" ".join(one for one in said if one), plan.chart_type, schema)


def _plan(question: str, columns: Sequence[MeasuredColumn], *, is_ordered: bool) -> tuple[ChartPlan, list[str]]:
    if len(columns) == 1 and len(columns[0].values) == 1:
        raise NoChart("The answer is a single value, which is read best as it is.")
    asked = asked_type(question)
    notes: list[str] = []
    bases, measures = _split(columns)
    if not bases:
        return _without_base(measures, asked)
    if not measures:
        raise NoChart("Nothing in the result is an amount that a chart could show.")
    bases = _telling(bases)
    bases, reasons = _told_apart(bases, columns)
    if len(bases) > 2:
        names = ", ".join(column.name for column in bases)
        raise NoChart(f"The amounts are by more than two things ({names}), which one chart does not show legibly.")
    if len(bases) == 1:
        shown = comparable(measures)
        if len(shown) < 2:
            shown = (most_wanted(question, measures),)
        plan = _by_one(question, bases[0], shown, asked)
    else:
        shown = (most_wanted(question, measures),)
        plan = _by_two(bases, shown[0], asked)
    if reason := why_not_together(plan, columns):
        raise NoChart(reason)
    notes.extend([_reason(plan.chart_type, asked), *reasons])
    if asked and asked != plan.chart_type and asked not in plan.chart_type:
        notes.append(f"The result is no {asked.replace('_', ' ')} chart, which the question asks for.")
    used = {column.name for column in (plan.base, plan.series, *plan.measures) if column is not None}
    if left := [one.name for one in columns if one.name not in used and one.role in _SHOWABLE]:
        notes.append(f"Not shown: {', '.join(left)}.")
    return replace(plan, is_ordered=is_ordered), notes


def _reason(kind: ChartType, asked: ChartType) -> str:
    """That it is the type that was asked for; "" where a rule chose it."""
    if asked and (asked == kind or asked in kind):
        return f"{'An' if asked[0] in 'aeiou' else 'A'} {asked.replace('_', ' ')} chart was asked for."
    return ""


def _undrawable(columns: Sequence[MeasuredColumn]) -> list[str]:
    """That columns are left out because of the characters in their names."""
    names = [repr(one.name) for one in columns if not is_drawable(one.name)]
    return [f"A chart can't show these names of columns: {', '.join(names)}. Rename them."] if names else []


def _told_apart(
    bases: list[MeasuredColumn], columns: Sequence[MeasuredColumn]
) -> tuple[list[MeasuredColumn], list[str]]:
    """The same with an identifier for names that several things share, and what is said about it."""
    for one in bases:
        if finer := kept_apart(one, columns):
            others = [finer if other is one else other for other in bases if other is one or not _follows(other, finer)]
            return others, [f"Several have the same {one.name}, so {finer.name} tells them apart."]
    return bases, []


_SHOWABLE = (Role.TEMPORAL, Role.PERIOD, Role.CATEGORY, Role.MEASURE)


def asked_type(question: str) -> ChartType:
    """The chart type that the words of a question name; "" where they name none."""
    found = (kind for kind, phrases in chart_words().asked_types.items() if phrases.search(question))
    return next(found, "")


def _split(columns: Sequence[MeasuredColumn]) -> tuple[list[MeasuredColumn], list[MeasuredColumn]]:
    """What values are shown for, and the values. Identifiers say what rows are where nothing else does, and so does a
    first column of numbers that are all different, such as ratings with their counts."""
    bases = [one for one in columns if one.role in (Role.TEMPORAL, Role.PERIOD, Role.CATEGORY)]
    measures = [one for one in columns if one.role is Role.MEASURE]
    identifiers = [one for one in columns if one.role is Role.IDENTIFIER]
    if not bases:
        bases = identifiers[:1]
    if not bases and len(measures) > 1:
        first = measures[0]
        if len(first.values) > 1 and first.is_integral and first.is_unique:
            return [first.as_category()], measures[1:]
    return bases, measures


def _without_base(measures: Sequence[MeasuredColumn], asked: ChartType) -> tuple[ChartPlan, list[str]]:
    """One row of several amounts is a bar for each of them."""
    shown = comparable(measures)
    if len(shown) > 1 and len(shown[0].values) == 1:
        kind: ChartType = "pie" if asked == "pie" and all(one.known and one.known[0] >= 0 for one in shown) else "bar"
        return ChartPlan(kind, None, shown, is_ordered=True), [_reason(kind, asked)]
    if not measures:
        raise NoChart("Nothing in the result is an amount that a chart could show.")
    if len(measures) > 1 and len(measures[0].values) == 1:
        raise NoChart("The amounts differ in size or kind, so that one axis does not show them beside each other.")
    raise NoChart("The result has no column that says what its amounts belong to, so a chart can't compare them.")


def _telling(bases: Sequence[MeasuredColumn]) -> list[MeasuredColumn]:
    """Those that tell rows apart: what is the same in every row, or follows from another column, says nothing new."""
    varying = [one for one in bases if one.distinct > 1] or list(bases[:1])
    names = [one for one in varying if one.role in (Role.CATEGORY, Role.IDENTIFIER)]
    if sole := next((one for one in varying if one.is_unique and one.role is not Role.TEMPORAL), None):
        # A listing: everything else describes the same thing. Time before it is what the rows are by.
        times = [one for one in varying if one.is_time and one.is_unique]
        return [times[0] if times and varying.index(times[0]) < varying.index(sole) else sole]
    moments = [one for one in varying if one.role is Role.TEMPORAL]
    periods = [one for one in varying if one.role is Role.PERIOD]
    kept = [*moments[:1], *periods, *names]
    return [one for one in kept if not any(_follows(one, other) for other in kept if other is not one)]


def _follows(column: MeasuredColumn, finer: MeasuredColumn) -> bool:
    """Whether each value of `finer` has one value of `column`: a country, beside its cities."""
    if finer.distinct <= column.distinct or column.role is Role.TEMPORAL:
        return False
    pairs = set(zip(finer.values, column.values, strict=True))
    return len(pairs) == finer.distinct


def comparable(measures: Sequence[MeasuredColumn]) -> tuple[MeasuredColumn, ...]:
    """All of them where they fit one axis: few, of one kind, and of one order of magnitude; else none."""
    sizes = [one.largest for one in measures]
    if not 1 < len(measures) <= _MOST_MEASURES or min(sizes) <= 0 or max(sizes) > _SAME_SCALE * min(sizes):
        return ()
    kinds = {(one.is_averaged, one.is_share) for one in measures}
    return tuple(measures) if len(kinds) == 1 else ()


def most_wanted(question: str, measures: Sequence[MeasuredColumn]) -> MeasuredColumn:
    """The amount that the question speaks of most; the first of those that it does not."""
    words = set(question.lower().split())
    return max(measures, key=lambda one: len(words.intersection(one.words)))


def _by_one(question: str, base: MeasuredColumn, shown: tuple[MeasuredColumn, ...], asked: ChartType) -> ChartPlan:
    several = len(shown) > 1
    if asked == "pie" or (not asked and not several and _are_shares(question, base, shown[0])):
        if not several and base.distinct <= MOST_SERIES and all(value >= 0 for value in shown[0].known):
            return ChartPlan("pie", base, shown)
    if asked in ("line", "area") or (base.is_time and base.distinct > 2 and asked not in ("bar", "grouped_bar")):
        if asked != "stacked_bar":
            return ChartPlan("multi_line" if several else "area" if asked == "area" else "line", base, shown)
    return ChartPlan("bar" if not several else "stacked_bar" if asked == "stacked_bar" else "grouped_bar", base, shown)


def _are_shares(question: str, base: MeasuredColumn, measure: MeasuredColumn) -> bool:
    """Whether these are the parts of one whole: few, none negative, and called so or making up 1 or 100."""
    values = measure.known
    if base.is_time or not 2 <= len(values) <= MOST_SLICES or len(values) < len(base.values) or not base.is_unique:
        return False
    if min(values) < 0 or sum(values) <= 0:
        return False
    if measure.is_share:
        return any(abs(sum(values) - whole) <= _ROUNDING * whole for whole in _WHOLES)
    return not measure.is_averaged and chart_words().share_questions.search(question) is not None


def _by_two(bases: Sequence[MeasuredColumn], measure: MeasuredColumn, asked: ChartType) -> ChartPlan:
    base, series = _base_and_series(bases)
    if series.distinct > MOST_SERIES:
        reason = f"{base.name} and {series.name} each have too many values for colours."
        raise NoChart(reason)
    if base.is_time and base.distinct > 2 and asked not in ("bar", "stacked_bar", "grouped_bar"):
        return ChartPlan("area" if asked == "area" else "multi_line", base, (measure,), series)
    negative = any(value < 0 for value in measure.known)
    if asked == "grouped_bar" or (asked != "stacked_bar" and (series.distinct <= MOST_BESIDE or negative)):
        return ChartPlan("grouped_bar", base, (measure,), series)
    if measure.is_averaged:
        reason = f"{measure.name} can't be added up, and {series.name} has too many values to stand beside each other."
        raise NoChart(reason)
    return ChartPlan("stacked_bar", base, (measure,), series)


def _base_and_series(bases: Sequence[MeasuredColumn]) -> tuple[MeasuredColumn, MeasuredColumn]:
    """Time and periods go along the axis, the finer one of two; else what has more values does."""
    first, second = sorted(bases, key=_along_axis, reverse=True)
    return first, second


def _along_axis(column: MeasuredColumn) -> tuple[int, int]:
    rank = 2 if column.role is Role.TEMPORAL else 1 if column.role is Role.PERIOD else 0
    return rank, column.distinct
