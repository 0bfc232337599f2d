"""A text that a column does not hold, where it holds the same in other letters or, in a statement that found nothing,
something near: suggested, never put in its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef, SampledValues, SemanticModel
from askwell.sql.bound import BoundSql
from askwell.sql.world import BY_CODE, BY_NAME

# Their usual collations find a text in any letters.
_ANY_LETTERS = frozenset({"mysql", "tsql"})
_MOST_SUGGESTIONS = 3
_MOST_NEAR = 3
# Texts of a statement that are looked up among the values of their columns.
_MOST_TEXTS = 20
# How alike a value has to be to be meant (rapidfuzz, 0-100).
_ALIKE = 75


@dataclass(frozen=True, slots=True)
class _Use:
    """A text, or a part of one, that a column with known values is compared with."""

    column: str
    text: str
    is_pattern: bool
    known: tuple[str, ...]


class KnownValues:
    """Texts known to be in columns: those that the model lists, and sampled ones."""

    def __init__(self, model: SemanticModel, sampled: SampledValues, dialect: str) -> None:
        self._model = model
        self._sampled = sampled
        self._dialect = dialect

    def suggestions(self, bound: BoundSql) -> tuple[str, ...]:
        """A sentence for each text compared with a column that is known to hold it only in other letters."""
        if self._dialect in _ANY_LETTERS:
            return ()
        sentences: dict[str, None] = {}
        for use in self._uses(bound):
            meant = _in_other_letters(use.text, use.known) if not use.is_pattern else None
            if meant is not None:
                sentences[f"{use.column} holds no '{use.text}' that is known of; it holds '{meant}'"] = None
        return tuple(sentences)[:_MOST_SUGGESTIONS]

    def nearest(self, bound: BoundSql) -> tuple[str, ...]:
        """For a statement that found nothing: a sentence for each text compared with a column of which other values are
        known, with those that come nearest to it."""
        sentences: dict[str, None] = {}
        for use in islice(self._uses(bound), _MOST_TEXTS):
            if near := _nearest(use):
                values = " or ".join(f"'{value}'" for value in near)
                sentences[f"{use.column} holds no '{use.text}' that is known of; nearest: {values}"] = None
        return tuple(sentences)[:_MOST_SUGGESTIONS]

    def _uses(self, bound: BoundSql) -> Iterator[_Use]:
        if not self._any_known(bound) or bound.tree.find(exp.Literal) is None:
            return
        for use in bound.resolution.columns:
            if use.source.table is None or use.source.renamed:
                continue
            place = ColumnRef(use.source.table.name, use.name)
            known = self._of(place)
            for text, is_pattern in _compared_with(use.node) if known else ():
                yield _Use(str(place), text, is_pattern, known)

    def _any_known(self, bound: BoundSql) -> bool:
        return any(self._of(ColumnRef(table, column)) for table, used in bound.columns.items() for column in used)

    def _of(self, place: ColumnRef) -> tuple[str, ...]:
        table = self._model.tables.get(place.table)
        column = table.column(place.column) if table is not None else None
        if column is None or column.sensitive:
            return ()
        return (*column.values, *self._sampled.get(place, ()))


def _compared_with(node: exp.Expr) -> Iterator[tuple[str, bool]]:
    """The texts that a column is said to be equal or unequal to, and what is looked for inside its values."""
    parent, is_pattern = node.parent, False
    if isinstance(parent, exp.Like | exp.ILike) and parent.this is node:
        others, is_pattern = [parent.expression], True
    elif isinstance(parent, exp.EQ | exp.NEQ):
        others = [parent.expression if parent.this is node else parent.this]
    elif isinstance(parent, exp.In) and parent.this is node:
        others = parent.expressions
    else:
        return
    for other in others:
        if isinstance(other, exp.Literal) and other.is_string:
            yield (other.name.strip("%") if is_pattern else other.name), is_pattern


def _in_other_letters(text: str, known: tuple[str, ...]) -> str | None:
    """The one known value that is this text but for case and surrounding space."""
    if text in known:
        return None
    plain = text.strip().casefold()
    same = {value for value in known if value.strip().casefold() == plain}
    return same.pop() if len(same) == 1 else None


def _nearest(use: _Use) -> tuple[str, ...]:
    """Values that a text may stand for, best first: other names of the same, then what is spelt alike or has it as a
    part. None where the column is known to hold it, in whatever letters."""
    from rapidfuzz import fuzz, process

    plain = use.text.strip().casefold()
    folded = {value.strip().casefold(): value for value in use.known}
    if not plain or plain in folded or (use.is_pattern and any(plain in value for value in folded)):
        return ()
    meanings = (*BY_NAME.get(plain, ()), *BY_CODE.get(plain, ()))
    same = [folded[name] for meaning in meanings for name in (*meaning.names, *meaning.codes) if name in folded]
    # Three letters are a part of too many values to say anything.
    scorer = fuzz.WRatio if len(plain) > 3 else fuzz.ratio
    alike = process.extract(plain, list(folded), scorer=scorer, score_cutoff=_ALIKE, limit=_MOST_NEAR)
    return tuple(dict.fromkeys((*same, *(folded[value] for value, _, _ in alike))))[:_MOST_NEAR]
