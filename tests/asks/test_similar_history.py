"""`history_match: similar`: a saved question in other words answers, one that only looks alike does not."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from askwell.providers.embedder.minilm_export import export, missing_for_export
from askwell.providers.embedder.minilm_files import MinilmFiles
from tests.support.embedding_server import embedding_server
from tests.support.service import Client, running_service, write_config
from tests.support.tables import case_table

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(bool(missing_for_export()), reason="the minilm extra is not installed"),
]

PAIRS = {
    "customers with zorps over 100 euros": "SELECT name FROM customers WHERE total_spent > 100",
    "Which zorps were shipped late?": "SELECT id FROM orders WHERE status = 'shipped'",
    "zorps from Lyon to Berlin": "SELECT COUNT(*) FROM orders",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> MinilmFiles:
    exported = MinilmFiles(tmp_path_factory.mktemp("models"))
    export(exported)
    return exported


EMBEDDERS = ["the local embedder", pytest.param("beside one on a server", marks=pytest.mark.deep)]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=EMBEDDERS)
async def shop(
    request: pytest.FixtureRequest, files: MinilmFiles, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Client]:
    folder = tmp_path_factory.mktemp("similar")
    (folder / "home").mkdir()
    (folder / "home" / "models").symlink_to(files.folder)
    async with contextlib.AsyncExitStack() as closing:
        chosen = {"provider": "minilm"}
        if request.param != "the local embedder":
            chosen = await closing.enter_async_context(embedding_server())
        config = write_config(folder, settings={"history_match": "similar"}, embedder={"default": chosen})
        http = await closing.enter_async_context(running_service(config))
        await http.prepare()
        pairs = [{"id": str(n), "question": question, "sql": sql} for n, (question, sql) in enumerate(PAIRS.items())]
        status, _ = await http.call("POST", "/v1/sql-pairs", json={"sql_pairs": pairs})
        assert status == 202
        yield http


async def test_other_words_for_the_same_are_answered_and_the_saved_question_is_named(shop: Client) -> None:
    result = await shop.answer("customers with zorps above 100 euros")
    assert (result["status"], result["sql_source"]) == ("finished", "history")
    assert result["response"][0]["sql"] == PAIRS["customers with zorps over 100 euros"]
    assert any("“customers with zorps over 100 euros”" in said for said in result["assumptions"])
    assert result["retrieved_tables"] == ["customers"]


@pytest.mark.parametrize(
    "question",
    [row["question"] for row in case_table(__file__, "what_only_looks_alike_is_not")],
)
async def test_what_only_looks_alike_is_not(shop: Client, question: str) -> None:
    assert (await shop.answer(question))["status"] == "failed"


async def test_the_same_text_needs_no_search(shop: Client) -> None:
    result = await shop.answer("which zorps were shipped late")
    assert (result["sql_source"], "assumptions" in result) == ("history", False)
    assert "retrieval" not in {timing["stage"] for timing in result["timings"]}


async def test_what_else_was_said_keeps_it_from_being_the_same(shop: Client) -> None:
    result = await shop.answer("customers with zorps above 100 euros", custom_instruction="Zorps are refunds.")
    assert result["status"] == "failed"


async def test_sql_that_no_longer_works_is_passed_over(shop: Client) -> None:
    pair = {"id": "gone", "question": "customers with flims over 7 euros", "sql": "SELECT name FROM customers"}
    await shop.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair], "project_id": "later"})
    model = {
        "models": [
            {"name": "orders", "tableReference": {"table": "orders"}, "columns": [{"name": "id", "type": "INTEGER"}]}
        ]
    }
    await shop.prepare({"catalog": "shop", "schema": "main", "dataSource": "SQLITE", **model}, project_id="later")
    result = await shop.answer("customers with flims above 7 euros", project_id="later")
    assert result["status"] == "failed"


async def test_without_the_local_embedder_it_is_exact_and_the_start_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with embedding_server() as chosen:
        config = write_config(tmp_path, settings={"history_match": "similar"}, embedder={"default": chosen})
        async with running_service(config) as http:
            assert any("works as `exact`" in record.message for record in caplog.records)
            await http.prepare()
            question, sql = next(iter(PAIRS.items()))
            await http.call(
                "POST", "/v1/sql-pairs", json={"sql_pairs": [{"id": "1", "question": question, "sql": sql}]}
            )
            assert (await http.answer(question))["sql_source"] == "history"
            assert (await http.answer("customers with zorps above 100 euros"))["status"] == "failed"
