"""For an engine that plans over the semantic model itself: what it is told of the model, and what is sent to it.

To such an engine the models are tables with plain columns. It works out where their rows are and what renamed columns
stand for, and puts everything into the database's own SQL. The rest is written out before a statement leaves, by the
planner that other engines have: views, metrics and cubes, models on models, what `*` means, row and column rules, and
calculated fields. So hidden columns and rules do not depend on what the engine knows of them. Calculated fields could
be left to wren-core; measured with 0.8.2 on eight of them, it failed on four, and `count(orders.id)` and
`max(orders.id)` of customers, whose key is also called `id`, came out wrong without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from askwell.mdl.expressions import sources_of
from askwell.mdl.manifest import Manifest, Model, ModelColumn, TableReference
from askwell.mdl.names import is_system_place
from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.bound import BoundSql
from askwell.sql.context import QueryContext
from askwell.sql.outcome import RejectedSql
from askwell.sql.planner.planner import PlannedSql, Planner

# As which function a column without a name begins.
_FUNCTION = re.compile(r"[A-Za-z_]\w*(?=\()")


class EnginePlanned(Planner):
    """Plans statements for such an engine: over its tables, which are the models. Made like `Planner`."""

    def __init__(self, model: SemanticModel, manifest: Manifest, dialect: str) -> None:
        # The hint that keeps conditions out of rows does not survive the engine's planner.
        super().__init__(model, _models_as_tables(manifest), dialect, mask_hidden_rows=True)

    def plan(self, bound: BoundSql, context: QueryContext) -> PlannedSql | RejectedSql:
        """The statement over models and their columns alone, with a name of its own for every column of the result."""
        planned = super().plan(bound, context)
        if isinstance(planned, RejectedSql):
            return planned
        tree = planned.tree
        for cte in tree.find_all(exp.CTE):
            cte.set("materialized", None)  # a wish of PostgreSQL's own, which wren-core's parser does not know
        _name_results(tree)
        return PlannedSql(tree, planned.dialect, planned.physical, rules=planned.rules, written=planned.written)


def engine_manifest(manifest: Manifest) -> dict[str, Any]:
    """What wren-core is given of a model, which `read_manifest` accepted and whose tables are where the database has
    them: the models with their plain columns. Those on tables of the database system are left out, so that no statement
    reaches these."""
    types = {enum.name.lower(): enum.sql_type for enum in manifest.enum_definitions}
    return {
        "catalog": manifest.catalog,
        "schema": manifest.schema_name,
        "models": [
            {
                "name": model.name,
                **_rows_of(model),
                "columns": [_column(column, types) for column in model.columns if _is_plain(column)],
            }
            for model in manifest.models
            if not model.base_object and not _is_of_the_system(model)
        ],
    }


def _models_as_tables(manifest: Manifest) -> Manifest:
    """The manifest as if every model, but those built on others, were a table of the database by the model's name."""

    def as_table(model: Model) -> Model:
        if model.base_object:
            return model
        columns = tuple(
            column.model_copy(update={"expression": None}) if _is_plain(column) else column for column in model.columns
        )
        table = TableReference(table=model.name)
        return model.model_copy(update={"table_reference": table, "ref_sql": None, "columns": columns})

    return manifest.model_copy(update={"models": tuple(map(as_table, manifest.models))})


def _is_plain(column: ModelColumn) -> bool:
    return column.relationship is None and not column.is_calculated


def _is_of_the_system(model: Model) -> bool:
    place = model.table_reference
    return place is not None and is_system_place(place.table, [place.catalog or "", place.schema_name or ""])


def _rows_of(model: Model) -> dict[str, Any]:
    place = model.table_reference
    if place is None:
        return {"refSql": model.ref_sql}
    parts = {"catalog": place.catalog, "schema": place.schema_name, "table": place.table}
    return {"tableReference": {key: value for key, value in parts.items() if value}}


def _column(column: ModelColumn, types: Mapping[str, str]) -> dict[str, Any]:
    written = {"name": column.name, "type": types.get(column.type.lower(), column.type)}
    return written | ({"expression": column.expression} if column.expression is not None else {})


def _name_results(tree: exp.Expr) -> None:
    """Give each column of the result a name that no other has: wren-core refuses two of one name, and an ibis-server
    stumbles over them."""
    _write_out_stars(tree)
    # A name that is made up must not be what something in the statement means already.
    used = {identifier.name.lower() for identifier in tree.find_all(exp.Identifier)}
    for select in _branches(tree):
        taken: set[str] = set()
        for projection in list(select.expressions):
            if projection.is_star:
                continue
            own = isinstance(projection, exp.Alias | exp.Column)
            unique = name = projection.alias_or_name if own else _usual_name(projection)
            number = 1
            while unique.lower() in taken or (unique.lower() in used and not (own and number == 1)):
                number += 1
                unique = f"{name}_{number}"
            taken.add(unique.lower())
            if isinstance(projection, exp.Alias):
                projection.set("alias", exp.to_identifier(unique, quoted=True))
            elif not own or unique != name:
                projection.replace(exp.alias_(projection.copy(), unique, quoted=True))


def _usual_name(projection: exp.Expr) -> str:
    """What databases call a column that has no name."""
    if isinstance(projection, exp.Case):
        return "case"
    function = _FUNCTION.match(projection.sql(dialect="postgres"))
    return function[0].lower() if function and function[0] != "CAST" else "column"


def _branches(tree: exp.Expr) -> Iterator[exp.Select]:
    """The SELECTs whose rows are those of the statement."""
    match tree:
        case exp.Select():
            yield tree
        case exp.SetOperation():
            yield from _branches(tree.this)
            yield from _branches(tree.expression)
        case exp.Subquery():
            yield from _branches(tree.this)


def _write_out_stars(tree: exp.Expr) -> None:
    """Put columns in the place of stars, where it is known which: those of CTEs and subqueries that name theirs.
    One that is written out may show what another means, so it goes on until nothing is left to do."""
    ctes = {cte.alias: cte.this for cte in tree.find_all(exp.CTE)}
    left = [select for select in tree.find_all(exp.Select) if select.is_star]
    while left:
        still = []
        for select in left:
            select.set("expressions", list(_without_stars(select, ctes)))
            if select.is_star:
                still.append(select)
        if len(still) == len(left):
            return
        left = still


def _without_stars(select: exp.Select, ctes: Mapping[str, exp.Expr]) -> Iterator[exp.Expr]:
    """The select list with the columns that its stars mean, where that is known."""
    columns = _columns_of_sources(select, ctes) or {}
    for projection in select.expressions:
        if isinstance(projection, exp.Star) and not any(projection.args.values()):
            sources = list(columns)
        elif isinstance(projection, exp.Column) and projection.is_star and not any(projection.this.args.values()):
            sources = [projection.table] if projection.table in columns else []
        else:
            sources = []
        if not sources:
            yield projection
        for source in sources:
            for name in columns[source]:
                yield exp.column(exp.to_identifier(name, quoted=True), exp.to_identifier(source, quoted=True))


def _columns_of_sources(select: exp.Select, ctes: Mapping[str, exp.Expr]) -> dict[str, list[str]] | None:
    """The columns of each table that the SELECT reads, by alias; None where one of them has others than it names."""
    joins = select.args.get("joins") or []
    if any(join.args.get("using") or join.args.get("method") or join.kind in ("SEMI", "ANTI") for join in joins):
        return None
    found: dict[str, list[str]] = {}
    for source in sources_of(select):
        query = ctes.get(source.name) if isinstance(source, exp.Table) else source.this
        alias = source.args.get("alias")
        if not isinstance(query, exp.Select) or alias is None or alias.args.get("columns") or query.is_star:
            return None
        named = all(isinstance(projection, exp.Alias | exp.Column) for projection in query.expressions)
        names = [projection.alias_or_name for projection in query.expressions]
        if not named or len(set(names)) < len(names) or source.alias in found:
            return None
        found[source.alias] = names
    return found
