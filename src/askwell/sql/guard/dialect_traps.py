"""What an engine reads as something else than the parser: refused, since other checks see the parser's reading."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from askwell.sql.guard.calls import is_namespaced
from askwell.sql.guard.outcome import Refused, Rule
from askwell.sql.names import fold

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
