"""What somebody said that a question means, when they were asked back: constraints on the statement that answers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Self

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.bound import BoundSql

# Rows are counted, or the amounts of a column are added up.
Figure = ColumnRef | Literal["rows"]


@dataclass(frozen=True, slots=True)
class Bindings:
    """Names are those of the model. The statement reads all of `tables` and `columns` and none of `not_tables`; tables
    that are related in several ways are joined over `relationships`; what "how much" asks for is `figure`."""

    tables: tuple[str, ...] = ()
    not_tables: tuple[str, ...] = ()
    columns: tuple[ColumnRef, ...] = ()
    relationships: tuple[str, ...] = ()
    figure: Figure | None = None

    def __bool__(self) -> bool:
        return self != Bindings()

    def merged(self, later: Bindings) -> Bindings:
        """Both. Where they contradict each other the later one counts: what is to be read is not avoided any more, and
        the other way round."""
        return Bindings(
            tables=_both(self.tables, later.tables, without=later.not_tables),
            not_tables=_both(self.not_tables, later.not_tables, without=later.tables),
            columns=tuple(dict.fromkeys((*self.columns, *later.columns))),
            relationships=_both(self.relationships, later.relationships),
            figure=later.figure or self.figure,
        )

    def broken_by(self, bound: BoundSql) -> tuple[str, ...]:
        """What a statement does not keep to, each as a sentence without a full stop."""
        found = [f"The table “{name}” was asked for" for name in self.tables if name not in bound.tables]
        found += [f"The table “{name}” is not meant" for name in self.not_tables if name in bound.tables]
        found += [
            f"The column “{ref.table}.{ref.column}” was asked for"
            for ref in self.columns
            if ref.column not in bound.columns.get(ref.table, frozenset())
        ]
        return tuple(found)

    def told(self) -> tuple[str, ...]:
        """Each as an instruction to a language model."""
        found = [f"MANDATORY TABLE: {name}" for name in self.tables]
        found += [f"DO NOT use: {name}" for name in self.not_tables]
        found += [f"MANDATORY COLUMN: {ref}" for ref in self.columns]
        found += [f"Join the tables over the relationship {name}." for name in self.relationships]
        if self.figure == "rows":
            found.append("Count rows.")
        elif self.figure is not None:
            found.append(f"Add up {self.figure}; do not count rows.")
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        """As the record keeps it; empty where there is nothing."""
        kept: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value:
                kept[field.name] = value if isinstance(value, str) else [_plain(one) for one in value]
        if isinstance(self.figure, ColumnRef):
            kept["figure"] = _plain(self.figure)
        return kept

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Back from the record."""
        figure = kept.get("figure")
        return cls(
            tables=tuple(kept.get("tables", ())),
            not_tables=tuple(kept.get("not_tables", ())),
            columns=tuple(ColumnRef(table, column) for table, column in kept.get("columns", ())),
            relationships=tuple(kept.get("relationships", ())),
            figure=ColumnRef(*figure) if isinstance(figure, list) else figure,
        )


FREE = Bindings()


def _both(first: tuple[str, ...], second: tuple[str, ...], without: tuple[str, ...] = ()) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*(one for one in first if one not in without), *second)))


def _plain(one: str | ColumnRef) -> str | list[str]:
    return [one.table, one.column] if isinstance(one, ColumnRef) else one
