"""What is wrong with a name, and which valid names come nearest, in a sentence for people and correcting models."""

from __future__ import annotations

from collections.abc import Iterable

from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.names import fold
from askwell.sql.nearest import nearest, nearest_text
from askwell.sql.scopes import NameProblem, ProblemKind, Source

_LISTED = 12


def name_sentence(problem: NameProblem, model: SemanticModel) -> str:
    """One sentence without a full stop, such as `orders has no column "totl"; nearest: orders.total`."""
    match problem.kind:
        case ProblemKind.TABLE:
            return f'there is no table "{problem.name}"' + nearest_text(problem.name, model.tables)
        case ProblemKind.QUALIFIER:
            return _unknown_qualifier(problem, model)
        case ProblemKind.AMBIGUOUS:
            choices = ", ".join(f"{_label(source)}.{problem.name}" for source in problem.candidates)
            return f'"{problem.name}" is ambiguous; write one of: {choices}'
        case ProblemKind.COLUMN if problem.qualifier is not None:
            return _not_in_source(problem, problem.qualifier)
        case ProblemKind.COLUMN:
            return _in_no_source(problem, model)


def _unknown_qualifier(problem: NameProblem, model: SemanticModel) -> str:
    sentence = f'"{problem.name}" is no table or alias of this query'
    owners = [
        _label(source) for source in problem.in_scope if source.name and source.has(fold(problem.qualifier or ""))
    ]
    if owners:
        return f"{sentence}; {problem.qualifier} is a column of {_listed(owners)}"
    table = model.table(problem.name)
    if table is not None:
        return f"{sentence}; the table {table.name} has to be in FROM or JOIN, as has every table that is used"
    names = [_label(source) for source in problem.in_scope if source.name]
    return sentence + (nearest_text(problem.name, names) or _there_is(names))


def _not_in_source(problem: NameProblem, qualifier: str) -> str:
    """The column was looked for in one source."""
    source = problem.candidates[0] if problem.candidates else None
    columns = list((source.columns or {}).values()) if source is not None else []
    owner = source.table.name if source is not None and source.table is not None else qualifier
    sentence = f'{owner} has no column "{problem.name}"' + (nearest_text(problem.name, columns) or _there_is(columns))
    key = fold(problem.name)
    elsewhere = [_label(other) for other in problem.in_scope if other is not source and other.name and other.has(key)]
    return sentence + (f"; it is a column of {_listed(elsewhere)}" if elsewhere else "")


def _in_no_source(problem: NameProblem, model: SemanticModel) -> str:
    """The column was looked for in all sources."""
    sources = problem.in_scope
    if not any(source.name or source.columns for source in sources):
        return f'there is no column "{problem.name}": the query reads no table'
    columns: dict[str, list[str]] = {}
    for source in sources:
        for column in (source.columns or {}).values():
            columns.setdefault(column, []).append(f"{_label(source)}.{column}" if source.name else column)
    names = _listed(source.table.name if source.table is not None else source.name for source in sources if source.name)
    near = [place for name in nearest(problem.name, columns) for place in columns[name]][:3]
    everything = [place for places in columns.values() for place in places]
    sentence = f'{names or "the result"} has no column "{problem.name}"'
    sentence += f"; nearest: {', '.join(near)}" if near else _there_is(everything)
    others = _owners_in_model(problem.name, model, sources)
    return sentence + (f"; {_listed(others)} has one, and is not in FROM or JOIN" if others else "")


def _owners_in_model(name: str, model: SemanticModel, sources: Iterable[Source]) -> list[str]:
    used = {source.table.name for source in sources if source.table is not None}
    return [table.name for table in model if table.name not in used and table.column(name) is not None][:3]


def _label(source: Source) -> str:
    """What the source is called in the statement, spelled as the model spells it."""
    return source.table.name if source.table is not None and not source.alias else source.name


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _there_is(names: list[str]) -> str:
    """Where nothing is near, what there is."""
    return f"; there is: {_listed(names[:_LISTED])}{' …' if len(names) > _LISTED else ''}" if names else ""
