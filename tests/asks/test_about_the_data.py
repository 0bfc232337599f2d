"""Questions about the service and the data without a language model: answered in words; those for data never are."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.asks.about.wording import wordings
from askwell.sample.shop import generate_shop, shop_manifest
from tests.support.examples import examples
from tests.support.service import Client, running_service, write_config
from tests.support.shared import shared_service
from tests.support.small_shops import make_small_shop
from tests.support.tables import case_rows, case_table

_QUESTIONS = Path(__file__).parent / "about_the_data"


def questions(kind: str, half: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (_QUESTIONS / f"{kind}.{half}.jsonl").read_text().splitlines()]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shops(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    """One service with the sample shop, the furniture shop and the restaurant as projects."""
    folder = tmp_path_factory.mktemp("about")
    generate_shop(folder / "shop.duckdb", datetime.now(UTC).date())
    sources = {"shop": {"engine": "duckdb", "path": str(folder / "shop.duckdb")}}
    models = {"shop": shop_manifest()}
    for name in ("furniture", "restaurant"):
        path, models[name] = make_small_shop(name, folder)
        sources[name] = {"engine": "sqlite", "path": str(path)}
    async with running_service(write_config(folder, data_sources=sources)) as http:
        for name, model in models.items():
            assert (await http.prepare(model, mdl_hash=name, project_id=name))["status"] == "finished"
        yield http


async def ends(http: Client, kind: str, half: str) -> list[tuple[str, str]]:
    """Each question and how it ended: `words`, `sql` or the code of the error."""
    found = []
    for one in questions(kind, half):
        result = await http.answer(one["question"], project_id=one["db"])
        end = result.get("error", {}).get("code") or ("sql" if result["type"] == "TEXT_TO_SQL" else "words")
        found.append((f"{one['db']}: {one['question']}", end))
    return found


# How many questions of each set are answered in words: of 40, 40, and 30 that were written when the others were known.
# When the wording was first tried they were 32, 27 and 21; of the questions for data (40, 40, 31) 0, 3 and 0 were
# taken for one of these. Most that are left are answered in SQL by rules, or say “tables” to a shop that sells some.
ANSWERED = {"tuning": 37, "held_out": 36, "later": 29}

# Those that were written last are asked in make test, all of them in make test-deep.
HALVES = [pytest.param(half, marks=() if half == "later" else pytest.mark.deep) for half in ANSWERED]


@pytest.mark.asyncio(loop_scope="module")
class TestAboutTheData:
    @pytest.mark.parametrize("half", HALVES)
    async def test_no_question_for_data_is_taken_for_one_about_it(self, shops: Client, half: str) -> None:
        assert [question for question, end in await ends(shops, "data", half) if end == "words"] == []

    @pytest.mark.parametrize("half", HALVES)
    async def test_questions_about_the_data_are_answered_in_words(self, shops: Client, half: str) -> None:
        answered = [question for question, end in await ends(shops, "about", half) if end == "words"]
        assert len(answered) >= ANSWERED[half]

    async def test_the_words_are_on_the_text_stream_and_in_the_events(self, shops: Client) -> None:
        ask = await shops.ask("what is a category?", project_id="shop")
        result = await shops.end(ask)
        assert (result["status"], result["type"], result["general_type"]) == ("finished", "GENERAL", "DATA_ASSISTANCE")
        assert not {"response", "error", "nl2sql_code"} & result.keys()
        words = await shops.text(ask)
        assert words.startswith("categories is a table, shown as “Product categories”.")
        assert "department (VARCHAR)" in words
        assert "products to categories, many to one: products.category_id = categories.id" in words
        _, events = await shops.call("GET", f"/v1/asks/{ask}/events")
        assert "categories is a table" in events

    async def test_what_can_be_done_here_is_a_guide_with_examples_that_are_answered(self, shops: Client) -> None:
        ask = await shops.ask("what can you do", project_id="shop")
        assert (await shops.end(ask))["general_type"] == "USER_GUIDE"
        examples = re.findall("“(.*?)”", (await shops.text(ask)).splitlines()[-1])
        assert len(examples) == 3
        for question in examples:
            assert (await shops.answer(question, project_id="shop"))["type"] == "TEXT_TO_SQL", question

    @pytest.mark.parametrize(
        "question",
        [row["question"] for row in case_table(__file__, "hidden_columns_and_values_of_sensitive_ones_are_never_told")],
    )
    async def test_hidden_columns_and_values_of_sensitive_ones_are_never_told(
        self, shops: Client, question: str
    ) -> None:
        ask = await shops.ask(question, project_id="shop")
        assert (await shops.end(ask))["status"] == "finished"
        words = await shops.text(ask)
        assert "email" in words
        assert "password" not in words
        assert "@" not in words

    @pytest.mark.parametrize("question", ["what does password hash mean?", "which columns does the vault have?"])
    async def test_what_is_hidden_or_not_there_is_no_name(self, shops: Client, question: str) -> None:
        assert (await shops.answer(question, project_id="shop"))["status"] == "failed"

    @pytest.mark.parametrize(("question", "said"), case_rows(__file__, "words_come_from_the_model", "question", "said"))
    async def test_words_come_from_the_model(self, shops: Client, question: str, said: str) -> None:
        ask = await shops.ask(question, project_id="shop")
        assert (await shops.end(ask))["status"] == "finished"
        assert said in await shops.text(ask)

    @pytest.mark.parametrize(
        ("question", "said"),
        case_rows(__file__, "counts_keys_courtesies_misspelt_words_and_other_languages", "question", "said"),
    )
    async def test_counts_keys_courtesies_misspelt_words_and_other_languages(
        self, shops: Client, question: str, said: str
    ) -> None:
        ask = await shops.ask(question, project_id="shop")
        assert (await shops.end(ask))["type"] == "GENERAL"
        assert said in await shops.text(ask)

    @pytest.mark.parametrize("question", ["which colours does the vault have?", "what columns have wizards?"])
    async def test_what_is_nearly_no_name_stays_unknown(self, shops: Client, question: str) -> None:
        assert (await shops.answer(question, project_id="shop"))["status"] == "failed"

    async def test_a_restaurant_is_asked_for_its_own_tables_unless_the_database_is_named(self, shops: Client) -> None:
        own = await shops.answer("which tables are there", project_id="restaurant")
        assert own["type"] == "TEXT_TO_SQL"
        ask = await shops.ask("which tables are there in the database?", project_id="restaurant")
        assert (await shops.end(ask))["type"] == "GENERAL"
        assert "bookings (booked_for, guest, party_size, covers, no_show)" in await shops.text(ask)


@given(
    st.text(
        alphabet=st.sampled_from("what is a table of the name describe help me \n'’“<>[](){}|\\.*+?é表\x00"),
        max_size=300,
    )
)
@settings(max_examples=examples(200), deadline=None)
def test_any_text_is_read_in_little_time(question: str) -> None:
    began = time.perf_counter()
    assert len(list(wordings(question))) < 50
    assert time.perf_counter() - began < 0.5


# -- What somebody who begins is told without a language model: what there is, and questions that are answered.


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop() -> AsyncIterator[Client]:
    async with shared_service() as http:
        yield http


@pytest.mark.asyncio(loop_scope="module")
class TestOverview:
    @pytest.mark.parametrize(
        "question",
        ["What can I ask?", "hello", "Which tables are there?", "what data do you have in this database?", "help!"],
    )
    async def test_who_begins_is_told_the_tables(self, shop: Client, question: str) -> None:
        ask = await shop.ask(question)
        assert (await shop.end(ask))["status"] == "finished"
        words = await shop.text(ask)
        assert "customers (name, country, created_at, " in words
        assert "orders (order_date, status, amount, " in words
        assert "secret" not in words

    async def test_its_examples_are_answered(self, shop: Client) -> None:
        ask = await shop.ask("What can I ask?")
        await shop.end(ask)
        examples = re.findall("“(.*?)”", await shop.text(ask))
        assert len(examples) == 3
        for question in examples:
            assert (await shop.answer(question, execute=True))["status"] == "finished", question

    @pytest.mark.parametrize("question", ["Show the tables of zorps", "Which tables do zorps sit at?", "hello kitty"])
    async def test_a_question_that_only_begins_so_has_a_reason_of_its_own(self, shop: Client, question: str) -> None:
        result = await shop.answer(question)
        assert result.get("type") != "GENERAL"

    async def test_a_word_that_is_unknown_is_named(self, shop: Client) -> None:
        error = (await shop.answer("How many zorps are there per customer?"))["error"]
        assert error["message"] == "Askwell doesn't know “zorps”."
        assert error["hint"].endswith(", or say what “zorps” means.")
        *examples, _ = re.findall("“([^”]+)”", error["hint"])
        assert examples
        for example in examples:
            assert (await shop.answer(example, execute=True))["status"] == "finished", example

    async def test_what_nothing_is_called_by_gets_all_tables_and_not_some_of_them(self, shop: Client) -> None:
        error = (await shop.answer("Which volcanoes erupted in ancient Sicily?"))["error"]
        assert error["code"] == "NO_RELEVANT_DATA"
        assert error["hint"].startswith("The data is about customers, orders and paid orders.")

    async def test_a_total_of_no_rows_is_said_to_be_one(self, shop: Client) -> None:
        nothing = await shop.answer("What is the total amount of orders from 1999?", execute=True)
        something = await shop.answer("What is the total amount of orders from 2024?", execute=True)
        assert nothing["data"]["rows"] == [[None]]
        assert any("no rows fit the conditions" in warning for warning in nothing["warnings"])
        assert not something.get("warnings")
