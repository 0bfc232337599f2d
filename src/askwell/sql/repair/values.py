"""A text that a column does not hold, where it holds the same in other letters: suggested, never put in its place."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef, SampledValues, SemanticModel
from askwell.sql.binder import ModelCatalogue
from askwell.sql.bound import BoundSql
from askwell.sql.scopes import resolve

# Their usual collations find a text in any letters.
_ANY_LETTERS = frozenset({"mysql", "tsql"})
_MOST_SUGGESTIONS = 3


class KnownValues:
    """Texts known to be in columns: those that the model lists, and sampled ones."""

    def __init__(self, model: SemanticModel, sampled: SampledValues, dialect: str) -> None:
        self._model = model
        self._sampled = sampled
        self._dialect = dialect

    def suggestions(self, bound: BoundSql) -> tuple[str, ...]:
        """A sentence for each text compared with a column that is known to hold it only in other letters."""
        if self._dialect in _ANY_LETTERS or not self._any_known(bound):
            return ()
        if bound.tree.find(exp.Literal) is None:
            return ()
        resolution = resolve(bound.tree, ModelCatalogue(self._model, self._dialect), self._dialect)
        sentences: dict[str, None] = {}
        for use in resolution.columns:
            if use.source.table is None or use.source.renamed:
                continue
            known = self._of(ColumnRef(use.source.table.name, use.name))
            for text in _compared_with(use.node) if known else ():
                meant = _in_other_letters(text, known)
                if meant is not None:
                    column = f"{use.source.table.name}.{use.name}"
                    sentences[f"{column} holds no '{text}' that is known of; it holds '{meant}'"] = None
        return tuple(sentences)[:_MOST_SUGGESTIONS]

    def _any_known(self, bound: BoundSql) -> bool:
        return any(self._of(ColumnRef(table, column)) for table, used in bound.columns.items() for column in used)

    def _of(self, place: ColumnRef) -> tuple[str, ...]:
        table = self._model.tables.get(place.table)
        column = table.column(place.column) if table is not None else None
        return (*(column.values if column is not None else ()), *self._sampled.get(place, ()))


def _compared_with(node: exp.Expr) -> Iterator[str]:
    """The texts that a column is said to be equal or unequal to."""
    parent = node.parent
    if isinstance(parent, exp.EQ | exp.NEQ):
        others = [parent.expression if parent.this is node else parent.this]
    elif isinstance(parent, exp.In) and parent.this is node:
        others = parent.expressions
    else:
        return
    yield from (other.name for other in others if isinstance(other, exp.Literal) and other.is_string)


def _in_other_letters(text: str, known: tuple[str, ...]) -> str | None:
    """The one known value that is this text but for case and surrounding space."""
    if text in known:
        return None
    plain = text.strip().casefold()
    same = {value for value in known if value.strip().casefold() == plain}
    return same.pop() if len(same) == 1 else None
