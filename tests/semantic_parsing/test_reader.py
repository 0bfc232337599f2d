"""What the grammar reads: right rows, what was taken for granted, and nothing where a word of
substance is left over."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.coverage import is_covered
from askwell.semantic_parsing.grammar import GRAMMAR
from askwell.semantic_parsing.model.catalog import Catalog
from askwell.semantic_parsing.parser import Before, SemanticParser
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Translation, Turn
from askwell.semantic_parsing.trust import weights
from askwell.sql.bindings import Bindings
from askwell_evaluation.databases import DraftedModel, sampled_values
from tests.support.small_shops import make_small_shop
from tests.support.tables import case_rows, case_table

from .answers import database_of, reader_of

ROWS = case_table(__file__, "database")
# Questions that the parser reads by itself, sure enough or not, and the rows that they ask for.
READ: tuple[tuple[str, list[tuple[Any, ...]]], ...] = case_rows(__file__, "read", "question", "rows")
# What nothing in the model says, or what no statement of its own could answer.
LEFT_OVER = case_table(__file__, "left_over")


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    return database_of(ROWS)


@pytest.fixture(scope="module")
def reader(database: sqlite3.Connection) -> QuestionReader:
    return reader_of(database)


@pytest.mark.parametrize(("question", "rows"), READ, ids=[question for question, _ in READ])
def test_rows(question: str, rows: list[tuple[Any, ...]], reader: QuestionReader, database: sqlite3.Connection) -> None:
    found = reader.translate(question, unsure=True)
    assert isinstance(found, Translation), found
    got = database.execute(found.sql).fetchall()
    width = len(rows[0])
    assert sorted(row[:width] for row in got) == sorted(rows), found.sql


@pytest.mark.parametrize("question", LEFT_OVER)
def test_what_leaves_a_word_over_is_no_answer(question: str, reader: QuestionReader) -> None:
    found = reader.translate(question)
    assert isinstance(found, Abstention), found


def test_us_may_be_a_country(reader: QuestionReader) -> None:
    found = reader.translate("customers from us")
    assert isinstance(found, Abstention), "there are customers from the USA, and nobody knows that they are meant"


def test_what_was_taken_for_granted_is_said(reader: QuestionReader) -> None:
    found = reader.translate("hw many invoices of German custmers in 2024", unsure=True)
    assert isinstance(found, Translation), found
    notes = " ".join(found.notes)
    assert "“custmers” was read as “customers”." in notes
    assert "“German” was looked for as “Germany”" in notes
    assert "Time was taken to mean" in notes


@pytest.fixture(scope="module")
def parser(database: sqlite3.Connection) -> SemanticParser:
    model = DraftedModel(database, None).model
    return SemanticParser(Catalog.of(model, sampled_values(database, model)), "sqlite", weights())


def test_a_follow_up_adds_to_what_was_asked_before(parser: SemanticParser, database: sqlite3.Connection) -> None:
    asked: tuple[tuple[str, list[tuple[Any, ...]]], ...] = (
        ("how many invoices are there", [(4,)]),
        ("per country?", [("Germany", 3), ("Norway", 1)]),
        ("only 2024", [("Germany", 1), ("Norway", 1)]),
        ("and in 2023?", [("Germany", 1)]),
    )
    before: Before | None = None
    for question, rows in asked:
        found = parser.candidates(question, before=before, bare=False)[0]
        assert sorted(database.execute(found.sql)) == rows, question
        before = Before.of(found, before)


def test_only_statements_that_are_no_answer_are_left_unmade(parser: SemanticParser) -> None:
    fewer = 0
    keenest = [f"which customers were keenest on the {of}" for of in ("total", "total per country", "total in 2024")]
    for question in (*LEFT_OVER, *keenest, *(question for question, _ in READ)):
        every = [(one.sql, one.score, is_covered(one.features)) for one in parser.candidates(question)]
        some = [(c.sql, c.score, is_covered(c.features)) for c in parser.parse(question, complete=False).candidates]
        if any(covered for _, _, covered in every):
            assert some == every, question
        else:
            assert not any(covered for _, _, covered in some), question
        assert bool(some) == bool(every), question
        fewer += len(some) < len(every)
    assert fewer > 0


def test_the_grammar_without_a_rule_reads_without_it(parser: SemanticParser) -> None:
    name = "Pred<COMPARE_BY NUM"
    less = SemanticParser(parser.catalog, "sqlite", weights(), GRAMMAR.without(name))
    question = "tracks cheaper than 2"
    assert any(name in candidate.features for candidate in parser.candidates(question))
    assert not any(name in candidate.features for candidate in less.candidates(question))
    assert name in GRAMMAR.names, "the grammar itself stays as it is"


@pytest.mark.parametrize(
    "question", ["available rooms", "how many existing rooms are there", "how many rooms are opened", "rooms taken"]
)
def test_a_word_that_mostly_says_nothing_is_not_dropped_where_it_names_something(question: str) -> None:
    rooms = database_of(
        """
        CREATE TABLE rooms (
          room_id INTEGER PRIMARY KEY, name TEXT, available_yn INTEGER, state TEXT, date_opened DATE
        );
        INSERT INTO rooms VALUES (1, 'Ash', 1, 'existing', '2020-01-01'), (2, 'Birch', 0, 'taken', NULL);
        """
    )
    found = reader_of(rooms).translate(question)
    said = ("available_yn", "existing", "date_opened", "taken")
    assert isinstance(found, Abstention) or any(word in found.sql for word in said)


# What a stranger's follow-ups were answered wrongly, and sure of it, at first sight.
CONVERSATIONS: tuple[tuple[tuple[str, str | None], ...], ...] = (
    (
        ("how many invoices of German customers are there", "WHERE customers.country = 'Germany'"),
        ("and Norway?", "WHERE customers.country = 'Norway'"),
        ("Germany or Norway", "WHERE (customers.country = 'Germany' OR customers.country = 'Norway')"),
        ("7", None),
        ("their invoices", None),
        ("sort them by mood", None),
    ),
    (("invoices per country", "GROUP BY customers.country"), ("sort by country", "ORDER BY customers.country ASC")),
)


@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_a_follow_up_takes_the_place_of_what_it_is_about_or_is_none(
    conversation: tuple[tuple[str, str | None], ...], reader: QuestionReader
) -> None:
    before: list[Turn] = []
    for question, part in conversation:
        found = reader.translate(question, before=before)
        if part is None:
            assert isinstance(found, Abstention), question
            continue
        assert isinstance(found, Translation), (question, found)
        assert part in found.sql
        assert found.follows == bool(before)
        before.append(Turn(question, found.sql))


# Whole questions after a question about something else, and what each is answered with as if it were asked alone.
WHOLE: tuple[tuple[str, str], ...] = case_rows(__file__, "whole", "question", "part")
# What adds to "customers from Italy", and what it asks of them.
OF_ITALIANS: tuple[tuple[str, str], ...] = case_rows(__file__, "of_italians", "question", "part")


@pytest.fixture(scope="module")
def trader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuestionReader]:
    path, _ = make_small_shop("trader", tmp_path_factory.mktemp("trader"))
    with closing(sqlite3.connect(path)) as database:
        yield reader_of(database)


# Roles: what is chosen where it is asked back, what is asked then, and the role that the statement is joined in.
ROLES: tuple[tuple[str, tuple[tuple[str, str | None], ...]], ...] = case_rows(__file__, "roles", "role", "asked")


def conversation_after(first: str, reader: QuestionReader) -> list[Turn]:
    """What was asked first, with its statement."""
    found = reader.translate(first)
    assert isinstance(found, Translation), found
    return [Turn(first, found.sql)]


@pytest.mark.parametrize(("question", "part"), WHOLE)
def test_a_whole_question_stands_alone_after_another(question: str, part: str, trader: QuestionReader) -> None:
    for first in ("how many airports are there?", "open purchase orders"):
        found = trader.translate(question, before=conversation_after(first, trader))
        assert isinstance(found, Translation), (first, found)
        assert part in found.sql
        assert "airports" not in found.sql
        assert "purchase_orders" not in found.sql


def test_a_whole_question_that_can_add_to_nothing_is_asked_alone(trader: QuestionReader) -> None:
    before = conversation_after("how many airports are there?", trader)
    found = trader.translate("what about suppliers and their cities?", before=before)
    assert isinstance(found, Translation), found
    assert not found.follows
    assert found.sql == "SELECT suppliers.name, suppliers.city FROM suppliers"


@pytest.mark.parametrize(("question", "part"), OF_ITALIANS)
def test_what_is_asked_of_those_before_keeps_to_them(question: str, part: str, trader: QuestionReader) -> None:
    found = trader.translate(question, before=conversation_after("customers from Italy", trader))
    assert isinstance(found, Translation), found
    assert found.follows
    assert part in found.sql
    assert "customers.country = 'Italy'" in found.sql


@pytest.mark.parametrize(("role", "asked"), ROLES)
def test_a_follow_up_that_names_the_other_role_takes_it(
    role: str, asked: tuple[tuple[str, str | None], ...], trader: QuestionReader
) -> None:
    first = "How many flights have an airport in Paris?"
    open_roles = trader.translate(first)
    assert isinstance(open_roles, Abstention)
    chosen = next(choice for choice in open_roles.choices if choice.label == role)
    found = trader.translate(first, bound=chosen.bindings)
    assert isinstance(found, Translation), found
    before = [Turn(first, found.sql)]
    for question, joined in asked:
        found = trader.translate(question, before=before)
        if joined is None:
            assert isinstance(found, Abstention), (question, found)
            continue
        assert isinstance(found, Translation), (question, found)
        assert f"flights.{joined}_airport_id" in found.sql, question
        before.append(Turn(question, found.sql))


def test_a_role_that_was_chosen_counts_before_the_words(trader: QuestionReader) -> None:
    first = "How many flights have an airport in Paris?"
    to_or_from = trader.translate(first)
    assert isinstance(to_or_from, Abstention)
    for choice in to_or_from.choices:
        for question in (
            "how many flights are there from airports in Paris?",
            "how many flights to airports in Paris?",
        ):
            found = trader.translate(question, bound=choice.bindings)
            assert isinstance(found, Translation), found
            assert choice.detail.split(" = ")[0] in found.sql


@pytest.mark.parametrize("column", ["sales_orders.order_date", "sales_orders.ship_date"])
def test_a_date_that_was_chosen_is_meant_from_then_on(column: str, trader: QuestionReader) -> None:
    first = "customers in 2025"
    dates = trader.translate(first)
    assert isinstance(dates, Abstention)
    chosen = next(choice for choice in dates.choices if [str(ref) for ref in choice.bindings.columns] == [column])
    found = trader.translate(first, bound=chosen.bindings)
    assert isinstance(found, Translation), found
    for question in ("only Italy", "only January 2025", "per country"):
        added = trader.translate(question, before=[Turn(first, found.sql)])
        assert isinstance(added, Translation), (question, added)
        assert added.follows
        assert f"{column} >= '2025-01-01'" in added.sql


def test_what_is_open_beside_a_chosen_column_is_still_asked(trader: QuestionReader) -> None:
    alone = trader.translate("customers in 2025")
    bound = trader.translate("customers in 2025", bound=Bindings(columns=(ColumnRef("customers", "name"),)))
    assert isinstance(alone, Abstention)
    assert len(alone.choices) == 3
    assert bound == alone


# Statements of clients that nobody can read, or that no parser's stack holds.
UNREADABLE = ("SELECT FROM WHERE (", "", "SELECT " + "(" * 5_000 + "1" + ")" * 5_000, f"SELECT 1{'::int' * 5_000}")


@pytest.mark.parametrize("sql", UNREADABLE, ids=("broken", "empty", "nested", "cast"))
def test_an_unreadable_statement_takes_no_later_turn_away(sql: str, reader: QuestionReader) -> None:
    first = conversation_after("how many invoices are there?", reader)
    unreadable = Turn("what is the meaning of it?", sql)
    found = reader.translate("only 2024", before=[unreadable, *first])
    assert isinstance(found, Translation), found
    assert found.follows
    assert found == reader.translate("only 2024", before=first)
    lost = reader.translate("only 2024", before=[*first, unreadable])
    assert isinstance(lost, Abstention)
    assert lost.reason == "lost_before"
    nothing = reader.translate("and how many of those?")
    assert isinstance(nothing, Abstention)
    assert nothing.reason == "nothing_before"
