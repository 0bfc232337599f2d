"""What is wrong with names, and which valid names may be meant, in sentences for people and correcting models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from askwell.mdl.semantic_model import ColumnRef, SemanticModel
from askwell.sql.candidates import (
    columns_asked_of,
    columns_elsewhere,
    columns_like,
    only_join,
    tables_of,
    tables_with,
)
from askwell.sql.names import fold
from askwell.sql.nearest import nearest, nearest_text
from askwell.sql.scopes import NameProblem, ProblemKind, Source

_LISTED = 12
_MOST_CANDIDATES = 8
_MOST_FITTING_TABLES = 5
_LISTED_TABLES = 40


class NameSentences:
    """Explains the wrong names of one statement. `tables` collects the tables of the model that the sentences name and
    that the statement does not read, likeliest first: whoever corrects it needs their columns."""

    def __init__(self, model: SemanticModel) -> None:
        self._model = model
        self._tables: dict[str, None] = {}
        self._described: set[int] = set()

    @property
    def tables(self) -> tuple[str, ...]:
        """See the class."""
        return tuple(self._tables)

    def explain(self, problem: NameProblem) -> str:
        """One sentence without a full stop, such as `orders has no column "totl"; nearest: orders.total`."""
        match problem.kind:
            case ProblemKind.TABLE:
                return self._unknown_table(problem)
            case ProblemKind.QUALIFIER:
                return self._unknown_qualifier(problem)
            case ProblemKind.AMBIGUOUS:
                choices = ", ".join(f"{_label(source)}.{problem.name}" for source in problem.candidates)
                return f'"{problem.name}" is ambiguous; write one of: {choices}'
            case ProblemKind.COLUMN if problem.qualifier is not None:
                return self._not_in_source(problem, problem.qualifier)
            case ProblemKind.COLUMN:
                return self._in_no_source(problem)

    def _unknown_table(self, problem: NameProblem) -> str:
        sentence = f'there is no table "{problem.name}"'
        near = nearest(problem.name, self._model.tables)
        asked = columns_asked_of(problem.node)
        fitting = [table for table in tables_with(asked, self._model) if table not in near][:_MOST_FITTING_TABLES]
        self._tables.update(dict.fromkeys((*near, *fitting)))
        if near:
            sentence += f"; nearest: {_listed(near)}"
        if fitting:
            sentence += f"; with the columns that are read from it: {_listed(fitting)}"
        return sentence if near or fitting else sentence + _there_is(list(self._model.tables), _LISTED_TABLES)

    def _unknown_qualifier(self, problem: NameProblem) -> str:
        sentence = f'"{problem.name}" is no table or alias of this query'
        column = problem.qualifier or ""
        table = self._model.table(problem.name)
        owners = [_label(source) for source in problem.in_scope if source.name and source.has(fold(column))]
        if owners:
            sentence += f"; {column} is a column of {_listed(owners)}"
        elif table is not None:
            sentence += f"; the table {table.name} has to be in FROM or JOIN, as has every table that is used"
        else:
            names = [_label(source) for source in problem.in_scope if source.name]
            sentence += nearest_text(problem.name, names) or _there_is(names)
        if table is not None and table.column(column) is not None:
            self._tables[table.name] = None
            return sentence
        return sentence + self._elsewhere(column, problem.in_scope)

    def _not_in_source(self, problem: NameProblem, qualifier: str) -> str:
        """The column was looked for in one source."""
        source = problem.candidates[0] if problem.candidates else None
        columns = list((source.columns or {}).values()) if source is not None else []
        owner = source.table.name if source is not None and source.table is not None else qualifier
        sentence = f'{owner} has no column "{problem.name}"'
        near = nearest_text(problem.name, columns)
        sentence += near or self._columns_once([source] if source is not None else [], columns)
        key = fold(problem.name)
        beside = [_label(other) for other in problem.in_scope if other is not source and other.name and other.has(key)]
        if beside:
            sentence += f"; it is a column of {_listed(beside)}"
        return sentence + self._elsewhere(problem.name, problem.in_scope, problem.candidates, like=not beside)

    def _in_no_source(self, problem: NameProblem) -> str:
        """The column was looked for in all sources."""
        sources = problem.in_scope
        if not any(source.name or source.columns for source in sources):
            return f'there is no column "{problem.name}": the query reads no table'
        columns: dict[str, list[str]] = {}
        for source in sources:
            for column in (source.columns or {}).values():
                columns.setdefault(column, []).append(f"{_label(source)}.{column}" if source.name else column)
        names = _listed(
            source.table.name if source.table is not None else source.name for source in sources if source.name
        )
        near = [place for name in nearest(problem.name, columns) for place in columns[name]][:3]
        sentence = f'{names or "the result"} has no column "{problem.name}"'
        everything = [place for places in columns.values() for place in places]
        sentence += f"; nearest: {', '.join(near)}" if near else self._columns_once(sources, everything)
        return sentence + self._elsewhere(problem.name, sources, like=True)

    def _elsewhere(
        self, name: str, sources: Sequence[Source], named: Sequence[Source] = (), *, like: bool = False
    ) -> str:
        """The columns of this name in tables that are not read or, where none has one and with `like`, similar ones."""
        used = tables_of(sources)
        found = columns_elsewhere(name, self._model, used, tables_of(named))
        if found:
            return f"; not in FROM or JOIN: {self._noted(found, sources)}"
        near = columns_like(name, self._model, used) if like else ()
        return f"; one join away: {self._noted(near, sources)}" if near else ""

    def _noted(self, places: Sequence[ColumnRef], sources: Sequence[Source]) -> str:
        shown = places[:_MOST_CANDIDATES]
        self._tables.update(dict.fromkeys(place.table for place in shown))
        if len(places) == 1:
            condition = only_join(self._model, places[0].table, sources)
            return f"{places[0]}, to be joined where {condition}" if condition else str(places[0])
        rest = len(places) - len(shown)
        return ", ".join(map(str, shown)) + (f" and {rest} more" if rest else "")

    def _columns_once(self, sources: Iterable[Source], columns: list[str]) -> str:
        """Where nothing is near, what there is: the columns of the same sources are listed in one sentence only."""
        new = {id(source) for source in sources} - self._described
        self._described |= new
        return _there_is(columns) if new else ""


def _label(source: Source) -> str:
    """What the source is called in the statement, spelled as the model spells it."""
    return source.table.name if source.table is not None and not source.alias else source.name


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _there_is(names: list[str], most: int = _LISTED) -> str:
    return f"; there is: {_listed(names[:most])}{' …' if len(names) > most else ''}" if names else ""
