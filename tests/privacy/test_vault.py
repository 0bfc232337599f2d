"""What goes in comes out: masking loses nothing, does nothing twice, and puts back literals that are one."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from askwell.pipelines.generation.reading import read_sql
from askwell.privacy.current import holding
from askwell.privacy.vault import Vault
from askwell.privacy.vocabulary import Vocabulary, plain_words
from askwell.providers.llm.base import ModelReply, Usage
from askwell.services.private_values import everyday_vocabulary
from tests.support.tables import case_rows, case_table

DIALECTS = ["sqlite", "duckdb", "postgres", "mysql", "bigquery", "snowflake", "tsql", "trino"]


@cache
def vocabulary() -> Vocabulary:
    return Vocabulary.of(["orders", "customers", "full_name", "amount"], plain_words())


@given(st.text(max_size=80))
def test_words_come_back_and_are_masked_once(text: str) -> None:
    vault = Vault("values_stay", vocabulary())
    masked = vault.words(text)
    assert vault.restored(masked) == text
    assert vault.words(masked) == masked


@given(st.text(max_size=40), st.integers(1, 7))
def test_pieces_come_back_however_they_are_cut(value: str, size: int) -> None:
    vault = Vault("values_stay", vocabulary())
    token = vault.whole(f"Zorblax {value}")
    reply = f"The name is {token}, not T or TEXT_ or TEXT_99."
    heard: list[str] = []
    restoring = vault.restoring(heard.append)
    for start in range(0, len(reply), size):
        restoring(reply[start : start + size])
    restoring.finish()
    assert "".join(heard) == vault.restored(reply)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(value=st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=20))
def test_a_value_is_one_literal_whatever_it_holds(dialect: str, value: str) -> None:
    """Where the model quotes it and where it does not."""
    value = f"Zorblax{value}"
    for written in ("'{}'", "{}"):
        vault = Vault("values_stay", vocabulary(), dialect)
        token = vault.whole(value)
        sql = vault.restored_sql(f"SELECT amount FROM orders WHERE full_name = {written.format(token)} AND amount > 1")
        tree = sqlglot.parse_one(sql, dialect=dialect)
        assert [one.this for one in tree.find_all(exp.Literal) if one.is_string] == [value]
        assert isinstance(tree, exp.Select)
        assert len(list(tree.find_all(exp.And))) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM orders WHERE full_name = 'O''Zorblax' AND amount > 73125 LIMIT 5",
        "SELECT strftime('%Y-%m', ordered_on) FROM orders WHERE full_name LIKE '%Zorb%' AND ordered_on >= '2031-04-17'",
        'SELECT sum(amount) * 100.0 AS "Zorblax total" FROM orders',
    ],
)
def test_statements_come_back(sql: str) -> None:
    vault = Vault("values_stay", vocabulary(), "sqlite")
    masked = vault.sql(f"{sql} -- for Zorblax")
    assert "orb" not in masked
    assert "73125" not in masked
    assert vault.restored_sql(masked) == sql
    assert vault.sql(masked) == masked


@pytest.mark.parametrize("cell", [-5.5, -12, 1e30, 1e-7, 0.125, Decimal("-1E+3")])
def test_numbers_of_rows_are_numbers_in_statements(cell: Any) -> None:
    """Whatever sign stands before them: two are no comment."""
    vault = Vault("values_stay", vocabulary(), "sqlite")
    token = vault.cell(cell)
    sql = vault.restored_sql(f"SELECT 7 -{token}, {token}")
    minus, alone = sqlglot.parse_one(sql, dialect="sqlite").expressions
    assert isinstance(minus, exp.Sub)
    assert float(alone.unnest().sql()) == float(cell)


@pytest.mark.parametrize("number", ["-5", "1e5", "1.5E-3", ".5", "5."])
def test_numbers_of_statements_stay_numbers(number: str) -> None:
    vault = Vault("values_stay", vocabulary(), "sqlite")
    masked = vault.sql(f"SELECT amount FROM orders WHERE amount > {number}")
    assert number.lstrip("-") not in masked
    assert "NUMBER_1" in masked
    assert vault.restored_sql(masked) == f"SELECT amount FROM orders WHERE amount > {number}"


@pytest.mark.parametrize(
    ("literal", "masked"),
    case_rows(__file__, "what_of_a_literal_may_leave", "literal", "masked"),
)
def test_what_of_a_literal_may_leave(literal: str, masked: str) -> None:
    vault = Vault("values_stay", vocabulary(), "sqlite")
    sent = vault.sql(f"SELECT '{literal}'")
    assert sent == f"SELECT '{masked}'"
    assert vault.restored_sql(sent) == f"SELECT '{literal}'"


def test_the_same_digits_may_be_two_numbers() -> None:
    """1.234 is a thousand and more in a question in German, and little more than one in a statement."""
    vault = Vault("values_stay", vocabulary(), "sqlite")
    question = vault.words("Welche Kunden haben mehr als 1.234 bezahlt?")
    statement = vault.sql("SELECT 1.234")
    assert vault.restored_sql(f"SELECT {question.split()[-2]}") == "SELECT 1234"
    assert vault.restored_sql(statement) == "SELECT 1.234"


QUOTED = "x' OR 1=1 --"
REPLIES = case_table(__file__, "replies")


@pytest.mark.parametrize("reply", REPLIES)
def test_replies_come_back_however_they_are_written(reply: str) -> None:
    """Statements with literals, and words as they are, wherever a model writes its object."""
    vault = Vault("values_stay", vocabulary(), "sqlite")
    assert vault.whole(QUOTED) == "TEXT_1"
    restored = vault.restored_reply(reply)
    found = json.loads(restored[restored.index("{") : restored.rindex("}") + 1])
    *_, reasoning = found.values()
    assert " ".join(reasoning.split()) == f"of {QUOTED}"
    sql = next(iter(found.values()))
    assert " ".join(sql.split()) == "SELECT 'x'' OR 1=1 --'"


@pytest.mark.parametrize(
    ("reply", "restored"),
    case_rows(__file__, "replies_that_are_no_whole_object", "reply", "restored"),
)
def test_replies_that_are_no_whole_object(reply: str, restored: str) -> None:
    """A statement is restored by whoever finds it, and never as text."""
    vault = Vault("values_stay", vocabulary(), "sqlite")
    vault.whole(QUOTED)
    assert vault.restored_reply(reply).startswith(restored)


def test_what_is_called_a_statement_may_be_words() -> None:
    vault = Vault("values_stay", vocabulary(), "sqlite")
    given = {"statement": "Zorblax paid 88214", "query": "select orders of Zorblax", "sql": "SELECT 'Zorblax'"}
    given |= {"row_count": 88215, "score": 0.75, "total": {"score": 716}}  # type: ignore[dict-item]
    masked = json.loads(vault.json(json.dumps(given)))
    assert "Zorblax" not in json.dumps(masked)
    assert masked["statement"].endswith(" NUMBER_2")
    assert masked["sql"].startswith("SELECT 'TEXT_")
    assert (masked["row_count"], masked["score"]) == (88215, 0.75)
    assert masked["total"]["score"].startswith("NUMBER_")


def test_of_what_is_blanked_nothing_is_remembered() -> None:
    vault = Vault("values_stay", vocabulary())
    assert vault.blanked("orders of Zorblax and 88214 or TEXT_9", "something") == (
        "orders of something and something or something"
    )
    assert vault.words("orders of Quarlbach, TEXT_9") == "orders of TEXT_1, TEXT_9"


def test_of_a_value_that_begins_with_another_nothing_is_left() -> None:
    vault = Vault("values_stay", vocabulary())
    short, long = vault.whole("Zorblax"), vault.whole("Zorblax Quarlbach")
    prompt = "Zorblax Quarlbach knows Zorblax"
    vault.wrote(prompt)
    assert vault.sent(prompt) == (f"{long} knows {short}", 2)


def test_threads_share_the_tokens_of_a_job() -> None:
    vault = Vault("values_stay", vocabulary())
    texts = [f"orders of Zorblax{number % 40} and Quarlbach{number % 7}" for number in range(400)]
    with ThreadPoolExecutor(8) as threads:
        masked = list(threads.map(vault.words, texts))
    assert [vault.restored(one) for one in masked] == texts
    assert len(set(masked)) == len(set(texts))


def test_where_a_value_was_found_and_how_likely_it_is_meant_may_be_told() -> None:
    vault = Vault("values_stay", Vocabulary.of({"patients", "first_name"}, plain_words()))
    found = {"value": "Hope", "table": "patients", "column": "first_name", "said": "hope", "score": 0.7}
    masked = json.loads(vault.json(json.dumps({"values": [found]})))["values"]
    assert masked == [{**found, "value": "TEXT_1", "said": "TEXT_2"}]
    row = {"value": "Hope", "score": 0.7}
    assert json.loads(vault.json(json.dumps({"values": [row]})))["values"][0]["score"].startswith("NUMBER_")


def test_messages_of_the_guard_keep_the_words_of_sql_and_the_names_of_tools() -> None:
    vault = Vault("values_stay", everyday_vocabulary(), "postgres")
    vault.know(("run_sql", "sql"))
    for said in (
        "The function REGCLASS is not allowed: pg_read_file(…) reads files. Nearest: concat_ws, strftime.",
        "Only a SELECT may run; this is a SUMMARIZE. Call run_sql again with VARCHAR.",
        '{"sql": "SELECT',
    ):
        assert vault.words(said) == said
    assert vault.words('orders noted "month"') == 'orders noted "TEXT_1"'


# -- Tokens that a model writes and was never given, or writes wrongly.


STATEMENT = "SELECT id FROM patients WHERE name = '{}'"


def _vault() -> Vault:
    vault = Vault("values_stay", everyday_vocabulary(), "sqlite")
    assert vault.words('patients named "Zorblax" and "Text 1"') == 'patients named "TEXT_1" and "TEXT_2"'
    return vault


@pytest.mark.parametrize("token", ["TEXT_1", "text_1", "TEXT 1", "Text-1"])
def test_one_that_was_given_is_put_back_however_it_is_written(token: str) -> None:
    with holding(_vault()):
        reply = read_sql(ModelReply(STATEMENT.format(token), Usage()))
    assert reply.sql == STATEMENT.format("Zorblax")


def test_a_value_that_looks_like_a_token_is_put_back_as_it_was_written() -> None:
    vault = _vault()
    once = vault.restored_sql(STATEMENT.format("TEXT_2"))
    with holding(vault):
        assert read_sql(ModelReply(once, Usage())).sql == STATEMENT.format("Text 1")


@pytest.mark.parametrize("token", ["TEXT_77", "text_77", "TEXT 77", "%TEXT_77%"])
def test_one_that_was_never_given_is_a_problem_to_be_corrected(token: str) -> None:
    vault = _vault()
    with holding(vault):
        for _ in range(2):  # what the correction is told of it makes it no better
            reply = read_sql(ModelReply(STATEMENT.format(token), Usage()))
            assert reply.sql is None
            assert reply.problem is not None
            assert "TEXT_77" in vault.words(reply.problem)
            vault.sql(STATEMENT.format(token))


def test_what_people_typed_is_none() -> None:
    vault = _vault()
    vault.words("patients with the code TEXT_88")
    with holding(vault):
        assert read_sql(ModelReply(STATEMENT.format("TEXT_88"), Usage())).sql == STATEMENT.format("TEXT_88")


# -- What stands in double quotes in a statement: names of the model and aliases stay, and nothing else does.


STATEMENTS = case_table(__file__, "statements")


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_stands_in_double_quotes(statement: str) -> None:
    vocabulary = Vocabulary.of({"patients", "name", "id"}, plain_words())
    vault = Vault("values_stay", vocabulary, "duckdb")
    masked = vault.sql(statement)
    assert masked == STATEMENTS[statement]
    assert vault.restored_sql(masked) == statement
    # In what is sent later, such as an error, it is a value too.
    assert "White" not in vault.words('There is no column "Mark White".')
