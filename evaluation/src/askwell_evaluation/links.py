"""How well links between tables are inferred: on databases whose foreign keys are taken away, measured against those
keys and against what gold queries join by."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope

from askwell.errors import InvalidRequest
from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.join_candidates import suggested_joins
from askwell.mdl.join_graph import JoinGraph
from askwell.mdl.manifest import Manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import PhysicalSchema, PhysicalTable
from askwell.providers.engine.factory import create_engine
from askwell.services.model_drafting import draft_model
from askwell_evaluation.databases import Spider, introspected_tables, open_file, read_spider_tables
from askwell_evaluation.questions import in_split, read_questions
from askwell_evaluation.report import Report, percent, say

# Two columns as `table.column` in lower case.
Pair = frozenset[str]


@dataclass(frozen=True, slots=True)
class DatabaseLinks:
    """One database: the foreign keys that were taken away, the links that were inferred by names alone and by names and
    values, those that prompts tell of (with what is less sure), and the pairs of columns that the gold queries of its
    questions join by, for each question that joins. `seconds` is what drafting the model took."""

    name: str
    keys: frozenset[Pair]
    by_names: frozenset[Pair]
    by_values: frozenset[Pair]
    suggested: frozenset[Pair]
    joins: tuple[frozenset[Pair], ...]
    seconds: float

    @property
    def right(self) -> frozenset[Pair]:
        """What counts as a link: a foreign key, or what a gold query joins by."""
        return self.keys.union(*self.joins)


def _report(databases: Sequence[DatabaseLinks]) -> Report:
    """Precision and recall of inferred links, and how many join questions have all their gold joins among them: of all
    databases, and of each."""
    every, each = _figures(databases), {one.name: _figures([one]) for one in databases}
    lines = [
        f"{'':30} {'names alone':>24} {'names and values':>24} {'join questions':>18} {'seconds':>8}",
        f"{'database':30} {'precision':>12}{'recall':>12} {'precision':>12}{'recall':>12} {'allowed':>18}",
    ]
    for name, shown in [*each.items(), ("all", every)]:
        names, values = shown["names"], shown["values"]
        lines.append(
            f"{name[:30]:30} {names['precision']:>12}{names['recall']:>12} {values['precision']:>12}"
            f"{values['recall']:>12} {shown['questions_allowed']:>18} {shown['seconds']:>8.2f}"
        )
    return Report({"all": every, "databases": each}, lines)


def _figures(some: Sequence[DatabaseLinks]) -> dict[str, Any]:
    questions = [(wanted, one.suggested) for one in some for wanted in one.joins]
    return {
        "names": _measured([(one.by_names, one) for one in some]),
        "values": _measured([(one.by_values, one) for one in some]),
        "questions_allowed": percent(sum(wanted <= links for wanted, links in questions), len(questions)),
        "questions_same_key": percent(sum(_connected(*one) for one in questions), len(questions)),
        "seconds": round(sum(one.seconds for one in some), 2),
    }


def _measured(found: Sequence[tuple[frozenset[Pair], DatabaseLinks]]) -> dict[str, str]:
    inferred = sum(len(links) for links, _ in found)
    connected = sum(_connected(frozenset({link}), one.right) for links, one in found for link in links)
    return {
        "precision": percent(sum(len(links & one.right) for links, one in found), inferred),
        "precision_same_key": percent(connected, inferred),
        "recall": percent(sum(len(links & one.keys) for links, one in found), sum(len(one.keys) for _, one in found)),
    }


def _connected(wanted: frozenset[Pair], links: frozenset[Pair]) -> bool:
    """Whether each pair is a link, or both columns hold the values of the same key."""
    group: dict[str, set[str]] = {}
    for pair in links:
        merged = set(pair).union(*(group.get(column, {column}) for column in pair))
        group.update(dict.fromkeys(merged, merged))
    return all(len(pair) == 1 or pair <= group.get(next(iter(pair)), set()) for pair in wanted)


def run_links(
    questions: Path,
    databases: Path,
    *,
    only: Sequence[str] = (),
    split: str = "all",
    without_keys: bool = False,
) -> Report:
    """Measure the databases of a folder of questions: those in `only`, or all of a `split` (all, tuning or validation)
    that have foreign keys or questions that join. With `without_keys` the primary keys are taken away too. Raises
    `InvalidRequest` where there is none."""
    spider = read_spider_tables(questions.parent)
    golds = defaultdict[str, list[str]](list)
    for row in read_questions(questions):
        golds[row.db_id] += row.golds[:1]
    measured = []
    for path in sorted(databases.glob("*.sqlite")):
        if (only and path.stem not in only) or not in_split(path.stem, split):
            continue
        say(path.stem)
        one = asyncio.run(_measure(path, spider.get(path.stem), golds[path.stem], without_keys=without_keys))
        if one.right:
            measured.append(one)
    if not measured:
        raise InvalidRequest("No database of this folder has links.", "Name others with --only.")
    return _report(measured)


async def _measure(path: Path, spider: Spider | None, golds: Sequence[str], *, without_keys: bool) -> DatabaseLinks:
    with closing(open_file(path)) as connection:
        declared = introspected_tables(connection, spider)
    engine = create_engine("sqlite", path)
    try:
        bare = [
            replace(table, foreign_keys=(), primary_key=() if without_keys else table.primary_key)
            for table in (await engine.introspect()).tables
        ]
        schema = PhysicalSchema(tuple(bare))
        began = time.monotonic()
        drafted = await draft_model(schema, engine)
        seconds = time.monotonic() - began
    finally:
        await engine.close()
    named = manifest_from_schema(schema, data_source="SQLITE")
    columns = {table.name.lower(): {column.name.lower(): column.type for column in table.columns} for table in bare}
    return DatabaseLinks(
        name=path.stem,
        keys=frozenset(_foreign_keys(declared, columns)),
        by_names=frozenset(_links(named)),
        by_values=frozenset(_links(drafted)),
        suggested=frozenset(_links(drafted, suggested=True)),
        joins=tuple(joined for sql in golds if (joined := gold_joins(sql, columns))),
        seconds=seconds,
    )


def _foreign_keys(tables: Sequence[PhysicalTable], columns: Mapping[str, Mapping[str, str]]) -> Iterator[Pair]:
    keys = {table.name.lower(): table.primary_key for table in tables}
    for table in tables:
        for key in table.foreign_keys:
            there = key.to_columns or keys.get(key.to_table.lower(), ())
            for here, to in zip(key.columns, there, strict=False):
                if to.lower() in columns.get(key.to_table.lower(), ()):
                    yield frozenset((f"{table.name}.{here}".lower(), f"{key.to_table}.{to}".lower()))


def _links(manifest: Manifest, *, suggested: bool = False) -> Iterator[Pair]:
    """The relationships of a model, and the joins that are suggested beside them."""
    model = authorised_view(manifest, "")
    edges: Iterable[Any] = (*model.relationships, *(suggested_joins(model, JoinGraph(model)) if suggested else ()))
    for edge in edges:
        for here, there in edge.pairs:
            yield frozenset((f"{edge.left}.{here}".lower(), f"{edge.right}.{there}".lower()))


def gold_joins(sql: str, columns: Mapping[str, Mapping[str, str]]) -> frozenset[Pair]:
    """The pairs of columns of different tables, or of a table with itself, that a SQLite statement compares for
    equality; none of a statement that cannot be read. `columns` are types by table and column in lower case."""
    schema: dict[str, object] = {table: dict(listed) for table, listed in columns.items()}
    try:
        tree = qualify(
            parse_one(sql, dialect="sqlite"), schema=schema, dialect="sqlite", validate_qualify_columns=False
        )
        scopes = list(traverse_scope(tree))
    except (SqlglotError, ValueError, RecursionError):
        return frozenset()
    found = set()
    for scope in scopes:
        for equal in scope.find_all(exp.EQ):
            if isinstance(equal.left, exp.Column) and isinstance(equal.right, exp.Column):
                sides = [_origin(scope, side) for side in (equal.left, equal.right)]
                if all(sides) and equal.left.table != equal.right.table:
                    found.add(frozenset(side for side in sides if side))
    return frozenset(found)


def _origin(scope: Scope, column: exp.Column) -> str | None:
    """The physical column that a column of a statement is, where it is one unchanged."""
    source = scope.sources.get(column.table)
    if isinstance(source, exp.Table):
        return f"{source.name}.{column.name}".lower()
    if isinstance(source, Scope) and isinstance(source.expression, exp.Select):
        for selected in source.expression.selects:
            written = selected.unalias()
            if selected.alias_or_name.lower() == column.name.lower() and isinstance(written, exp.Column):
                return _origin(source, written)
    return None
