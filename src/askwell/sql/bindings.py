"""What a person said that a question means, when they were asked back: constraints on the statement that answers it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, Self, TypeVar

from askwell.mdl.join_candidates import read_joins
from askwell.mdl.semantic_model import ColumnRef, SemanticModel
from askwell.sql.bound import BoundSql
from askwell.sql.fanout import Statement
from askwell.sql.joins_in_words import equated_columns

Equations = frozenset[frozenset[ColumnRef]]
# Rows are counted, or the amounts of a column are added up.
Figure = ColumnRef | Literal["rows"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """Words of the question, and the table (by its name), column, or value of a column that they mean. `remembered`:
    whoever said so wants it to be remembered."""

    said: str
    target: str | ColumnRef
    remembered: bool = False
    value: str | None = None

    def to_json(self) -> list[Any]:
        """As the record keeps it."""
        ref = self.target
        table, column = (ref.table, ref.column) if isinstance(ref, ColumnRef) else (ref, None)
        return [self.said, table, column, self.remembered, self.value]

    @classmethod
    def from_json(cls, kept: Sequence[Any]) -> Self:
        """Back from the record."""
        said, table, column, remembered, value = [*kept, None, None, None][:5]
        return cls(said, ColumnRef(table, column) if column else table, bool(remembered), value)


Named = TypeVar("Named", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Bindings:
    """Names are those of the model. The statement reads all of `tables` and `columns` and none of `not_tables`; tables
    that are related in several ways are joined over `relationships`, each by its name, or by its condition where the
    model declares none; what "how much" asks for is `figure`. `meanings`
    say for which words of the question that was said. `guessed` names what was taken where that was left to the
    service."""

    tables: tuple[str, ...] = ()
    not_tables: tuple[str, ...] = ()
    columns: tuple[ColumnRef, ...] = ()
    relationships: tuple[str, ...] = ()
    figure: Figure | None = None
    meanings: tuple[Meaning, ...] = ()
    guessed: str = ""

    def __bool__(self) -> bool:
        return self != Bindings()

    def merged(self, later: Bindings, model: SemanticModel) -> Bindings:
        """Both. Where they contradict each other the later one counts: what is to be read is not avoided any more, and
        the other way round; and two tables are joined over one relationship."""
        ends = {
            name: _tables(chain(*equations_of(name, model))) for name in (*self.relationships, *later.relationships)
        }
        joined_anew = [ends[name] for name in later.relationships]
        avoided = set(later.not_tables)
        said_anew = {one.said for one in later.meanings}
        return Bindings(
            tables=_both(self.tables, later.tables, without=avoided),
            not_tables=_both(self.not_tables, later.not_tables, without={*later.tables, *_tables(later.columns)}),
            columns=_both((ref for ref in self.columns if ref.table not in avoided), later.columns),
            relationships=_both((n for n in self.relationships if ends[n] not in joined_anew), later.relationships),
            figure=later.figure or self.figure,
            meanings=(*(one for one in self.meanings if one.said not in said_anew), *later.meanings),
            guessed=later.guessed or self.guessed,
        )

    def with_another(self, taken: str | ColumnRef, other: Bindings) -> Bindings:
        """These, with another table, column or relationship in the place of the one that was `taken`."""
        read = {*other.tables, *_tables(other.columns)}
        return replace(
            self,
            tables=_both(self.tables, other.tables, without={taken, *other.not_tables}),
            not_tables=_both(self.not_tables, other.not_tables, without=read),
            columns=_both(self.columns, other.columns, without={taken}),
            relationships=_both(self.relationships, other.relationships, without={taken}),
        )

    def with_meanings(self, said: Bindings) -> Bindings:
        """These, and what the words of `said` mean, which are not among them."""
        return replace(
            self,
            tables=_both(self.tables, said.tables),
            columns=_both(self.columns, said.columns),
            meanings=(*self.meanings, *said.meanings),
        )

    def broken_by(self, bound: BoundSql, model: SemanticModel) -> tuple[str, ...]:
        """What a statement does not keep to, each as a sentence without a full stop. Whether rows are counted where
        they are meant is not known from what is read."""
        found = [f"The table “{name}” was asked for" for name in self.tables if name not in bound.tables]
        found += [f"The table “{name}” is not meant" for name in self.not_tables if name in bound.tables]
        amounts = (self.figure,) if isinstance(self.figure, ColumnRef) else ()
        found += [f"The column “{ref}” was asked for" for ref in (*self.columns, *amounts) if not _reads(bound, ref)]
        over = [(name, equations_of(name, model)) for name in self.relationships]
        equated = equated_columns(Statement.of(bound, model)) if over else frozenset()
        found += [
            f"The tables were to be joined over the relationship “{name}”"
            for name, equations in over
            if not all(_reads(bound, ref) for ref in chain(*equations)) or _joined_otherwise(equations, equated, model)
        ]
        return tuple(found)

    def instructions(self) -> tuple[str, ...]:
        """Each as an instruction to a language model."""
        found = [f"MANDATORY TABLE: {name}" for name in self.tables]
        found += [f"DO NOT use: {name}" for name in self.not_tables]
        found += [f"MANDATORY COLUMN: {ref}" for ref in self.columns]
        found += [f"Join the tables over the relationship {name}." for name in self.relationships]
        if self.figure == "rows":
            found.append("Count rows.")
        elif self.figure is not None:
            found.append(f"Add up {self.figure}; do not count rows.")
        found += [f"“{one.said}” means {one.value or one.target}." for one in self.meanings]
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        """As the record keeps it; empty where there is nothing."""
        kept = {
            "tables": list(self.tables),
            "not_tables": list(self.not_tables),
            "columns": [[ref.table, ref.column] for ref in self.columns],
            "relationships": list(self.relationships),
            "meanings": [one.to_json() for one in self.meanings],
            "figure": [self.figure.table, self.figure.column] if isinstance(self.figure, ColumnRef) else self.figure,
            "guessed": self.guessed,
        }
        return {name: value for name, value in kept.items() if value}

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
            meanings=tuple(map(Meaning.from_json, kept.get("meanings", ()))),
            guessed=str(kept.get("guessed", "")),
        )


FREE = Bindings()


def equations_of(relationship: str, model: SemanticModel) -> Equations:
    """The columns that a relationship, given as `Bindings` have it, sets equal."""
    declared = (link.equations for link in model.relationships if link.name == relationship)
    return next(declared, None) or frozenset(chain(*(edge.equations for edge in read_joins(model, relationship))))


def _joined_otherwise(equations: Equations, equated: Equations, model: SemanticModel) -> bool:
    """Whether a statement that sets these columns equal joins the tables over another relationship alone."""
    ends = _tables(chain(*equations))
    others = (link.equations for link in model.relationships if {link.left, link.right} == ends)
    return not equations <= equated and any(other <= equated for other in others)


def _reads(bound: BoundSql, ref: ColumnRef) -> bool:
    return ref.column in bound.columns.get(ref.table, frozenset())


def _tables(columns: Iterable[ColumnRef]) -> set[str]:
    return {ref.table for ref in columns}


def _both(first: Iterable[Named], second: Iterable[Named], without: Collection[object] = ()) -> tuple[Named, ...]:
    both: list[Named] = [one for one in first if one not in without]
    return tuple(dict.fromkeys([*both, *second]))
