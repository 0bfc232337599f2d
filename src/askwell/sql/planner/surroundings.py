"""What writing SQL for a model needs to know besides the model, and what it finds out on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from askwell.mdl.lookup import Lookup
from askwell.mdl.manifest import Model, ModelColumn
from askwell.mdl.reserved import is_system_place
from askwell.sql.planner.barrier import Barrier


class Unplannable(Exception):
    """The statement cannot be planned; the message says what stands in the way. Becomes a rejection, never escapes.

    `hint` says what to do about it where the statement is not at fault.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NotReadable(Unplannable):
    """A column rule does not let whoever asks read a column."""


@dataclass(frozen=True, slots=True)
class PhysicalTableRef:
    """A table of the database, as the plan names it."""

    name: str
    qualifier: str = ""


@dataclass(slots=True)
class Physical:
    """The physical tables a plan reads, with the columns it reads of each; None where they are not known.

    The guard allows a plan these tables, so the database system's own are never among them. `models` are the models
    that read a physical table, by its name, and `ctes` the tables of the semantic model that the plan's CTEs stand for;
    `written` are the views, metrics and cubes whose statements are in it.
    `rules` says whether row rules were applied, `by_asker` whether session properties had a say in any rule.
    """

    tables: dict[PhysicalTableRef, set[str] | None] = field(default_factory=dict)
    models: dict[str, list[Model]] = field(default_factory=dict)
    ctes: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    rules: bool = False
    by_asker: bool = False

    def read(self, table: PhysicalTableRef, columns: set[str] | None) -> None:
        """Note that the plan reads these columns of the table, besides those already noted. Raises `Unplannable`."""
        if is_system_place(table.name, [table.qualifier]):
            written = f"{table.qualifier}.{table.name}" if table.qualifier else table.name
            raise Unplannable(f"{written} belongs to the database system")
        known = self.tables.get(table, set())
        self.tables[table] = None if columns is None or known is None else known | columns

    def add(self, other: Physical) -> None:
        """Note all that another plan reads."""
        for table, columns in other.tables.items():
            self.read(table, columns)
        for name, models in other.models.items():
            self.models.setdefault(name, []).extend(models)
        self.ctes.update(other.ctes)
        self.written |= other.written
        self.rules = self.rules or other.rules
        self.by_asker = self.by_asker or other.by_asker


class Surroundings(Protocol):
    """What a body needs to know besides the model itself."""

    @property
    def lookup(self) -> Lookup: ...

    @property
    def dialect(self) -> str: ...

    @property
    def barrier(self) -> Barrier: ...

    def statement(self, name: str, physical: Physical) -> exp.Query | None:
        """The planned statement of the view, metric or cube of that name, noting in `physical` what it reads."""
        ...

    def row_conditions(self, model: Model, physical: Physical) -> list[exp.Expr]:
        """What must hold of the model's rows for whoever asks, noting in `physical` whether that depends on them.
        Raises `Unplannable` where it cannot be known."""
        ...

    def check_readable(self, model: Model, column: ModelColumn, physical: Physical) -> None:
        """Raises `NotReadable` where whoever asks may not read the column; else notes in `physical` whether that
        depends on them."""
        ...
