"""A chart made anew with another type or other axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from askwell.charts.choice import comparable, most_wanted
from askwell.charts.columns import MeasuredColumn, Role, measure_columns
from askwell.charts.fields import field_of, is_drawable
from askwell.charts.labels import Labels, words_of
from askwell.charts.plan import Chart, ChartPlan, NoChart, kept_apart, why_not_together
from askwell.charts.statement import with_statement
from askwell.charts.vega_spec import vega_lite
from askwell.charts.words import CHART_TYPES, ChartType
from askwell.providers.engine.base import ResultColumn

_PLAIN = Labels()
# The channels that a category and an amount may stand on, whichever way the chart lies.
_STANDS_FOR = {"category": ("x_axis", "color"), "value": ("y_axis", "theta")}
_DRAWN_ON = {"x": "x_axis", "y": "y_axis", "xOffset": "x_offset", "yOffset": "x_offset", "color": "color"}
_FOLDABLE: tuple[ChartType, ...] = ("grouped_bar", "stacked_bar", "multi_line")


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What a person wants of a chart: its type, and columns of the result by channel; "" leaves a channel open.

    `category` and `value` say what amounts are of and which amounts, whichever way the chart lies: they stand for
    x_axis and y_axis, and for color and theta of a pie. Bars then run the way that fits their labels."""

    chart_type: ChartType
    x_axis: str = ""
    y_axis: str = ""
    x_offset: str = ""
    color: str = ""
    theta: str = ""
    category: str = ""
    value: str = ""

    def placed(self) -> dict[str, str]:
        """The named columns by channel; `category` and `value` on the channels that they stand for."""
        needed = self._needed()
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "chart_type"}
        for role, channels in _STANDS_FOR.items():
            if name := found.pop(role):
                found[next(channel for channel in channels if channel in needed or not needed)] = name
        return {channel: name for channel, name in found.items() if name}

    def open_channels(self) -> tuple[str, ...]:
        """The needed channels that are left open."""
        placed = self.placed()
        return tuple(name for name in self._needed() if name not in placed)

    def _needed(self) -> tuple[str, ...]:
        return CHART_TYPES[self.chart_type].needed if self.chart_type in CHART_TYPES else ()

    def filled(self, axes: dict[str, str]) -> Adjustment:
        """The same with `axes` where channels are open: what is named stays."""
        found: dict[str, Any] = {name: axes[name] for name in self.open_channels() if axes.get(name)}
        return replace(self, **found)


def adjust_chart(
    adjustment: Adjustment,
    columns: Sequence[ResultColumn],
    rows: Sequence[Sequence[Any]],
    *,
    question: str = "",
    sql: str = "",
    dialect: str = "",
    labels: Labels = _PLAIN,
) -> Chart | NoChart:
    """The chart with the named columns on their channels; what is left open is filled with what fits. `NoChart` names
    the channel that nothing is there for."""
    if not rows:
        return NoChart("There are no rows to draw.")
    if adjustment.chart_type not in CHART_TYPES:
        return NoChart(f"A chart is one of {', '.join(CHART_TYPES)}.")
    measured, is_ordered = with_statement(sql, measure_columns(columns, rows), dialect)
    try:
        filling = _Filling(adjustment, measured, question)
        plan = filling.plan()
    except NoChart as missing:
        return missing
    if reason := why_not_together(plan, measured):
        channel = CHART_TYPES[plan.chart_type].tells_apart
        return NoChart(f"{channel}: {reason}", channel)
    schema, notes = vega_lite(replace(plan, is_ordered=is_ordered), labels)
    return Chart(" ".join([*filling.moved(schema["encoding"]), *notes]), plan.chart_type, schema)


class _Filling:
    """Finds a column for each channel. A column is taken once, the named ones before any other."""

    def __init__(self, adjustment: Adjustment, columns: Sequence[MeasuredColumn], question: str) -> None:
        self._asked = adjustment
        self._columns = columns
        self._question = question
        self._named = {
            one.name: self._column(one.name, getattr(adjustment, one.name))
            for one in fields(adjustment)
            if one.name != "chart_type" and getattr(adjustment, one.name)
        }

    def plan(self) -> ChartPlan:
        kind = self._asked.chart_type
        return self._pie() if kind == "pie" else self._axes(kind)

    def moved(self, encoding: Mapping[str, Any]) -> list[str]:
        """What is said about named columns that are on another channel than the one they are named for."""
        places: dict[str, list[str]] = {}
        for drawn, definition in encoding.items():
            if drawn != "order":
                places.setdefault(definition["field"], []).append(_DRAWN_ON.get(drawn, drawn))
        notes = []
        for channel, column in self._named.items():
            found = places.get(field_of(column.name), [])
            if not found:
                notes.append(f"{column.name}, asked for as {channel}, is not shown.")
            elif channel not in found and channel not in _STANDS_FOR:
                notes.append(f"{column.name}, asked for as {channel}, is drawn as {found[0]}.")
        return notes

    def _pie(self) -> ChartPlan:
        theta = self._first_named("value", "theta", "y_axis")
        color = self._first_named("category", "color", "x_axis")
        channel = "value" if "value" in self._named else "theta"
        theta = self._measure(theta, channel, (color,))
        if any(value < 0 for value in theta.known):
            raise NoChart(f"{channel}: {theta.name} has values below zero, which a pie can't show.", channel)
        base = color or self._base("color", (theta,))
        return ChartPlan("pie", _along(base), (theta,))

    def _axes(self, kind: ChartType) -> ChartPlan:
        x, y = self._named.get("x_axis"), self._named.get("y_axis")
        series = self._series_named(kind)
        # Bars run to the right where the amounts are put on the x axis.
        sideways = (x is not None and x.role is Role.MEASURE and (y is None or y.role is not Role.MEASURE)) or (
            y is not None and y.role is not Role.MEASURE and x is None
        )
        base, value = (y, x) if sideways else (x, y)
        value_channel, base_channel = ("x_axis", "y_axis") if sideways else ("y_axis", "x_axis")
        if "category" in self._named:
            base, base_channel = self._named["category"], "category"
        if "value" in self._named:
            value, value_channel = self._named["value"], "value"
        used = (base, value, series)
        if kind in _FOLDABLE and series is None and (folded := self._folded(base, value, used)):
            base = base or self._base(base_channel, folded)
            return ChartPlan(kind, _along(base), folded, is_horizontal=sideways or None)
        value = self._measure(value, value_channel, (base, series))
        base = base or self._base(base_channel, (value, series))
        if kind in _FOLDABLE and series is None:
            channel = "x_offset" if kind == "grouped_bar" else "color"
            series = self._base(channel, (value, base), few=True)
        shown = series.as_category() if series and series.role in (Role.MEASURE, Role.TEMPORAL) else series
        # Where columns are named for both axes, they stay on the axis that they are named for.
        is_horizontal = sideways if "x_axis" in self._named or "y_axis" in self._named else None
        return ChartPlan(kind, _along(base), (value,), shown, is_horizontal=is_horizontal)

    def _first_named(self, *channels: str) -> MeasuredColumn | None:
        return next((self._named[channel] for channel in channels if channel in self._named), None)

    def _series_named(self, kind: ChartType) -> MeasuredColumn | None:
        color, offset = self._named.get("color"), self._named.get("x_offset")
        if kind == "grouped_bar":
            return offset or color
        return color or (offset if kind in _FOLDABLE else None)

    def _column(self, channel: str, name: str) -> MeasuredColumn:
        """The column of that name, also in other letter case or as its axis shows it."""
        for form in (str, str.lower, lambda text: words_of(text).lower()):
            found = [one for one in self._columns if form(one.name) == form(name)]
            if len(found) == 1 and is_drawable(found[0].name):
                return found[0]
            if len(found) == 1:
                raise NoChart(f"{channel}: a column called {name!r} can't be drawn. Rename it.", channel)
        names = ", ".join(one.name for one in self._columns)
        raise NoChart(f"{channel}: the result has no column {name!r}. It has {names}.", channel)

    def _measure(
        self, named: MeasuredColumn | None, channel: str, used: Sequence[MeasuredColumn | None]
    ) -> MeasuredColumn:
        if named is not None:
            if named.role is Role.MEASURE:
                return named
            if numbers := _as_measure(named):
                return numbers
            raise NoChart(f"{channel}: {named.name} holds no amounts that could be drawn.", channel)
        found = [one for one in self._others(used) if one.role is Role.MEASURE]
        if not found:
            raise NoChart(f"{channel}: no column is left whose amounts could be drawn.", channel)
        return most_wanted(self._question, found)

    def _base(self, channel: str, used: Sequence[MeasuredColumn | None], *, few: bool = False) -> MeasuredColumn:
        """What values are shown for: time first, unless it is to have few values, then names."""
        roles = (Role.TEMPORAL, Role.PERIOD, Role.CATEGORY, Role.IDENTIFIER)
        wanted = roles[:0:-1] if few else roles
        order = (Role.CATEGORY, Role.PERIOD, Role.IDENTIFIER) if few else wanted
        others = list(self._others(used))
        found = next((one for role in order for one in others if one.role is role), None)
        if found is None:
            raise NoChart(f"{channel}: no column is left that could stand there.", channel)
        return kept_apart(found, list(self._others(used))) or found

    def _folded(
        self,
        base: MeasuredColumn | None,
        value: MeasuredColumn | None,
        used: Sequence[MeasuredColumn | None],
    ) -> tuple[MeasuredColumn, ...]:
        """Several amounts as series of their own, where no column distinguishes series and no amount is named."""
        others = list(self._others(used))
        measures = [one for one in others if one.role is Role.MEASURE]
        names = [one for one in others if one.role in (Role.TEMPORAL, Role.PERIOD, Role.CATEGORY, Role.IDENTIFIER)]
        spare = len(names) - (0 if base is not None else 1)
        return comparable(measures) if value is None and spare < 1 else ()

    def _others(self, used: Sequence[MeasuredColumn | None]) -> Iterator[MeasuredColumn]:
        taken = {one.name for one in (*used, *self._named.values()) if one is not None}
        return (one for one in self._columns if one.name not in taken)


def _as_measure(column: MeasuredColumn) -> MeasuredColumn | None:
    """Years and identifiers as the numbers that they also are, where someone wants them so."""
    if not column.known or not all(isinstance(v, int) and not isinstance(v, bool) for v in column.known):
        return None
    numbers = tuple(None if value is None else float(value) for value in column.values)
    return replace(column, role=Role.MEASURE, values=numbers)


def _along(base: MeasuredColumn) -> MeasuredColumn:
    """The column on the axis that amounts are shown for; other amounts stand there as names."""
    return base.as_category() if base.role in (Role.MEASURE, Role.OTHER) else base
