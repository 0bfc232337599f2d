"""What a model's sales are, where it keeps them as lines with a quantity and a price, or as documents with a total.

Nothing is taken for sales on half the evidence: a line table refers to at least two others, is called like a line of
an order, an invoice or a sale, and has one quantity and one price; a discount counts only where it is a fraction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from askwell.mdl.semantic_model import Cardinality, Column, ColumnRef, Relationship
from askwell.question.stems import Stems, stem, stem_set, stems
from askwell.semantic_parsing.model.facts import ColumnFacts, ColumnKind, ModelFacts, TableFacts
from askwell.semantic_parsing.model.measures import Formula, Trade

_DOCUMENTS = frozenset({"order", "orders", "invoice", "sale", "sales", "transaction", "receipt", "bill", "checkout"})
_PAYMENTS = frozenset({"payment"})
_LINES = _DOCUMENTS | {"line", "item", "detail", "lineitem", "basket", "cart"}
# Goods that come in, go back or are only offered are no sales.
_NO_SALES = frozenset(
    {"purchase", "procurement", "purchasing", "supplier", "vendor", "stock", "inventory", "warehouse", "quote"}
    | {"quotation", "return", "refund", "offer", "work", "production", "transfer", "expense", "wish", "history"}
)
_QUANTITIES = ("quantity", "units", "quantity sold", "units sold", "order quantity", "quantity ordered", "amount sold")
_PRICES = ("unit price", "price", "price each", "sale price", "selling price", "item price", "price per unit")
_TOTALS = ("total", "amount", "total amount", "grand total", "total price", "total due", "total value", "value")
_FRACTION = re.compile(r"REAL|FLOA|DOUB|NUMERIC|DECIMAL|NUMBER", re.IGNORECASE)

# What people call the money that comes in, and the column that holds it is called otherwise.
FLOWS = (
    "revenue",
    "money",
    "sales",
    "turnover",
    "spending",
    "sales revenue",
    "sales amount",
    "sales value",
    "revenues",
)


def with_trade(facts: ModelFacts) -> ModelFacts:
    """The facts with the model's sales and the columns computed for them."""
    trade, computed = _trade(facts)
    return replace(facts, trade=trade, columns={**facts.columns, **{column.ref: column for column in computed}})


def _trade(facts: ModelFacts) -> tuple[Trade | None, tuple[ColumnFacts, ...]]:
    """The model's sales, and the columns that are computed for them; nothing where several tables could hold them."""
    lines = [found for table in facts.tables.values() if (found := _line(table, facts)) is not None]
    if len(lines) > 1:
        return None, ()
    if not lines:
        total = _lonely_total(facts)
        return (Trade(None, total.table, None, (total,), None, ()), ()) if total is not None else (None, ())
    table, quantity, formula = lines[0]
    name = table.table.name
    parents = _parents(name, facts.relationships)
    documents = [t for t, _ in parents if set(facts.tables[t].words) & stem_set(_DOCUMENTS)]
    document = documents[0] if len(documents) == 1 else None
    total = _total(facts.tables[document]) if document is not None else None
    computed = [_computed(name, "revenue", formula)] if formula is not None else []
    worth = None
    if document is not None and total is None and formula is not None:
        reference = next(ref for t, ref in parents if t == document)
        worth = _computed(name, "order_value", formula, per=reference)
        computed.append(worth)
    revenue = (*((total,) if total is not None else ()), *(column.ref for column in computed[:1]))
    if not revenue:
        return None, ()
    goods = tuple(t for t, _ in parents if t != document)
    trade = Trade(name, document, quantity, revenue, worth.ref if worth is not None else None, goods)
    return trade, tuple(computed)


def flow_names(trade: Trade, facts: ModelFacts) -> Iterable[tuple[Stems, ColumnRef]]:
    """The names by which people ask for the money, each with the column that it means first."""
    taken = {name for table in facts.tables.values() for name in table.names}
    for text in FLOWS:
        words = stems(text)
        if words not in taken:
            yield from ((words, ref) for ref in trade.revenue)
    document = facts.tables[trade.document] if trade.document is not None else None
    worth = trade.worth or (trade.revenue[0] if document is not None else None)
    if document is not None and worth is not None:
        for text in ("value", "amount", "total", "size"):
            yield (document.words[-1], stem(text)), worth


def quantity_names() -> Iterable[Stems]:
    """The names by which people ask how much was sold."""
    return (stems(text) for text in ("units", "units sold", "quantity", "quantity sold", "pieces", "copies"))


def _computed(table: str, name: str, formula: Formula, per: ColumnRef | None = None) -> ColumnFacts:
    ref = ColumnRef(table, name)
    return ColumnFacts(
        ref=ref,
        column=Column(name, "DOUBLE", display_name=name.replace("_", " ").capitalize()),
        names=(stems(name),),
        kind=ColumnKind.NUMBER,
        is_key=False,
        is_reference=False,
        numeric_text=False,
        plain_numbers=False,
        iso_text=False,
        formula=formula,
        per=per,
    )


def _line(table: TableFacts, facts: ModelFacts) -> tuple[TableFacts, ColumnRef, Formula | None] | None:
    """The table as one of sales lines: its quantity, and what a line is worth where that is certain."""
    words = set(table.words)
    if not words & stem_set(_LINES) or words & stem_set(_NO_SALES):
        return None
    if len(_parents(table.table.name, facts.relationships)) < 2:
        return None
    quantity = _one(table, _QUANTITIES)
    price = _one(table, _PRICES)
    if quantity is None or price is None:
        return None
    discounts = [c for c in table.columns if stem("discount") in c.words]
    if not discounts:
        return table, quantity.ref, Formula((quantity.ref, price.ref))
    certain = len(discounts) == 1 and discounts[0].words == (stem("discount"),)
    if not certain or not _FRACTION.search(discounts[0].column.type):
        return table, quantity.ref, None
    return table, quantity.ref, Formula((quantity.ref, price.ref), discounts[0].ref)


def _one(table: TableFacts, names: Sequence[str]) -> ColumnFacts | None:
    wanted = [stems(name) for name in names]
    found = [c for c in table.columns if c.is_measure and c.kind is ColumnKind.NUMBER and c.words in wanted]
    return found[0] if len(found) == 1 else None


def _total(table: TableFacts) -> ColumnRef | None:
    """The one column of a document that says what all of it costs."""
    wanted = [stems(name) for name in _TOTALS]
    wanted += [(*table.words[-1:], *words) for words in wanted]
    found = [c for c in table.columns if c.is_measure and c.kind is ColumnKind.NUMBER and c.words in wanted]
    return found[0].ref if len(found) == 1 else None


def _lonely_total(facts: ModelFacts) -> ColumnRef | None:
    """The total of the only documents there are; of payments only where there are no others."""
    for kinds in (_DOCUMENTS, _PAYMENTS):
        tables = [
            t
            for t in facts.tables.values()
            if set(t.words) & stem_set(kinds)
            and not set(t.words) & stem_set(_NO_SALES | {"line", "item", "detail"})
            and _parents(t.table.name, facts.relationships)
        ]
        if tables:
            return _total(tables[0]) if len(tables) == 1 else None
    return None


def _parents(table: str, relationships: Iterable[Relationship]) -> list[tuple[str, ColumnRef]]:
    """The tables that each row of a table belongs to, with the column that says so."""
    found = []
    for r in relationships:
        if len(r.pairs) != 1:
            continue
        left, right = r.pairs[0]
        if r.left == table and r.cardinality is Cardinality.MANY_TO_ONE:
            found.append((r.right, ColumnRef(table, left)))
        elif r.right == table and r.cardinality is Cardinality.ONE_TO_MANY:
            found.append((r.left, ColumnRef(table, right)))
    return found
