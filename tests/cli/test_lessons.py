"""Teaching a service, and looking at what it has learnt, on the command line."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from askwell.cli.lessons import lesson_in
from askwell.cli.main import app
from askwell.errors import InvalidRequest
from askwell.messages import say
from tests.cli.running import askwell
from tests.support.service import running_service, write_config
from tests.support.small_shops import make_small_shop

RUNNER = CliRunner()


async def run(*args: str, url: str) -> Result:
    return await asyncio.to_thread(partial(RUNNER.invoke, app, [*args, "--url", url]))


async def test_a_service_is_taught_and_its_lessons_are_decided_of(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        await service.prepare()
        said = partial(run, url=service.url)
        assert (await service.answer("how many zorbs are there?"))["status"] == "failed"

        taught = await said("teach", "zorbs", "=", "customers")
        assert (taught.exit_code, "customers" in taught.stdout) == (0, True), taught.output
        answer = await service.answer("how many zorbs are there?", execute=True)
        assert answer["data"]["rows"] == [[3]]
        assert [one["kind"] for one in answer["lessons_used"]] == ["table_mapping"]

        listed = await said("lessons", "list")
        lesson = listed.stdout.split()[0]
        assert "active" in listed.stdout
        exported = (await said("lessons", "export")).stdout
        assert "said: zorbs" in exported

        assert (await said("lessons", "refuse", lesson)).stdout.startswith("refused")
        assert (await service.answer("how many zorbs are there?"))["status"] == "failed"
        assert (await said("lessons", "approve", lesson)).stdout.startswith("active")
        assert (await service.answer("how many zorbs are there?"))["status"] == "finished"
        assert (await said("lessons", "revert", lesson)).exit_code == 0
        assert "Nothing learned yet." in (await said("lessons", "list")).stderr

        file = tmp_path / "lessons.yaml"
        file.write_text(exported + "- kind: table_mapping\n  body: {said: quarks, table: custmers}\n")
        kept = await said("lessons", "import", str(file))
        assert (kept.exit_code, kept.stdout) == (1, "1 lesson is kept.\n")
        assert "nearest: customers" in kept.stderr
        assert (await service.answer("how many zorbs are there?"))["status"] == "finished"


async def test_what_cannot_be_kept_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "lessons.yaml"
    async with running_service(write_config(tmp_path)) as service:
        await service.prepare()
        for content, told in (
            ("- &a {kind: x}\n- *a\n", "refer to other parts"),
            ("kind: table_mapping", "isn't a list of lessons"),
            ("[", "is not valid YAML"),
            ("[" * 100_000, "nested too deeply"),
        ):
            file.write_text(content)
            refused = await run("lessons", "import", str(file), url=service.url)
            assert (refused.exit_code, told in refused.stderr) == (3, True), refused.output
        for words, told in (
            (("zorbs", "=", "custmers"), "nearest: customers"),
            (("orders", "=", "customers"), "the model calls something else so"),
            (("how many", "=", "customers"), "mean something in every question"),
            (("turnover", "=", "sum(orders.totl)"), "the model has no orders.totl"),
            (("turnover", "=", "orders.id + (1)"), "it has to add up"),
            (("zorbs",), say("cli.teach_what").message),
        ):
            refused = await run("teach", *words, url=service.url)
            assert refused.exit_code in (2, 3), words
            assert told in refused.stderr, (words, refused.stderr)


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ('"zorbs" = "customers"', {"said": "zorbs", "table": "customers"}),
        ("grand hoopla = orders.total", {"said": "grand hoopla", "column": "orders.total"}),
        ('"revenue" = sum(orders.total)', {"said": "revenue", "formula": "sum(orders.total)"}),
        ("paid = sum(iif(state = 'paid', 1, 0))", {"said": "paid", "formula": "sum(iif(state = 'paid', 1, 0))"}),
        ('“net revenue” = "sum(orders.net)"', {"said": "net revenue", "formula": "sum(orders.net)"}),
    ],
)
def test_a_line_says_what_words_mean(line: str, body: dict[str, Any]) -> None:
    assert lesson_in(line)["body"] == body


@pytest.mark.parametrize("line", ["", "zorbs", "zorbs =", "= customers", '"" = customers'])
def test_half_a_line_is_told(line: str) -> None:
    with pytest.raises(InvalidRequest, match=say("cli.teach_what").message):
        lesson_in(line)


async def test_a_database_is_taught_without_a_service(tmp_path: Path) -> None:
    make_small_shop("trader", tmp_path)
    said = partial(askwell, folder=tmp_path, ASKWELL_DATABASE="trader.sqlite")
    taught = await asyncio.to_thread(said, "teach", "fare sum", "=", "sum(flights.price)")
    assert (taught.returncode, taught.stdout) == (
        0,
        "“fare sum” means sum(flights.price) (taught, active)\n",
    ), taught.stderr
    listed = await asyncio.to_thread(said, "lessons", "list")
    assert "fare sum" in listed.stdout
    answer = await asyncio.to_thread(said, "ask", "fare sum")
    assert "SUM(flights.price) AS fare_sum" in answer.stdout
    nowhere = await asyncio.to_thread(partial(askwell, "lessons", "list", folder=tmp_path))
    assert (nowhere.returncode, "ASKWELL_DATABASE" in nowhere.stderr) == (2, True)
