"""A wall clock that jumps by hours while asks run, and between two runs of the service."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.asks.test_events import PLAN, read_events, script
from tests.asks.test_language_model import QUESTION, RIGHT
from tests.fakes.openai_server import Answer, ChatServer
from tests.observability.scraping import scrape
from tests.support.clock import Clock
from tests.support.service import running_service, write_config


@pytest.mark.parametrize("hours", [pytest.param(5, marks=pytest.mark.deep), -5])
async def test_an_ask_that_runs_while_the_clock_jumps_ends_once(tmp_path: Path, hours: int) -> None:
    clock = Clock()
    waits = [Answer(json={"sql": RIGHT}, hang=True), Answer(json={"sql": RIGHT})]
    async with ChatServer(script(sql_generation=waits)) as server:
        config = write_config(tmp_path, api_base=server.api_base, settings={"concurrency": 1})
        async with running_service(config, now=clock) as service:
            await service.prepare()
            running, waiting = [await service.ask(QUESTION) for _ in range(2)]
            await server.arrived("sql_generation")
            clock.ahead = timedelta(hours=hours)
            server.release()
            ends = [await service.end(ask) for ask in (running, waiting)]
            assert [end["status"] for end in ends] == ["finished"] * 2
            for ask in (running, waiting):
                kinds = [kind for _, kind, _ in await read_events(service, f"/asks/{ask}/events")]
                assert (kinds.count("done"), kinds.count("error"), kinds[-1]) == (1, 0, "done")
            assert (await scrape(service)).value("askwell_asks_total") == 2
        async with running_service(config, now=clock) as service:
            assert await service.result(waiting) == ends[1]
    assert server.calls("sql_generation") == 2


async def test_a_reader_who_comes_back_after_the_clock_was_set_back_misses_no_end(tmp_path: Path) -> None:
    clock = Clock()
    async with ChatServer(script()) as server:
        config = write_config(tmp_path, api_base=server.api_base)
        async with running_service(config, now=clock) as service:
            await service.prepare()
            before = await service.ask(QUESTION)
            await service.end(before)
            (*_, (last, _, _)) = await read_events(service, f"/asks/{before}/events")
            clock.ahead = timedelta(hours=-5)
            ask = await service.ask(QUESTION)
            # As one whose ask began in an earlier run, at a later time.
            events = await read_events(service, f"/asks/{ask}/events", last_seen=str(last))
            assert events[-1][1] == "done"
        async with running_service(config, now=clock) as service:
            events = await read_events(service, f"/asks/{ask}/events", last_seen=str(last))
            assert events[-1][1] == "done"
            assert "".join(data["message"] for _, kind, data in events if kind == "delta") == PLAN
