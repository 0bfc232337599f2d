"""A statement whose every name is known to belong to the project's semantic model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp


@dataclass(frozen=True, slots=True)
class BoundSql:
    """What binding yields, and what the planner takes in.

    `tree` is the statement as its author wrote it, except for names: references have the spelling of what they refer
    to, and schema prefixes are gone. `*` is not expanded and no qualifier is added. Nobody may change it in place: copy
    first.

    `tables` are canonical model names in order of first appearance; `columns` maps each of them to the canonical
    columns that the statement reads (all of them where it says `*`). CTE names are in neither.
    """

    tree: exp.Expr
    dialect: str
    tables: tuple[str, ...]
    columns: Mapping[str, frozenset[str]]
