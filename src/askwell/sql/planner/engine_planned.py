"""For an engine that plans over the semantic model itself: what it is told of the model, and what is sent to it.

To such an engine the models are tables. It works out where their rows are, renamed columns, calculated fields and the
joins these need. Everything else is written out before a statement leaves, by the planner that other engines have:
views, metrics and cubes, what `*` means, and row and column rules. So hidden columns and rules do not depend on what
the engine knows of them. Where rules are at work, or models built on models, calculated fields are written out too:
they reach over relationships, and only here is it known what they may reach.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from askwell.mdl.lookup import Lookup
from askwell.mdl.manifest import Manifest, Model, ModelColumn, RelationshipEntry, TableReference
from askwell.mdl.reserved import is_system_place
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
        super().__init__(model, _models_as_tables(manifest), dialect)
        self._written_in = dialect

    def plan(self, bound: BoundSql, context: QueryContext) -> PlannedSql | RejectedSql:
        """The statement over models and their columns alone, with a name of its own for every column of the result."""
        planned = super().plan(bound, context)
        if isinstance(planned, RejectedSql):
            return planned
        tree = planned.tree
        for cte in tree.find_all(exp.CTE):
            cte.set("materialized", None)  # a wish of PostgreSQL's own, which wren-core's parser does not know
        _name_results(tree)
        return PlannedSql(tree, tree.sql(dialect=self._written_in, comments=False), planned.physical)


def engine_manifest(manifest: Manifest) -> dict[str, Any]:
    """What wren-core is given of a model, which `read_manifest` accepted and whose tables are where the database has
    them: the parts that it knows, in its form, and none that `EnginePlanned` writes out. No statement reaches a table
    of the database system: models there are left out."""
    lookup = Lookup(manifest)
    models = [model for model in manifest.models if not model.base_object and not _is_of_the_system(model)]
    names = {model.name for model in models}
    relationships: list[dict[str, Any]] = []
    if not _all_written_out(manifest):
        for entry in manifest.relationships:
            known = _relationship(entry, lookup)
            if known is not None and names.issuperset(known["models"]):
                relationships.append(known)
    handles = {entry["name"] for entry in relationships}
    texts = {enum.name.lower() for enum in manifest.enum_definitions}
    plain_only = _all_written_out(manifest)
    return {
        "catalog": manifest.catalog,
        "schema": manifest.schema_name,
        "models": [
            {
                "name": model.name,
                **_rows_of(model),
                "columns": [_column(column, texts) for column in _columns(model, handles, plain_only)],
                # It knows keys of one column only.
                **({"primaryKey": model.primary_key[0]} if len(model.primary_key) == 1 else {}),
            }
            for model in models
        ],
        "relationships": relationships,
    }


def _all_written_out(manifest: Manifest) -> bool:
    """Whether calculated fields are worked out here rather than by the engine."""
    return any(
        model.base_object
        or model.row_level_access_controls
        or any(column.column_level_access_control for column in model.columns)
        for model in manifest.models
    )


def _models_as_tables(manifest: Manifest) -> Manifest:
    """The manifest as if every model, but those built on others, were a table of the database by the model's name."""
    calculated_here = _all_written_out(manifest)

    def as_table(model: Model) -> Model:
        if model.base_object:
            return model
        columns = tuple(
            column
            if column.relationship is not None or (column.is_calculated and calculated_here)
            else column.model_copy(update={"expression": None, "is_calculated": False})
            for column in model.columns
        )
        table = TableReference(table=model.name)
        return model.model_copy(update={"table_reference": table, "ref_sql": None, "columns": columns})

    return manifest.model_copy(update={"models": tuple(map(as_table, manifest.models))})


def _is_of_the_system(model: Model) -> bool:
    place = model.table_reference
    return place is not None and is_system_place(place.table, [place.catalog or "", place.schema_name or ""])


def _rows_of(model: Model) -> dict[str, Any]:
    place = model.table_reference
    if place is None:
        return {"refSql": model.ref_sql}
    parts = {"catalog": place.catalog, "schema": place.schema_name, "table": place.table}
    return {"tableReference": {key: value for key, value in parts.items() if value}}


def _columns(model: Model, handles: set[str], plain_only: bool) -> Iterator[ModelColumn]:
    for column in model.columns:
        if column.relationship is not None:
            if column.relationship in handles:
                yield column
        elif not (column.is_calculated and plain_only):
            yield column


def _column(column: ModelColumn, texts: set[str]) -> dict[str, Any]:
    written: dict[str, Any] = {"name": column.name, "type": "VARCHAR" if column.type.lower() in texts else column.type}
    if column.expression is not None:
        written["expression"] = column.expression
    if column.is_calculated:
        written["isCalculated"] = True
    if column.relationship is not None:
        written["relationship"] = column.relationship
    return written


def _relationship(entry: RelationshipEntry, lookup: Lookup) -> dict[str, Any] | None:
    """The relationship with its condition in one spelling, however its author spaced and quoted it."""
    pairs = lookup.pairs(entry)
    models = [model.name for name in entry.models if (model := lookup.model(name))]
    if pairs is None or len(models) != 2:
        return None
    left, right = (exp.to_identifier(name, quoted=True).sql() for name in models)
    condition = " AND ".join(
        f"{left}.{exp.to_identifier(here, quoted=True).sql()} = {right}.{exp.to_identifier(there, quoted=True).sql()}"
        for here, there in pairs
    )
    return {"name": entry.name, "models": models, "joinType": entry.join_type.upper(), "condition": condition}


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
    """Put columns in the place of stars, where it can be told which: those of CTEs and subqueries that name theirs.
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
    """The select list with the columns that its stars mean, where that can be told."""
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
    from_ = select.args.get("from_")
    for source in [*([from_.this] if from_ else []), *(join.this for join in joins)]:
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
