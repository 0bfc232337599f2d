"""That an answer is wrong is a report: who keeps the project in order sees the question and the remark, and no more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.access.house import ADMIN_KEY, ALPHA, BETA, Caller, House, house, house_config, prepared
from tests.support.service import running_service

# The name of whoever asks, a value in the SQL and the rows of the answer, what was asked before, and what was said.
NAME, VALUE, BEFORE, REMARK, PRAISE = "Zqnameann", "Germany", "zqbefore21", "zqremark32", "zqpraise43"
QUESTION = "how many customers are there for each country?"
WRONG = f"/v1/asks?project_id={ALPHA}&feedback=negative"


async def asked(somebody: Caller, question: str = QUESTION, **body: Any) -> str:
    """The id of a question that was answered by SQL."""
    ask = await somebody.ask(question, execute=True, **body)
    result = await somebody.end(f"/v1/asks/{ask}/result")
    assert (result["status"], result["type"]) == ("finished", "TEXT_TO_SQL"), result
    return ask


async def said(somebody: Caller, ask: str, **feedback: Any) -> None:
    status, told = await somebody.call("POST", f"/v1/asks/{ask}/feedback", json=feedback)
    assert status == 200, told


async def listed(somebody: Caller, path: str = WRONG) -> list[dict[str, Any]]:
    status, told = await somebody.call("GET", path)
    assert status == 200, told
    assert told["total"] == len(told["asks"])
    return list(told["asks"])


async def people(home: House) -> dict[str, Caller]:
    await prepared(home, ALPHA)
    return {
        "ann": await home.somebody(NAME, "ask"),
        "bob": await home.somebody("Bob", "ask"),
        "ben": await home.somebody("Ben", "curate"),
        "head": await home.somebody("Head", "admin"),
        "cleo": await home.somebody("Cleo", "admin", [BETA]),
    }


async def test_who_curates_sees_what_was_said_to_be_wrong_and_nothing_else(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        one = await people(home)
        ann, bob, ben, head, cleo = one.values()
        question = f"how many customers are in {VALUE}?"
        before = [{"question": BEFORE, "sql": f"SELECT '{BEFORE}' FROM customers"}]
        report = await asked(ann, question, histories=before)
        unsaid = await asked(ann, QUESTION)
        assert await listed(ben) == await listed(head) == []
        await said(ann, report, positive=False, comment=f"Not those that left. {REMARK}")

        (seen,) = await listed(ben)
        assert seen.pop("created_at")
        assert seen == {
            "query_id": report,
            "status": "finished",
            "type": "TEXT_TO_SQL",
            "sql_source": "rules",
            "query": question,
            "feedback": {"positive": False, "comment": f"Not those that left. {REMARK}"},
            "is_own": False,
        }
        (told,) = await listed(head)
        assert told["feedback"] == seen["feedback"]
        assert told.keys() <= {*seen, "created_at", "response", "nl2sql_code", "trace_id", "follows"}
        # Its asker sees it as before, and others nothing.
        (own,) = await listed(ann)
        assert ("is_own" in own, own["feedback"]) == (False, seen["feedback"])
        assert await listed(bob) == []
        for path in (WRONG, f"/v1/asks?project_id={ALPHA}"):
            assert (await cleo.call("GET", path))[0] == 404
        # Nothing else becomes everybody's, and what is reported cannot be opened, judged or stopped.
        for query in ("", "&status=finished", "&feedback=positive", f"&q={VALUE}"):
            assert await listed(ben, f"/v1/asks?project_id={ALPHA}{query}") == []
        assert await listed(ben, f"{WRONG}&status=failed") == await listed(ben, f"{WRONG}&q=each") == []
        assert len(await listed(ben, f"{WRONG}&q={VALUE.lower()}")) == 1
        received = "".join(ben.seen)
        assert received.count(REMARK) == 2
        for canary in (NAME, ann.key_id, BEFORE, unsaid, "SELECT", '"data"', "reading"):
            assert canary not in received, canary
        for ask in (report, unsaid):
            for place in (f"/v1/asks/{ask}", f"/v1/asks/{ask}/result", f"/v1/asks/{ask}/events"):
                assert (await ben.call("GET", place))[0] == 404
            assert (await ben.call("POST", f"/v1/asks/{ask}/feedback", json={"positive": False}))[0] == 404
        for stranger in (bob, cleo):
            assert REMARK not in "".join(stranger.seen)
            assert question not in "".join(stranger.seen)
        assert (NAME in "".join(head.seen), BEFORE in json.dumps(told.get("response"))) == (False, False)


async def test_what_was_said_to_be_right_is_no_report(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        one = await people(home)
        ben, head = one["ben"], one["head"]
        kim = await home.somebody("Kim", "curate")
        ask = await asked(kim)
        await said(kim, ask, positive=False, comment=REMARK, sql="SELECT count(*) AS zqright FROM customers")
        # Right SQL is told as a saved question, to who may see these.
        (seen,) = await listed(ben)
        (told,) = await listed(head)
        assert seen["feedback"] == told["feedback"] == {"positive": False, "comment": REMARK}
        await said(kim, ask, positive=True, comment=PRAISE)
        assert await listed(ben) == await listed(head) == []
        (praised,) = await listed(head, f"/v1/asks?project_id={ALPHA}&feedback=positive")
        assert praised["feedback"] == {"positive": True}
        assert PRAISE not in "".join(ben.seen + head.seen)
        assert "zqright" not in "".join(ben.seen + head.seen)


async def test_what_was_asked_before_people_signed_in_is_the_administrators(tmp_path: Path) -> None:
    async with running_service(house_config(tmp_path, sign_in={"keys": False, "open": True})) as service:
        nobody = Caller(service, "nobody", None)
        await prepared(House(service, nobody, None, tmp_path), ALPHA)
        ask = await asked(nobody)
        await said(nobody, ask, positive=False, comment=REMARK)
    async with running_service(house_config(tmp_path), {"ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN_KEY}) as service:
        home = House(service, Caller(service, "root", ADMIN_KEY), None, tmp_path)
        ben, head = await home.somebody("Ben", "curate"), await home.somebody("Head", "admin")
        assert await listed(ben) == []
        (own,) = await listed(head)
        assert own["feedback"]["comment"] == REMARK
        other = await home.somebody("Other", "admin", [BETA])
        path = f"/v1/asks/{ask}/result"
        statuses = [(await one.call("GET", path))[0] for one in (ben, head, home.root, other)]
        assert statuses == [404, 200, 200, 404]


async def test_ready_tells_who_curates_that_there_is_no_model_yet(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ben = await home.somebody("Ben", "curate")
        none = {"ok": True, "message": "no model yet", "set_up": False}
        assert (await ben.call("GET", "/health/ready"))[1]["checks"]["semantic_models"] == none
        assert (await home.nobody().call("GET", "/health/ready"))[1]["checks"]["semantic_models"] == none
        await prepared(home, ALPHA)
        assert "set_up" not in (await ben.call("GET", "/health/ready"))[1]["checks"]["semantic_models"]
