"""What a project learns from its asks, over HTTP: what becomes of it, and what it must not do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from askwell.config import load_config
from askwell.container import Container
from askwell.errors import ConfigurationError
from tests.asks.test_clarification import TWINS, asked_back, correct
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import Client, running_service, write_config
from tests.support.shared import shared_service
from tests.support.small_shops import make_small_shop
from tests.support.tables import case_rows, case_table

CONSUMERS = "how many consumers are there?"
CUSTOMERS, SUPPLIERS = [[3]], [[2]]


async def lessons(service: Client, **wanted: str) -> list[dict[str, Any]]:
    status, page = await service.call("GET", "/v1/lessons", params=wanted)
    assert status == 200
    found: list[dict[str, Any]] = page["lessons"]
    return found


async def told(service: Client, question: str, said: str, *, remember: bool = True) -> dict[str, Any]:
    ask, _ = await asked_back(service, question)
    assert await correct(service, ask, {"text": said, "remember": remember}) == 202
    return await service.end(ask)


async def judge(service: Client, answer: dict[str, Any], **said: Any) -> dict[str, Any]:
    status, taken = await service.call("POST", f"/v1/asks/{answer['query_id']}/feedback", json=said)
    assert status == 200, taken
    found: dict[str, Any] = taken
    return found


async def teach(service: Client, *taught: dict[str, Any], **more: Any) -> int:
    status, _ = await service.call("POST", "/v1/lessons", json={"lessons": list(taught), **more})
    return status


def consumers(table: str) -> dict[str, Any]:
    return {"kind": "table_mapping", "body": {"said": "consumers", "table": table}}


async def test_what_was_learnt_outlives_a_restart_and_is_of_one_project(tmp_path: Path) -> None:
    path, model = make_small_shop("trader", tmp_path)
    config = write_config(tmp_path, data_sources={"default": {"engine": "sqlite", "path": str(path), "shared": True}})
    async with running_service(config) as service:
        assert (await service.prepare(model))["status"] == "finished"
        await told(service, CONSUMERS, "customers")
    async with running_service(config) as service:
        assert (await service.answer(CONSUMERS, execute=True))["data"]["rows"] == CUSTOMERS
        assert [one["status"] for one in await lessons(service)] == ["active"]
        status, other = await service.call("GET", "/v1/lessons", params={"project_id": "other"})
        assert (status, other) == (200, {"lessons": [], "total": 0})


@pytest.mark.deep
async def test_a_lesson_whose_answers_are_wrong_is_retired() -> None:
    async with shared_service("trader") as service:
        await told(service, CONSUMERS, "suppliers")
        for place in range(4):
            answer = await service.answer(f"{CONSUMERS} {'please ' * place}", execute=True)
            if answer["status"] != "finished":
                break
            await judge(service, answer, positive=False)
            await judge(service, answer, positive=False)
        assert [one["status"] for one in await lessons(service)] == ["retired"]
        assert place > 1


# What people ask, the statement of a model that names what is not there, and the wrong one that it mends it by.
WRONG_REPAIRS = case_rows(__file__, "wrong_repairs", "question", "wrong", "right")
PLAIN = case_table(__file__, "plain")


async def test_wrong_repairs_and_clicks_change_no_answer_until_a_person_says_so(tmp_path: Path) -> None:
    """Each twice: what is made twice is no truer."""
    path, model = make_small_shop("trader", tmp_path)
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    wrong = [Answer(json={"sql": sql}, when=asked) for asked, sql, _ in WRONG_REPAIRS]
    mended = [Answer(json={"sql": sql}, when=asked) for asked, _, sql in WRONG_REPAIRS]
    async with ChatServer({"sql_generation": wrong, "sql_correction": mended}) as server:
        config = write_config(tmp_path, data_sources=sources, api_base=server.api_base)
        async with running_service(config) as service:
            assert (await service.prepare(model))["status"] == "finished"
            for asked, _, sql in WRONG_REPAIRS * 2:
                answer = await service.answer(asked, custom_instruction="Be exact.", execute=True)
                assert answer["response"][0]["sql"].casefold() == sql.casefold()
    async with running_service(write_config(tmp_path, data_sources=sources)) as service:
        learnt = await lessons(service)
        assert len(learnt) >= len(WRONG_REPAIRS)
        before = [await told_as(service, question) for question in PLAIN]
        for _ in range(2):
            await told(service, CONSUMERS, "suppliers", remember=False)
            await told(service, TWINS, "purchase orders", remember=False)
        assert [await told_as(service, question) for question in PLAIN] == before
        assert {one["status"] for one in await lessons(service)} == {"candidate"}
        [payees] = [one for one in learnt if one["body"].get("said") == "payees"]
        accepted = await service.call("PATCH", f"/v1/lessons/{payees['id']}", json={"status": "active"})
        assert (accepted[1]["status"], accepted[1]["origin"]) == ("active", "accepted")
        answer = await service.answer("how many payees are there?", execute=True)
        assert answer["data"]["rows"] == CUSTOMERS
        assert "“payees” means customers, as was confirmed." in answer["assumptions"]
        # A person's own word is worth more, whoever comes later.
        assert await teach(service, {"kind": "table_mapping", "body": {"said": "payees", "table": "suppliers"}}) == 200
        refused, why = await service.call("PATCH", f"/v1/lessons/{payees['id']}", json={"status": "active"})
        assert (refused, why["hint"]) == (409, "Undo that lesson first.")
        assert (await service.answer("how many payees are there?", execute=True))["data"]["rows"] == SUPPLIERS


async def told_as(service: Client, question: str) -> list[Any]:
    answer = await service.answer(question, execute=True)
    return [answer.get(name) for name in ("status", "response", "assumptions", "lessons_used", "error")]


async def test_a_proposal_counts_when_three_answers_by_it_were_called_right() -> None:
    async with shared_service("trader") as service:
        for place in range(3):
            [before] = {one["status"] for one in await lessons(service, kind="table_mapping")} or {None}
            assert before in (None, "candidate")
            answer = await told(service, f"{CONSUMERS} {'please ' * place}", "customers", remember=False)
            for _ in range(2):  # twice the same is said once
                await judge(service, answer, positive=True)
        [lesson] = await lessons(service, kind="table_mapping")
        assert lesson["status"] == "active"
        assert (await service.answer("how many consumers are from Italy?", execute=True))["data"]["rows"] == [[2]]


async def test_a_figure_is_taught_as_sql_and_proposed_for_the_model() -> None:
    async with shared_service("trader") as service:
        fares = {"kind": "metric", "body": {"said": "fare sum", "formula": "sum(flights.price)"}}
        assert await teach(service, fares) == 200
        answer = await service.answer("fare sum per number", execute=True)
        assert answer["status"] == "finished", answer
        assert "SUM(flights.price) AS fare_sum" in answer["response"][0]["sql"]
        assert [one["kind"] for one in answer["lessons_used"]] == ["metric"]
        assert "“fare sum” means SUM(flights.price), as was said." in answer["assumptions"]
        _, patch = await service.call("GET", "/v1/lessons/model-patch")
        [operation] = patch
        proposed = operation["value"] if operation["path"] == "/metrics/-" else operation["value"][0]
        assert (proposed["baseObject"], proposed["measure"][0]["expression"]) == ("flights", 'SUM("price")')
        exported = (await service.call("GET", "/v1/lessons/export"))[1]
        assert "formula: sum(flights.price)" in str(exported)
        _, again = await service.call("POST", "/v1/lessons/import", json={"yaml": str(exported)})
        assert (len(again["lessons"]), again["problems"]) == (1, [])


async def test_a_figure_can_be_taught_before_there_is_a_model(tmp_path: Path) -> None:
    path, model = make_small_shop("trader", tmp_path)
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    async with running_service(write_config(tmp_path, data_sources=sources)) as service:
        fares = {"kind": "metric", "body": {"said": "fare sum", "formula": "sum(flights.price)"}}
        assert await teach(service, fares) == 200
        assert (await service.prepare(model))["status"] == "finished"
        answer = await service.answer("fare sum per number", execute=True)
    assert answer["status"] == "finished", answer
    assert [one["note"] for one in answer["lessons_used"]] == [
        "“fare sum” is sum(flights.price) over the rows of its table."
    ]


@pytest.mark.deep
async def test_what_is_gone_from_the_model_is_said_and_harms_nothing(tmp_path: Path) -> None:
    async with shared_service("trader") as service:
        flim = {"kind": "column_mapping", "body": {"said": "flim", "column": "flights.price"}}
        assert await teach(service, flim) == 200
        _, patch = await service.call("GET", "/v1/lessons/model-patch")
        [operation] = patch
        assert (operation["op"], operation["value"]) == ("add", ["flim"])
        assert operation["path"].endswith("/properties/synonyms")
        (tmp_path / "new").mkdir()
        _, model = make_small_shop("trader", tmp_path / "new")
        model["models"] = [one for one in model["models"] if one["name"] != "flights"]
        model["relationships"] = [one for one in model["relationships"] if "flights" not in one["models"]]
        assert (await service.prepare(model, "m2"))["status"] == "finished"
        [lesson] = await lessons(service)
        assert lesson["problem"] == "The model has no flights.price any more."
        assert (await service.answer("total flim"))["status"] == "failed"


POISON = case_table(__file__, "poison")


async def test_what_is_against_the_model_or_no_lesson_is_refused() -> None:
    async with shared_service("trader") as service:
        for poison in POISON:
            taught = {"lessons": [consumers("customers"), poison]}
            status, refused = await service.call("POST", "/v1/lessons", json=taught)
            assert status == 422, (poison, refused)
        assert await lessons(service) == []


async def test_no_amount_of_advice_hides_what_a_word_means() -> None:
    """More advice on the same question than a question takes lessons, and still the word is known."""
    advice = ({"kind": "query_pattern", "body": {"question_like": CONSUMERS, "advice": f"No {i}."}} for i in range(15))
    async with shared_service("trader") as service:
        assert await teach(service, *advice) == 200
        assert await teach(service, consumers("customers")) == 200
        assert (await service.answer(CONSUMERS, execute=True))["data"]["rows"] == CUSTOMERS


# -- Lessons that would change what is known already, or that hold SQL which does not pass: refused with the reason.


KNOWN, VALUE, EVERYWHERE = "the model calls something else so", "it is a value of the data", "in every question"
REFUSED: tuple[tuple[dict[str, Any], str], ...] = case_table(__file__, "refused")


async def test_a_lesson_that_cannot_hold_is_refused_with_the_reason() -> None:
    """Taught, it is an error; in an import, one problem of its own."""
    async with shared_service("trader") as service:
        for lesson, why in REFUSED:
            status, refused = await service.call("POST", "/v1/lessons", json={"lessons": [lesson]})
            assert (status, why in refused["message"]) == (422, True), (lesson, refused)
        assert await lessons(service) == []


async def test_statements_that_do_not_pass_are_left_out_of_an_import() -> None:
    """What stands beside them is kept."""
    entries = (
        "- {kind: query_pattern, body: {question_like: what is gone, sql: DELETE FROM customers}}\n"
        "- {kind: table_mapping, body: {said: Italy, table: suppliers}}\n"
        "- {kind: table_mapping, body: {said: zorbs, table: customers}}\n"
    )
    async with shared_service("trader") as service:
        status, kept = await service.call("POST", "/v1/lessons/import", json={"yaml": entries})
        assert status == 200
        assert [one["body"]["said"] for one in kept["lessons"]] == ["zorbs"]
        assert {why for why in (VALUE, "this is a DELETE") for problem in kept["problems"] if why in problem} == {
            VALUE,
            "this is a DELETE",
        }
        assert (await service.answer("how many zorbs are there?", execute=True))["data"]["rows"] == CUSTOMERS


# Each would take a parser minutes, or gigabytes.
HOSTILE = {
    "brackets": ("[" * 100_000, "The lessons are nested too deeply."),
    "braces": ("- {a: " * 50_000, "The lessons are nested too deeply."),
    "dashes": ("- " * 100_000, "The lessons are nested too deeply."),
    "keys": ("? " * 100_000, "The lessons are nested too deeply."),
    "aliases": ("- &a [x, x]\n- &b [*a, *a]\n- [*b, *b]\n", "The lessons refer to other parts of the file (*name)."),
}


async def test_yaml_that_is_meant_to_do_harm_is_refused_by_the_import() -> None:
    """Before it is built up."""
    async with shared_service("trader") as service:
        for name, (text, told) in HOSTILE.items():
            status, refused = await service.call("POST", "/v1/lessons/import", json={"yaml": text})
            assert (status, refused["message"]) == (422, told), name


@pytest.mark.parametrize(("text", "told"), HOSTILE.values(), ids=HOSTILE)
async def test_yaml_that_is_meant_to_do_harm_stops_the_start(tmp_path: Path, text: str, told: str) -> None:
    """`lessons_file` is named with the reason."""
    (tmp_path / "lessons.yaml").write_text(text)
    config = load_config(write_config(tmp_path, lessons_file="lessons.yaml"), {})
    with pytest.raises(ConfigurationError) as caught:
        await Container(config).start()
    assert "lessons.yaml" in caught.value.message
    assert caught.value.message.endswith(told)
