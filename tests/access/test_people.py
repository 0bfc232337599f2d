"""Two people of one project who choose the same ids, and what each may say of themselves."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from askwell.access.keys import ApiKeys, NewKey
from askwell.config import SignInConfig, load_config
from askwell.errors import ConfigurationError
from askwell.knowledge.record import Record
from tests.access.house import ADMIN_KEY, ALPHA, Caller, House, house, prepared
from tests.agent.talking import frames
from tests.support.service import write_config

HELLO = {"role": "user", "id": "m", "content": "Hello"}
RUN = {"threadId": "t", "runId": "r", "messages": [HELLO]}
FACTS = ("event", "principal", "name", "project", "kind", "question", "rows", "status", "tables")


async def agui(somebody: Caller, thread: str, run: str, text: str = "Hello") -> list[dict[str, Any]]:
    body = {
        "threadId": thread,
        "runId": run,
        "messages": [{**HELLO, "content": text}],
        "forwardedProps": {"project_id": ALPHA},
    }
    status, told = await somebody.call("POST", "/v1/agent", json=body)
    assert status == 200, told
    return frames(told)


def said(events: list[dict[str, Any]]) -> str:
    return "".join(event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT")


@pytest.mark.asyncio(loop_scope="session")
async def test_the_same_ids_of_threads_and_runs_are_each_persons_own(talk: House) -> None:
    talk.script("Apple.", "Pear.", "Plum.")
    ann, ben = await talk.somebody("Ann"), await talk.somebody("Ben")
    first = await agui(ann, "main", "run-1", "canary-of-ann")
    second = await agui(ben, "main", "run-1")
    assert (said(first), said(second)) == ("Apple.", "Pear.")
    # Sent again it is the same run, for each of them.
    assert said(await agui(ann, "main", "run-1", "canary-of-ann")) == "Apple."
    assert said(await agui(ben, "main", "run-1")) == "Pear."
    for somebody, count in ((ann, 2), (ben, 2)):
        path = f"/v1/threads/main/messages?project_id={ALPHA}"
        status, told = await somebody.call("GET", path)
        assert (status, len(told["messages"])) == (200, count)
        status, told = await somebody.call("GET", f"/v1/runs/run-1?project_id={ALPHA}")
        assert (status, told["status"]) == (200, "finished")
    assert "canary-of-ann" not in "".join(ben.seen)
    # What the server calls Ann's thread is no thread of Ben's either.
    thread = (await ann.call("GET", f"/v1/threads?project_id={ALPHA}"))[1]["threads"][0]["id"]
    foreign = await ben.call("GET", f"/v1/threads/{thread}?project_id={ALPHA}")
    unknown = await ben.call("GET", f"/v1/threads/none?project_id={ALPHA}")
    assert foreign[0] == unknown[0] == 404
    assert foreign[1]["message"].replace(thread, "none") == unknown[1]["message"]
    status, told = await ben.call("DELETE", f"/v1/threads/main?project_id={ALPHA}")
    assert status == 200
    assert (await ann.call("GET", f"/v1/threads/main?project_id={ALPHA}"))[0] == 200


@pytest.mark.asyncio(loop_scope="session")
async def test_who_signed_in_may_have_a_statement_checked_and_run(home: House) -> None:
    body = {"sql": "SELECT count(*) FROM orders", "question": "How many orders are there?", "project_id": ALPHA}
    status, told = await (await home.somebody("Ann")).call("POST", "/v1/sql-checks", json={**body, "execute": True})
    assert status == 200, told


@pytest.mark.asyncio(loop_scope="session")
async def test_chats_of_other_clients_are_each_persons_own(talk: House) -> None:
    talk.script("Apple.", "Pear.", "Plum.", "Fig.")
    ann, ben = await talk.somebody("Ann"), await talk.somebody("Ben")
    threads = []
    for somebody in (ann, ben):
        body = {"model": f"{ALPHA}/default", "messages": [{"role": "user", "content": f"I am {somebody.name}"}]}
        status, told = await somebody.call("POST", "/v1/chat/completions", {"X-Askwell-Thread": "chat"}, json=body)
        assert status == 200, told
        threads.append(told["askwell"]["thread_id"])
        listed = (await somebody.call("GET", "/v1/models"))[1]["data"]
        assert [one["id"] for one in listed] == [f"{ALPHA}/default"]
        assert (await somebody.call("GET", f"/v1/threads?project_id={ALPHA}"))[1]["total"] == 1
    assert threads[0] != threads[1]


@pytest.mark.asyncio(loop_scope="session")
async def test_administrators_are_told_of_threads_and_not_what_they_are_about(home: House) -> None:
    ann, head = await home.somebody("Ann"), await home.somebody("Head", "admin")
    for somebody in (ann, head):
        body = {"title": f"{somebody.name}'s", "variables": {"region": "north"}, "project_id": ALPHA}
        status, told = await somebody.call("POST", "/v1/threads", json=body)
        assert status == 201, told
    listed = {}
    for somebody in (ann, head):
        status, told = await somebody.call("GET", f"/v1/threads?project_id={ALPHA}")
        listed[somebody.name] = {(one["title"], *one["variables"]) for one in told["threads"]}
        assert not any("owner" in one for one in told["threads"])
    assert listed == {"Ann": {("Ann's", "region")}, "Head": {("Head's", "region"), ("",)}}


@pytest.mark.asyncio(loop_scope="session")
async def test_the_same_idempotency_key_of_two_people_is_two_jobs(home: House) -> None:
    ann, ben = await home.somebody("Ann", "curate"), await home.somebody("Ben", "curate")
    key = {"Idempotency-Key": "again"}
    bodies: list[tuple[str, Any, str]] = [
        ("/v1/asks", {"query": "how many?", "project_id": ALPHA}, "query_id"),
        ("/v1/documents", {"title": "t", "text": "x", "project_id": ALPHA}, "event_id"),
        ("/v1/sql-answers", {"query": "q", "sql": "SELECT 1", "project_id": ALPHA}, "query_id"),
    ]
    for path, body, name in bodies:
        found = [(await one.call("POST", path, key, json=body))[1][name] for one in (ann, ann, ben)]
        assert found[0] == found[1] != found[2], path


@pytest.mark.asyncio(loop_scope="session")
async def test_nobody_says_whose_rows_they_see(talk: House) -> None:
    own = {"session_properties": {"region": "'APAC'"}}
    bodies: dict[str, Any] = {
        "asks": {"query": "how many customers?", "project_id": ALPHA, **own},
        "chats": {"message": "Hello", "project_id": ALPHA, **own},
        "agent": {**RUN, "forwardedProps": {"project_id": ALPHA, **own}},
    }
    ann = await talk.somebody("Ann", "admin", attributes={"region": "EMEA"})
    for said_in, body in bodies.items():
        status, told = await ann.call("POST", f"/v1/{said_in}", json=body)
        assert (status, told["code"]) == (422, "INVALID_REQUEST"), said_in
        assert "session_properties" in told["message"]


def test_a_configuration_cannot_let_clients_choose_beside_sign_in(tmp_path: Path) -> None:
    path = write_config(tmp_path, settings={"allow_session_properties": True}, sign_in={"keys": True})
    with pytest.raises(ConfigurationError, match="allow_session_properties lets clients choose"):
        load_config(path, {})


@pytest.mark.asyncio(loop_scope="session")
async def test_what_the_job_carries_is_what_the_key_says(home: House) -> None:
    ann = await home.somebody("Ann", attributes={"region": "O'Brien' OR 1=1 --", "level": "3"})
    ask = await ann.ask("how many customers?")
    await ann.end(f"/v1/asks/{ask}/result")
    with closing(sqlite3.connect(home.folder / "home" / "record.sqlite")) as record:
        owner, person = record.execute("SELECT owner, person FROM jobs WHERE id = ?", (ask,)).fetchone()
    assert owner == f"key:{ann.key_id}"
    assert json.loads(person)["session_properties"] == {"region": "'O''Brien'' OR 1=1 --'", "level": "3"}


@pytest.mark.asyncio(loop_scope="session")
async def test_an_ask_of_somebody_who_may_only_ask_teaches_nothing(home: House) -> None:
    ann = await home.somebody("Ann")
    ask = await ann.ask("how many customers?")
    await ann.end(f"/v1/asks/{ask}/result")
    status, told = await ann.call("POST", f"/v1/asks/{ask}/feedback", json={"positive": True})
    assert (status, "needs the role curate" in told["message"]) == (403, True)
    with closing(sqlite3.connect(home.folder / "home" / "record.sqlite")) as record:
        (request,) = record.execute("SELECT request FROM jobs WHERE id = ?", (ask,)).fetchone()
    assert json.loads(request)["teaches"] is False


async def test_who_may_only_ask_says_that_an_answer_is_wrong_and_nothing_more(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await prepared(home, ALPHA)
        ann, bob, head = await home.somebody("Ann"), await home.somebody("Bob"), await home.somebody("Head", "admin")
        own = await ann.ask("how many customers?")
        assert (await ann.end(f"/v1/asks/{own}/result"))["status"] == "finished"
        hers = await head.ask("how many customers?")
        await head.end(f"/v1/asks/{hers}/result")
        assert (await head.call("POST", f"/v1/asks/{hers}/feedback", json={"positive": True}))[0] == 200
        saved = (await head.call("GET", f"/v1/sql-pairs?project_id={ALPHA}"))[1]
        path, wrong = f"/v1/asks/{own}/feedback", {"positive": False, "comment": "Not those that left."}
        for body in ({"positive": True}, {**wrong, "sql": "SELECT 1 FROM customers"}):
            assert (await ann.call("POST", path, json=body))[0] == 403
        assert (await bob.call("POST", path, json=wrong))[0] == 404
        assert await ann.call("POST", path, json=wrong) == (200, {"lesson_ids": []})
        listed = f"/v1/asks?project_id={ALPHA}&feedback=negative"
        assert [one["feedback"] for one in (await ann.call("GET", listed))[1]["asks"]] == [wrong]
        assert [one["query_id"] for one in (await head.call("GET", listed))[1]["asks"]] == [own]
        # The saved question of the same words stays.
        assert (await head.call("GET", f"/v1/sql-pairs?project_id={ALPHA}"))[1] == saved
        assert saved["total"] == 1


async def test_the_audit_log_says_who_asked_what_and_no_row(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await prepared(home, ALPHA)
        ann = await home.somebody("Ann")
        ask = await ann.ask("how many orders are there?", execute=True)
        result = await ann.end(f"/v1/asks/{ask}/result")
        assert result["status"] == "finished", result
        names = await ann.ask("show all customers", execute=True)
        assert "Lovelace" in str((await ann.end(f"/v1/asks/{names}/result"))["data"])
        await home.nobody("ak_0123456789abcdef_wrong").call("GET", "/v1/asks")
        await ann.call("DELETE", f"/v1/semantics?project_id={ALPHA}")
    lines = home.audit()
    (asked,) = [one for one in lines if one.get("job_id") == ask]
    assert {name: asked[name] for name in FACTS} == {
        "event": "job",
        "principal": f"key:{ann.key_id}",
        "name": "Ann",
        "project": ALPHA,
        "kind": "ask",
        "question": "how many orders are there?",
        "rows": 1,
        "status": "finished",
        "tables": ["orders"],
    }
    requests = [one for one in lines if one["event"] == "request"]
    assert {one["name"] for one in requests} == {"admin key", "Ann"}
    assert [one["status"] for one in requests if "/semantics" in one["route"] and one["name"] == "Ann"] == [403]
    assert [one["reason"] for one in lines if one["event"] == "refused"] == ["unknown token"]
    text = (tmp_path / "home" / "audit" / "audit.jsonl").read_text()
    assert [one for one in ("Lovelace", "Turing", ADMIN_KEY, ann.key or "", "ak_0123") if one in text] == []


async def test_the_audit_log_can_leave_questions_out(tmp_path: Path) -> None:
    async with house(tmp_path, sign_in={"audit": {"questions": False}}) as home:
        ann = await home.somebody("Ann")
        await ann.end(f"/v1/asks/{await ann.ask('canary-question')}/result")
    lines = home.audit()
    assert [one["kind"] for one in lines if one["event"] == "job"] == ["ask"]
    assert "canary-question" not in str(lines)


async def test_two_processes_of_one_record_believe_a_key_for_seconds(tmp_path: Path) -> None:
    """What is revoked elsewhere is revoked here as soon as what was read of it is too old to be believed."""
    record = await Record.open("sqlite", tmp_path)
    seconds = [0.0]
    here, there = (
        ApiKeys(record.api_keys, SignInConfig(keys=True), lambda: datetime.now(UTC), lambda: seconds[0])
        for _ in range(2)
    )
    stored, token = await here.create(NewKey("Ann"))
    assert await there.principal(token) is not None
    await here.revoke(stored.id)
    assert await here.principal(token) is None
    for passed, is_believed in ((1.9, True), (2.1, False)):
        seconds[0] = passed
        assert (await there.principal(token) is not None) is is_believed
    await record.close()


async def test_to_note_that_a_key_is_used_is_not_to_believe_in_it_longer(tmp_path: Path) -> None:
    moment, seconds = [datetime.now(UTC)], [0.0]
    record = await Record.open("sqlite", tmp_path)
    here, there = (
        ApiKeys(record.api_keys, SignInConfig(keys=True), lambda: moment[0], lambda: seconds[0]) for _ in range(2)
    )
    stored, token = await here.create(NewKey("Ann"))
    assert await there.principal(token) is not None
    await here.revoke(stored.id)
    moment[0] += timedelta(hours=2)
    seconds[0] = 1.5
    assert await there.principal(token) is not None  # noted
    seconds[0] = 2.2
    assert await there.principal(token) is None
    used_at = (await here.get(stored.id)).used_at
    assert used_at is not None
    await record.close()
