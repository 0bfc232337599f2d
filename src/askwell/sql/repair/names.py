"""Unknown and ambiguous names, put right one after the other."""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from askwell.sql.binder import ModelCatalogue
from askwell.sql.fanout import Statement, undetermined_columns
from askwell.sql.names import fold
from askwell.sql.nearest import tables_of
from askwell.sql.repair.spelling import closest, is_short_for, same_words
from askwell.sql.repair.tables import repair_missing_join, repair_missing_table, repair_table
from askwell.sql.repair.work import (
    NOTHING_ASKED,
    Asked,
    Equalities,
    Surroundings,
    Work,
    columns_of,
    has_all,
    is_generic,
    named_sources,
    own_sources,
    quoted_name,
    rename,
    requalify,
    rivals,
    select_of,
    used_under,
)
from askwell.sql.scopes import NameProblem, ProblemKind, Resolution, Source, resolve


def repair_column(problem: NameProblem, work: Work) -> str | None:
    """Change the tree so that the column is one that is there; None where it is not certain which."""
    node = problem.node
    if isinstance(node, exp.Column) and (node.args.get("db") is not None or isinstance(node.this, exp.Star)):
        return None
    if problem.qualifier is not None:
        return _behind_qualifier(problem, work)
    return _on_its_own(problem, work)


def _behind_qualifier(problem: NameProblem, work: Work) -> str | None:
    """The source that was named, in another style; another source under exactly this name; or a slip."""
    source = problem.candidates[0]
    wrong, node = problem.name, problem.node
    if not isinstance(node, exp.Column):
        return None
    styled = [name for name in columns_of(source) if same_words(name, wrong)]
    if len(styled) == 1:
        rename(node, styled[0])
        return f"{quoted_name(wrong)} read as {quoted_name(styled[0])}"
    others = [s for s in own_sources(problem) if s is not source]
    owners = [s for s in others if s.has(fold(wrong))]
    if len(owners) > 1:
        partner = _partner(node, work)
        owners = [s for s in owners if s is not partner] if partner in owners else owners
    together = _behind_the_same(problem, work)
    whole = [s for s in owners if has_all(s, {fold(one.name) for one in together})]
    if len(whole) == 1 and not styled:
        return _moved(together, source, whole[0], work)
    if len(owners) == 1 and not styled:
        return _moved([problem], source, owners[0], work)
    if owners:
        return None
    name = closest(wrong, columns_of(source), work.around.known)
    if name is None:
        return repair_missing_table(problem, work)
    rename(node, name)
    return f"{quoted_name(wrong)} read as {quoted_name(name)}"


def _behind_the_same(problem: NameProblem, work: Work) -> list[NameProblem]:
    """The columns of the SELECT that stand behind the same qualifier, and that its source lacks in any style."""
    select = select_of(problem.node)
    own = columns_of(problem.candidates[0])
    return [
        other
        for other in work.resolution.problems
        if other.kind is problem.kind
        and other.qualifier is not None
        and other.candidates[:1] == problem.candidates[:1]
        and select_of(other.node) is select
        and not any(same_words(name, other.name) for name in own)
    ]


def _moved(together: list[NameProblem], source: Source, owner: Source, work: Work) -> str | None:
    """Give the columns to the source that has them, unless a table near the one that is written has one of them, too,
    or tables near the query have each of them."""
    near_written, near_any = tables_of([source]), tables_of(own_sources(together[0]))
    if any(rivals([fold(one.name)], near_written, one, work) for one in together):
        return None
    if all(rivals([fold(one.name)], near_any, one, work) for one in together):
        return None
    if any(_is_own_concern(one, source, owner, work) for one in together):
        return None
    for one in together:
        work.move(one.node, owner.name)
    names = list(dict.fromkeys(one.name for one in together))
    written = ", ".join(quoted_name(f"{together[0].qualifier}.{name}") for name in names)
    read = ", ".join(quoted_name(f"{owner.name}.{name}") for name in names)
    return f"{written} read as {read}"


def _is_own_concern(problem: NameProblem, source: Source, owner: Source, work: Work) -> bool:
    """Whether the author may well have meant a column that his own table lacks: every table could have one of this
    name, and he says the other table's too where he means that."""
    name, node = problem.name, problem.node
    if not is_generic(name) or _partner(node, work) is source:
        return False  # nobody compares a table with itself
    select = select_of(node)
    is_grouped = isinstance(node.find_ancestor(exp.Group, exp.Select), exp.Group)
    if is_grouped and owner in _selected_from(name, select, work, bare=True):
        return False
    return fold(name) == "id" or any(
        use.source is owner and fold(use.name) == fold(name) and select_of(use.node) is select
        for use in work.resolution.columns
    )


def _selected_from(name: str, select: exp.Select | None, work: Work, *, bare: bool = False) -> list[Source | None]:
    """The sources of the columns of this name that are selected behind a qualifier, or also `bare`."""
    columns = [one for one in (select.expressions if select is not None else ()) if isinstance(one, exp.Column)]
    return [work.source_of(one) for one in columns if (bare or one.table) and fold(one.name) == fold(name)]


def _on_its_own(problem: NameProblem, work: Work) -> str | None:
    own = own_sources(problem)
    unnamed = [s for s in problem.in_scope if not s.name]
    outer = [s for s in problem.in_scope if s.name and s not in own]
    for sources in (own or unnamed, outer):
        if any(source.columns is None for source in sources):
            return None
        name = closest(problem.name, [name for s in sources for name in columns_of(s)], work.around.known)
        if name is None:
            continue
        owners = [s for s in sources if s.has(fold(name))]
        rename(problem.node, name)
        if len(owners) > 1 and _choose(problem.node, owners, work) is None:
            return None
        return f"{quoted_name(problem.name)} read as {quoted_name(name)}"
    return repair_missing_table(problem, work)


def repair_ambiguous(problem: NameProblem, work: Work) -> str | None:
    """Say whose column is meant, where the rest of the statement leaves no choice or makes it irrelevant."""
    if not isinstance(problem.node, exp.Column):
        return None
    if (source := _choose(problem.node, list(problem.candidates), work)) is None:
        return None
    return f"{quoted_name(problem.name)} read as {quoted_name(f'{source.name}.{problem.name}')}"


def _choose(node: exp.Expr, owners: list[Source], work: Work) -> Source | None:
    ways = (_across_the_join, _any_of_equals, _selected, _not_selected_yet)
    source = next((found for way in ways if (found := way(node, owners, work)) is not None), None)
    if source is not None and isinstance(node, exp.Column):
        requalify(node, source.name)
    return source


def _partner(node: exp.Expr, work: Work) -> Source | None:
    """The source of the column that this one is compared with."""
    comparison = node.parent
    if not isinstance(comparison, exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE):
        return None
    other = comparison.expression if comparison.this is node else comparison.this
    return work.source_of(other) if isinstance(other, exp.Column) else None


def _across_the_join(node: exp.Expr, owners: list[Source], work: Work) -> Source | None:
    """In `ON a.id = id` the second has to be of another table than `a`: the joined one, or the only other."""
    partner = _partner(node, work)
    if partner not in owners:
        return None
    rest = [source for source in owners if source is not partner]
    join = node.find_ancestor(exp.Join, exp.Select)
    joined = [source for source in rest if isinstance(join, exp.Join) and source.node is join.this]
    return rest[0] if len(rest) == 1 else joined[0] if len(joined) == 1 else None


def _not_selected_yet(node: exp.Expr, owners: list[Source], work: Work) -> Source | None:
    """Nobody selects a column twice: beside `a.name`, the bare `name` is that of the only other table."""
    select = node.parent
    if not isinstance(select, exp.Select) or not any(projection is node for projection in select.expressions):
        return None
    selected = _selected_from(node.name, select, work)
    rest = [source for source in owners if source not in selected]
    return rest[0] if len(rest) == 1 else None


def _any_of_equals(node: exp.Expr, owners: list[Source], work: Work) -> Source | None:
    select = select_of(node)
    if select is None:
        return None
    equal = Equalities(select, work).all_equal([(source, node.name) for source in owners])
    return owners[0] if equal else None


def _selected(node: exp.Expr, owners: list[Source], work: Work) -> Source | None:
    """In GROUP BY and ORDER BY a bare name is the column of that name which is selected."""
    clause = node.find_ancestor(exp.Group, exp.Order, exp.Select)
    if isinstance(clause, exp.Select) or clause is None or not isinstance(clause.parent, exp.Select):
        return None
    selected = _selected_from(node.name, clause.parent, work)
    found = [source for source in owners if source in selected]
    return found[0] if len(found) == 1 else None


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
