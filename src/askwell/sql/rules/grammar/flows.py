"""Words for money that comes in: "revenue", "sales", "spent". They mean a total, and never what one row holds."""

from __future__ import annotations

from askwell.question.stems import stems
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.trade import flow_words


def is_flow(reader: Reader, i: int) -> bool:
    """Whether the span at `i` stands for the model's revenue by another name than its column has."""
    trade = reader.facts.trade
    columns = reader.sentence.span(i).columns
    if trade is None or not any(ref in columns for ref in trade.revenue):
        return False
    return min(columns.values()) > Evidence.EXACT and stems(reader.sentence.span(i).text) in flow_words()
