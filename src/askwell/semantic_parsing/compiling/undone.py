"""What came to nothing: an order that was cancelled brought no revenue, though it was an order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.compiling.vocabulary import Vocabulary, one_of
from askwell.semantic_parsing.forms import Measure, Metric, Ref
from askwell.semantic_parsing.grounding import Part
from askwell.semantic_parsing.model.catalog import Catalog

# A column with the states of what came to nothing.
States = tuple[ColumnRef, Sequence[str]]
_ADDED_UP = frozenset({"sum", "total", "avg", "share"})


def unspoken_states(catalog: Catalog, tables: Iterable[str], columns: Mapping[Part, ColumnRef]) -> list[States]:
    """Those of the tables, where the question speaks of no state."""
    known = [catalog.undone[table] for table in dict.fromkeys(tables) if table in catalog.undone]
    return [(state, undone) for state, undone in known if state not in columns.values()]


def earning(
    catalog: Catalog, figures: Iterable[Measure], columns: Mapping[Part, ColumnRef], said: frozenset[str]
) -> list[str]:
    """The tables of which income is added up; for lines without a date of their own also what they are lines of.
    Whoever asks for a column by its name, the total of invoices, asks for all of it, and so does whoever has said what
    a figure is."""
    found: list[str] = []
    for figure in figures:
        match figure:
            case Measure("metric", Metric(table=table, taught=False)):
                found.append(table)
            case Measure(op, Ref() as of) if op in _ADDED_UP and catalog.is_income(columns[of], said):
                found.append(columns[of].table)
    lines = [t for t in found if t not in catalog.undone and not any(c.is_date for c in catalog.table(t).columns)]
    return [*found, *(document for table in lines for document in catalog.facts.referred.get(table, ()))]


def left_out(vocabulary: Vocabulary, states: Iterable[States]) -> list[exp.Expr]:
    """Conditions that leave rows of these states out. What has no state stays."""
    found: list[exp.Expr] = []
    for state, undone in states:
        this = vocabulary.column(state, qualified=True)
        texts = [exp.Literal.string(text) for text in undone]
        other = one_of(this, texts, negated=True)
        found.append(exp.paren(exp.or_(exp.Is(this=this.copy(), expression=exp.Null()), other)))
    return found
