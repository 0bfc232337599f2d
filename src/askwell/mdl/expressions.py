"""The pieces of SQL inside a manifest: expressions, join conditions and statements, read with sqlglot.

All of it is in the data source's own dialect, so that its own functions can be used, but for what expressions mean the
same in every dialect: double quotes are around names, `||` joins texts, and in the condition of a row rule `@name` is a
session property. Those are replaced as tokens, so that what stands inside texts is never touched. Join conditions may
be quoted in anybody's way. Nothing here raises on any text: what cannot be read comes back as `Unreadable`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import Dialect, exp
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from askwell.mdl.json_source import SQL_WORDS, TEXT
from askwell.mdl.problems import shown
from askwell.resources import words_file

WITHOUT_LAMBDAS = frozenset({"postgres", "mysql", "sqlite", "tsql"})
# DuckDB has both. These take a lambda: https://duckdb.org/docs/stable/sql/functions/lambda
_TAKE_LAMBDAS = (exp.Transform, exp.ArrayFilter, exp.Reduce, exp.Columns)
_TAKE_LAMBDAS_BY_NAME = frozenset(
    """
    apply list_apply array_apply list_transform array_transform filter list_filter array_filter
    reduce list_reduce array_reduce
    """.split()  # noqa: SIM905 - a list of names reads better as words
)
# What sqlglot took into the lambda's body begins with the operator's right side.
_BEGIN_WITH_THIS = (exp.Binary, exp.Cast, exp.In, exp.Between, exp.Bracket, exp.AtTimeZone, exp.Alias, exp.Ordered)


def read_json_arrows(tree: exp.Expr, dialect: str) -> exp.Expr:
    """The tree, changed in place, with JSON operators where the dialect has them for lambdas of one parameter.

    sqlglot reads `payload -> 'a'` among a function's arguments as a lambda in every dialect, and so its left side as a
    parameter rather than as a column.
    """
    if dialect not in WITHOUT_LAMBDAS and dialect != "duckdb":
        return tree
    kind = Dialect.get_or_raise(dialect)
    for node in reversed(list(tree.find_all(exp.Lambda))):
        parameter = node.expressions[0] if len(node.expressions) == 1 else None
        if not isinstance(parameter, exp.Identifier) or not isinstance(node.this, exp.Expr):
            continue
        if dialect == "duckdb" and (node.args.get("colon") or _takes_lambdas(node.parent)):
            continue
        holder = exp.Paren(this=node.this.copy())
        right = holder.this
        while isinstance(right, _BEGIN_WITH_THIS) and isinstance(right.this, exp.Expr):
            right = right.this
        path = kind.to_json_path(right.copy())
        only_json = kind.parser_class.JSON_ARROWS_REQUIRE_JSON_TYPE
        right.replace(exp.JSONExtract(this=exp.column(parameter.copy()), expression=path, only_json_types=only_json))
        node.replace(holder.this)
    return tree


def _takes_lambdas(call: exp.Expr | None) -> bool:
    return isinstance(call, _TAKE_LAMBDAS) or (
        isinstance(call, exp.Anonymous) and call.name.lower() in _TAKE_LAMBDAS_BY_NAME
    )


# In front of a session property's name while it passes through the parser as a column; no name can hold it.
_PROPERTY = "\x01"


def generic_tokens(text: str, dialect: Dialect, *, properties: bool) -> list[Token]:
    """The tokens of `text` with the generic pieces as the dialect writes them; `properties` says that `@x` is one."""
    tokens: list[Token] = []
    before: Token | None = None
    for token in dialect.tokenize(text):
        if properties and before is not None and _is_word_behind(token, before, text):
            tokens[-1] = _like(before, TokenType.IDENTIFIER, _PROPERTY + text[token.start : token.end + 1])
        elif token.token_type is TokenType.STRING and text[token.start : token.start + 1] == '"':
            tokens.append(_like(token, TokenType.IDENTIFIER, token.text))
        elif token.token_type is TokenType.DPIPE and not dialect.DPIPE_IS_STRING_CONCAT:
            # Read as OR otherwise. No parser of ours can be made to read it as text: `a | ||/ b` holds its place, of
            # which the second sign, a cube root, is in no dialect that reads `||` as OR.
            tokens += [_like(token, TokenType.PIPE, "|"), _like(token, TokenType.DPIPE_SLASH, "||/")]
        else:
            tokens.append(token)
        before = token
    return tokens


def restored(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The parsed tree with what held a place replaced by what is meant; changed in place."""
    for column in list(tree.find_all(exp.Column)):
        if column.name.startswith(_PROPERTY):
            column.replace(exp.Parameter(this=exp.Var(this=column.name.removeprefix(_PROPERTY))))
    for sign in list(tree.find_all(exp.Cbrt)) if not dialect.DPIPE_IS_STRING_CONCAT else ():
        joined = sign.find_ancestor(exp.BitwiseOr)
        if joined is not None:
            sign.replace(sign.this)
            joined.replace(exp.DPipe(this=joined.this, expression=joined.expression, safe=False))
    return tree


def _is_word_behind(token: Token, sign: Token, text: str) -> bool:
    """Whether `token` is the name right behind an `@`."""
    if sign.token_type is not TokenType.PARAMETER or token.start != sign.end + 1:
        return False
    return text[token.start : token.end + 1].replace("_", "a").isalnum()


def _like(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end, token.comments)


# A condition may be quoted in the way of whichever database its author had in mind.
_CONDITION_DIALECTS = ("", "mysql", "tsql")
# The clauses of the SELECT that holds one.
_OF_CONDITION = {"expressions", "where"}


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a piece of SQL cannot be used, in words that fit after "because"."""

    reason: str


def read_sql(text: str, dialect: str) -> exp.Expr | Unreadable:
    """The one statement or expression in `text`."""

    kind = Dialect.get_or_raise(dialect)

    def parsed() -> list[exp.Expr | None]:
        trees = _parsed(kind.tokenize(text), text, kind)
        return [read_json_arrows(tree, dialect) if tree is not None else None for tree in trees]

    return _read(text, parsed)


class _TooManyWords(Exception):
    """The text would keep the parser busy for too long."""


def _parsed(tokens: list[Token], text: str, kind: Dialect) -> list[exp.Expr | None]:
    if len(tokens) > SQL_WORDS.limit:
        raise _TooManyWords
    trees: list[exp.Expr | None] = kind.parser().parse(tokens, text)
    return trees


def _read(text: str, parsed: Callable[[], list[exp.Expr | None]]) -> exp.Expr | Unreadable:
    if not text.strip():
        return Unreadable("it is empty")
    if len(text) > TEXT.limit:
        return Unreadable(f"it is longer than {TEXT.limit:,} characters")
    try:
        trees = [tree for tree in parsed() if tree is not None]
    except SqlglotError as error:
        return Unreadable(parse_reason(error))
    except RecursionError:
        return Unreadable("it is nested too deeply")
    except _TooManyWords:
        return Unreadable(f"it has more than {SQL_WORDS.limit:,} {SQL_WORDS.what}")
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, OverflowError):
        # sqlglot's own slips on mangled text; they are about the text all the same.
        return Unreadable("it cannot be read as SQL")
    if len(trees) != 1:
        return Unreadable("it is empty" if not trees else "it holds more than one statement")
    return trees[0]


def read_expression(text: str, dialect: str) -> exp.Expr | Unreadable:
    """A scalar or aggregate expression over columns, as in a calculated field."""
    return _expression(text, dialect, properties=False)


def read_rule(text: str, dialect: str) -> exp.Expr | Unreadable:
    """The condition of a row rule: an expression in which every `@name`, an `exp.Parameter`, is a session property."""
    return _expression(text, dialect, properties=True)


def _expression(text: str, dialect: str, *, properties: bool) -> exp.Expr | Unreadable:
    if not text.strip():
        return Unreadable("it is empty")
    kind = Dialect.get_or_raise(dialect)
    # Wrapped in a SELECT, since a bare expression such as `replace(a, b, c)` may read as the start of a statement. A
    # condition is in parentheses, since T-SQL reads `SELECT a = b` as an alias.
    wrapped = f"SELECT ({text}\n)" if properties else f"SELECT {text}\n"

    def parsed() -> list[exp.Expr | None]:
        trees = _parsed(generic_tokens(wrapped, kind, properties=properties), wrapped, kind)
        return [read_json_arrows(restored(tree, kind), dialect) if tree is not None else None for tree in trees]

    tree = _read(wrapped, parsed)
    if isinstance(tree, Unreadable):
        return tree
    plain_select = isinstance(tree, exp.Select) and not any(
        value for key, value in tree.args.items() if key != "expressions" and value
    )
    if not plain_select or len(tree.expressions) != 1:
        return Unreadable("it is not one expression")
    expression: exp.Expr = tree.expressions[0]
    if properties and isinstance(expression, exp.Paren):
        expression = expression.this
    elif properties and not isinstance(expression, exp.Query):
        return Unreadable("it is not one expression")
    if isinstance(expression, (exp.Alias, exp.Star)):
        return Unreadable("it is not one expression")
    if expression.find(exp.Query):
        return Unreadable("a subquery cannot stand in it")
    return expression


def read_query(text: str, dialect: str) -> exp.Query | Unreadable:
    """A SELECT (or a set operation of SELECTs), as in a view's statement."""
    tree = read_sql(text, dialect)
    if isinstance(tree, Unreadable):
        return tree
    if not isinstance(tree, exp.Query) or isinstance(tree, exp.Table):
        return Unreadable("it is not a SELECT")
    if tree.find(exp.DML, exp.DDL, exp.Command, exp.Into):
        # A Select is neither; anything that writes is.
        return Unreadable("it does more than SELECT")
    return tree


def references(expression: exp.Expr) -> tuple[tuple[exp.Expr, tuple[str, ...]], ...]:
    """Every reference to a column: its outermost node and its dotted names, `customer.region.name` having three."""
    return tuple(_reference(column) for column in expression.find_all(exp.Column) if not is_variable(column))


def is_variable(column: exp.Column) -> bool:
    """Whether this is the `x` of `[x + 1 for x in prices]`, which stands for a member of the list."""
    here = column.parent
    while here is not None:
        variable = here.args.get("expression") if isinstance(here, exp.Comprehension) else None
        if variable is not None and variable.name.lower() == column.parts[0].name.lower():
            return True
        here = here.parent
    return False


def _reference(column: exp.Column) -> tuple[exp.Expr, tuple[str, ...]]:
    names = [part.name for part in column.parts]
    node: exp.Expr = column
    # sqlglot keeps four names in a column; any further ones are wrapped around it.
    while isinstance(node.parent, exp.Dot) and node.parent.this is node:
        node = node.parent
        names.append(node.expression.name)
    return node, tuple(names)


def reference(names: tuple[str, ...]) -> exp.Expr:
    """The reference with these dotted names, all of them quoted: the reverse of `references`."""
    first, rest = names[:4], names[4:]
    node: exp.Expr = exp.column(*(exp.to_identifier(name, quoted=True) for name in reversed(first)))
    for name in rest:
        node = exp.Dot(this=node, expression=exp.to_identifier(name, quoted=True))
    return node


@dataclass(frozen=True, slots=True)
class Side:
    """One side of an equality in a join condition, as written."""

    table: str
    column: str


def read_condition(text: str) -> tuple[tuple[Side, Side], ...] | Unreadable:
    """The equalities of a join condition: `a.x = b.y`, or several of them joined by AND."""
    problem = Unreadable("it is empty")
    if not text.strip():
        return problem
    for dialect in _CONDITION_DIALECTS:
        tree = read_sql(f"SELECT 1 WHERE {text}\n", dialect)
        if isinstance(tree, Unreadable):
            problem = tree
            continue
        is_plain = isinstance(tree, exp.Select) and {key for key, value in tree.args.items() if value} == _OF_CONDITION
        pairs = [_equality(part) for part in conjuncts(tree.args["where"])] if is_plain else []
        if pairs and all(pairs):
            return tuple(pair for pair in pairs if pair is not None)
        problem = Unreadable("it is not an equality of two columns, or several of them joined by AND")
    return problem


def conjuncts(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    """The parts that all have to hold."""
    stack = [condition] if condition is not None else []
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Paren | exp.Where | exp.Qualify):
            stack.append(node.this)
        elif isinstance(node, exp.And):
            stack += [node.expression, node.this]
        else:
            yield node


def sources_of(select: exp.Expr | None) -> list[exp.Expr]:
    """What one SELECT reads, in the order in which it names it: FROM, then JOIN; nothing of anything else."""
    if not isinstance(select, exp.Select):
        return []
    from_ = select.args.get("from_")
    return [*([from_.this] if from_ is not None else []), *(join.this for join in select.args.get("joins") or ())]


def _equality(node: exp.Expr) -> tuple[Side, Side] | None:
    if not isinstance(node, exp.EQ):
        return None
    left, right = _side(node.this.unnest()), _side(node.expression.unnest())
    return (left, right) if left and right else None


def _side(node: exp.Expr) -> Side | None:
    if not isinstance(node, exp.Column) or not node.table or not node.name:
        return None
    return Side(table=node.table, column=node.name)


def parse_reason(error: SqlglotError) -> str:
    """Why text cannot be read as SQL, in words that fit after "because"."""
    if isinstance(error, TokenError):
        return "a quote, bracket or comment in it is not closed"
    if not isinstance(error, ParseError) or not error.errors:
        return "it cannot be read as SQL"
    first = error.errors[0]
    description = str(first.get("description") or "")
    near = shown(str(first.get("highlight") or ""), 30)
    after = f' after "{near}"' if near else ""
    if description.startswith(("Required keyword", "Expected table name")):
        return f"something is missing{after}"
    wanted = re.match(r"Expect(?:ing|ed) ([)\]}]|END\b)", description)
    if wanted:
        return f'"{wanted[1]}" is missing{after}'
    return f'the SQL cannot be read at "{near}"' if near else "it cannot be read as SQL"


def resolve_reason(error: Exception) -> str:
    """Why the names in a statement do not fit together."""
    if isinstance(error, ParseError):
        return parse_reason(error)
    lines = str(error).splitlines()
    first = lines[0].strip().rstrip(".").split(". Line ")[0] if lines else ""
    rules: list[tuple[str, str]] = words_file("askwell.mdl", "words.yaml")["resolving"]
    for pattern, said in rules:
        found = re.fullmatch(pattern, first)
        if found:
            return said.format(shown(found[1].strip("\"'")))
    return "its names do not fit together"


def is_inside(node: exp.Expr, around: exp.Expr) -> bool:
    """Whether `node` is `around` or stands in it."""
    part: exp.Expr | None = node
    while part is not None and part is not around:
        part = part.parent
    return part is around
