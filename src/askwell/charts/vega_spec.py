"""A plan written as Vega-Lite. Its data is left out: the renderer puts the rows of the result there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from askwell.charts.columns import Grain, MeasuredColumn, Role, has_gaps, in_natural_order, places_on_axis
from askwell.charts.fields import field_of
from askwell.charts.labels import Labels, number_format, time_format
from askwell.charts.plan import MOST_BARS, MOST_ROWS, MOST_TICKS, ChartPlan, ticks_of
from askwell.charts.statement import sign_of_order

# Vega-Lite 5 and 6 both read what is written here; clients that have 5 warn where a schema says 6.
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"

_TIME_UNITS = {
    Grain.YEAR: "year",
    Grain.MONTH: "yearmonth",
    Grain.DAY: "yearmonthdate",
    Grain.HOUR: "yearmonthdatehours",
    Grain.MINUTE: "yearmonthdatehoursminutes",
}
# What a chart of usual size has for the labels of an axis, and a letter takes, in pixels.
_AXIS_WIDTH, _LETTER, _GAP = 560, 6.2, 8
_SHORT_LABEL, _FEW_BARS = 10, 15
_SMALL_POINT = 15
# A line of more has no points of its own.
_MOST_MARKED = 30
# A line whose smallest value is above so much of its largest does not start at zero.
_FLAT = 0.7
_LONGEST_LABEL = 160
# As in theme.json.
_USUAL_TICKS = 6
# Beside horizontal bars there is room for more.
_MOST_BESIDE_BARS = 280


def vega_lite(plan: ChartPlan, labels: Labels) -> tuple[dict[str, Any], list[str]]:
    """The chart, and sentences about what it leaves out or puts together."""
    writing = _Writing(plan, labels)
    schema: dict[str, Any] = {"$schema": SCHEMA, "title": writing.title(), "mark": writing.mark()}
    if plan.is_folded:
        fields = [field_of(one.name) for one in plan.measures]
        schema["transform"] = [{"fold": fields, "as": list(writing.folded)}]
    schema["encoding"] = writing.pie() if plan.chart_type == "pie" else writing.axes()
    return schema, list(writing.notes())


@dataclass(frozen=True)
class _Writing:
    plan: ChartPlan
    labels: Labels

    @property
    def folded(self) -> tuple[str, str]:
        """The names of a fold's columns: which amount, and how much. No column of the result has them."""
        taken = {one.name for one in (self.plan.base, self.plan.series, *self.plan.measures) if one is not None}
        key, value = "Measure", "Value"
        while {key, value} & taken:
            key, value = f"{key}_", f"{value}_"
        return key, value

    @property
    def is_horizontal(self) -> bool:
        """Bars run to the right where their labels would not stand side by side below them."""
        plan = self.plan
        if plan.is_horizontal is not None:
            return plan.is_horizontal
        names = [one.name for one in plan.measures] if plan.base is None else _texts(plan.base)
        if plan.chart_type not in ("bar", "stacked_bar") or (plan.base and plan.base.role in _ALONG_TIME):
            return False
        longest = max(map(len, names), default=0)
        return not _fit_side_by_side(names) and (longest > _SHORT_LABEL or len(names) > _FEW_BARS)

    def mark(self) -> dict[str, Any]:
        plan = self.plan
        mark: dict[str, Any] = {"type": plan.mark, "tooltip": True}
        if plan.base is not None and mark["type"] == "line":
            if len(plan.base.values) <= _MOST_MARKED:
                mark["point"] = True
            elif self._has_gaps:
                mark["point"] = {"size": _SMALL_POINT}
            # Pointed joins reach beyond the value of a peak.
            mark["strokeJoin"] = "round"
        elif self._has_gaps:
            mark["point"] = True
        if plan.chart_type == "area":
            mark |= {"line": True, "opacity": 0.6 if plan.series is None else 0.8}
        return mark

    def title(self) -> str:
        plan, labels = self.plan, self.labels
        measure = labels.listed(list(plan.measures))
        if self.plan.aggregate and not plan.is_folded:
            measure = labels.axis(plan.measures[0], self.plan.aggregate)
        if plan.base is None:
            return measure
        said = labels.title(measure, self._base_name, labels.name(plan.series) if plan.series else "")
        added = []
        is_unsaid = plan.base.is_thing_name or measure == labels.axis(plan.measures[0])
        if self.plan.aggregate and not self.plan.is_bucketed and is_unsaid:
            added.append(labels.together(plan.base, self.plan.aggregate))
        if self._is_cut:
            added.append(labels.selection(self._selection, MOST_BARS, plan.base.distinct))
        if len(plan.base.values) > MOST_ROWS:
            added.append(labels.cut(MOST_ROWS))
        return f"{said} ({', '.join(added)})" if added else said

    def axes(self) -> dict[str, Any]:
        """The channels of everything that has two axes."""
        plan = self.plan
        base, value = ("y", "x") if self.is_horizontal else ("x", "y")
        encoding = {base: self._base(), value: self._value()}
        if plan.chart_type == "stacked_bar" or (plan.chart_type == "area" and self._has_series):
            encoding[value]["stack"] = "zero"
        if self._has_series:
            series = self._series()
            if plan.chart_type == "grouped_bar":
                encoding[f"{base}Offset"] = {key: series[key] for key in ("field", "type", "sort") if key in series}
            encoding["color"] = series
        return {channel: encoding[channel] for channel in _CHANNELS if channel in encoding}

    def pie(self) -> dict[str, Any]:
        """Slices run from the largest to the smallest; those of time, in its order."""
        theta = self._value() | {"stack": "zero"}
        theta.pop("axis")
        base = self.plan.base
        if base is not None and base.role in _ALONG_TIME:
            slices = self._slices_of_time(base)
            return {"theta": theta, "color": slices, "order": {"field": slices["field"], "type": "nominal"}}
        order: dict[str, Any] = {"field": theta["field"], "type": "quantitative", "sort": "descending"}
        if "aggregate" in theta:
            order["aggregate"] = theta["aggregate"]
        slices = self._fold_key() if base is None else self._name(base)
        slices.pop("axis", None)
        if base is not None:
            slices["sort"] = {"field": theta["field"], "op": "sum", "order": "descending"}
        return {"theta": theta, "color": slices, "order": order}

    def _slices_of_time(self, base: MeasuredColumn) -> dict[str, Any]:
        slices: dict[str, Any] = {
            "field": field_of(base.name),
            "type": "nominal",
            "title": self.labels.axis(base),
        }
        if base.role is Role.PERIOD:
            return slices | {"sort": in_natural_order(base)}
        return slices | {
            "timeUnit": self._time_unit(base),
            "legend": {"format": time_format(self._bucketed(base))},
        }

    def notes(self) -> Iterator[str]:
        plan = self.plan
        if aggregate := self.plan.aggregate:
            done = "averaged" if aggregate == "mean" else "added up"
            name = plan.base.name if plan.base else ""
            unit = f" of one {self.plan.grain}" if self.plan.is_bucketed else f" with the same {name}"
            yield f"Values{unit} are {done}."
        count = plan.base.distinct if plan.base is not None else 0
        if self._is_cut:
            yield f"The {self._selection} {MOST_BARS} of {count} are shown."
        if self._has_gaps:
            yield "Periods without rows have no point: the line runs on to the next one."
        if plan.base is not None and len(plan.base.values) > MOST_ROWS:
            yield f"Only the first {MOST_ROWS} rows are drawn."
        if self._starts_above_zero:
            yield "The axis of amounts does not start at 0."
        missing = [one.name for one in plan.measures if len(one.known) < len(one.values)]
        if missing:
            yield f"Rows without a value of {', '.join(missing)} are left empty."

    @property
    def _is_cut(self) -> bool:
        """Whether only some of the bars are drawn."""
        base = self.plan.base
        if base is None or self.plan.mark != "bar" or base.role is Role.TEMPORAL:
            return False
        return base.distinct > MOST_BARS

    @property
    def _selection(self) -> str:
        """Which bars are drawn where they are too many: those that stand first, or the largest."""
        base = self.plan.base
        sort = self._sort(base) if base is not None else None
        if sort in ("x", "y"):
            return "smallest"
        return "largest" if isinstance(sort, Mapping) or sort in ("-x", "-y") else "first"

    @property
    def _has_gaps(self) -> bool:
        base = self.plan.base
        if base is None or not base.is_time or self.plan.mark not in ("line", "area"):
            return False
        return not self.plan.is_bucketed and has_gaps(base, self.plan.series)

    @property
    def _has_series(self) -> bool:
        return self.plan.series is not None or (self.plan.is_folded and self.plan.base is not None)

    def _base(self) -> dict[str, Any]:
        base = self.plan.base
        if base is None:
            return self._fold_key() | {"axis": {"labelAngle": 0}}
        return self._time(base) if base.role is Role.TEMPORAL else self._name(base)

    def _fold_key(self) -> dict[str, Any]:
        names = [one.name for one in self.plan.measures]
        key: dict[str, Any] = {"field": self.folded[0], "type": "nominal", "title": None}
        # Parts are stacked in the order of their names, as the legend has them.
        return key if self.plan.chart_type in ("stacked_bar", "area") else key | {"sort": names}

    def _time(self, base: MeasuredColumn) -> dict[str, Any]:
        axis: dict[str, Any] = {"format": time_format(self._bucketed(base)), "labelOverlap": True, "grid": False}
        if ticks := ticks_of(self._bucketed(base)):
            axis["tickCount"] = ticks
        # Few bars are named below their middle; on an axis of time their labels would stand between them.
        kind = "temporal"
        if self.plan.mark == "bar" and base.distinct <= MOST_BARS and not has_gaps(base, None):
            kind = "ordinal"
            axis.pop("tickCount", None)
            axis["labelAngle"] = 0 if base.distinct <= MOST_TICKS else -45
        return {
            "field": field_of(base.name),
            "type": kind,
            "timeUnit": self._time_unit(base),
            "title": self._base_name if self.plan.is_bucketed else self.labels.axis(base),
            "axis": axis,
        }

    def _time_unit(self, base: MeasuredColumn) -> str:
        # Browsers read days as midnight UTC and moments as local time: the unit has to say so, or days shift.
        return f"{'utc' if base.is_date else ''}{_TIME_UNITS[self.plan.grain]}"

    def _name(self, base: MeasuredColumn) -> dict[str, Any]:
        channel: dict[str, Any] = {
            "field": field_of(base.name),
            "type": "nominal",
            "title": self.labels.axis(base),
            "sort": self._sort(base),
        }
        if every := places_on_axis(base):
            channel["scale"] = {"domain": every}
        longest = max(map(len, _texts(base)), default=0) * _LETTER
        room = _MOST_BESIDE_BARS if self.is_horizontal else _LONGEST_LABEL
        axis: dict[str, Any] = {"labelLimit": max(_LONGEST_LABEL, min(room, round(longest) + _GAP))}
        if axis["labelLimit"] > _LONGEST_LABEL:
            axis["maxExtent"] = axis["labelLimit"] + _GAP  # else the axis title stands among the labels
        if not self.is_horizontal:
            axis["labelAngle"] = 0 if _fit_side_by_side(_texts(base)) else -45
            # Each bar has its label; along a line some may be left out where they would stand on each other.
            axis["labelOverlap"] = base.role in _ALONG_TIME or self.plan.mark != "bar"
        return channel | {"axis": axis}

    def _sort(self, base: MeasuredColumn) -> Any:
        """The rows' order where it means something, the order of time or of numbers, else the largest first."""
        plan = self.plan
        by_calendar = base.role is Role.PERIOD and plan.series is not None and plan.series.role is Role.PERIOD
        if plan.is_ordered and not by_calendar:
            return self._sort_again(base)
        if base.role is Role.PERIOD:
            return in_natural_order(base)
        if base.role is not Role.IDENTIFIER and all(
            isinstance(value, (int, float)) or value[:1].isdigit() for value in base.known
        ):
            return "ascending"
        if plan.mark != "bar":
            return None
        if self._has_series:
            return {"field": self._value_field, "op": "sum", "order": "descending"}
        return "-x" if self.is_horizontal else "-y"

    def _sort_again(self, base: MeasuredColumn) -> str | None:
        """What the statement sorted by an amount stands in another order once rows of one name are put together."""
        is_bar = self.plan.mark == "bar" and not self._has_series
        if not (self.plan.aggregate and is_bar) or base.role is Role.PERIOD:
            return None
        sign = sign_of_order(base, self.plan.measures[0])
        return None if sign is None else sign + ("x" if self.is_horizontal else "y")

    def _series(self) -> dict[str, Any]:
        series = self.plan.series
        if series is None:
            return self._fold_key()
        channel: dict[str, Any] = {
            "field": field_of(series.name),
            "type": "nominal",
            "title": self.labels.axis(series),
        }
        if series.role is Role.PERIOD:
            channel["sort"] = in_natural_order(series)
        elif self.plan.chart_type in ("line", "multi_line"):
            channel["sort"] = {"field": self._value_field, "op": "sum", "order": "descending"}
        return channel

    @property
    def _value_field(self) -> str:
        return self.folded[1] if self.plan.is_folded else field_of(self.plan.measures[0].name)

    def _value(self) -> dict[str, Any]:
        plan = self.plan
        measures = list(plan.measures)
        # Of several amounts the legend tells which is which.
        title = None if plan.is_folded else self.labels.axis(measures[0], self.plan.aggregate)
        channel: dict[str, Any] = {"field": self._value_field, "type": "quantitative", "title": title}
        if self.plan.aggregate:
            channel["aggregate"] = self.plan.aggregate
        if self._starts_above_zero:
            channel["scale"] = {"zero": False}
        axis: dict[str, Any] = {"format": number_format(measures)}
        if self.plan.aggregate != "mean" and all(one.is_integral for one in measures):
            axis["tickMinStep"] = 1
            if (steps := self._few_steps()) is not None:
                axis["tickCount"] = steps
        return channel | {"axis": axis}

    def _few_steps(self) -> int | None:
        """How many whole steps an axis has that has few: Vega would put halves between them, rounded to the same."""
        if self.plan.aggregate or self.plan.chart_type in ("stacked_bar", "area"):
            return None
        values = [value for one in self.plan.measures for value in one.known]
        low = min(values, default=0.0) if self._starts_above_zero else min((0.0, *values))
        steps = int(max(values, default=0.0) - low)
        return max(steps, 1) if steps < _USUAL_TICKS else None

    @property
    def _starts_above_zero(self) -> bool:
        is_line = self.plan.mark == "line"
        return is_line and not self.plan.aggregate and _is_flat(self.plan.measures)

    @property
    def _base_name(self) -> str:
        base = self.plan.base
        assert base is not None
        return self.labels.moments(base, self.plan.grain) if self.plan.is_bucketed else self.labels.name(base)

    def _bucketed(self, base: MeasuredColumn) -> MeasuredColumn:
        return replace(base, grain=self.plan.grain)


_CHANNELS = ("x", "y", "xOffset", "yOffset", "color")
_ALONG_TIME = (Role.TEMPORAL, Role.PERIOD)


def _texts(column: MeasuredColumn) -> list[str]:
    """The different labels of an axis, those that are shown."""
    return [str(value) for value in dict.fromkeys(column.values)][:MOST_BARS]


def _fit_side_by_side(names: Sequence[str]) -> bool:
    return max(map(len, names), default=0) * _LETTER + _GAP <= _AXIS_WIDTH / max(len(names), 1)


def _is_flat(measures: Iterable[MeasuredColumn]) -> bool:
    known = [value for one in measures for value in one.known]
    return bool(known) and min(known) > 0 and min(known) > _FLAT * max(known)
