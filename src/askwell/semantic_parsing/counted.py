"""Signs that "how many …" is read as another amount than the one that is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import stems_of_word
from askwell.question.tokens import Token
from askwell.semantic_parsing.chart import Item
from askwell.semantic_parsing.forms import Measure, Query, Ref
from askwell.semantic_parsing.grounding import Grounding
from askwell.semantic_parsing.model.catalog import SYNONYM, Catalog
from askwell.semantic_parsing.model.word_forms import word_forms


def amounts_of_others(
    leaves: Sequence[Item], query: Query, grounding: Grounding, tokens: Sequence[Token], catalog: Catalog
) -> Iterator[str]:
    """Signs for a question whose reading has these `leaves`, in their order: "how many bikes" are not the sum of
    `bikes_available`, and "how many docks" not as many as stations where a column says how many docks there are."""
    if not leaves or leaves[0].category != "COUNT" or leaves[0].meaning != "count":
        return
    named = next((leaf for leaf in leaves[1:3] if leaf.category in ("TABLE", "COL")), None)
    if named is None:
        return
    said = _stems(tokens[named.start : named.end])
    if named.category == "COL":
        others = any(
            _is_of_some(grounding.columns[figure.of], _stems(tokens), catalog)
            or _is_no_sum(figure, grounding.columns[figure.of], catalog)
            for figure in query.select
            if isinstance(figure, Measure) and isinstance(figure.of, Ref) and figure.of in grounding.columns
        )
    else:
        by_another_word = f"table:{SYNONYM}" in named.features
        others = by_another_word and any(_counts(column, said, catalog) for column in catalog.facts.columns)
    if others:
        yield "sql:count_or_amount"


def _stems(tokens: Sequence[Token]) -> set[str]:
    return {stem for token in tokens for stem in stems_of_word(token.low)}


def _is_of_some(column: ColumnRef, said: set[str], catalog: Catalog) -> bool:
    """Whether an amount is called by more than what was said, its table's name, and that it is an amount: it may be
    that of some only."""
    facts, known = catalog.column(column), said | word_forms().counting | set(catalog.table(column.table).words)
    return facts.is_measure and not any(known.issuperset(names) for names in facts.names)


def _is_no_sum(figure: Measure, column: ColumnRef, catalog: Catalog) -> bool:
    """Whether different amounts are counted that nobody has called different."""
    return figure.op == "count" and not figure.distinct and catalog.column(column).is_measure


def _counts(column: ColumnRef, said: set[str], catalog: Catalog) -> bool:
    """Whether a column holds how many there are of what was said: `dock_count`."""
    facts = catalog.column(column)
    return facts.is_measure and any(set(names) - word_forms().counting == said for names in facts.names)
