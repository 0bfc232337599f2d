"""Everybody × every route × own, somebody else's and unknown things: what is not the caller's looks like what there is
not, and nothing of one person is in anything that another receives."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from askwell.job_kinds import KINDS
from tests.access.house import ALPHA, BETA, Caller, House, house, prepared
from tests.fakes.openai_server import Answer, Call
from tests.support import tiny_shop
from tests.web.test_document_is_true import BODIES as OPEN_BODIES
from tests.web.test_every_route import ANYBODY, role_of

# In Ann's questions, threads and rows; in what project alpha knows; and a project that there is not.
PRIVATE, SHARED, NOWHERE = "zqprivate41", "zqshared77", "nowhere"
# What Ann remarks of an answer that was wrong: for those who keep project alpha in order.
REPORTED = "zqreport19"
BODIES: Mapping[tuple[str, str], Any] = {
    **OPEN_BODIES,
    ("POST", "/v1/keys"): {"name": "new"},
    ("POST", "/v1/keys/{key_id}/rotate"): {},
}
# Of the whole service, for every project alike.
WITHOUT_PROJECT = {"/v1/metrics", "/v1/me", "/v1/projects", "/v1/uploads"}
# Things of a project, which all of its people may use.
SHARED_IDS = ("{mdl_hash}", "{project_id}", "{agent_id}", "{lesson_id}", "{document_id}")
UNKNOWN = "f" * 32
OTHERS = ("same project", "same project, asking", "same project, administrator", "other project", "no project")


@dataclass
class Tenants:
    """People of two projects, and what Ann has made."""

    home: House
    people: dict[str, Caller]
    operations: list[tuple[str, str, dict[str, Any]]]
    made: dict[str, str]

    def known(self, path: str) -> str:
        """The address of Ann's own thing at a route."""
        return self.with_ids(path, lambda place: self.made[place])

    def unknown(self, path: str) -> str:
        """The same of one that there is not."""
        return self.with_ids(path, lambda _: UNKNOWN)

    def names(self, path: str) -> list[str]:
        """The ids in the address of Ann's own thing at a route."""
        return [self.made[f"{path.split('/')[2]} {name}"] for name in re.findall(r"{(\w+)}", path)]

    @staticmethod
    def with_ids(path: str, named: Any) -> str:
        kind = path.split("/")[2]
        return re.sub(r"{(\w+)}", lambda found: named(f"{kind} {found[1]}"), path)


async def _job_ids(ann: Caller) -> dict[str, str]:
    """One job of each kind, by Ann, with her words in it."""
    made = {}
    for kind in KINDS:
        body = {**BODIES["POST", f"/v1/{kind.path}"], "project_id": ALPHA}
        for name in ("query", "question", "user_prompt"):
            if name in body:
                body[name] = f"{body[name]} {PRIVATE}"
        status, told = await ann.call("POST", f"/v1/{kind.path}", json=body)
        assert status == 202, (kind.name, told)
        made[f"{kind.path} job_id"] = told[kind.id_name]
        await ann.end(f"/v1/{kind.path}/{told[kind.id_name]}{kind.result_path}")
    return made


async def _made(ann: Caller) -> dict[str, str]:
    """The ids of what Ann has, by route and placeholder."""
    made = await _job_ids(ann)
    ask = await ann.ask(f"how many orders of {PRIVATE} are there?", execute=True)
    await ann.end(f"/v1/asks/{ask}/result")
    made["asks query_id"] = ask
    wrong = await ann.ask("how many orders are there?", execute=True)
    await ann.end(f"/v1/asks/{wrong}/result")
    remark = {"positive": False, "comment": f"Not those of {REPORTED}."}
    assert (await ann.call("POST", f"/v1/asks/{wrong}/feedback", json=remark))[0] == 200
    body = {"message": f"Tell me of {PRIVATE}", "project_id": ALPHA}
    status, begun = await ann.call("POST", "/v1/chats", json=body)
    assert status == 202, begun
    made |= {"runs run_id": begun["run_id"], "threads thread_id": begun["thread_id"]}
    await ann.end(f"/v1/runs/{begun['run_id']}")
    for path, body in (
        ("sql-pairs", {"sql_pairs": [{"id": SHARED, "sql": "SELECT count(*) FROM orders", "question": f"{SHARED}?"}]}),
        ("instructions", {"instructions": [{"id": SHARED, "instruction": f"Mind {SHARED}."}]}),
    ):
        status, told = await ann.call("POST", f"/v1/{path}", json={**body, "project_id": ALPHA})
        assert status == 202, told
        made |= {f"{path} event_id": told["event_id"], f"{path} job_id": told["event_id"]}
    keyword = {"id": SHARED, "pattern": SHARED, "tables": ["orders"]}
    assert (await ann.call("POST", "/v1/keywords", json={"keywords": [keyword], "project_id": ALPHA}))[0] == 200
    lesson = {"kind": "table_mapping", "body": {"said": SHARED, "table": "orders"}, "note": SHARED}
    status, told = await ann.call("POST", "/v1/lessons", json={"lessons": [lesson], "project_id": ALPHA})
    assert status == 200, told
    made["lessons lesson_id"] = told["lessons"][0]["id"]
    document = {"title": SHARED, "text": f"The {SHARED} is a shelf of orders.", "project_id": ALPHA}
    status, told = await ann.call("POST", "/v1/documents", json=document)
    assert status == 202, told
    made |= {"documents document_id": told["document_id"], "documents event_id": told["event_id"]}
    agent = {"name": SHARED, "instructions": f"Speak of {SHARED}.", "project_id": ALPHA}
    assert (await ann.call("PUT", "/v1/agents/clerk", json=agent))[0] == 200
    return made | {"agents agent_id": "clerk", "semantics-preparations mdl_hash": f"model-{SHARED}"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tenants(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tenants]:
    folder = tmp_path_factory.mktemp("tenants")
    ask = Call("ask_data", {"question": f"how many customers of {PRIVATE} are there?"})
    script = {"conversation": [Answer(calls=[ask]), Answer(text=f"None of {PRIVATE}.")] * 50}
    async with house(folder, script=script) as home:
        manifest = tiny_shop.manifest()
        manifest["models"][0]["properties"]["description"] = f"People of {SHARED}."
        await prepared(home, ALPHA, manifest, f"model-{SHARED}")
        await prepared(home, BETA)
        ann = await home.somebody(f"Ann {SHARED}", "curate")
        people = {
            "owner": ann,
            "same project": await home.somebody("Ben", "curate"),
            "same project, asking": await home.somebody("Bob", "ask"),
            "same project, administrator": await home.somebody("Bea", "admin"),
            "other project": await home.somebody("Cleo", "admin", [BETA]),
            "no project": await home.somebody("Dan", "admin", []),
            "without a key": home.nobody(),
            "with a wrong key": home.nobody("ak_0123456789abcdef_" + "x" * 43),
        }
        made = await _made(ann)
        made |= {"keys key_id": ann.key_id, "projects project_id": ALPHA, "uploads project_id": ALPHA}
        described = (await home.root.call("GET", "/openapi.json"))[1]["paths"].items()
        found = [(method.upper(), path, said) for path, methods in described for method, said in methods.items()]
        yield Tenants(home, people, [one for one in found if one[1].removeprefix("/v1") not in ANYBODY], made)


def without_names(body: Any, *names: str) -> str:
    """An answer without what always differs: the request's id, and the name that was asked for."""
    if isinstance(body, dict):
        body = {name: value for name, value in body.items() if name != "request_id"}
    text = json.dumps(body, sort_keys=True)
    for name in names:
        text = text.replace(name, "…")
    return text


def for_project(method: str, path: str, said: Mapping[str, Any], project: str) -> dict[str, Any]:
    """What a request has to be of for it to be about a project."""
    more: dict[str, Any] = {"params": {}, "headers": {}}
    names = {one["name"] for one in said.get("parameters", ())}
    if "project_id" in names:
        more["params"] = {"project_id": project}
    if "X-Askwell-Project" in names:
        more["headers"] = {"X-Askwell-Project": project}
    if (method, path) in BODIES:
        body = dict(BODIES[method, path])
        if path == "/v1/agent":
            body["forwardedProps"] = {"project_id": project}
        elif path == "/v1/keys":
            body["projects"] = [project]
        elif path.startswith("/v1/keys/"):
            pass
        elif "project_id" not in names and "X-Askwell-Project" not in names:
            body["project_id"] = project
        more["json"] = body
    return more


@pytest.mark.asyncio(loop_scope="module")
async def test_nobody_gets_anything(tenants: Tenants) -> None:
    cells = Counter[int]()
    for name in ("without a key", "with a wrong key"):
        for method, path, _ in tenants.operations:
            for where in {path, tenants.known(path), tenants.unknown(path)}:
                for mount in ("", "/v1"):
                    status, told = await tenants.people[name].call(method, mount + where.removeprefix("/v1"), json={})
                    assert (status, told["code"]) == (401, "UNAUTHORIZED"), (name, method, where)
                    cells[status] += 1
    assert cells[401] > 600


@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_the_owners_the_owner_gets(tenants: Tenants) -> None:
    """Or else nothing below would prove anything."""
    ann = tenants.people["owner"]
    wrong = []
    for method, path, said in tenants.operations:
        wanted = role_of(path.removeprefix("/v1"), method)
        if method != "GET" or wanted == "admin":
            continue
        status, told = await ann.call(method, tenants.known(path), **for_project(method, path, said, ALPHA))
        # There is no picture of a chart that did not come about.
        if status not in (200, 204) and "image." not in path:
            wrong.append((path, status, told))
    assert wrong == []
    assert sum(PRIVATE in one for one in ann.seen) > 5
    assert sum(SHARED in one for one in ann.seen) > 5


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", OTHERS)
async def test_somebody_elses_looks_like_what_there_is_not(tenants: Tenants, name: str) -> None:
    somebody = tenants.people[name]
    is_of_alpha = name.startswith("same project")
    different, cells = [], 0
    for method, path, said in tenants.operations:
        if "{" not in path or (is_of_alpha and any(one in path for one in SHARED_IDS)):
            continue
        if is_of_alpha and "{key_id}" in path:
            continue  # an administrator of the project has its keys; others are refused by their role
        for project in (None, ALPHA):
            more = for_project(method, path, said, project) if project else {}
            if not project and (method, path) in BODIES:
                more = {"json": BODIES[method, path]}
            answers = []
            for where in (tenants.known(path), tenants.unknown(path)):
                status, told = await somebody.call(method, where, **more)
                answers.append((status, without_names(told, *tenants.names(path), UNKNOWN)))
            cells += 2
            if answers[0] != answers[1] or answers[0][0] not in (403, 404):
                different.append((method, path, project, answers))
    assert different == []
    assert cells > 100


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", ["same project", "same project, asking"])
async def test_whose_role_is_too_low_is_told_nothing_of_keys(tenants: Tenants, name: str) -> None:
    somebody, key = tenants.people[name], tenants.made["keys key_id"]
    told = set()
    for method, where in (
        ("GET", ""), ("POST", ""), ("DELETE", f"/{key}"), ("DELETE", f"/{UNKNOWN}"), ("POST", f"/{key}/rotate"),
        ("POST", f"/{UNKNOWN}/rotate"),
    ):  # fmt: skip
        body = {"json": {"name": "new", "projects": [ALPHA]}} if (method, where) == ("POST", "") else {}
        status, said = await somebody.call(method, f"/v1/keys{where}", **body)
        assert status == 403, (method, where, said)
        told.add(without_names(said))
    assert len(told) == 1, told


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", ["other project", "no project"])
async def test_a_foreign_project_looks_like_what_there_is_not(tenants: Tenants, name: str) -> None:
    somebody = tenants.people[name]
    different, cells = [], 0
    for method, path, said in tenants.operations:
        if path in WITHOUT_PROJECT or path == "/v1/keys/{key_id}" or path == "/v1/keys/{key_id}/rotate":
            continue
        if method == "GET" and path == "/v1/keys":
            continue  # tells of the caller's projects only, whatever is said
        answers = []
        for project in (ALPHA, NOWHERE):
            status, told = await somebody.call(
                method, tenants.unknown(path), **for_project(method, path, said, project)
            )
            answers.append((status, without_names(told, project)))
        cells += 2
        if answers[0] != answers[1] or answers[0][0] != 404:
            different.append((method, path, answers))
    assert different == []
    assert cells > 150
    for model in (ALPHA, f"{ALPHA}/clerk", f"{ALPHA}/default", NOWHERE):
        body = {**BODIES["POST", "/v1/chat/completions"], "model": model}
        status, told = await somebody.call(
            "POST", "/v1/chat/completions", {"X-Askwell-Project": BETA} if name == "other project" else {}, json=body
        )
        assert status == 404, told
        assert SHARED not in str(told)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_form_with_a_foreign_project_is_refused_too(tenants: Tenants) -> None:
    cleo = tenants.people["other project"]
    for project in (ALPHA, NOWHERE):
        form = aiohttp.FormData({"project_id": project, "title": "x"})
        form.add_field("file", b"Hello there.", filename="a.txt", content_type="text/plain")
        status, told = await cleo.call("POST", "/v1/documents", data=form)
        assert (status, told["code"]) == (404, "NOT_FOUND")


@pytest.mark.asyncio(loop_scope="module")
async def test_lists_have_what_is_the_callers(tenants: Tenants) -> None:
    ann, ben = tenants.people["owner"], tenants.people["same project"]
    bea = tenants.people["same project, administrator"]
    for path, name in (("asks", "asks"), ("threads", "threads")):
        own = (await ann.call("GET", f"/v1/{path}?project_id={ALPHA}"))[1]
        assert own["total"] == len(own[name]) > 0
        others = (await ben.call("GET", f"/v1/{path}?project_id={ALPHA}"))[1]
        assert (others["total"], others[name]) == (0, [])
        everybodys = (await bea.call("GET", f"/v1/{path}?project_id={ALPHA}"))[1]
        assert everybodys["total"] == own["total"]
    shown = json.dumps((await bea.call("GET", f"/v1/threads?project_id={ALPHA}"))[1])
    assert PRIVATE not in shown
    for one in (await bea.call("GET", f"/v1/asks?project_id={ALPHA}"))[1]["asks"]:
        told = {"query_id", "status", "type", "response", "sql_source", "trace_id", "query", "created_at"}
        assert one.keys() <= told | {"error", "nl2sql_code", "is_own", "feedback"}
        assert one["is_own"] is False
        assert one.get("error", {}).keys() <= {"code"}
    wrong = f"asks?project_id={ALPHA}&feedback=negative"
    for somebody, count in ((ann, 1), (ben, 1), (bea, 1), (tenants.people["same project, asking"], 0)):
        assert (await somebody.call("GET", f"/v1/{wrong}"))[1]["total"] == count


@pytest.mark.asyncio(loop_scope="module")
async def test_nothing_of_one_person_is_in_what_another_received(tenants: Tenants) -> None:
    """Runs last: what everybody was sent by all that stands above."""
    found = {
        name: (sum(PRIVATE in one for one in somebody.seen), sum(SHARED in one for one in somebody.seen))
        for name, somebody in tenants.people.items()
    }
    received = {name: len(somebody.seen) for name, somebody in tenants.people.items()}
    assert all(count > 50 for count in received.values()), received
    for name in ("other project", "no project", "without a key", "with a wrong key"):
        assert found[name] == (0, 0), name
    assert found["same project"][0] == found["same project, asking"][0] == 0
    reported = {name for name, somebody in tenants.people.items() if any(REPORTED in one for one in somebody.seen)}
    assert reported == {"owner", "same project", "same project, administrator"}
    keys = [one.key for one in tenants.people.values() if one.key]
    leaked = [one for somebody in tenants.people.values() for one in somebody.seen for key in keys if key in one]
    assert leaked == []
