"""Semantic models made in a line or two, for tests that need no database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from askwell.mdl.semantic_model import Cardinality, Column, Relationship, SemanticModel, Table, TableKind


def semantic_model(
    tables: Mapping[str, Sequence[str | Column]],
    links: Sequence[tuple[str, str]] = (),
    *,
    content_hash: str = "hash",
    **facts: Mapping[str, Any],
) -> SemanticModel:
    """`tables` are names with their columns (text columns where only a name is given); the first column is the key.
    `links` are ("orders.customer_id", "customers.id"), many to one. `facts` has more of a table, by its name."""
    made = {
        name: Table(
            name=name,
            kind=TableKind.MODEL,
            columns=tuple(one if isinstance(one, Column) else Column(one, "VARCHAR") for one in columns),
            primary_key=(columns[0] if isinstance(columns[0], str) else columns[0].name,),
            **facts.get(name, {}),
        )
        for name, columns in tables.items()
    }
    return SemanticModel(content_hash, "SQLITE", made, tuple(_link(left, right) for left, right in links))


def _link(left: str, right: str) -> Relationship:
    (one, here), (other, there) = left.split("."), right.split(".")
    return Relationship(f"{one}_{here}_{other}", one, other, Cardinality.MANY_TO_ONE, ((here, there),))
