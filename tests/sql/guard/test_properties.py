"""An attack stays refused whatever is done to it; harmless parts make harmless wholes; nothing hidden comes out."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from askwell.sql.guard import DIALECTS, GuardPass, GuardRefusal
from tests.sql.guard.attacks import ATTACKS
from tests.sql.guard.parcels import GUARDS, allowed, duckdb_database, rows_within, sqlite_database
from tests.support.examples import examples
from tests.support.tables import case_table

QUICK = settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Attacks on names, functions and sizes: other words around them do not make them harmless.
STUBBORN = [
    (dialect, sql)
    for dialect, cases in ATTACKS.items()
    for rules, sql in cases
    if set(rules.split())
    & {"table", "column", "qualifier", "function_denied", "growth", "series", "format_width", "root", "argument"}
    and "/*" not in sql
    and "Payroll" not in sql  # these are attacks by their letter case
    and not rules.startswith("type")
]
WRAPPERS = case_table(__file__, "wrappers")
SEPARATORS = [" ", "\n", "\t", "  ", "/**/", "/* x */", " -- y\n"]


def retold(dialect: str, sql: str, data: st.DataObject) -> str:
    """The same tokens in another letter case, with other white space and comments between them."""
    try:
        tokens = sqlglot.tokenize(sql, dialect=dialect)
    except sqlglot.errors.TokenError:
        return sql
    told = []
    for token in tokens:
        text = sql[token.start : token.end + 1]
        if text.isalpha() and data.draw(st.booleans()):
            text = "".join(data.draw(st.sampled_from([c.lower(), c.upper()])) for c in text)
        told.append(text)
        # A name stays in one piece with what it calls or qualifies now and then, as people write it.
        told.append(data.draw(st.sampled_from(SEPARATORS)))
    return "".join(told)


@QUICK
@given(st.sampled_from(STUBBORN), st.sampled_from(WRAPPERS), st.sampled_from(WRAPPERS), st.data())
def test_a_disguised_attack_is_refused(attack: tuple[str, str], inner: str, outer: str, data: st.DataObject) -> None:
    dialect, sql = attack
    disguised = retold(dialect, outer.format(inner.format(sql)), data)
    outcome = GUARDS[dialect].check(disguised, allowed(dialect))
    assert isinstance(outcome, GuardRefusal), outcome.sql


@QUICK
@given(st.sampled_from(sorted(GUARDS)), st.text(max_size=200))
def test_any_text_is_refused_or_rendered_never_an_error(dialect: str, text: str) -> None:
    GUARDS[dialect].check(text, allowed(dialect))


WORDS = case_table(__file__, "words")


@QUICK
@given(st.sampled_from(sorted(GUARDS)), st.lists(st.sampled_from(WORDS), max_size=30))
def test_word_salad_never_yields_what_is_hidden(dialect: str, words: list[str]) -> None:
    outcome = GUARDS[dialect].check(" ".join(words), allowed(dialect))
    if isinstance(outcome, GuardPass):
        tables = {table.name.lower() for table in outcome.tree.find_all(sqlglot.exp.Table)}
        ctes = {cte.alias.lower() for cte in outcome.tree.find_all(sqlglot.exp.CTE)}
        assert "payroll" not in tables - ctes


# Scopes of CTEs: names that are a hidden table's in one place and a CTE's in another

NAMES = ["payroll", "people", "x"]
COMBINING = ["UNION ALL", "UNION", "EXCEPT", "INTERSECT"]


@st.composite
def cte_queries(draw: st.DrawFn, depth: int = 0) -> str:
    """A query of two columns made of CTEs, derived tables and set operations over confusable names."""
    kind = draw(st.sampled_from(["table", "values", "combined", "with", "with", "derived"] if depth < 3 else ["table"]))
    if kind == "values":
        return "SELECT 1 AS person_id, 'v' AS amount"
    if kind == "table":
        qualifier = draw(st.sampled_from(["", "", "", "main."]))
        return f"SELECT * FROM {qualifier}{draw(st.sampled_from(NAMES))}"
    if kind == "combined":
        sides = draw(st.lists(cte_queries(depth + 1), min_size=2, max_size=3))
        word = draw(st.sampled_from(COMBINING))
        return f" {word} ".join(side if side.startswith("SELECT") else f"SELECT * FROM ({side}) s" for side in sides)
    if kind == "derived":
        return f"SELECT * FROM ({draw(cte_queries(depth + 1))}) AS {draw(st.sampled_from(NAMES))}"
    recursive = draw(st.sampled_from(["", "RECURSIVE "]))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True))
    columns = draw(st.sampled_from(["", "(person_id, amount)"]))
    ctes = ", ".join(f"{name}{columns} AS ({draw(cte_queries(depth + 1))})" for name in names)
    return f"WITH {recursive}{ctes} {draw(cte_queries(depth + 1))}"


@pytest.fixture(scope="module")
def duck() -> duckdb.DuckDBPyConnection:
    return duckdb_database()


@pytest.fixture(scope="module")
def lite() -> sqlite3.Connection:
    return sqlite_database()


@settings(QUICK, max_examples=examples(600))
@given(cte_queries())
def test_confusable_cte_names_never_reach_the_hidden_table(
    duck: duckdb.DuckDBPyConnection, lite: sqlite3.Connection, query: str
) -> None:
    for dialect, connection in (("duckdb", duck), ("sqlite", lite)):
        outcome = GUARDS[dialect].check(query, allowed(dialect))
        if isinstance(outcome, GuardPass):
            try:
                rows = rows_within(connection, f"SELECT * FROM ({outcome.sql}) LIMIT 20")
            except (duckdb.Error, sqlite3.Error):
                continue
            assert "HIDDEN" not in str(rows), outcome.sql


# Harmless parts make harmless wholes

NUMBERS = ["id", "weight", "price", "sender_id"]


@st.composite
def expressions(draw: st.DrawFn, depth: int = 0) -> str:
    """A number over one shipment."""
    kind = draw(
        st.sampled_from(["column", "literal", "sum", "case", "call", "scalar"] if depth < 3 else ["column", "literal"])
    )
    inner = expressions(depth + 1)
    match kind:
        case "column":
            return draw(st.sampled_from(NUMBERS))
        case "literal":
            return str(draw(st.integers(0, 1000)))
        case "sum":
            return f"({draw(inner)} {draw(st.sampled_from(['+', '-', '*']))} {draw(inner)})"
        case "case":
            return f"CASE WHEN {draw(inner)} > {draw(inner)} THEN {draw(inner)} ELSE {draw(inner)} END"
        case "call":
            return f"{draw(st.sampled_from(['abs', 'round', 'coalesce']))}({draw(inner)})"
    return f"(SELECT count(*) FROM stops WHERE shipment_id = shipments.id AND seq < {draw(inner)})"


@st.composite
def harmless(draw: st.DrawFn) -> str:
    """A query over the shipments, sorted by its columns so that its rows can be compared."""
    columns = draw(st.lists(expressions(), min_size=1, max_size=3))
    parts = [f"SELECT {', '.join(f'{column} AS c{i}' for i, column in enumerate(columns))} FROM shipments"]
    if draw(st.booleans()):
        parts.append(f"WHERE {draw(expressions())} >= {draw(expressions())}")
    query = " ".join(parts)
    wrapper = draw(
        st.sampled_from(
            [
                "{}",
                "SELECT * FROM ({}) AS t",
                "WITH t AS ({}) SELECT c0 FROM t",
                "SELECT count(*) AS n, max(c0) FROM ({}) AS t",
                "{} UNION SELECT " + ", ".join("0" for _ in columns),
            ]
        )
    )
    return wrapper.format(query)


@settings(QUICK, max_examples=examples(150))
@given(harmless())
def test_harmless_queries_pass_and_mean_the_same(
    duck: duckdb.DuckDBPyConnection, lite: sqlite3.Connection, query: str
) -> None:
    for dialect, connection in (("duckdb", duck), ("sqlite", lite)):
        outcome = GUARDS[dialect].check(query, allowed(dialect))
        assert isinstance(outcome, GuardPass), outcome
        try:
            original = connection.execute(query).fetchall()
        except (duckdb.Error, sqlite3.Error):
            continue
        assert sorted(map(repr, connection.execute(outcome.sql).fetchall())) == sorted(map(repr, original))


# What is run is what was checked

LAWFUL = [
    (dialect, sql.split(" -- ")[0])
    for dialect in DIALECTS
    for sql in (Path(__file__).parent / "cases" / "legitimate" / f"{dialect}.sql").read_text("utf-8").splitlines()
]


@settings(QUICK, max_examples=examples(400))
@given(st.sampled_from(LAWFUL), st.sampled_from(WRAPPERS), st.data())
def test_a_rendering_reads_as_the_tree_that_was_checked(
    lawful: tuple[str, str], wrapper: str, data: st.DataObject
) -> None:
    """Parsed again it passes again, so it holds nothing but allowed parts and tables, and is written the same way."""
    dialect, sql = lawful
    guard, names = GUARDS[dialect], allowed(dialect)
    first = guard.check(retold(dialect, wrapper.format(sql), data), names)
    if not isinstance(first, GuardPass):
        return  # some of these cannot stand in brackets
    second = guard.check(first.sql, names)
    assert isinstance(second, GuardPass), (first.sql, second)
    assert places(second, sqlglot.exp.Table) == places(first, sqlglot.exp.Table)
    assert places(second, sqlglot.exp.Column) <= places(first, sqlglot.exp.Column)
    third = guard.check(second.sql, names)
    assert isinstance(third, GuardPass)
    assert third.sql == second.sql


def places(outcome: GuardPass, kind: type[sqlglot.exp.Expr]) -> set[str]:
    """The tables or columns that a statement names. Parameters of lambdas may once be read as columns."""
    return {
        ".".join(part.name.lower() for part in node.find_all(sqlglot.exp.Identifier))
        for node in outcome.tree.find_all(kind)
    }


# Texts and names come out as they went in

_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("'\"\\`;-/*$[]{}%\n\t"), max_size=40)


@QUICK
@given(_TEXT)
def test_texts_survive_rendering(duck: duckdb.DuckDBPyConnection, lite: sqlite3.Connection, text: str) -> None:
    sql = f"SELECT '{text.replace(chr(39), chr(39) * 2)}'"
    for dialect, connection in (("duckdb", duck), ("sqlite", lite)):
        outcome = GUARDS[dialect].check(sql, allowed(dialect))
        assert isinstance(outcome, GuardPass), outcome
        assert connection.execute(outcome.sql).fetchall() == [(text,)]


@QUICK
@given(_TEXT.filter(lambda name: name.strip() != ""))
def test_names_survive_rendering(duck: duckdb.DuckDBPyConnection, lite: sqlite3.Connection, name: str) -> None:
    sql = f'SELECT 7 AS "{name.replace(chr(34), chr(34) * 2)}"'
    for dialect, connection in (("duckdb", duck), ("sqlite", lite)):
        outcome = GUARDS[dialect].check(sql, allowed(dialect))
        if isinstance(outcome, GuardPass):
            cursor = connection.execute(outcome.sql)
            assert cursor.description is not None
            assert cursor.description[0][0] == name
            assert cursor.fetchall() == [(7,)]


@QUICK
@given(st.sampled_from(sorted(GUARDS)), _TEXT, _TEXT)
def test_a_rendering_reads_as_the_same_statement(dialect: str, text: str, name: str) -> None:
    tree = sqlglot.exp.select(
        sqlglot.exp.alias_(sqlglot.exp.Literal.string(text), sqlglot.exp.to_identifier(name or "n", quoted=True))
    ).from_("people")
    outcome = GUARDS[dialect].check_tree(tree, allowed(dialect))
    if isinstance(outcome, GuardPass):
        read = sqlglot.parse(outcome.sql, dialect=dialect)
        assert len(read) == 1
        assert read[0] is not None
        assert read[0].expressions[0].this.name == text
        assert read[0].expressions[0].alias == (name or "n")
