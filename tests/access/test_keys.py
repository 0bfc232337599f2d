"""Keys over HTTP: who gets in, for how long, and what each may."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from askwell.access.keys import ApiKeys, NewKey
from askwell.config import SignInConfig
from askwell.errors import RecordUnavailable
from askwell.knowledge.api_keys import ApiKeyShelf
from askwell.knowledge.record import Record
from tests.access.house import ADMIN_KEY, ALPHA, BETA, House, house
from tests.fakes.openai_server import Answer


def changed(key: str) -> list[str]:
    """Keys that are almost this one."""
    prefix, key_id, secret = key.split("_", 2)
    other = "0" * len(key_id)
    return [
        key[:-1],
        key + "x",
        key[:-1] + ("A" if key[-1] != "A" else "B"),
        key.swapcase(),
        f"{prefix}_{other}_{secret}",
        f"{prefix}_{key_id}_",
        f"{prefix}__{secret}",
        f"{prefix}_{key_id}",
        secret,
        f"xx_{key_id}_{secret}",
        "ak_" + "é" * 16 + f"_{secret}",
        "x" * 20_000,
    ]


@pytest.mark.asyncio(loop_scope="session")
async def test_nothing_but_health_is_told_to_nobody(home: House) -> None:
    nobody = home.nobody()
    for path in ("/health", "/health/live", "/health/ready", "/v1/health/live"):
        assert (await nobody.call("GET", path))[0] == 200
    for path in ("/v1/asks", "/asks", "/metrics", "/docs", "/openapi.json", "/mcp", "/v1/none", "/health/x"):
        status, told, headers = await nobody.answer("GET", path)
        assert (status, told["code"]) == (401, "UNAUTHORIZED"), path
        assert headers["WWW-Authenticate"].startswith("Bearer")
        assert "askwell keys create" in told["hint"]
    assert ALPHA not in "".join(nobody.seen)
    checks = (await nobody.call("GET", "/health/ready"))[1]["checks"]
    assert checks["data_source"]["ok"] is True
    assert "not set up" in checks["language_model"]["message"]
    told = {}
    for role in ("ask", "curate"):
        somebody = await home.somebody(role, role)
        told[role] = {*(await somebody.call("GET", "/v1/health/ready"))[1]["checks"]}
    wrong = home.nobody("ak_0123456789abcdef_" + "x" * 43)
    assert (await wrong.call("GET", "/v1/health/ready"))[1]["checks"].keys() == checks.keys() == told["ask"]
    # The database of the other project has no name for them.
    assert told["curate"] == {*checks, f"data_source.{ALPHA}"}
    for path in ("/docs", "/openapi.json", "/metrics"):
        assert (await home.root.call("GET", path))[0] == 200


@pytest.mark.asyncio(loop_scope="session")
async def test_a_key_that_is_almost_right_is_none(home: House) -> None:
    ann = await home.somebody("Ann")
    assert ann.key is not None
    assert (await ann.call("GET", f"/v1/asks?project_id={ALPHA}"))[0] == 200
    for key in [*changed(ann.key), "", " ", ADMIN_KEY[:-1], ADMIN_KEY.upper()]:
        assert (await home.nobody(key.encode().decode("latin-1")).call("GET", "/v1/asks"))[0] == 401, key
    nobody = home.nobody()
    for said in (ann.key, f"Basic {ann.key}", f"Bearer{ann.key}", f"Token {ann.key}"):
        assert (await nobody.call("GET", "/v1/asks", {"Authorization": said}))[0] == 401
    assert (await nobody.call("GET", f"/v1/asks?project_id={ALPHA}", {"X-Api-Key": ann.key}))[0] == 200
    assert (await nobody.call("GET", f"/v1/asks?project_id={ALPHA}", {"authorization": f"bEARER {ann.key}"}))[0] == 200
    both = {"X-Api-Key": ann.key, "Authorization": f"Bearer {ADMIN_KEY}"}
    assert (await nobody.call("GET", "/v1/asks", both))[0] == 401


@pytest.mark.asyncio(loop_scope="session")
async def test_a_key_that_is_over_or_revoked_is_none(home: House) -> None:
    short = await home.somebody("Short", expires_at=home.clock.after(5))
    lasting = await home.somebody("Lasting")
    path = f"/v1/asks?project_id={ALPHA}"
    assert (await short.call("GET", path))[0] == (await lasting.call("GET", path))[0] == 200
    home.clock.pass_by(6)
    assert (await short.call("GET", path))[0] == 401
    assert (await home.root.call("DELETE", f"/v1/keys/{lasting.key_id}"))[0] == 200
    assert (await lasting.call("GET", path))[0] == 401
    status, told = await home.root.call("GET", "/v1/keys")
    revoked = {one["id"] for one in told["keys"] if one["revoked_at"] is not None}
    assert revoked & {short.key_id, lasting.key_id} == {lasting.key_id}
    assert all(key not in str(told) for key in (short.key, lasting.key))
    status, told = await home.root.call("POST", "/v1/keys", json={"name": "late", "expires_at": home.clock.after(0)})
    assert (status, told["code"]) == (422, "INVALID_REQUEST")


@pytest.mark.asyncio(loop_scope="session")
async def test_a_rotated_key_is_the_same_person_and_the_old_one_works_for_a_while(home: House) -> None:
    ann = await home.somebody("Ann")
    ask = await ann.ask("how many customers?")
    status, told = await home.root.call("POST", f"/v1/keys/{ann.key_id}/rotate", json={"grace": 60})
    assert status == 200
    path, old = f"/v1/asks/{ask}/result", ann.key
    assert (await ann.call("GET", path))[0] == 200
    ann.key = told["key"]
    assert (await ann.call("GET", path))[0] == 200
    home.clock.pass_by(61 / 60)
    assert (await ann.call("GET", path))[0] == 200
    ann.key = old
    assert (await ann.call("GET", path))[0] == 401


@pytest.mark.asyncio(loop_scope="session")
async def test_a_rotation_may_give_a_key_another_expiry(home: House) -> None:
    after = home.clock.after
    ann = await home.somebody("Ann", expires_at=after(10))
    ask = await ann.ask("how many customers?")
    rotate, path = f"/v1/keys/{ann.key_id}/rotate", f"/v1/asks/{ask}/result"
    home.clock.pass_by(5)
    ends = after(60)
    status, told = await home.root.call("POST", rotate, json={"grace": 3600, "expires_at": ends})
    assert (status, datetime.fromisoformat(told["expires_at"])) == (200, datetime.fromisoformat(ends))
    first, ann.key = ann.key, told["key"]
    assert (await ann.call("GET", path))[0] == (await home.nobody(first).call("GET", path))[0] == 200
    home.clock.pass_by(6)
    assert (await ann.call("GET", path))[0] == 200
    # The secret before works no longer than it would have.
    assert (await home.nobody(first).call("GET", path))[0] == 401
    home.clock.pass_by(60)
    assert (await ann.call("GET", path))[0] == 401
    for said in ({}, {"expires_at": after(-1)}):
        assert (await home.root.call("POST", rotate, json=said))[0] == 422
    second = ann.key
    status, told = await home.root.call("POST", rotate, json={"expires_at": after(5).removesuffix("+00:00")})
    assert status == 200
    ann.key = told["key"]
    assert (await ann.call("GET", path))[0] == 200
    assert (await home.nobody(second).call("GET", path))[0] == 401
    await home.root.call("DELETE", f"/v1/keys/{ann.key_id}")
    assert (await home.root.call("POST", rotate, json={"expires_at": after(5)}))[0] == 422


@pytest.mark.asyncio(loop_scope="session")
async def test_what_the_record_and_the_disk_have_of_a_key_is_no_key(home: House) -> None:
    ann = await home.somebody("Ann")
    await ann.call("GET", f"/v1/asks?project_id={ALPHA}")
    secret = (ann.key or "").split("_", 2)[2].encode()
    files = [one for one in (home.folder / "home").rglob("*") if one.is_file()]
    assert len(files) >= 2
    assert [one for one in files if secret in one.read_bytes() or ADMIN_KEY.encode() in one.read_bytes()] == []


async def test_an_administrator_of_a_project_has_the_keys_of_that_project(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        head = await home.somebody("Head of alpha", "admin")
        theirs, everywhere = await home.somebody("b", projects=[BETA]), await home.somebody("c", projects=[ALPHA, BETA])
        status, told = await head.call("POST", "/v1/keys", json={"name": "new"})
        assert (status, told["projects"]) == (201, [ALPHA])
        listed = (await head.call("GET", "/v1/keys"))[1]["keys"]
        assert {one["id"] for one in listed} == {head.key_id, told["id"]}
        unknown = await head.call("DELETE", "/v1/keys/0123456789abcdef")
        for other in (theirs, everywhere):
            for method, path in (("DELETE", ""), ("POST", "/rotate")):
                status, said = await head.call(method, f"/v1/keys/{other.key_id}{path}", json={})
                assert status == 404
                assert said["message"].replace(other.key_id, "0123456789abcdef") == unknown[1]["message"]
        foreign = await head.call("POST", "/v1/keys", json={"name": "x", "projects": [ALPHA, BETA]})
        assert (foreign[0], foreign[1]["code"]) == (404, "NOT_FOUND")
        assert (await theirs.call("GET", f"/v1/asks?project_id={BETA}"))[0] == 200
        # Of no project: of whoever made it.
        nowhere = await home.somebody("d", projects=[])
        status, own = await head.call("POST", "/v1/keys", json={"name": "e", "projects": []})
        assert (status, own["projects"]) == (201, [])
        listed = {one["id"] for one in (await head.call("GET", "/v1/keys"))[1]["keys"]}
        assert (nowhere.key_id in listed, own["id"] in listed) == (False, True)
        for method, path in (("DELETE", ""), ("POST", "/rotate")):
            assert (await head.call(method, f"/v1/keys/{nowhere.key_id}{path}", json={}))[0] == 404


@pytest.mark.asyncio(loop_scope="session")
async def test_a_new_secret_is_only_for_who_could_know_the_one_before(home: House) -> None:
    """Whoever has it is the key's owner, and opens what that one asked."""
    head = await home.somebody("Head of alpha", "admin")
    other = await home.somebody("Another head", "admin")
    ann = await home.somebody("Ann")
    made = (await head.call("POST", "/v1/keys", json={"name": "made by the head"}))[1]["id"]
    ways = [(head, ann.key_id, 403), (other, made, 403), (head, made, 200), (home.root, ann.key_id, 200)]
    for caller, key_id, expected in ways:
        status, told = await caller.call("POST", f"/v1/keys/{key_id}/rotate", json={})
        assert (status, "key" in told) == (expected, expected == 200), (caller.name, key_id)
    assert (await head.call("DELETE", f"/v1/keys/{ann.key_id}"))[0] == 200


async def test_too_many_requests_asks_and_failures_are_told_when_to_come_again(tmp_path: Path) -> None:
    limits = {"limits": {"requests": 12, "asks": 2, "failures": 3}}
    async with house(tmp_path, sign_in=limits) as home:
        ann, ben = await home.somebody("Ann"), await home.somebody("Ben")
        for _ in range(2):
            await ann.ask("how many customers?")
        status, told, headers = await ann.answer("POST", "/v1/asks", json={"query": "how many?", "project_id": ALPHA})
        assert (status, told["code"], int(headers["Retry-After"]) > 0) == (429, "BUSY", True)
        statuses = [(await ann.call("GET", f"/v1/asks?project_id={ALPHA}"))[0] for _ in range(12)]
        assert (statuses.count(200), statuses.count(429)) == (9, 3)
        await ben.ask("how many customers?")  # somebody else's are not counted
        bad = home.nobody("ak_0123456789abcdef_wrong")
        assert [(await bad.call("GET", "/v1/asks"))[0] for _ in range(5)] == [401, 401, 401, 429, 429]
        # One that was good before is heard from the same address, and another is not tried.
        assert (await ben.call("GET", f"/v1/asks?project_id={ALPHA}"))[0] == 200
        status, told, headers = await home.nobody("ak_0123456789abcdef_other").answer("GET", "/v1/asks")
        assert (status, "Retry-After" in headers) == (429, True)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_stream_ends_once_its_reader_may_not_read_any_more(talk: House) -> None:
    model, ann = talk.script(Answer(text="Late.", hang=True)), await talk.somebody("Ann")
    status, begun = await ann.call("POST", "/v1/chats", json={"message": "Hello", "project_id": ALPHA})
    assert status == 202, begun
    headers = {"Authorization": f"Bearer {ann.key}"}
    url = f"{talk.service.url}/v1/runs/{begun['run_id']}/events"
    async with talk.service.session.get(url, headers=headers) as stream:
        assert stream.status == 200
        await stream.content.readuntil(b"\n\n")
        await talk.root.call("DELETE", f"/v1/keys/{ann.key_id}")
        # The model still hangs: nothing else ends the stream.
        async with asyncio.timeout(30):
            assert b"RUN_FINISHED" not in (rest := await stream.read())
            assert b"RUN_ERROR" not in rest
    model.release()


@pytest.mark.asyncio(loop_scope="session")
async def test_attributes_that_do_not_fit_the_mapping_are_refused_when_the_key_is_made(home: House) -> None:
    body: dict[str, Any] = {"name": "x", "attributes": {"level": "high"}}
    status, told = await home.root.call("POST", "/v1/keys", json=body)
    assert (status, "level" in told["message"], "high" in str(told)) == (422, True, False)


class _Away:
    """A shelf whose record can be away."""

    def __init__(self, shelf: ApiKeyShelf) -> None:
        self._shelf = shelf
        self.is_away = False

    def __getattr__(self, name: str) -> Any:
        if self.is_away:
            raise RecordUnavailable("The record is away.")
        return getattr(self._shelf, name)


async def test_a_key_counts_for_a_while_without_the_record(tmp_path: Path) -> None:
    record = await Record.open("sqlite", tmp_path)
    shelf = _Away(record.api_keys)
    seconds = [0.0]
    keys = ApiKeys(shelf, SignInConfig(keys=True), lambda: datetime.now(UTC), lambda: seconds[0])  # type: ignore[arg-type]
    _, token = await keys.create(NewKey("Ann"))
    _, never_seen = await keys.create(NewKey("Ben"))
    assert await keys.principal(token) is not None
    shelf.is_away = True
    seconds[0] = 2.1  # longer than what was read is believed while the record is there
    assert await keys.principal(token) is not None
    assert await keys.principal(token[:-1]) is None
    with pytest.raises(RecordUnavailable):
        await keys.principal(never_seen)
    await record.close()
