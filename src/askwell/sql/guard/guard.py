"""The guard: an allow-list over the whole syntax tree. Nothing but a harmless, read-only query gets through.

It fails closed: what cannot be parsed, is larger or deeper than the limits, means something else to an engine than to
the parser, or holds anything that is not on a list is refused, with the rule and the place. What it lets through is
rendered anew, and only that rendering may be run, so comments and other text that engines read differently never reach
one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from askwell.mdl.expressions import read_json_arrows
from askwell.sql.guard.calls import check_call, check_rendered_calls, is_namespaced
from askwell.sql.guard.fields import check_fields, check_qualified, count_dots, spell_names
from askwell.sql.guard.functions import Functions, functions_of
from askwell.sql.guard.growth import check_growth, check_total
from askwell.sql.guard.limits import (
    PLANNED,
    STATEMENT,
    Limits,
    WritingWork,
    check_collation,
    check_parsing,
    check_text,
    check_tokens,
)
from askwell.sql.guard.nodes import STRUCTURE, dialect_of
from askwell.sql.guard.outcome import Allowed, GuardPass, GuardRefusal, Refused, Rule
from askwell.sql.guard.rendering import render
from askwell.sql.guard.shape import check_arguments, check_named_in_text, check_node, check_root, nodes_within
from askwell.sql.guard.tables import check_tables, is_series_in_table
from askwell.sql.names import fold
from askwell.sql.scopes import CatalogueTable, NameProblem, ProblemKind, Resolution, resolve
from askwell.sql.table_functions import TABLE_FUNCTIONS

logger = logging.getLogger(__name__)

_WITH_DATE_PART = frozenset({"date_bucket", "datename"})
_UTC = {"utc_date": exp.UtcDate, "utc_time": exp.UtcTime, "utc_timestamp": exp.UtcTimestamp}
_NO_RECURSION = ("by_name", "side", "kind", "on")


def check_traps(nodes: Iterable[exp.Expr], dialect: str) -> None:
    """Raises `Refused` for constructions whose meaning depends on who reads them."""
    for node in nodes:
        if isinstance(node, exp.CTE):
            _check_cte(node)
        elif dialect == "sqlite" and isinstance(node, exp.In):
            if node.args.get("field") is not None:
                raise Refused(
                    Rule.SCHEMA,
                    node,
                    "SQLite takes a bare name after IN for a table; write a list or a subquery in parentheses.",
                )
        elif dialect == "sqlite" and isinstance(node, exp.TableAlias):
            # It would be left out of the rendering, and the columns would keep their names.
            if node.args.get("columns") and not isinstance(node.parent, exp.CTE):
                raise Refused(
                    Rule.COLUMN,
                    node,
                    "SQLite has no column names behind a table's alias; give the columns their names in a subquery.",
                )


def sorted_pivot(tokens: list[Token], dialect: str) -> int | None:
    """Where ORDER BY or LIMIT begins in DuckDB's statement PIVOT or UNPIVOT; the parser knows them only around it."""
    if dialect != "duckdb" or not tokens or tokens[0].token_type not in (TokenType.PIVOT, TokenType.UNPIVOT):
        return None
    depth = 0
    for token in tokens:
        if token.token_type is TokenType.L_PAREN:
            depth += 1
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
        elif not depth and token.token_type in (TokenType.ORDER_BY, TokenType.LIMIT):
            return token.start
    return None


def mark_words(tree: exp.Expr, dialect: str) -> None:
    """Make words of what the parser takes for names: T-SQL's parts of dates, places of BigQuery's functions, MySQL's
    dates that need no brackets.

    Changes the tree. As names they would be looked for among the columns, and quoted.
    """
    if dialect == "tsql":
        for call in tree.find_all(exp.Anonymous):
            part = call.expressions[0] if call.expressions else None
            if fold(call.name) in _WITH_DATE_PART and isinstance(part, exp.Column) and len(part.parts) == 1:
                part.replace(exp.Var(this=part.name))
    elif dialect == "mysql":
        for column in tree.find_all(exp.Column):
            kind = _UTC.get(fold(column.name))
            if kind is not None and len(column.parts) == 1 and not column.this.args.get("quoted"):
                column.replace(kind())
    elif dialect == "bigquery":
        for dot in tree.find_all(exp.Dot):
            if is_namespaced(dot, dialect) and not dot.this.args.get("quoted"):
                dot.this.replace(exp.Var(this=dot.this.name))


def _check_cte(cte: exp.CTE) -> None:
    """A UNION BY NAME that refers to its own CTE: DuckDB does not take it for a recursion, and reads a real table."""
    with_ = cte.parent
    if with_ is None or not with_.args.get("recursive"):
        return
    if not any(union.args.get(key) for union in cte.this.find_all(exp.SetOperation) for key in _NO_RECURSION):
        return
    name = fold(cte.alias)
    if any(fold(table.name) == name for table in cte.this.find_all(exp.Table)):
        raise Refused(Rule.ARGUMENT, cte, "A CTE that refers to itself has to be a plain UNION or UNION ALL.")


_MOST = 60


def check_chains(tokens: list[Token]) -> None:
    """Refuse more than some subscripts of subscripts and fields, as in `x[1][1].a[1]`; raises `Refused`."""
    count = 0
    before = earlier = None
    for token in tokens:
        kind = token.token_type
        if kind == TokenType.L_BRACKET and (
            before in (TokenType.R_BRACKET, TokenType.R_PAREN, TokenType.R_BRACE) or earlier == TokenType.DOT
        ):
            count += 1
            if count > _MOST:
                raise Refused(Rule.TOO_DEEP, token.text, f"More than {_MOST} subscripts follow one another.")
        before, earlier = kind, before


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
