"""The guard: an allow-list over the whole syntax tree. Nothing but a harmless, read-only query gets through.

It fails closed: what cannot be parsed, is larger or deeper than the limits, or holds anything that is not on a list
is refused, with the rule and the place. What it lets through is rendered anew, and only that rendering may be run, so
comments and other text that engines read differently never reach one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from askwell.mdl.json_arrows import read_json_arrows
from askwell.sql.guard.calls import check_call, check_rendered_calls
from askwell.sql.guard.chains import check_chains
from askwell.sql.guard.collations import check_collation
from askwell.sql.guard.dialect_traps import check_traps, mark_words, sorted_pivot
from askwell.sql.guard.expansion import WritingWork, check_parsing
from askwell.sql.guard.fields import check_fields, check_qualified, count_dots, spell_names
from askwell.sql.guard.functions import Functions, functions_of
from askwell.sql.guard.growth import check_growth, check_total
from askwell.sql.guard.limits import PLANNED, STATEMENT, Limits, check_text, check_tokens
from askwell.sql.guard.named_in_text import check_named_in_text
from askwell.sql.guard.nodes import STRUCTURE, dialect_of
from askwell.sql.guard.outcome import Allowed, GuardPass, GuardRefusal, Refused, Rule
from askwell.sql.guard.rendering import render
from askwell.sql.guard.shape import check_arguments, check_node, check_root, nodes_within
from askwell.sql.guard.tables import check_tables, is_series_in_table
from askwell.sql.names import fold
from askwell.sql.scopes import CatalogueTable, NameProblem, ProblemKind, Resolution, resolve
from askwell.sql.table_functions import TABLE_FUNCTIONS

logger = logging.getLogger(__name__)

_NAME_RULE = {
    ProblemKind.TABLE: Rule.TABLE,
    ProblemKind.QUALIFIER: Rule.QUALIFIER,
    ProblemKind.COLUMN: Rule.COLUMN,
}


class Guard:
    """Checks statements of one dialect.

    `functions` is the engine's own catalogue in lower case, where it is known. What of it may be called is said in
    `askwell.sql.guard.functions`.
    """

    def __init__(self, dialect: str, functions: frozenset[str] | None = None) -> None:
        self._parser = dialect_of(dialect)
        self.dialect = dialect
        self._writing = WritingWork(self._parser)
        # The parser logs syntax it does not know, with the statement's text; here that is a refusal, not a log line.
        logging.getLogger("sqlglot").setLevel(logging.ERROR)
        self._live = functions
        self._table_functions = frozenset(TABLE_FUNCTIONS[dialect])

    def check(self, sql: str, allowed: Allowed) -> GuardPass | GuardRefusal:
        """Check a statement's text in full: shape, functions, bounds, and names against `allowed`."""
        return self._guarded(lambda: self._checked(self._parse(sql), allowed, STATEMENT, names=True))

    def check_shape(self, sql: str, allowed: Allowed) -> GuardPass | GuardRefusal:
        """Check everything but whether plain table, column and function names exist: the binder says that better.

        There is no rendering yet (`sql` is empty): whatever comes of the tree has to go through `check_tree` first.
        """
        return self._guarded(lambda: self._checked(self._parse(sql), allowed, STATEMENT, names=False))

    def read(self, sql: str) -> GuardPass | GuardRefusal:
        """Parse a statement within the bounds on size and nesting; nothing else of it is checked (`sql` is empty)."""
        return self._guarded(lambda: GuardPass(self._parse(sql), ""))

    def can_write(self, tree: exp.Expr) -> bool:
        """Whether the tree can be written as a text, which not all that can be parsed can."""
        return isinstance(self._guarded(lambda: GuardPass(tree, render(tree, self._parser)[0])), GuardPass)

    def check_tree(self, tree: exp.Expr, allowed: Allowed, *, spelled: bool = True) -> GuardPass | GuardRefusal:
        """Check in full a tree that was changed after parsing, such as a planned statement. Without `spelled`, names
        may still differ in letter case from what they mean, and the rendering must not be run."""
        return self._guarded(lambda: self._checked(tree, allowed, PLANNED, names=True, spelled=spelled))

    def _guarded(self, check: Callable[[], GuardPass]) -> GuardPass | GuardRefusal:
        try:
            return check()
        except Refused as refused:
            return refused.refusal
        except RecursionError:
            return GuardRefusal(Rule.TOO_DEEP, "", "The statement is nested too deeply.")
        except Exception as error:  # noqa: BLE001 - whatever the parser or the checks stumble over is not let through
            logger.warning("the guard stumbled over a statement", extra={"error": type(error).__name__})
            return GuardRefusal(Rule.UNPARSABLE, "", "The statement cannot be read.")

    def _parse(self, sql: str) -> exp.Expr:
        check_text(sql, self.dialect, STATEMENT)
        try:
            tokens = self._parser.tokenize(sql)
            check_tokens(sql, tokens, STATEMENT)
            check_chains(tokens)
            check_parsing(tokens, self._parser, STATEMENT)
            cut = sorted_pivot(tokens, self.dialect)
            if cut is not None:
                sql = f"SELECT * FROM ({sql[:cut]}) {sql[cut:]}"
                tokens = self._parser.tokenize(sql)
            statements = self._parser.parser(error_level=ErrorLevel.IMMEDIATE).parse(tokens, sql)
        except (SqlglotError, ValueError, KeyError, IndexError, AttributeError, TypeError) as error:
            raise Refused(Rule.UNPARSABLE, sql, _parse_message(error)) from error
        if len(statements) != 1 or statements[0] is None:
            raise Refused(Rule.STATEMENTS, sql, f"One statement is allowed, not {len(statements)}.")
        for node in statements[0].walk():
            # Where a word stood: nobody reads it, and it is most of what a copy of the tree costs.
            node._meta = None
        statement = statements[0]
        if isinstance(statement, exp.Pivot):
            statement = exp.Select(expressions=[exp.Star()]).from_(exp.Subquery(this=statement), copy=False)
        statement = read_json_arrows(statement, self.dialect)
        mark_words(statement, self.dialect)
        return statement

    def _checked(
        self, tree: exp.Expr, allowed: Allowed, limits: Limits, *, names: bool, spelled: bool = True
    ) -> GuardPass:
        check_root(tree)
        functions = functions_of(self.dialect, allowed.functions if allowed.functions is not None else self._live)
        nodes: list[exp.Expr] = []
        unknown: Refused | None = None
        for node in nodes_within(tree, limits):
            nodes.append(node)
            if type(node) in STRUCTURE:
                check_node(node, self.dialect)
            elif isinstance(node, exp.Func):
                if not is_series_in_table(node, self.dialect):
                    unknown = check_call(node, functions, self._table_functions, self.dialect) or unknown
                check_growth(node)
                check_named_in_text(node, self.dialect)
            else:
                check_node(node, self.dialect)
            check_arguments(node)
            if type(node) is exp.Collate:
                check_collation(node, self.dialect)
        check_traps(nodes, self.dialect)
        unknown = check_tables(nodes, self.dialect, allowed) or unknown
        check_total(nodes)
        self._writing.check(nodes, limits)
        if not names:
            if any(isinstance(node, exp.Dot) for node in nodes):
                check_fields(
                    nodes, resolve(tree, _AllowedCatalogue(allowed), self.dialect), allowed, functions, self.dialect
                )
            return GuardPass(tree, "")
        if unknown is not None:
            raise unknown
        spelled = spelled and self.dialect == "postgres"
        if spelled:
            spell_names(nodes, self._parser)
        resolution = resolve(tree, _AllowedCatalogue(allowed), self.dialect)
        check_fields(nodes, resolution, allowed, functions, self.dialect)
        _check_names(resolution)
        if spelled:
            check_qualified(nodes, resolution)
        tree = self._with_texts(tree, allowed, resolution)
        sql, tokens = render(tree, self._parser)
        check_rendered_calls(tokens, functions, self._table_functions, self._parser)
        if count_dots(nodes) != sum(token.token_type is TokenType.DOT for token in tokens):
            self._check_again(sql, tokens, allowed, functions)
        return GuardPass(tree, sql)

    def _check_again(self, sql: str, tokens: list[Token], allowed: Allowed, functions: Functions) -> None:
        """The generator writes some functions with a dot, which could be a call: what it wrote is read and checked."""
        again = self._parser.parser(error_level=ErrorLevel.IMMEDIATE).parse(tokens, sql)[0]
        if again is None:
            raise Refused(Rule.UNPARSABLE, sql, "The statement cannot be written in the database's dialect.")
        resolution = resolve(again, _AllowedCatalogue(allowed), self.dialect)
        check_fields(list(again.walk()), resolution, allowed, functions, self.dialect)
        _check_names(resolution)

    def _with_texts(self, tree: exp.Expr, allowed: Allowed, resolution: Resolution) -> exp.Expr:
        """The tree, with the texts that SQLite allows in double quotes made strings.

        Left as they are, such texts would be columns of the database that the project does not have.
        """
        if not resolution.text_literals:
            return tree
        tree = tree.copy()
        for node in resolve(tree, _AllowedCatalogue(allowed), self.dialect).text_literals:
            node.replace(exp.Literal.string(node.name))
        return tree


def _check_names(resolution: Resolution) -> None:
    """Refuse a name that belongs to nothing that is allowed; raises `Refused`."""
    problem = next((p for p in resolution.problems if p.kind is not ProblemKind.AMBIGUOUS), None)
    if problem is not None:
        raise Refused(_NAME_RULE[problem.kind], problem.node, _message(problem))


class _AllowedCatalogue:
    """`Allowed`, as the resolver wants to see it."""

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed

    def table(self, name: str) -> CatalogueTable | None:
        key = fold(name)
        if key not in self._allowed.tables:
            return None
        columns = self._allowed.tables[key]
        return CatalogueTable(key, None if columns is None else {c: c for c in columns}, ordered=False)

    def is_qualifier(self, prefix: str) -> bool:
        return prefix in self._allowed.qualifiers


def _message(problem: NameProblem) -> str:
    if problem.kind is ProblemKind.COLUMN:
        of = f"{problem.qualifier} has" if problem.qualifier else "The tables of the query have"
        return f"{of} no column {problem.name}."
    if problem.kind is ProblemKind.QUALIFIER:
        return f"There is no table or alias {problem.name} here."
    return f"There is no table {problem.name} in this project."


def _parse_message(error: Exception) -> str:
    """The parser's complaint in one line, with the place and without its terminal colours."""
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        near = first.get("highlight") or ""
        description = str(first.get("description"))
        # Some complaints name classes of the parser, or print its tokens.
        said = "Something is missing" if "<" in description else description
        return f"{said} (line {first.get('line')}, column {first.get('col')}, near {near!r})"
    return "The statement cannot be read."
