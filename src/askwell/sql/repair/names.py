"""Names that belong to nothing, or to too much, put right one after the other."""

from __future__ import annotations

from sqlglot import exp

from askwell.sql.binder import ModelCatalogue
from askwell.sql.fanout import Statement, undetermined_columns
from askwell.sql.repair.caution import Promises
from askwell.sql.repair.columns import repair_ambiguous, repair_column
from askwell.sql.repair.qualifiers import repair_qualifier
from askwell.sql.repair.tables import repair_table
from askwell.sql.repair.work import NOTHING_ASKED, Asked, Surroundings, Work
from askwell.sql.scopes import NameProblem, ProblemKind, resolve

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
            kept = promises.kept(tree, resolution) and not (moved and _has_bare_columns(tree, around))
            return tuple(sentences) if kept else None
        sentence = _repaired(Work(around, tree, resolution, asked, moved))
        if sentence is None:
            return None
        sentences[sentence] = None
    return None


def _has_bare_columns(tree: exp.Expr, around: Surroundings) -> bool:
    """Whether a column stands beside groups that may have several values of it."""
    return any(True for _ in undetermined_columns(Statement(tree, around.model, around.dialect)))


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
