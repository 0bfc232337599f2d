"""What the statements of views, metrics and cubes read, and the columns that they yield."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import build_scope, traverse_scope
from sqlglot.schema import MappingSchema

from askwell.mdl.expressions import Unreadable, read_expression, read_query, resolve_reason
from askwell.mdl.manifest import Grouped, MetricField
from askwell.mdl.names import listed, nearest_hint
from askwell.mdl.semantic_model import Column, ColumnRole, Table, TableKind

# Views on views on views: more levels than anybody means.
_MAX_LEVELS = 30


@dataclass(frozen=True, slots=True)
class StatementReading:
    """What became of a statement: the `columns` it yields, and the columns it `reads` of each table by canonical name.

    `mistakes` are (what is wrong, what to do); with any of them the other two are as far as one got. `doubts` are the
    same for what does not stand in the way.
    """

    columns: tuple[Column, ...] = ()
    reads: Mapping[str, frozenset[str]] | None = None
    mistakes: tuple[tuple[str, str], ...] = ()
    doubts: tuple[tuple[str, str], ...] = ()


class Statements:
    """Reads the statements of views, metrics and cubes, each once, those that others are built on first.

    A statement may name hidden columns, which its author put there, but `*` in it means the visible ones.
    """

    def __init__(
        self,
        models: Mapping[str, Table],
        derived: Mapping[str, Table],
        hidden: Mapping[str, tuple[str, ...]],
        dialect: str,
    ) -> None:
        self._waiting = dict(derived)
        self._known = {name.lower(): table for name, table in models.items()}
        self._canonical = {name.lower(): name for name in derived}
        self._hidden = {name.lower(): columns for name, columns in hidden.items()}
        self._dialect = dialect
        self._readings: dict[str, StatementReading] = {}
        self._under_way: list[str] = []
        for name in derived:
            self._read(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical names of all of them, in the manifest's order."""
        return tuple(self._canonical.values())

    def table(self, name: str) -> Table:
        """The view, metric or cube of that canonical name, with the columns that its statement yields."""
        return self._known[name.lower()]

    def reading(self, name: str) -> StatementReading:
        """What the statement of that view, metric or cube reads and yields."""
        return self._readings[name]

    def _read(self, name: str) -> None:
        table = self._waiting.pop(name, None)
        if table is None:
            return
        self._known[name.lower()] = table
        self._under_way.append(name)
        reading = self._reading(name, table.statement or "")
        self._under_way.pop()
        self._readings[name] = reading
        if table.kind is TableKind.VIEW:
            self._known[name.lower()] = replace(table, columns=reading.columns)

    def _reading(self, name: str, statement: str) -> StatementReading:
        query = read_query(statement, self._dialect)
        if isinstance(query, Unreadable):
            return StatementReading(mistakes=((f"its SQL cannot be used: {query.reason}", "Write one SELECT."),))
        mistakes = []
        for node in query.find_all(exp.Table):
            needed = self._canonical.get(node.name.lower(), "")
            if not needed:
                continue
            if needed in self._under_way:
                circle = " → ".join([*self._under_way[self._under_way.index(needed) :], needed])
                return StatementReading(mistakes=((f"it is built on itself ({circle})", "Break the circle."),))
            if len(self._under_way) > _MAX_LEVELS:
                return StatementReading(mistakes=((f"it is built on more than {_MAX_LEVELS} levels", "Flatten them."),))
            self._read(needed)
        lowered = _lower_case_names(query)
        mistakes += self._unknown_tables(lowered)
        try:
            schema = self._schema(lowered)
            bound = qualify(
                lowered,
                schema=schema,
                dialect=self._dialect,
                validate_qualify_columns=False,
                quote_identifiers=False,
                identify=False,
            )
            bound = annotate_types(bound, schema=schema, dialect=self._dialect)
            scopes = traverse_scope(bound)
        except RecursionError:
            return StatementReading(mistakes=(("its SQL is nested too deeply", "Simplify it."),))
        except (SqlglotError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            return StatementReading(mistakes=((f"its SQL cannot be used: {resolve_reason(error)}", "Correct it."),))
        reads, more = self._reads(scopes, starred=_has_star(query))
        more += self._homeless(scopes, query)
        # The statement's own spelling of the names it gives; what `*` yields is spelled as its table spells it.
        spelled = {projection.alias_or_name.lower(): projection.alias_or_name for projection in query.selects}
        outputs = [output for output in bound.selects if output.alias_or_name not in ("", "*")]
        named = [output for output in outputs if output.alias_or_name in spelled or not _is_made_up(output)]
        columns = {
            output.alias_or_name: self._column(bound, output, spelled.get(output.alias_or_name)) for output in named
        }
        doubts = []
        if len(named) < len(outputs):
            nameless = len(outputs) - len(named)
            what = "one of its columns has no name" if nameless == 1 else f"{nameless} of its columns have no name"
            doubts.append((what, "Give it a name with AS." if nameless == 1 else "Give each a name with AS."))
        if not columns and not mistakes and not more:
            doubts.append(
                ("Askwell can't read its columns from its SQL, so they can't be asked for", "List them in its SELECT.")
            )
        if len(columns) < len(named):
            doubts.append(("several of its columns have the same name", "Give each its own name with AS."))
        return StatementReading(tuple(columns.values()), reads, tuple(dict.fromkeys(mistakes + more)), tuple(doubts))

    def _unknown_tables(self, query: exp.Query) -> list[tuple[str, str]]:
        ctes = {cte.alias for cte in query.find_all(exp.CTE)}
        return [
            (f'it reads "{_written(node.this)}", which the model does not have', nearest_hint(node.name, self._names()))
            for node in query.find_all(exp.Table)
            if node.name and node.name not in self._known and node.name not in ctes
        ]

    def _names(self) -> list[str]:
        return [table.name for table in self._known.values()]

    def _schema(self, query: exp.Query) -> MappingSchema:
        """Types for the tables that the statement names; hidden columns are known but not part of `*`."""
        columns: dict[str, object] = {}
        visible: dict[str, object] = {}
        for node in query.find_all(exp.Table):
            table = self._known.get(node.name)
            if table is None:
                continue
            node.set("db", None)
            node.set("catalog", None)
            visible[node.name] = [column.name.lower() for column in table.columns]
            types = {column.name.lower(): _sqlglot_type(column.type, self._dialect) for column in table.columns}
            columns[node.name] = types | {name.lower(): "UNKNOWN" for name in self._hidden.get(node.name, ())}
        return MappingSchema(columns, visible=visible, dialect=self._dialect, normalize=False)

    def _reads(self, scopes: list[Any], *, starred: bool) -> tuple[dict[str, frozenset[str]], list[tuple[str, str]]]:
        reads: dict[str, set[str]] = {}
        mistakes = []
        for scope in scopes:
            sources = {
                alias: self._known[source.name]
                for alias, source in scope.sources.items()
                if isinstance(source, exp.Table) and source.name in self._known
            }
            for table in sources.values():
                reads.setdefault(table.name, set())
            for column in scope.columns:
                owner = sources.get(column.table)
                if owner is None or not isinstance(column.this, exp.Identifier):
                    continue
                spelled = self._spelled(owner)
                if column.name not in spelled:
                    hint = nearest_hint(column.name, [known.name for known in owner.columns])
                    mistakes.append((f'it reads "{_written(column.this)}", which {owner.name} does not have', hint))
                    continue
                reads[owner.name].add(spelled[column.name])
                if starred and owner.column(column.name) is None:
                    what = f'it reads the hidden column "{_written(column.this)}" and also selects *'
                    mistakes.append((what, "List the columns that it should yield."))
        return {name: frozenset(columns) for name, columns in reads.items()}, mistakes

    def _homeless(self, scopes: list[Any], query: exp.Query) -> list[tuple[str, str]]:
        """Names that no source of their query has, or that stand after a table that is not there."""
        aliases = {alias.alias.lower() for alias in query.find_all(exp.Alias, exp.TableAlias) if alias.alias}
        # SQLite takes a name in double quotes that names nothing for text.
        text = {i.name.lower() for i in query.find_all(exp.Identifier) if i.args.get("quoted")}
        excused = aliases | (text if self._dialect == "sqlite" else set())
        excused |= {parameter.name.lower() for node in query.find_all(exp.Lambda) for parameter in node.expressions}
        everywhere = {alias for scope in scopes for alias in scope.sources}
        mistakes = []
        for scope in scopes:
            sources = list(scope.sources.values())
            known = [self._known[source.name] for source in sources if _is_named(source, self._known)]
            # What a subquery, a CTE or a function yields is the database's to say.
            all_known = bool(sources) and len(known) == len(sources)
            for column in scope.columns:
                if not isinstance(column.this, exp.Identifier) or {column.name, column.table} & excused:
                    continue
                if not column.table and all_known:
                    mistakes.append(_homeless_mistake(_written(column.this), known))
                elif column.table and column.table not in everywhere and not query.find(exp.Pivot):
                    what = f'it reads "{_written(column.args["table"])}.{_written(column.this)}", '
                    what += f'but no table in it is called "{_written(column.args["table"])}"'
                    mistakes.append((what, nearest_hint(column.table, everywhere) or "Correct the name."))
        return mistakes

    def _spelled(self, table: Table) -> dict[str, str]:
        names = [*self._hidden.get(table.name.lower(), ()), *(column.name for column in table.columns)]
        return {name.lower(): name for name in names}

    def _column(self, query: exp.Query, output: exp.Expr, written: str | None) -> Column:
        source = self._source(query, output.unalias())
        inherited = source is not None and source.name.lower() == output.alias_or_name
        name = written or (source.name if source and inherited else output.alias_or_name)
        if source is not None:
            # An outer join may leave nothing in a column that is never empty at its source.
            return replace(source, name=name, role=ColumnRole.PLAIN, expression=None, essential=False, not_null=False)
        kind = output.type
        if kind is None or kind.this in (exp.DataType.Type.UNKNOWN, exp.DataType.Type.NULL):
            return Column(name=name, type="")
        return Column(name=name, type=kind.sql(dialect=self._dialect))

    def _source(self, query: exp.Query, value: exp.Expr) -> Column | None:
        """The model column that a projection passes on unchanged, if it is one."""
        if not isinstance(query, exp.Select) or not isinstance(value, exp.Column):
            return None
        scope = build_scope(query)
        source = scope.sources.get(value.table) if scope else None
        table = self._known.get(source.name) if isinstance(source, exp.Table) else None
        return table.column(value.name) if table else None


def grouped_statement(entry: Grouped, dialect: str) -> str:
    """The statement that a metric or cube stands for."""
    dimensions, measures = entry.all_dimensions, entry.all_measures
    selected = [
        f"{_field_sql(field, dialect)} AS {_quoted_name(field.name, dialect)}" for field in dimensions + measures
    ]
    distinct = "DISTINCT " if dimensions and not measures else ""
    numbers = ", ".join(str(number + 1) for number in range(len(dimensions)))
    grouping = f" GROUP BY {numbers}" if dimensions and measures else ""
    return f"SELECT {distinct}{', '.join(selected)} FROM {_quoted_name(entry.base_object, dialect)}{grouping}"


def _field_sql(field: MetricField, dialect: str) -> str:
    if not field.expression:
        return _quoted_name(field.name, dialect)
    tree = read_expression(field.expression, dialect)
    return field.expression if isinstance(tree, Unreadable) else tree.sql(dialect=dialect)


def _quoted_name(identifier: str, dialect: str) -> str:
    return exp.to_identifier(identifier, quoted=True).sql(dialect=dialect)


def _homeless_mistake(name: str, tables: list[Table]) -> tuple[str, str]:
    """What is wrong with a name without a table: one table has to have it, and no more than one."""
    owners = [table.name for table in tables if table.column(name) is not None]
    if owners:
        return f'it reads "{name}", which {listed(owners)} have', f"Say whose it is, such as {owners[0]}.{name}."
    names = [member.name for table in tables for member in table.columns]
    having = f"none of {listed([t.name for t in tables])} has" if len(tables) > 1 else f"{tables[0].name} does not have"
    return f'it reads "{name}", which {having}', nearest_hint(name, names)


def _is_named(source: object, known: Mapping[str, Table]) -> bool:
    return isinstance(source, exp.Table) and source.name in known


def _lower_case_names(query: exp.Query) -> exp.Query:
    """A copy in which every name is in lower case: names of a model are the same in any case."""
    copy = query.copy()
    for identifier in copy.find_all(exp.Identifier):
        identifier.meta["written"] = identifier.name
        identifier.set("this", identifier.name.lower())
        identifier.set("quoted", False)
    for table in copy.find_all(exp.Table):
        # qualify reads the name of a table without an alias as SQL once more: `@x` would not be a name then.
        if isinstance(table.this, exp.Identifier) and not table.alias and not table.name.isidentifier():
            table.set("alias", exp.TableAlias(this=table.this.copy()))
    return copy


def _written(identifier: exp.Expr) -> str:
    return str(identifier.meta.get("written", identifier.name))


def _has_star(query: exp.Query) -> bool:
    return any(not isinstance(star.parent, exp.Count) for star in query.find_all(exp.Star))


def _is_made_up(output: exp.Expr) -> bool:
    """Whether the column's name is qualify's own: the statement gives it none, so the database will make one up."""
    return output.alias_or_name.startswith("_col_") and not isinstance(output.unalias(), exp.Column)


def _sqlglot_type(type_name: str, dialect: str) -> str:
    try:
        exp.DataType.build(type_name, dialect=dialect)
    except (SqlglotError, ValueError):
        return "UNKNOWN"
    return type_name or "UNKNOWN"
