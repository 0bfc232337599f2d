"""A record that cannot be written, or is cut off: what is said, and what becomes of asks."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from askwell.asks.request import AskRequest, asked_for
from askwell.config import load_config
from askwell.container import Container
from askwell.errors import RecordUnavailable
from askwell.jobs.kind import body_hash
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.record import Record
from askwell.services.health.backends import home_is_writable
from askwell.services.health.finding import State
from tests.access.house import ADMIN_KEY, ALPHA, house_config
from tests.asks.test_stop_and_kill import HISTORY, QUESTION, RIGHT
from tests.fakes.openai_server import Answer, ChatServer
from tests.knowledge.conftest import throw_away_schema
from tests.knowledge.test_postgres import gateway
from tests.observability.scraping import scrape
from tests.support.cuts import cut_again_and_again
from tests.support.service import ENDS, Client, prepared_service, running_service, write_config

BYTES = 4 * 2**20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={BYTES}", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this user may not mount a small disk, so a full one is not tested")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path) -> Path:
    """Leave no room, in a file that can be removed again."""
    filling = disk / "filling"
    with contextlib.suppress(OSError), filling.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    return filling


def make_read_only(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)


@pytest.mark.deep  # each write first tries for some seconds
async def test_verdicts_on_tables_that_cannot_be_written_down_count_all_the_same(
    disk: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    relevant = {"is_relevant": True, "confidence": 1, "relevant_columns": [], "reasoning": ""}
    script = {"table_relevance": [Answer(json=relevant, hang=True)], "sql_generation": [Answer(json={"sql": RIGHT})]}
    settings = {"table_selection": "three_phase"}
    async with ChatServer(script) as model:
        config = write_config(tmp_path, api_base=model.api_base, home=str(disk / "home"), settings=settings)
        async with running_service(config) as service:
            await service.prepare()
            ask = await service.ask(QUESTION, execute=True)
            await model.arrived("table_relevance", 3)
            filling = fill(disk)
            model.release()
            await model.arrived("sql_generation", within=60)
            filling.unlink()
            result = await service.end(ask, within=60)
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert "how far the ask has come is not written down" in caplog.text
    assert model.calls("table_relevance") == 3


async def test_a_full_disk_is_said_and_what_was_accepted_ends_once_there_is_room(disk: Path, tmp_path: Path) -> None:
    script = {"sql_generation": [Answer(json={"sql": RIGHT}, hang=True)]}
    async with ChatServer(script) as model:
        config = write_config(tmp_path, api_base=model.api_base, home=str(disk / "home"))
        async with running_service(config) as service:
            await service.prepare()
            ask = await service.ask(QUESTION, execute=True)
            await model.arrived("sql_generation")
            assert (await service.call("GET", "/health/ready"))[0] == 200
            filling = fill(disk)

            status, refused = await service.call("POST", "/v1/asks", json={"query": QUESTION})
            assert (status, refused["code"]) == (503, "RECORD_UNAVAILABLE")
            status, answer = await service.call("GET", "/health/ready")
            told = answer["checks"]["record"]
            assert (status, told["ok"]) == (503, False)
            assert "the disk is full" in told["message"]
            assert "Free some space" in told["message"]
            assert str(disk) not in told["message"]
            model.release()
            for _ in range(20):
                assert (await service.result(ask))["status"] == "generating"
                await asyncio.sleep(0.02)

            found = await home_is_writable(disk / "home")
            assert found.state is State.FAILED
            assert str(disk) in found.message
            assert "Free some disk space" in found.hint

            filling.unlink()
            end = await service.end(ask)
            assert end["data"]["rows"] == [["Ada Lovelace"]]
            assert (await service.call("GET", "/health/ready"))[0] == 200
            assert (await scrape(service)).value("askwell_asks_total") == 1
        async with running_service(config) as service:
            assert await service.result(ask) == end
            assert model.calls("sql_generation") == 1


async def test_a_stop_while_an_end_waits_for_room_is_refused_and_can_be_repeated(disk: Path, tmp_path: Path) -> None:
    script = {"sql_generation": [Answer(json={"sql": RIGHT}, hang=True)]}
    async with ChatServer(script) as model:
        config = write_config(tmp_path, api_base=model.api_base, home=str(disk / "home"))
        async with running_service(config) as service:
            await service.prepare()
            ask = await service.ask(QUESTION)
            await model.arrived("sql_generation")
            filling = fill(disk)
            status, refused = await service.call("PATCH", f"/v1/asks/{ask}", json={"status": "stopped"})
            assert (status, refused["code"]) == (503, "RECORD_UNAVAILABLE")
            filling.unlink()
            await service.stop(ask)
            assert (await service.result(ask))["status"] == "stopped"


@pytest.mark.deep  # a stop gives it the time that running asks get
async def test_what_could_not_end_is_taken_up_by_the_next_start(disk: Path, tmp_path: Path) -> None:
    script = {"sql_generation": [Answer(json={"sql": RIGHT}, hang=True), Answer(json={"sql": RIGHT})]}
    async with ChatServer(script) as model:
        config = write_config(tmp_path, api_base=model.api_base, home=str(disk / "home"))
        async with running_service(config) as service:
            await service.prepare()
            ask = await service.ask(QUESTION, execute=True)
            await model.arrived("sql_generation")
            filling = fill(disk)
            model.release()
        filling.unlink()
        async with running_service(config) as service:
            assert (await service.end(ask))["data"]["rows"] == [["Ada Lovelace"]]


async def test_no_line_of_the_audit_log_is_lost_while_the_disk_is_full(disk: Path, tmp_path: Path) -> None:
    config = house_config(tmp_path, home=str(disk / "home"))
    async with running_service(config, {"ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN_KEY}) as service:
        service.session.headers["Authorization"] = f"Bearer {ADMIN_KEY}"
        await service.prepare(project_id=ALPHA)
        runs = [{"sql": f"SELECT {number} AS {'n' * 200}", "project_id": ALPHA} for number in range(60)]
        for number, run in enumerate(runs):
            if number == 20:
                filling = fill(disk)
            assert (await service.call("POST", "/v1/sql-runs", json=run))[0] == 200
        status, answer = await service.call("GET", "/health/ready")
        told = answer["checks"]["audit_log"]
        assert (status, told["ok"]) == (503, False)
        filling.unlink()
        async with asyncio.timeout(10):
            while (await service.call("GET", "/health/ready"))[0] != 200:
                await asyncio.sleep(0.1)
    lines = [json.loads(line) for line in (disk / "home" / "audit" / "audit.jsonl").read_text("utf-8").splitlines()]
    assert sum(line["event"] == "tool" for line in lines) == len(runs)
    assert sum(line.get("route") == "POST /v1/sql-runs" for line in lines) == len(runs)


async def test_a_home_that_cannot_be_written_is_refused_in_words(disk: Path, tmp_path: Path) -> None:
    config = write_config(tmp_path, home=str(disk / "home"))
    async with running_service(config) as service:
        await service.prepare()
    make_read_only(disk)
    container = Container(load_config(config, {}))
    with pytest.raises(RecordUnavailable, match="Read-only file system") as caught:
        await container.start()
    assert str(disk / "home") in caught.value.message
    assert "ASKWELL_HOME" in caught.value.hint


# -- A record whose server cuts its connections again and again: what was accepted ends once, and none ends as failed.


UNDERSTOOD = {"rephrased_question": QUESTION, "reasoning": "", "intent": "TEXT_TO_SQL"}
COUNTED = {"query": "How many customers are there?", "execute": True}
ASKS = 25


async def accepted(service: Client) -> str:
    """The id of an ask. One that is refused is sent again, as clients do."""
    key = {"Idempotency-Key": uuid.uuid4().hex}
    async with asyncio.timeout(30):
        while True:
            status, answer = await service.call("POST", "/v1/asks", json=COUNTED, headers=key)
            if status == 202:
                return str(answer["query_id"])
            assert status == 503, answer
            await asyncio.sleep(0.1)


async def ends_of(service: Client, ask_id: str) -> list[str]:
    """The events of an ended ask that are ends."""
    async with service.session.get(f"{service.url}/v1/asks/{ask_id}/events") as response:
        lines = (await response.text()).splitlines()
    return [line for line in lines if line in ("event: done", "event: error")]


@pytest.mark.deep
async def test_every_ask_ends_once_and_is_answered_while_connections_are_cut(tmp_path: Path) -> None:
    async with throw_away_schema() as url:
        config = write_config(tmp_path, knowledge={"url": url})
        async with running_service(config):
            pass  # making the tables takes a server longer than there is between two cuts
        async with cut_again_and_again(url) as cuts, running_service(config) as service:
            assert (await service.prepare())["status"] == "finished"
            asks = []
            for _ in range(ASKS):
                asks.append(await accepted(service))
                await asyncio.sleep(0.02)
            results = [await service.end(ask) for ask in asks]
            ends = [await ends_of(service, ask) for ask in asks]
            counted = (await scrape(service)).value("askwell_asks_total")
        async with running_service(config) as service:
            kept = [await service.result(ask) for ask in asks]
    assert sum(cuts) > 5
    assert [(one["status"], one.get("error")) for one in results] == [("finished", None)] * ASKS
    assert all(one["status"] in ENDS for one in results)
    assert ends == [["event: done"]] * ASKS
    assert counted == ASKS
    assert kept == results


async def test_an_ask_that_was_written_and_refused_runs_when_it_is_sent_again(tmp_path: Path) -> None:
    request = AskRequest(**COUNTED).to_json()  # type: ignore[arg-type]
    del request["passages"]  # which were not known when it was written
    left = AcceptedJob("left", "ask", "default", request, "key", body_hash(asked_for(request)), datetime.now(UTC))
    async with prepared_service(tmp_path) as service:
        record = await Record.open("sqlite", tmp_path / "home")
        await record.jobs.accept(left)  # as one whose commit came through and whose answer did not
        await record.close()
        for more in ({}, {"passages": None}):
            body, key = COUNTED | more, {"Idempotency-Key": "key"}
            status, answer = await service.call("POST", "/v1/asks", json=body, headers=key)
            assert (status, answer.get("query_id")) == (202, "left")
            assert (await service.end("left"))["data"]["rows"] == [[3]]
        assert (await scrape(service)).value("askwell_asks_total") == 1


@pytest.mark.deep  # a stop, and each look at the record, first tries for some seconds
async def test_an_ask_waits_for_a_server_that_is_away_and_is_answered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def said(what: str) -> None:
        async with asyncio.timeout(30):
            while what not in caplog.text:
                await asyncio.sleep(0.02)

    script = {
        "intent_classification": [Answer(json=UNDERSTOOD, hang=True), Answer(json=UNDERSTOOD)],
        "sql_generation": [Answer(json={"sql": RIGHT})],
    }
    async with throw_away_schema() as url, gateway(url) as (door, address), ChatServer(script) as model:
        config = write_config(tmp_path, api_base=model.api_base, settings={"concurrency": 1})
        async with running_service(config, {"ASKWELL_KNOWLEDGE__URL": address}) as service:
            await service.prepare()
            first = await service.ask(QUESTION, histories=HISTORY, execute=True)
            second = await service.ask(QUESTION, execute=True)
            await model.arrived("intent_classification")
            await door.shut()
            model.release()
            await said("ask waits for the record")
            # The first has read all that it needs, and waits for its end to be written; the second to begin.
            assert [(await service.result(ask))["status"] for ask in (first, second)] == ["generating", "understanding"]
            status, refused = await service.call("POST", "/v1/asks", json=COUNTED)
            assert (status, refused["code"]) == (503, "RECORD_UNAVAILABLE")
            assert (await service.call("GET", "/health/ready"))[0] == 503
            await door.open()
            ends = [await service.end(ask) for ask in (first, second)]
            assert [end["data"]["rows"] for end in ends] == [[["Ada Lovelace"]]] * 2
            assert (await service.call("GET", "/health/ready"))[0] == 200
            assert (await scrape(service)).value("askwell_asks_total") == 2
            assert await ends_of(service, first) == ["event: done"]
