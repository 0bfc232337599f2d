"""A statement over the model put on top of the bodies of the models that it reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import Dialect, exp
from sqlglot.dialects.dialect import NormalizationStrategy

from askwell.mdl.manifest import Manifest
from askwell.mdl.semantic_model import Column, SemanticModel
from askwell.spelling import free_name
from askwell.sql.bound import ModelCatalogue
from askwell.sql.names import fold
from askwell.sql.planner.clock import note_kind
from askwell.sql.planner.nested_ctes import hoist
from askwell.sql.planner.surroundings import Physical, Unplannable
from askwell.sql.scopes import Resolution, resolve

if TYPE_CHECKING:
    from askwell.sql.planner.library import Bodies


def authors_view(model: SemanticModel, manifest: Manifest) -> SemanticModel:
    """The model with its hidden columns: the author of a view or metric in the manifest may read everything."""
    hidden = {
        entry.name: tuple(
            Column(column.name, column.type) for column in entry.columns if column.is_hidden and not column.relationship
        )
        for entry in manifest.models
    }
    tables = {
        name: replace(table, columns=table.columns + hidden.get(name, ())) for name, table in model.tables.items()
    }
    return SemanticModel(model.content_hash, model.data_source, tables, model.relationships)


# Not to be worked out once and kept, so that the database can push conditions into them.
_HAS_MATERIALIZED = frozenset({"duckdb", "sqlite", "postgres"})

# CTEs of a subquery do not see those of the statement: so in MariaDB, which is the same dialect as MySQL.
_BLIND_SUBQUERIES = frozenset({"mysql"})

# PostgreSQL cuts longer names, so that two may become one.
_ALIAS_BYTES = 63

# Parts of the trees of all bodies together. A view that reads a view twice is twice its size, and so on upwards.
_MAX_PARTS = 20_000


@dataclass(frozen=True, slots=True)
class Body:
    """The SELECT that a model, view or metric stands for. `materialized` is the mark of its CTE."""

    query: exp.Query
    materialized: bool = False


def assemble(
    tree: exp.Query,
    catalogue: ModelCatalogue,
    reads: Mapping[str, frozenset[str]],
    body: Bodies,
    physical: Physical,
    dialect: str,
) -> exp.Query:
    """Put a WITH before `tree`, which is changed in place: one CTE for each model, view or metric that it reads.

    `reads` are the columns that it reads of each, by canonical name; a table that is not in it is read in full. The
    statement itself stays as it is, but that its tables are now the CTEs, under the names they had.
    Raises `Unplannable`.
    """
    _fold(tree, dialect)
    resolution = resolve(tree, catalogue, dialect)
    for use in resolution.columns:
        if use.source.table is not None and not use.source.renamed:
            note_kind(use.node, catalogue.type_of(use.source.table.name, use.name))
    bodies: dict[str, Body] = {}
    parts = 0
    for _, table in resolution.tables:
        if table.name not in bodies:
            whole = table.name not in reads or _reads_whole_rows(resolution, tree, table.name)
            columns = _named(resolution, table.name) if whole else reads[table.name]
            bodies[table.name] = body(table.name, columns, whole=whole)
            parts += sum(1 for _ in bodies[table.name].query.walk())
            if parts > _MAX_PARTS:
                raise Unplannable(f"with what {table.name} is built on it becomes too large")
    # MariaDB takes a CTE inside a body for an earlier one outside it, if the two have the same name.
    taken = _taken(tree) | {fold(cte.alias) for written in bodies.values() for cte in written.query.find_all(exp.CTE)}
    taken |= {fold(place.name) for place in physical.tables}
    names = _free_names(bodies, taken)
    physical.ctes.update({name: table for table, name in names.items()})
    _rename_ctes(tree, resolution, taken)
    for node, table in resolution.tables:
        _point_to(node, names[table.name])
    _spell(resolution)
    if dialect in _BLIND_SUBQUERIES:
        hoist(tree, resolution)
    if bodies:
        _prepend(tree, [_cte(names[name], written, dialect) for name, written in bodies.items()])
    return tree


def _fold(tree: exp.Query, dialect: str) -> None:
    """Spell names without quotes as the database will: PostgreSQL in small letters, Snowflake in capitals."""
    kind = Dialect.get_or_raise(dialect)
    if kind.normalization_strategy in (NormalizationStrategy.LOWERCASE, NormalizationStrategy.UPPERCASE):
        for identifier in tree.find_all(exp.Identifier):
            kind.normalize_identifier(identifier)


def _spell(resolution: Resolution) -> None:
    """Spell each reference like what it refers to: the statement may do so in any letter case, the database not.

    Binding has done so with the model's own names; these are the statement's: aliases, which MySQL tells apart by their
    letters, and columns of subqueries, which have the spelling of the model's columns in them.
    """
    for use in resolution.columns:
        if use.source.table is None and use.part.name != use.name:
            use.part.set("this", use.name)
            use.part.set("quoted", True)
    for node, source, length in resolution.qualifiers:
        alias = source.node.args.get("alias") if source.node is not None else None
        known = alias.this if isinstance(alias, exp.TableAlias) else None
        if length == 1 and isinstance(known, exp.Identifier) and fold(node.text("table")) == fold(source.name):
            node.set("table", known.copy())


def _reads_whole_rows(resolution: Resolution, tree: exp.Expr, name: str) -> bool:
    """Whether which columns the table has makes a difference, beyond those that are named."""
    for source in resolution.stars:
        if source.table is not None and source.table.name == name:
            return True
    if any(join.args.get("method") == "NATURAL" for join in tree.find_all(exp.Join)):
        return True
    for node, table in resolution.tables:
        alias = node.args.get("alias")
        if table.name == name and alias is not None and alias.args.get("columns"):
            return True
    return False


def _named(resolution: Resolution, name: str) -> frozenset[str]:
    """The columns that are read by their own names. Behind an alias list names are the statement's, not the table's."""
    return frozenset(
        use.name
        for use in resolution.columns
        if use.source.table is not None and use.source.table.name == name and not use.source.renamed
    )


def _taken(tree: exp.Expr) -> set[str]:
    return {fold(identifier.name) for identifier in tree.find_all(exp.Identifier)}


def _free_names(tables: Iterable[str], taken: set[str]) -> dict[str, str]:
    """A CTE name for each table that is nobody else's: `mdl_orders`."""
    return {table: _free_name("mdl_", table, taken) for table in tables}


def _free_name(prefix: str, wanted: str, taken: set[str]) -> str:
    """A name like `wanted` that is not in `taken`, to which it is added."""
    return free_name(prefix + (re.sub(r"[^a-z0-9]+", "_", fold(wanted)).strip("_")[:48] or "t"), taken)


def _rename_ctes(tree: exp.Query, resolution: Resolution, taken: set[str]) -> None:
    """Give each of the statement's own CTEs a name that nothing else has, and each reference the CTE that it means.

    Databases differ in where a CTE is seen: SQLite lets those of one WITH see all the others, DuckDB takes not every
    CTE that refers to itself for one that does. Where one of them sees it otherwise than we do it now finds no table at
    all, rather than the table of the database that the CTE is called after, or another CTE.
    """
    references: dict[int, list[exp.Expr]] = {}
    for node, definition in resolution.cte_references:
        references.setdefault(id(definition), []).append(node)
    for cte in tree.find_all(exp.CTE):
        identifier = cte.args["alias"].this
        name = _free_name("mdl_cte_", identifier.name, taken)
        for node in references.get(id(identifier), ()):
            _point_to(node, name)
        identifier.set("this", name)
        identifier.set("quoted", True)


def _point_to(node: exp.Expr, name: str) -> None:
    """Make the table node read `name`, under the name it had before, if a database can carry that."""
    alias = node.args.get("alias")
    if alias is None or alias.this is None:
        columns = alias.args.get("columns") if alias is not None else None
        carried = len(node.name.encode()) <= _ALIAS_BYTES
        known = node.this.copy() if carried else exp.to_identifier(name, quoted=True)
        node.set("alias", exp.TableAlias(this=known, columns=columns))
    node.set("this", exp.to_identifier(name, quoted=True))
    node.set("db", None)
    node.set("catalog", None)


def _cte(name: str, body: Body, dialect: str) -> exp.CTE:
    hint = {"materialized": body.materialized} if dialect in _HAS_MATERIALIZED else {}
    return exp.CTE(this=body.query, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)), **hint)


def _prepend(tree: exp.Query, ctes: list[exp.CTE]) -> None:
    with_clause = tree.args.get("with_")
    if with_clause is None:
        if "with_" not in tree.arg_types:
            raise Unplannable("Askwell cannot plan this kind of statement")
        tree.set("with_", exp.With(expressions=ctes))
    else:
        with_clause.set("expressions", [*ctes, *with_clause.expressions])
