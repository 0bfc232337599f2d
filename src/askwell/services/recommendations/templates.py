"""Questions that most people have of most data, as templates over what a table holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Category(StrEnum):
    """What a recommended question is for."""

    DESCRIPTIVE = "Descriptive"
    SEGMENTATION = "Segmentation"
    COMPARATIVE = "Comparative"
    DATA_QUALITY = "Data quality"


class Slots(StrEnum):
    """What a template is filled with, beside the rows of a table."""

    ROWS = "rows"
    AMOUNT = "amount"
    FIGURE = "figure"
    MEASURE = "measure"
    DATE = "date"
    PERIOD = "period"
    DIMENSION = "dimension"
    PARENT = "parent"
    AMOUNT_BY = "amount by dimension"
    FIGURE_BY = "figure by dimension"
    MEASURE_BY = "measure by dimension"
    AMOUNT_PERIOD = "amount by period"
    AMOUNT_PARENT = "amount by parent"
    FIGURE_PARENT = "figure by parent"
    GAP = "gap"
    REVENUE = "revenue"
    REVENUE_PERIOD = "revenue by period"
    REVENUE_PARENT = "revenue by what is sold, or to whom"


@dataclass(frozen=True, slots=True)
class Template:
    """`text` with the words of its slots in braces. The more people ask such a thing, the higher its `weight`.

    `grouped` templates are for metrics and cubes, whose rows are results; the others are not, unless they are for
    `both`. Those that count rows, or add up what they hold, are not for tables that say how things stood."""

    kind: str
    category: Category
    weight: float
    slots: Slots
    text: str
    grouped: bool = False
    both: bool = False

    @property
    def counts(self) -> bool:
        """Whether it counts rows or adds something up."""
        return "{amount}" in self.text or self.text.startswith("How many") or "most {rows}" in self.text


_D, _S, _C, _Q = Category.DESCRIPTIVE, Category.SEGMENTATION, Category.COMPARATIVE, Category.DATA_QUALITY

TEMPLATES = (
    Template("revenue", _D, 2.5, Slots.REVENUE, "What is the total revenue?"),
    Template("revenue_period", _S, 2.5, Slots.REVENUE_PERIOD, "What is the total revenue per {period}?"),
    Template("revenue_parent", _S, 2.0, Slots.REVENUE_PARENT, "What is the total revenue per {parent}?"),
    Template("top_revenue", _C, 2.5, Slots.REVENUE_PARENT, "Which 10 {parents} have the highest revenue?"),
    Template("count", _D, 1.0, Slots.ROWS, "How many {rows} are there?"),
    Template("total", _D, 1.5, Slots.AMOUNT, "What is the total {amount} of all {rows}?", both=True),
    Template("average", _D, 1.2, Slots.FIGURE, "What is the average {figure} of all {rows}?"),
    Template("highest", _D, 0.5, Slots.FIGURE, "What is the highest {figure} of all {rows}?", both=True),
    Template("latest", _D, 0.8, Slots.DATE, "What are the 10 latest {rows}?"),
    Template("groups", _S, 1.2, Slots.DIMENSION, "How many {rows} are there per {dimension}?"),
    Template("children", _S, 1.0, Slots.PARENT, "How many {rows} are there per {parent}?"),
    Template("periods", _S, 1.3, Slots.PERIOD, "How many {rows} are there per {period}?"),
    Template(
        "total_groups", _S, 1.4, Slots.AMOUNT_BY, "What is the total {amount} of {rows} per {dimension}?", both=True
    ),
    Template("average_groups", _S, 1.0, Slots.FIGURE_BY, "What is the average {figure} of {rows} per {dimension}?"),
    Template("total_periods", _S, 1.5, Slots.AMOUNT_PERIOD, "What is the total {amount} of {rows} per {period}?"),
    Template("total_parents", _S, 1.2, Slots.AMOUNT_PARENT, "What is the total {amount} of {rows} per {parent}?"),
    Template("average_parents", _S, 0.9, Slots.FIGURE_PARENT, "What is the average {figure} of {rows} per {parent}?"),
    Template("top", _C, 1.4, Slots.MEASURE, "What are the 10 {rows} with the highest {measure}?"),
    Template("most", _C, 1.3, Slots.PARENT, "Which {parent} has the most {rows}?"),
    Template("top_group", _C, 1.0, Slots.DIMENSION, "Which {dimension} has the most {rows}?"),
    Template("top_total", _C, 1.2, Slots.AMOUNT_BY, "Which {dimension} has the highest total {amount} of {rows}?"),
    Template("top_average", _C, 1.0, Slots.FIGURE_BY, "Which {dimension} has the highest average {figure} of {rows}?"),
    Template("top_measure", _C, 1.4, Slots.MEASURE_BY, "Which {dimension} has the highest {measure}?", grouped=True),
    Template("childless", _Q, 1.2, Slots.PARENT, "How many {parents} have no {rows}?"),
    Template("gaps", _Q, 1.0, Slots.GAP, "How many {rows} have no {gap}?"),
)
