"""What clients rely on around an ask: acceptance, idempotency, isolation, and honest failure."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.support import tiny_shop
from tests.support.embedding_server import embedding_server
from tests.support.service import Client, prepared_service, running_service, write_config
from tests.support.shared import shared_service

COUNT = "How many customers are there?"


async def test_an_ask_is_unknown_to_another_project_and_its_id_alone_is_enough(tmp_path: Path) -> None:
    async def answers(service: Client, path: str) -> list[int]:
        queries = ("", "?project_id=alpha", "?project_id=beta")
        return [(await service.call("GET", f"/v1/{path}{query}"))[0] for query in queries]

    config = write_config(tmp_path)
    pair = {"id": "1", "question": "How many?", "sql": "SELECT COUNT(*) FROM customers"}
    async with running_service(config) as service:
        await service.prepare(project_id="alpha")
        ask_id = await service.ask(COUNT, project_id="alpha")
        await service.end(ask_id)
        _, saved = await service.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair], "project_id": "alpha"})
        assert await answers(service, f"sql-pairs/{saved['event_id']}") == [200, 200, 404]
        for kind in ("result", "streaming-result", "events"):
            assert await answers(service, f"asks/{ask_id}/{kind}") == [200, 200, 404]
    async with running_service(config) as service:  # from the record
        for kind in ("result", "streaming-result", "events"):
            assert await answers(service, f"asks/{ask_id}/{kind}") == [200, 200, 404]


async def test_a_poll_sees_the_ask_as_soon_as_it_is_accepted() -> None:
    async with shared_service() as service:
        for _ in range(5):
            status, _ = await service.call("GET", f"/asks/{await service.ask(COUNT)}/result")
            assert status == 200


async def test_an_ask_before_any_model_fails_and_says_what_to_do() -> None:
    async with shared_service() as service:
        service.project = "without-a-model"
        result = await service.answer(COUNT)
    assert result["status"] == "failed"
    assert result["nl2sql_code"] == "3003"
    assert "semantics-preparations" in result["error"]["hint"]


async def test_an_ask_for_a_model_that_is_being_prepared_is_told_so(tmp_path: Path) -> None:
    async with AsyncExitStack() as closing:
        slow = await closing.enter_async_context(embedding_server(delay=0.5))
        config = write_config(tmp_path, embedder={"default": slow})
        service = await closing.enter_async_context(running_service(config))
        body = {"mdl": tiny_shop.manifest(), "mdl_hash": "n1"}
        assert (await service.call("POST", "/v1/semantics-preparations", json=body))[0] == 202
        named = await service.answer(COUNT, mdl_hash="n1")
        current = await service.answer(COUNT)
        other = await service.answer(COUNT, mdl_hash="n2")
    assert named["error"]["message"] == "The model n1 of project default is still being prepared."
    assert "finished" in named["error"]["hint"]
    assert current["error"]["message"] == "The first semantic model of project default is still being prepared."
    assert "No semantic model named n2" in other["error"]["message"]
    assert {answer["nl2sql_code"] for answer in (named, current, other)} == {"3003"}


async def test_an_unknown_mdl_hash_fails_with_a_hint_and_the_right_one_works() -> None:
    async with shared_service() as service:
        await service.prepare(mdl_hash="m1")
        unknown = await service.answer(COUNT, mdl_hash="nope")
        known = await service.answer(COUNT, mdl_hash="m1", execute=True)
    assert unknown["status"] == "failed"
    assert "nope" in unknown["error"]["message"]
    assert known["data"]["rows"] == [[3]]


async def test_a_project_sees_only_its_own_model(tmp_path: Path) -> None:
    small = tiny_shop.manifest()
    small["models"] = [model for model in small["models"] if model["name"] == "customers"]
    small["models"][0]["columns"] = [c for c in small["models"][0]["columns"] if c["name"] in ("id", "name")]
    small["relationships"], small["views"] = [], []
    async with prepared_service(tmp_path) as service:
        await service.prepare(small, mdl_hash="m2", project_id="other")
        assert (await service.answer("How many orders are there?", execute=True))["data"]["rows"] == [[4]]
        foreign = await service.answer("How many orders are there?", project_id="other", execute=True)
        assert foreign["status"] == "failed"
        assert "orders" not in str(foreign.get("retrieved_tables", []))
        status, _ = await service.call("DELETE", "/v1/semantics?project_id=other")
        assert status < 300
        assert (await service.answer(COUNT, execute=True))["data"]["rows"] == [[3]]
        gone = await service.answer("How many customers are there?", project_id="other")
        assert gone["nl2sql_code"] == "3003"


async def test_without_a_model_the_words_that_rules_cannot_place_are_named() -> None:
    async with shared_service() as service:
        result = await service.answer("Which customers are flabbergasting?")
    assert (result["status"], result["error"]["code"]) == ("failed", "NO_RELEVANT_SQL")
    assert "flabbergasting" in result["error"]["message"]
    assert "say what “flabbergasting” means" in result["error"]["hint"]


async def test_a_full_queue_is_said_with_a_time_to_come_back() -> None:
    from tests.fakes.openai_server import Answer, ChatServer

    async with ChatServer({"*": [Answer(hang=True)]}) as server:
        async with shared_service(api_base=server.api_base, queue_size=1, concurrency=1) as service:
            asks = [await service.ask("Who is the keenest of our customers?") for _ in range(2)]
            async with service.session.post(f"{service.url}/v1/asks", json={"query": COUNT}) as response:
                assert response.status == 429
                assert int(response.headers["Retry-After"]) > 0
            assert (await service.result(asks[1]))["status"] == "understanding"
            await service.stop(asks[1])
            await service.stop(asks[0])
            assert [(await service.result(ask))["status"] for ask in asks] == ["stopped", "stopped"]


async def test_a_database_that_is_gone_is_said_with_a_hint(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    async with running_service(config) as service:
        await service.prepare()
        (tmp_path / "shop.sqlite").unlink()
        result = await service.answer(COUNT, execute=True)
    assert result["status"] == "failed"
    assert result["error"]["hint"]


async def test_a_project_without_a_database_is_refused_with_words(tmp_path: Path) -> None:
    own = {"default": {"engine": "sqlite", "path": str(tmp_path / "shop.sqlite")}}
    async with running_service(write_config(tmp_path, data_sources=own)) as service:
        body = {"mdl": tiny_shop.manifest(), "mdl_hash": "m1", "project_id": "other"}
        status, answer = await service.call("POST", "/v1/semantics-preparations", json=body)
    assert status == 422
    assert "data_sources.other" in answer["hint"]


async def test_readiness_names_every_dependency_and_the_missing_file(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        status, ready = await service.call("GET", "/health/ready")
        (tmp_path / "shop.sqlite").unlink()
        later, unready = await service.call("GET", "/health/ready")
    assert (status, later) == (200, 503)
    assert {"record", "embedder", "language_model", "data_source.default"} <= set(str(ready).replace("'", " ").split())
    assert "missing" in str(unready)
    assert str(tmp_path) not in str(unready)


@pytest.mark.parametrize(
    ("engine", "content", "status"),
    [
        ("sqlite", b"", 200),  # as SQLite makes them
        ("sqlite", bytes(range(256)) * 16, 503),
        ("sqlite", b"SQLite format 3\0" + bytes(range(256)) * 16, 503),
        ("sqlite", bytes(8) + b"DUCK" + bytes(4096), 503),
        ("duckdb", b"", 503),
        ("duckdb", bytes(range(256)) * 16, 503),
    ],
)
async def test_a_file_that_is_no_database_is_not_ready(
    tmp_path: Path, engine: str, content: bytes, status: int
) -> None:
    path = tmp_path / "data.db"
    sources = {"default": {"engine": engine, "path": str(path)}}
    path.write_bytes(content)
    async with running_service(write_config(tmp_path, data_sources=sources)) as service:
        assert (await service.call("GET", "/health/ready"))[0] == status


async def test_a_column_that_the_database_lacks_is_an_error_and_never_its_own_name_as_rows(tmp_path: Path) -> None:
    # SQLite takes a quoted name that it does not know for a text.
    model = tiny_shop.manifest()
    model["models"][0]["columns"].append({"name": "nickname", "type": "VARCHAR"})
    async with running_service(write_config(tmp_path)) as service:
        prepared = await service.prepare(model)
        result = await service.answer("List the nickname of all customers", execute=True)
    assert "nickname" in str(prepared["warnings"])
    assert (result["status"], result["error"]["code"]) == ("failed", "OTHERS")
    assert "nickname" in result["error"]["message"]


async def test_a_saved_answer_that_no_longer_fits_the_model_is_said() -> None:
    question = "Who has waited longest?"
    pair = {"id": "p1", "question": question, "sql": "SELECT customer_id FROM orders ORDER BY order_date LIMIT 1"}
    smaller = tiny_shop.manifest()
    smaller["models"][1]["columns"] = [c for c in smaller["models"][1]["columns"] if c["name"] != "order_date"]
    async with shared_service() as service:
        status, _ = await service.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]})
        assert status == 202
        assert (await service.answer(question, execute=True))["data"]["rows"] == [[1]]
        await service.prepare(smaller, mdl_hash="m2")
        result = await service.answer(question, execute=True)
    assert (result["status"], result["error"]["code"]) == ("failed", "NO_RELEVANT_SQL")
    assert "order_date" in result["error"]["message"]
    assert "order_date" in result["invalid_sql"]


async def test_a_saved_answer_that_takes_too_long_is_a_time_out(tmp_path: Path) -> None:
    crossed = "SELECT count(*) FROM orders a" + "".join(f" CROSS JOIN orders b{n}" for n in range(20))
    pair = {"id": "p1", "question": "How long is forever?", "sql": crossed}
    async with prepared_service(tmp_path, settings={"engine_timeout": 0.5}) as service:
        await service.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]})
        result = await service.answer("How long is forever?", execute=True)
    assert (result["status"], result["nl2sql_code"]) == ("failed", "3002")
    assert "engine_timeout" in result["error"]["hint"]


async def test_a_bad_project_id_is_refused_in_words_not_in_a_pattern(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        status, answer = await service.call("POST", "/v1/asks", json={"query": COUNT, "project_id": "a b/../c"})
        seen, foreign = await service.call("DELETE", "/v1/semantics?project_id=a%20b")
    assert (status, seen) == (422, 422)
    for refusal in (answer, foreign):
        assert "letters, digits" in refusal["message"]
        assert "pattern" not in refusal["message"]
