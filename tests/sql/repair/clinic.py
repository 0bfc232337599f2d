"""A made-up animal clinic: its model, and a way of SQL over it that needs no database."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

from askwell.mdl.manifest import Manifest
from askwell.mdl.semantic_model import SampledValues, SemanticModel
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import ANY_TERMS, PhysicalSchema, QueryFailure, QueryRows, QueryTerms
from askwell.sql.checker import SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.guard.catalogues import REVIEWED
from askwell.sql.outcome import CheckMode, SqlOutcome
from askwell.sql.planner import Planner
from tests.support.in_process import own_functions
from tests.support.tables import case_table

CONTEXT = QueryContext(now=datetime(2025, 3, 1, 12, tzinfo=UTC))

_TABLES: dict[str, dict[str, str]] = case_table(__file__, "tables")
_LINKS = case_table(__file__, "links")
_ENUMS = {"species": {"diet": ["herbivore", "Carnivore", "omnivore"]}}
_SOURCES = {"sqlite": "SQLITE", "duckdb": "DUCKDB", "postgres": "POSTGRES", "mysql": "MYSQL"}


def manifest(dialect: str) -> Manifest:
    """The clinic as it is written down."""
    return manifest_of(_TABLES, _LINKS, dialect, keys={"VisitNotes": "NoteId"}, enums=_ENUMS)


def manifest_of(
    tables: Mapping[str, Mapping[str, str]],
    links: Mapping[str, tuple[str, str]],
    dialect: str,
    *,
    keys: Mapping[str, str] = MappingProxyType({}),
    enums: Mapping[str, Mapping[str, list[str]]] = MappingProxyType({}),
) -> Manifest:
    """A model: the types of each table's columns, and the condition and join type of each relationship. A table's key
    is `id` where `keys` has no other; `enums` are the values that a column may have."""
    models = []
    definitions = []
    for name, columns in tables.items():
        described = [{"name": column, "type": kind} for column, kind in columns.items()]
        for column in described:
            if values := enums.get(name, {}).get(column["name"]):
                column["type"] = f"{name}_{column['name']}"
                definitions.append({"name": column["type"], "values": [{"name": value} for value in values]})
        models.append(
            {
                "name": name,
                "tableReference": {"table": name},
                "primaryKey": keys.get(name, "id"),
                "columns": described,
            },
        )
    relationships = [
        {
            "name": name,
            "models": [c.split(".")[0] for c in condition.split(" = ")],
            "joinType": kind,
            "condition": condition,
        }
        for name, (condition, kind) in links.items()
    ]
    written = {
        "catalog": "c",
        "schema": "s",
        "models": models,
        "relationships": relationships,
        "enumDefinitions": definitions,
    }
    reading = read_manifest({**written, "dataSource": _SOURCES[dialect]}, data_source=_SOURCES[dialect])
    assert reading.manifest is not None, reading.problems
    return reading.manifest


def model(dialect: str = "sqlite") -> SemanticModel:
    """The clinic as statements see it."""
    return authorised_view(manifest(dialect), "clinic")


class PaperEngine:
    """An engine that is never asked anything but what functions it has."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.data_source = _SOURCES[dialect]

    async def functions(self) -> frozenset[str]:
        return functions(self.dialect)

    async def dry_run(self, sql: str, *, timeout: float, terms: QueryTerms = ANY_TERMS) -> QueryFailure | None:
        raise AssertionError("nothing reaches the database here")

    async def execute(
        self, sql: str, *, row_limit: int, timeout: float, terms: QueryTerms = ANY_TERMS
    ) -> QueryRows | QueryFailure:
        raise AssertionError("nothing reaches the database here")

    async def introspect(self) -> PhysicalSchema:
        raise AssertionError("nothing reaches the database here")

    async def close(self) -> None:
        pass


def functions(dialect: str) -> frozenset[str]:
    """What the database of that dialect itself says it has, or, for servers, the bundled list."""
    return own_functions(dialect) or REVIEWED[dialect]


def checker(dialect: str = "sqlite", values: SampledValues | None = None) -> SqlChecker:
    """The way of SQL over the clinic."""
    return checker_over(manifest(dialect), dialect, values)


def checker_over(written: Manifest, dialect: str, values: SampledValues | None = None) -> SqlChecker:
    """The way of SQL over any model, without a database."""
    seen = authorised_view(written, "paper")
    return SqlChecker(seen, Planner(seen, written, dialect), PaperEngine(dialect), values=values)


async def checked(sql: str, dialect: str = "sqlite", way: SqlChecker | None = None, question: str = "") -> SqlOutcome:
    """What becomes of a statement before any database sees it."""
    return await (way or checker(dialect)).check(
        sql,
        mode=CheckMode.DRY_PLAN,
        context=CONTEXT,
        timeout=5,
        question=question,
    )
