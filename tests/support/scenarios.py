"""Scenarios in YAML: what is sent to a service, what a scripted language model replies, and what comes back.

A file has `defaults` and `scenarios`, each by its name; a scenario takes the defaults it lacks. `shop`, `settings`,
`mdl` (in place of parts of the tiny shop's) and `body` (fields of each ask) make the service and its asks, `model` has
the replies by stage (without it there is no model). `rows` run the steps once each, with `$name` in place of values of
the row, after the steps of `first`. `deep` ones run by make test-deep; `why` is for readers.

A step has one verb: `ask` (with `body`), `say` (an answer to what was asked back), `send` ("POST /v1/…", with `body`;
an event is waited for), `job` (its kind; fields of `body` take the place of the good one's), `stop`, or `look`. `code`
is the status, `result` what the body holds, `calls` how often each stage was called since the scenario began, `shown`
and `hidden` what stands in the last prompt of a stage (`*`: in any), `text` the words that are streamed; `keep` gives
parts of the result a name, for `$name` and `{name}` in later steps.

Of a result only what is named counts: `a.b.0` leads inside, `a.*.b` is one list of all; null is absent; numbers with a
point are the same to six digits. `{has: …}`, `{lacks: …}`, `{starts: …}`, `{count: …}`, `{is: …}`, `{differs: …}`,
`{nowhere: …}` and `{there: …}` look at texts, lists and keys. A key that is none of these fails."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fakes.openai_server import Answer, ChatServer
from tests.support import tiny_shop
from tests.support.job_calls import Jobs
from tests.support.service import ENDS, Client
from tests.support.shared import shared_service

Scenario = dict[str, Any]

_OF_FILES = {"parts", "defaults", "scenarios"}
_OF_SCENARIOS = {"shop", "settings", "mdl", "body", "model", "rows", "first", "steps", "deep", "why"}
_VERBS = {"ask", "say", "send", "job", "stop", "look"}
_OF_STEPS = _VERBS | {"body", "code", "result", "calls", "shown", "hidden", "text", "keep"}


def scenarios(folder: Path) -> list[Any]:
    """Parameters of a test: each scenario of the files in a folder."""
    return [
        pytest.param(
            {**told.get("defaults", {}), **scenario},
            id=f"{path.stem}-{name}",
            marks=[pytest.mark.deep] if scenario.get("deep") else [],
        )
        for path in sorted(folder.glob("*.yaml"))
        for told in [_read(path)]
        for name, scenario in told["scenarios"].items()
    ]


def _read(path: Path) -> dict[str, Any]:
    told: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    _only(told, _OF_FILES, path.name)
    for name, scenario in [("defaults", told.get("defaults", {})), *told["scenarios"].items()]:
        _only(scenario, _OF_SCENARIOS, f"{path.name}, {name}")
        for step in [*scenario.get("first", []), *scenario.get("steps", [])]:
            _only(step, _OF_STEPS, f"{path.name}, {name}")
            assert len(_VERBS & step.keys()) == 1, f"{path.name}, {name}: one verb, not {sorted(step)}"
    return told


def _only(given: Scenario, known: set[str], where: str) -> None:
    assert given.keys() <= known, f"{where}: unknown {sorted(given.keys() - known)}"


async def play(scenario: Scenario) -> None:
    """Runs the steps; the first that comes out otherwise is named."""
    async with AsyncExitStack() as closing:
        server = None
        if scenario.get("model") is not None:
            server = await closing.enter_async_context(ChatServer(_replies(scenario["model"])))
        settings = scenario.get("settings", {})
        api_base = server.api_base if server else None
        mdl = {**tiny_shop.manifest(), **scenario["mdl"]} if "mdl" in scenario else None
        service = shared_service(scenario.get("shop", "tiny"), mdl, api_base, **settings)
        client = await closing.enter_async_context(service)
        stage = _Stage(client, server, scenario.get("body", {}))
        for row in [None, *scenario.get("rows", [{}])]:
            for number, step in enumerate(scenario.get("first", []) if row is None else scenario["steps"], 1):
                given = {str(place): one for place, one in enumerate(row)} if isinstance(row, list) else row or {}
                await stage.do(filled(step, stage.kept | given), f"step {number}, {row}: {step}")


class _Stage:
    """The service, its model, and the ask that is talked about."""

    def __init__(self, client: Client, server: ChatServer | None, body: Mapping[str, Any]) -> None:
        self._client, self._server, self._body, self._ask = client, server, body, ""
        self.kept: dict[str, Any] = {}

    async def do(self, step: Scenario, where: str) -> None:
        code, found = await self._done(step)
        assert code == step.get("code", code if code < 300 else 200), (where, code, found)
        for wrong in differences(found, step.get("result", {})):
            raise AssertionError(f"{where}\n{wrong}\n{found}")
        self.kept |= {name: _at(found, path.split(".")) for name, path in step.get("keep", {}).items()}
        if "text" in step:
            text = await self._client.text(self._ask)
            assert not list(differences(text, step["text"])), (where, text)
        for stage, count in step.get("calls", {}).items():
            assert self._server is not None
            assert self._server.calls(None if stage == "*" else stage) == count, (where, stage)
        for key, wanted in (("shown", True), ("hidden", False)):
            for stage, texts in step.get(key, {}).items():
                for text in texts if isinstance(texts, list) else [texts]:
                    assert (text in self._prompt(stage)) is wanted, (where, stage, text)

    async def _done(self, step: Scenario) -> tuple[int, Any]:
        if "ask" in step:
            body = {"query": step["ask"], **self._body, **step.get("body", {})}
            code, answer = await self._client.call("POST", "/v1/asks", json=body)
            if code != 202:
                return code, answer
            self._ask = answer["query_id"]
            self._client.asked.append(self._ask)
            return code, await self._settled()
        if "say" in step:
            code, answer = await self._client.call("POST", f"/v1/asks/{self._ask}/corrections", json=step["say"])
            return code, await self._settled() if code == 202 else answer
        if "send" in step:
            method, path = step["send"].format(ask=self._ask, **self.kept).split(" ")
            code, answer = await self._client.call(method, path, json=step.get("body"))
            while code == 202 and answer.get("status", "indexing") == "indexing":
                event = f"{path}/{answer['event_id']}?wait=1"
                code, answer = 202, (await self._client.call("GET", event))[1]
            return code, answer
        if "job" in step:
            return 200, await Jobs(self._client, self._server).done(step["job"], **step.get("body", {}))
        if "stop" in step:
            await self._client.stop(self._ask)
        return 200, await self._client.result(self._ask)

    async def _settled(self) -> dict[str, Any]:
        """The result once the ask has ended, or waits for an answer."""
        async with asyncio.timeout(30):
            result = await self._client.result(self._ask)
            while result["status"] not in (*ENDS, "awaiting_correction"):
                result = await self._client.result(self._ask, wait=1)
        return result

    def _prompt(self, stage: str) -> str:
        assert self._server is not None
        if stage == "*":
            return "\n".join(request.user for request in self._server.requests)
        return [request.user for request in self._server.requests if request.stage == stage][-1]


def differences(found: Any, wanted: Any, where: str = "") -> Iterator[str]:
    """What is not as it is wanted, by its place."""
    if isinstance(wanted, dict) and wanted.keys() <= _LOOKS.keys() and wanted:
        for name, value in wanted.items():
            for one in value if isinstance(value, list) and name in ("has", "lacks", "nowhere") else [value]:
                if not _LOOKS[name](found, one):
                    yield f"{where}: {found!r} is not {name} {one!r}"
    elif isinstance(wanted, dict):
        for path, value in wanted.items():
            yield from differences(_at(found, str(path).split(".")), value, f"{where}.{path}")
    elif isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            yield f"{where}: {found!r} is not {wanted!r}"
            return
        for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
            yield from differences(one, other, f"{where}.{place}")
    elif isinstance(wanted, float) and isinstance(found, float | int):
        if not math.isclose(found, wanted, rel_tol=1e-6):
            yield f"{where}: {found!r} is not {wanted!r}"
    elif found != wanted or isinstance(found, bool) is not isinstance(wanted, bool):
        yield f"{where}: {found!r} is not {wanted!r}"


def _has(found: Any, wanted: Any) -> bool:
    """Whether a text, a key or one of a list has it."""
    if isinstance(found, list):
        return any(one == wanted or (isinstance(one, str) and str(wanted) in one) for one in found)
    return found is not None and wanted in found


_LOOKS: dict[str, Callable[[Any, Any], bool]] = {
    "has": _has,
    "lacks": lambda found, wanted: not _has(found, wanted),
    "starts": lambda found, wanted: str(found).startswith(wanted),
    "count": lambda found, wanted: len(found or ()) == wanted,
    "is": lambda found, wanted: found == wanted,
    "differs": lambda found, wanted: found != wanted,
    "nowhere": lambda found, wanted: wanted not in json.dumps(found, ensure_ascii=False),
    "there": lambda found, wanted: bool(found) is wanted,
}


def _at(found: Any, path: list[str]) -> Any:
    if not path:
        return found
    name, rest = path[0], path[1:]
    if name == "*":
        return [_at(one, rest) for one in found or ()]
    if isinstance(found, list):
        return _at(found[int(name)], rest) if -len(found) <= int(name) < len(found) else None
    return _at(found.get(name), rest) if isinstance(found, Mapping) else None


def filled(value: Any, row: Mapping[str, Any]) -> Any:
    """The value with what the row has in place of each `$name`."""
    if isinstance(value, str):
        if value.startswith("$") and value[1:] in row:
            return row[value[1:]]
        return re.sub(r"\$(\w+)", lambda found: str(row.get(found[1], found[0])), value)
    if isinstance(value, dict):
        return {key: filled(one, row) for key, one in value.items()}
    return [filled(one, row) for one in value] if isinstance(value, list) else value


def _replies(stages: Mapping[str, Any]) -> dict[str, list[Answer]]:
    """By stage, each reply as SQL, or as the fields of an answer."""
    return {
        stage: [_reply(one) for one in (told if isinstance(told, list) else [told])] for stage, told in stages.items()
    }


def _reply(told: Any) -> Answer:
    if isinstance(told, str):
        return Answer(json={"sql": told})
    sql = {"json": {"sql": told["sql"]}} if "sql" in told else {}
    return Answer(**{**{name: value for name, value in told.items() if name != "sql"}, **sql})
