"""Figures that no column holds and that are computed from several."""

from __future__ import annotations

from dataclasses import dataclass

from askwell.mdl.semantic_model import ColumnRef


@dataclass(frozen=True, slots=True)
class Formula:
    """The product of `factors`, less the fraction `reduction` of it; or the `days` from the one date to the other."""

    factors: tuple[ColumnRef, ...]
    reduction: ColumnRef | None = None
    days: tuple[ColumnRef, ColumnRef] | None = None


@dataclass(frozen=True, slots=True)
class Trade:
    """`line` is the table of what was sold, `document` that of orders or invoices, `quantity` how many were sold.
    `revenue` is the column to add up for revenue, the best one first; `worth` stands for what one document is worth
    where no column of it says so. `goods` are the tables that a line refers to beside its document."""

    line: str | None
    document: str | None
    quantity: ColumnRef | None
    revenue: tuple[ColumnRef, ...]
    worth: ColumnRef | None
    goods: tuple[str, ...]
