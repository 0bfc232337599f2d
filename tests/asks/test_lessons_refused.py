"""Lessons that would change what is known already, or that hold SQL which does not pass: refused with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from askwell.config import load_config
from askwell.container import Container
from askwell.errors import ConfigurationError
from tests.asks.test_lessons import CUSTOMERS, lessons
from tests.support.service import write_config
from tests.support.shared import shared_service


def table_of(said: str) -> dict[str, Any]:
    return {"kind": "table_mapping", "body": {"said": said, "table": "suppliers"}}


def answered_by(sql: str) -> dict[str, Any]:
    return {"kind": "query_pattern", "body": {"question_like": "what is gone", "sql": sql}}


KNOWN, VALUE, EVERYWHERE = "the model calls something else so", "it is a value of the data", "in every question"
REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    (table_of("customers"), KNOWN),
    (table_of("customer name"), KNOWN),
    (table_of("Italy"), VALUE),
    (table_of("bob"), VALUE),
    ({"kind": "metric", "body": {"said": "Italy", "formula": "sum(flights.price)"}}, VALUE),
    (table_of("how many"), EVERYWHERE),
    (table_of("the top"), EVERYWHERE),
    (table_of("ﬁsh"), "more than words"),  # a ligature: it is typed otherwise
    (answered_by("DELETE FROM customers"), "Only a SELECT may run; this is a DELETE"),
    (answered_by("SELECT 1; DROP TABLE customers"), "One statement is allowed, not 2"),
    (answered_by("SELECT load_extension('x')"), "load_extension is not allowed"),
    (answered_by("SELECT * FROM volcanoes"), "there is no table"),
)


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


@pytest.mark.parametrize(("text", "told"), HOSTILE.values(), ids=HOSTILE)
async def test_yaml_that_is_meant_to_do_harm_is_refused_by_the_import(text: str, told: str) -> None:
    """Before it is built up."""
    async with shared_service("trader") as service:
        status, refused = await service.call("POST", "/v1/lessons/import", json={"yaml": text})
    assert (status, refused["message"]) == (422, told)


@pytest.mark.parametrize(("text", "told"), HOSTILE.values(), ids=HOSTILE)
async def test_yaml_that_is_meant_to_do_harm_stops_the_start(tmp_path: Path, text: str, told: str) -> None:
    """`lessons_file` is named with the reason."""
    (tmp_path / "lessons.yaml").write_text(text)
    config = load_config(write_config(tmp_path, lessons_file="lessons.yaml"), {})
    with pytest.raises(ConfigurationError) as caught:
        await Container(config).start()
    assert "lessons.yaml" in caught.value.message
    assert caught.value.message.endswith(told)
