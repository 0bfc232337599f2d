"""Names that belong to nothing, or to too much, put right one after the other.

What no repair of a name may do: take tables apart that were joined, or select the same column twice.

A qualifier that names nothing in scope: an alias that was lost or never given, a table that was never joined.
"""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from askwell.sql.binder import ModelCatalogue
from askwell.sql.fanout import Statement, undetermined_columns
from askwell.sql.names import fold
from askwell.sql.repair.columns import repair_ambiguous, repair_column
from askwell.sql.repair.missing_join import repair_missing_join
from askwell.sql.repair.spelling import closest, is_short_for, same_words
from askwell.sql.repair.tables import repair_table
from askwell.sql.repair.work import (
    NOTHING_ASKED,
    Asked,
    Surroundings,
    Work,
    has_all,
    named_sources,
    own_sources,
    quoted_name,
    requalify,
    select_of,
    used_under,
)
from askwell.sql.scopes import NameProblem, ProblemKind, Resolution, Source, resolve


def repair_qualifier(problem: NameProblem, work: Work) -> str | None:
    """Change the tree so that what stands behind this qualifier is of one source; None where it is not certain."""
    node = problem.node
    select = select_of(node)
    if not isinstance(node, exp.Column) or select is None or node.args.get("db") is not None:
        return None
    columns = used_under(problem.name, select)
    needed = {fold(column.name) for column in columns if not isinstance(column.this, exp.Star)}
    fitting = [s for s in problem.in_scope if s.name and has_all(s, needed)]
    source = _meant(problem, fitting, work)
    if source is not None:
        for column in columns:
            requalify(column, source.name)
        return f"{quoted_name(problem.name)} read as {quoted_name(source.name)}"
    return repair_missing_join(problem, needed, work)


def _meant(problem: NameProblem, fitting: list[Source], work: Work) -> Source | None:
    """The source with these columns that the qualifier is the table of, a misspelling of, or short for."""
    name = problem.name
    own = own_sources(problem)
    for sources in ([s for s in fitting if s in own], [s for s in fitting if s not in own]):
        tables = [s for s in sources if s.table is not None and s.alias and fold(s.table.name) == fold(name)]
        if len(tables) == 1:
            return tables[0]
        if tables:
            return None
        spelled = closest(name, [s.name for s in sources if len(s.name) > 3], work.around.known)
        if spelled is not None:
            return next(s for s in sources if s.name == spelled)
        styled = [s for s in sources if s.table is not None and s.alias and same_words(s.table.name, name)]
        if len(styled) == 1:
            return styled[0]
    if work.around.model.table(name) is not None:
        return None
    short = [s for s in fitting if s in own and not s.alias and is_short_for(name, s.name)]
    return short[0] if len(short) == 1 else None


class Promises:
    """How the statement was before; `kept` tells whether its tables still hang together and it selects as it did."""

    def __init__(self, tree: exp.Expr, resolution: Resolution, dialect: str) -> None:
        self._dialect = dialect
        owners = _owners(resolution)
        self._groups = {id(select): _groups(select, owners) for select in tree.find_all(exp.Select)}
        self._twice = {id(select) for select in tree.find_all(exp.Select) if self._selects_twice(select)}
        self._idle = {id(equality) for equality in tree.find_all(exp.EQ) if _is_idle(equality)}

    def kept(self, tree: exp.Expr, resolution: Resolution) -> bool:
        """Whether no SELECT falls into more groups of tables than before, and none has an idle condition or a column
        twice that had not."""
        owners = _owners(resolution)
        for select in tree.find_all(exp.Select):
            if _groups(select, owners) > self._groups.get(id(select), 0):
                return False
            if id(select) not in self._twice and self._selects_twice(select):
                return False
        return not any(_is_idle(equality) for equality in tree.find_all(exp.EQ) if id(equality) not in self._idle)

    def _selects_twice(self, select: exp.Select) -> bool:
        written = (projection.sql(dialect=self._dialect, comments=False) for projection in select.expressions)
        return any(count > 1 for count in Counter(map(fold, written)).values())


def _owners(resolution: Resolution) -> dict[int, str]:
    return {id(use.node): fold(use.source.name) for use in resolution.columns}


def _groups(select: exp.Select, owners: dict[int, str]) -> int:
    """How many groups of tables there are that no comparison connects; a qualifier counts also where it is wrong."""
    above = {name: name for name in named_sources(select)}

    def root(name: str) -> str:
        while above[name] != name:
            name = above[name]
        return name

    for comparison in select.find_all(exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE):
        columns = [*_columns(comparison.this), *_columns(comparison.expression)]
        names = [fold(column.text("table")) or owners.get(id(column), "") for column in columns]
        inside = [name for name in names if name in above]
        for name in inside[1:]:
            above[root(name)] = root(inside[0])
    return sum(1 for name, over in above.items() if name == over)


def _columns(side: exp.Expr) -> list[exp.Column]:
    return list(side.find_all(exp.Column)) if not isinstance(side, exp.Subquery) else []


def _is_idle(equality: exp.Expr) -> bool:
    """Whether a table is compared with itself, and so joined with nothing."""
    left, right = equality.this, equality.expression
    if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
        return False
    return bool(left.table) and fold(left.table) == fold(right.table)


# Each step puts one name right; a statement that needs more was not meant for this model.
_MOST_STEPS = 32
_ORDER = (ProblemKind.TABLE, ProblemKind.QUALIFIER, ProblemKind.COLUMN, ProblemKind.AMBIGUOUS)


def repair_names(tree: exp.Expr, around: Surroundings, asked: Asked = NOTHING_ASKED) -> tuple[str, ...] | None:
    """Put every name of `tree` right, in place, and say what was read as what; None where one cannot be. `asked` is
    what is known of the question.

    A repair that would disconnect a join, select a column twice, or give a column to another table so that a group has
    several values of it, is none.
    """
    catalogue = ModelCatalogue(around.model, around.dialect)
    promises: Promises | None = None
    sentences: dict[str, None] = {}
    moved: list[exp.Expr] = []
    for _ in range(_MOST_STEPS):
        resolution = resolve(tree, catalogue, around.dialect)
        promises = promises or Promises(tree, resolution, around.dialect)
        if not resolution.problems:
            kept = promises.kept(tree, resolution) and not (moved and _has_bare_columns(tree, resolution, around))
            return tuple(sentences) if kept else None
        sentence = _repaired(Work(around, tree, resolution, asked, moved))
        if sentence is None:
            return None
        sentences[sentence] = None
    return None


def _has_bare_columns(tree: exp.Expr, resolution: Resolution, around: Surroundings) -> bool:
    """Whether a column stands beside groups that may have several values of it."""
    return any(True for _ in undetermined_columns(Statement(tree, resolution, around.model, around.dialect)))


def _repaired(work: Work) -> str | None:
    """Repair the first of the gravest problems that can be: others may follow from it."""
    for kind in _ORDER:
        problems = [problem for problem in work.resolution.problems if problem.kind is kind]
        if kind is ProblemKind.TABLE and problems:
            return _first(problems, work)
        sentence = _first(problems, work)
        if sentence is not None:
            return sentence
    return None


def _first(problems: list[NameProblem], work: Work) -> str | None:
    for problem in problems:
        sentence = _REPAIRS[problem.kind](problem, work)
        if sentence is not None:
            return sentence
    return None


_REPAIRS = {
    ProblemKind.TABLE: repair_table,
    ProblemKind.QUALIFIER: repair_qualifier,
    ProblemKind.COLUMN: repair_column,
    ProblemKind.AMBIGUOUS: repair_ambiguous,
}
