"""Where sqlglot writes something that the database takes differently, or not at all: other SQL that means the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from askwell.mdl.aggregates import TooComplex, taken_apart
from askwell.sql.planner.surroundings import Unplannable


def fit(tree: exp.Query, dialect: str) -> None:
    """Change `tree` in place to what the database means by it. Raises `Unplannable` where it has nothing like it."""
    fitted = _FITTED.get(dialect)
    for node in list(tree.walk()) if fitted else ():
        for kind, change in (fitted or {}).items():
            if isinstance(node, kind):
                change(node)


# SQLite


def _keep_whole_numbers(cast: exp.Expr) -> None:
    """sqlglot writes DECIMAL as REAL. In SQLite a whole number stays one, and divides like one: any name of a type that
    it does not know makes a number of a text and leaves numbers as they are."""
    if cast.args["to"].this is exp.DType.DECIMAL:
        cast.set("to", exp.DataType(this=exp.DType.BIGDECIMAL))


# MySQL and MariaDB, which are the same dialect


def _regexp(match: exp.Expr) -> None:
    """sqlglot writes REGEXP as REGEXP_LIKE, which MariaDB does not have."""
    if match.args.get("flag") is None:
        found = exp.Anonymous(this="REGEXP_INSTR", expressions=[match.this, match.expression])
        match.replace(exp.Paren(this=exp.GT(this=found, expression=exp.Literal.number(0))))


def _json_text(extract: exp.Expr) -> None:
    """MariaDB has no `->>`."""
    plain = exp.JSONExtract(this=extract.this, expression=extract.expression)
    extract.replace(exp.Anonymous(this="JSON_UNQUOTE", expressions=[plain]))


def _filtered(filtered: exp.Expr) -> None:
    """Neither has FILTER; aggregates skip nulls, so a condition around the value does the same."""
    try:
        value, template = taken_apart(filtered)
    except TooComplex as error:
        raise Unplannable(f"the database has no FILTER, and without it {error}") from error
    holder = exp.Paren(this=template)
    for place in list(holder.find_all(exp.Placeholder)):
        place.replace(value.copy())
    filtered.replace(holder.this)


def _no_full_join(join: exp.Expr) -> None:
    """Read as the alias "full" of an inner join, and what sqlglot writes instead is wrong under an aggregate."""
    if join.text("side").upper() == "FULL":
        raise Unplannable(
            "the database has no FULL JOIN; a LEFT JOIN and, after UNION ALL, the rows that only the other side has, "
            "give the same"
        )


_Changes = Mapping[type[exp.Expr], Callable[[exp.Expr], None]]

_FITTED: Mapping[str, _Changes] = {
    "sqlite": {exp.Cast: _keep_whole_numbers},
    "mysql": {
        exp.RegexpLike: _regexp,
        exp.JSONExtractScalar: _json_text,
        exp.Filter: _filtered,
        exp.Join: _no_full_join,
    },
}
