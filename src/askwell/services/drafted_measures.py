"""Revenue, profit and their like, drafted as calculated fields and metrics of a model whose tables sell something.

Nothing is taken for sales on half the evidence: the one table of lines refers to at least two others, is called like a
line of an order, an invoice or a sale, and has one quantity and one price; a discount counts only where it is a
fraction. Every part of the draft says so (`drafted`), and reads like what its author may change or take away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from askwell.mdl.importers.imported import quoted
from askwell.mdl.manifest import Manifest, Metric, ModelColumn, content_hash
from askwell.mdl.names import readable, singular, words
from askwell.mdl.semantic_model import ColumnRef
from askwell.mdl.view import authorised_view
from askwell.question.words import Stems, stem_set, stems
from askwell.resources import words_file
from askwell.semantic_parsing.model.facts import ColumnFacts, ColumnKind, ModelFacts, TableFacts
from askwell.semantic_parsing.model.finding_facts import facts_of
from askwell.spelling import free_name

_FRACTION = re.compile(r"REAL|FLOA|DOUB|NUMERIC|DECIMAL|NUMBER", re.IGNORECASE)
_NUMBER = "DOUBLE"


@dataclass(frozen=True, slots=True)
class _Sales:
    """The lines of sales and the sale that each belongs to, with the columns that measures are made of. `cost` is the
    line's own, or that of the goods it refers to."""

    line: TableFacts
    document: TableFacts | None
    reference: ColumnFacts | None
    quantity: ColumnFacts
    price: ColumnFacts
    discount: ColumnFacts | None
    total: ColumnFacts | None
    cost: ColumnFacts | None


def with_measures(manifest: Manifest) -> Manifest:
    """The manifest with what its sales come to, where it has any; else as it is."""
    facts = facts_of(authorised_view(manifest, content_hash(manifest)), {})
    sales = _sales(facts)
    if sales is None:
        total = _lonely_total(facts)
        table = facts.tables[total.ref.table] if total is not None else None
        return _with_synonyms(manifest, table, total, _list("revenue_synonyms")) if table and total else manifest
    goods = [
        word for word in words(sales.line.readable) if stems(word)[-1] not in _words("documents") | _words("lines")
    ]
    sold = [text.format(goods=" ".join(goods)) for text in _list("goods_synonyms")] if goods else []
    manifest = _with_synonyms(manifest, sales.line, sales.quantity, [*_list("quantity_synonyms"), *sold])
    if sales.total is not None and sales.document is not None:
        worth = (text.format(document=_called(sales.document)) for text in _list("worth_synonyms"))
        manifest = _with_synonyms(manifest, sales.document, sales.total, [*_list("revenue_synonyms"), *worth])
    if sales.discount is not None and not _FRACTION.search(sales.discount.column.type):
        return manifest  # nobody knows of what it is taken
    return _Draft(manifest, sales, facts).written()


@cache
def revenue_names() -> tuple[Stems, Stems]:
    """What the money is called that sales bring, and that of each line of a sale with a total of its own."""
    return stems("revenue"), stems(_data()["fields"]["revenue"]["beside_total"])


class _Draft:
    """Writes the fields and metrics of one model's sales."""

    def __init__(self, manifest: Manifest, sales: _Sales, facts: ModelFacts) -> None:
        self._manifest, self._sales = manifest, sales
        self._taken = {name for c in facts.columns.values() for name in c.names}
        self._taken |= {name for table in facts.tables.values() for name in table.names}
        self._handle: ModelColumn | None = None
        self._parts = self._expressions()

    def written(self) -> Manifest:
        """The manifest with all that can be computed and has a free name."""
        fields = []
        for name, entry in _data()["fields"].items():
            if (field := self._field(name, entry)) is not None:
                fields.append(field)
                self._parts[name] = quoted(field.name)  # metrics add up the fields
        metrics = [metric for name, entry in _data()["metrics"].items() if (metric := self._metric(name, entry))]
        if self._handle is not None:
            fields = [self._handle, *fields]
        line = self._sales.line.table.name
        models = [
            model.model_copy(update={"columns": (*model.columns, *fields)}) if model.name == line else model
            for model in self._manifest.models
        ]
        known = self._manifest.metrics
        return self._manifest.model_copy(update={"models": tuple(models), "metrics": (*known, *metrics)})

    def _expressions(self) -> dict[str, str]:
        sales = self._sales
        parts = {"quantity": _quoted(sales.quantity), "told": "quantity times price"}
        parts["line"] = f"{parts['quantity']} * {_quoted(sales.price)}"
        if sales.discount is not None:
            parts["line"] += f" * (1 - {_quoted(sales.discount)})"
            parts["told"] += ", less the discount"
        if sales.reference is not None and sales.document is not None:
            parts["document"], parts["sale"] = _quoted(sales.reference), _called(sales.document)
        if sales.cost is not None and (cost := self._cost(sales.cost)) is not None:
            parts["cost"] = cost
        return parts

    def _cost(self, cost: ColumnFacts) -> str | None:
        """What a piece costs, as an expression over the line: its own, or that of its goods."""
        line = self._sales.line.table.name
        if cost.ref.table == line:
            return _quoted(cost)
        ways = [entry for entry in self._manifest.relationships if set(entry.models) == {line, cost.ref.table}]
        if len(ways) != 1:
            return None
        model = next(model for model in self._manifest.models if model.name == line)
        name = free_name(cost.ref.table, {column.name.lower() for column in model.columns}, str.lower)
        entry = {"name": name, "type": cost.ref.table, "relationship": ways[0].name, "properties": {"drafted": True}}
        self._handle = ModelColumn.model_validate(entry)
        return f"{quoted(name)}.{_quoted(cost)}"

    def _field(self, name: str, entry: Mapping[str, Any]) -> ModelColumn | None:
        if self._sales.total is not None and "beside_total" in entry:
            # the total of the sale is what people ask for first
            entry, name = {**entry, "synonyms": ()}, entry["beside_total"]
        found = self._filled(name, entry)
        if found is None:
            return None
        expression, properties = found
        column = {"name": name, "type": _NUMBER, "expression": expression, "isCalculated": True}
        return ModelColumn.model_validate({**column, "properties": properties})

    def _metric(self, name: str, entry: Mapping[str, Any]) -> Metric | None:
        needless = entry.get("needs_no") == "total" and self._sales.total is not None
        found = self._filled(name, entry) if not needless else None
        if found is None:
            return None
        expression, properties = found
        measure = {"name": name, "type": _NUMBER, "expression": expression}
        metric = {"name": name, "baseObject": self._sales.line.table.name, "dimension": [], "measure": [measure]}
        return Metric.model_validate({**metric, "properties": properties})

    def _filled(self, name: str, entry: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """The expression and the properties; None where a part is missing or the name is taken."""
        if stems(name) in self._taken:
            return None
        try:
            expression = entry["expression"].format_map(self._parts)
            synonyms = [text.format_map(self._parts) for text in entry["synonyms"]]
            description = entry["description"].format_map(self._parts)
        except KeyError:
            return None
        free = [text for text in synonyms if stems(text) not in {*self._taken, stems(name)}]
        properties = {"displayName": readable(name), "description": description, "synonyms": free, "drafted": True}
        return expression, properties | ({"unit": entry["unit"]} if "unit" in entry else {})


def _with_synonyms(manifest: Manifest, table: TableFacts, column: ColumnFacts, synonyms: Iterable[str]) -> Manifest:
    """The manifest with further names for a column, but for those that it or another one of its table has."""
    taken = {names for other in table.columns for names in other.names}
    fresh = [text for text in synonyms if stems(text) not in taken]

    def called(known: ModelColumn) -> ModelColumn:
        if known.name != column.ref.column:
            return known
        synonyms = [*known.properties.get("synonyms", ()), *fresh]
        drafted = [*known.properties.get("drafted_synonyms", ()), *fresh]
        properties = {**known.properties, "synonyms": synonyms, "drafted_synonyms": drafted}
        return known.model_copy(update={"properties": properties})

    models = tuple(
        model.model_copy(update={"columns": tuple(map(called, model.columns))})
        if model.name == column.ref.table
        else model
        for model in manifest.models
    )
    return manifest.model_copy(update={"models": models})


# ---------------------------------------------------------------- what sales are made of
def _sales(facts: ModelFacts) -> _Sales | None:
    """The model's sales; nothing where several tables could hold them."""
    found = [sales for table in facts.tables.values() if (sales := _lines_of(table, facts)) is not None]
    return found[0] if len(found) == 1 else None


def _lines_of(table: TableFacts, facts: ModelFacts) -> _Sales | None:
    called = set(table.words)
    if not called & (_words("documents") | _words("lines")) or called & _words("no_sales"):
        return None
    parents = list(_parents(table.table.name, facts))
    quantity, price = _one(table, _names("quantity")), _one(table, _names("price"))
    if len(parents) < 2 or quantity is None or price is None:
        return None
    documents = [(t, ref) for t, ref in parents if set(facts.tables[t].words) & _words("documents")]
    document, reference = documents[0] if len(documents) == 1 else (None, None)
    sold = facts.tables[document] if document is not None else None
    costs = [_one(facts.tables[t], _names("cost")) for t, _ in parents if t != document]
    costs = [cost for cost in (_one(table, _names("cost")), *costs) if cost is not None]
    discounts = [c for c in table.columns if _words_of("discount") & set(c.words)]
    return _Sales(
        line=table,
        document=sold,
        reference=facts.columns[reference] if reference is not None else None,
        quantity=quantity,
        price=price,
        discount=discounts[0] if discounts else None,
        total=_total(sold) if sold is not None else None,
        cost=costs[0] if costs else None,
    )


def _one(table: TableFacts, wanted: Sequence[Stems]) -> ColumnFacts | None:
    found = [c for c in table.columns if c.is_measure and c.kind is ColumnKind.NUMBER and c.words in wanted]
    return found[0] if len(found) == 1 else None


def _total(table: TableFacts) -> ColumnFacts | None:
    """The one column of a sale that says what all of it costs."""
    return _one(table, [*_names("total"), *((*table.words[-1:], *words) for words in _names("total"))])


def _lonely_total(facts: ModelFacts) -> ColumnFacts | None:
    """The total of the only sales there are; of payments only where there are no others."""
    barred = _words("no_sales") | _words("lines")
    for kinds in (_words("documents"), _words("payments")):
        tables = [t for t in facts.tables.values() if set(t.words) & kinds and not set(t.words) & barred]
        tables = [t for t in tables if any(True for _ in _parents(t.table.name, facts))]
        if tables:
            return _total(tables[0]) if len(tables) == 1 else None
    return None


def _parents(table: str, facts: ModelFacts) -> Iterator[tuple[str, ColumnRef]]:
    """The tables that each row of a table belongs to, with the column that says so."""
    for r in facts.relationships:
        if len(r.pairs) == 1 and r.left == table and r.right in facts.referred.get(table, ()):
            yield r.right, ColumnRef(table, r.pairs[0][0])


# ---------------------------------------------------------------- words
def _data() -> Mapping[str, Any]:
    return words_file("askwell.services", "drafted_measures.yaml")


def _list(name: str) -> Sequence[str]:
    found: Sequence[str] = _data()[name]
    return found


@cache
def _words(name: str) -> frozenset[str]:
    return stem_set(frozenset(_data()[name].split()))


@cache
def _names(column: str) -> tuple[Stems, ...]:
    return tuple(stems(text) for text in _data()["columns"][column])


def _words_of(column: str) -> frozenset[str]:
    return frozenset(word for name in _names(column) for word in name)


def _called(table: TableFacts) -> str:
    """What one row of it is called, without what tells it from other tables."""
    return singular(words(table.readable)[-1])


def _quoted(column: ColumnFacts) -> str:
    return quoted(column.ref.column)
