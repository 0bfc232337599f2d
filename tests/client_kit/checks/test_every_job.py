"""What holds for every kind alike (CONTRACTS 0): start, poll, stop, unknown and foreign ids, bad bodies, events,
a failing model."""

from __future__ import annotations

import json
import time

import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import COUNT_SQL, Shop, good, succeeds_without_model
from tests.client_kit.client import LegacyClient
from tests.client_kit.kinds import ALL, JOBS, Kind
from tests.client_kit.manifest import broken, text_of
from tests.client_kit.service import Failure, Service


def each(*chosen: Kind) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("kind", chosen, ids=lambda kind: kind.name)


# Start and poll.


@each(*ALL)
def test_a_job_is_started_polled_and_ends(client: LegacyClient, shop: Shop, service: Service, kind: Kind) -> None:
    """Where it is to be polled, its ids, the order of its states, the names of its result, and an end that stays."""
    answer = client.post(kind, good(kind, shop))
    assert answer.status_code == 202, answer.text
    told = answer.json()
    assert set(told) == {kind.id_name}, told
    read = client.http.get(answer.headers["location"])
    assert read.status_code == 200, read.text
    assert read.json()["status"] in kind.statuses
    ended = client.wait(kind, told[kind.id_name])
    expect.common(ended)
    expect.result_names(ended)
    assert ended.body.get(kind.id_name) == ended.id, f"no {kind.id_name} on {sorted(ended.body)}"
    # The label of a model may name several preparations, each with its own trace.
    assert ended.body.get("trace_id") if kind is kinds.PREPARATION else ended.body.get("trace_id") == ended.id
    if service.mode == "no_model" and not succeeds_without_model(kind):
        assert expect.failed(ended, "OTHERS").get("hint"), "without a model the hint says so"
    else:
        expect.finished(ended)
    if kind is kinds.ANSWER:
        client.answer_stream(ended.id)
    first = client.get(kind, ended.id).json()
    time.sleep(0.3)
    assert client.get(kind, ended.id).json() == first, "an end changed"


@each(*JOBS)
def test_the_root_serves_what_v1_serves(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    at_root = kind.route.removeprefix("/v1")
    answer = client.http.post(at_root, json=good(kind, shop))
    assert answer.status_code == 202, answer.text
    job_id = answer.json()[kind.id_name]
    client.wait(kind, job_id)
    read = client.http.get(f"{at_root}/{job_id}{kind.poll}")
    assert read.status_code == 200
    assert read.json()["status"] in kind.terminal


@each(*JOBS)
def test_the_same_key_and_body_give_the_same_job(client: LegacyClient, shop: Shop, kind: Kind, unknown_id: str) -> None:
    key = {"Idempotency-Key": f"kit-{unknown_id}"}
    body = good(kind, shop)
    first = client.post(kind, body, key)
    assert first.json() == client.post(kind, body, key).json(), "a repeated POST with the same key made another job"
    assert client.post(kind, body | {"thread_id": "another"}, key).status_code == 422
    client.wait(kind, first.json()[kind.id_name])


@each(*JOBS)
def test_either_name_of_the_configuration_and_a_field_of_tomorrow_are_taken(
    client: LegacyClient, shop: Shop, kind: Kind
) -> None:
    body = good(kind, shop)
    for name in ("configurations", "configuration"):
        body.pop(name, None)
    for name in ("configuration", "configurations"):
        client.run(kind, body | {name: {"language": "English"}, "a_field_of_tomorrow": {"x": [1]}})
    expect.bad_body(client.post(kind, body | {"configurations": "English"}))


# Stop.


@each(*JOBS)
def test_a_stop_answers_with_the_id_and_ends_the_job(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    job_id = client.start(kind, good(kind, shop))
    for body in ({}, {"status": "finished"}, ["stopped"]):
        expect.bad_body(client.http.patch(f"{kind.route}/{job_id}", json=body))
    client.stop(kind, job_id)
    ended = client.wait(kind, job_id, also=frozenset({"stopped"}))
    client.stop(kind, job_id)
    assert client.get(kind, job_id).json()["status"] == ended.status, "a terminal status changed"


@each(*kinds.STOPPABLE)
@pytest.mark.usefixtures("with_model")
def test_a_job_that_waits_for_the_model_is_stopped_at_once(
    client: LegacyClient, shop: Shop, service: Service, kind: Kind
) -> None:
    if service.model_server is None:
        pytest.skip("no control of the model server")
    service.model_server.fail_next(20, "hang")
    job_id = client.start(kind, good(kind, shop))
    time.sleep(0.2)
    began = time.monotonic()
    client.stop(kind, job_id)
    ended = client.wait(kind, job_id)
    assert time.monotonic() - began < 5, "a stop took more than 5 s"
    # What rules answer may have ended before the stop.
    assert ended.status in ("stopped", kind.good), ended.body
    if ended.status == "stopped":
        assert not ended.body.get("response"), "a stopped job has no response"
    expect.common(ended)


# Unknown and foreign ids.


@each(*ALL)
def test_an_unknown_id_is_unknown_everywhere(
    client: LegacyClient, shop: Shop, service: Service, kind: Kind, unknown_id: str
) -> None:
    expect.unknown_job(kind, client.get(kind, unknown_id), wren_ui=service.wren_ui)
    expect.error_body(client.http.get(kind.events_path(unknown_id)), 404)
    other = kinds.CHART if kind is not kinds.CHART else kinds.ANSWER
    ended = client.run(other, good(other, shop))
    expect.unknown_job(kind, client.get(kind, ended.id), wren_ui=service.wren_ui)
    if kind.is_job:
        stopped = client.patch(kind, unknown_id)
        # "unknown job id -> 200 {status: failed}" names no verb: both readings are taken.
        if not (service.wren_ui and stopped.status_code == 200 and stopped.json()["status"] == "failed"):
            expect.error_body(stopped, 404)
    for odd in ("0", "x" * 600, "%00", "..%2f..%2fhealth", "ид", "'; DROP TABLE asks; --"):
        answer = client.http.get(f"{kind.route}/{odd}{kind.poll}")
        assert answer.status_code in (200, 404, 422), answer.text
        assert answer.status_code != 200 or "%2f" in odd or answer.json()["status"] == "failed"
        expect.no_leak(answer.text)


@each(*ALL)
@pytest.mark.usefixtures("no_compatibility")
def test_a_foreign_project_does_not_see_the_job(
    client: LegacyClient, foreigner: LegacyClient, shop: Shop, kind: Kind
) -> None:
    ended = client.run(kind, good(kind, shop))
    expect.error_body(foreigner.get(kind, ended.id), 404)
    expect.error_body(foreigner.http.get(kind.events_path(ended.id)), 404)
    if kind.is_job:
        expect.error_body(foreigner.patch(kind, ended.id), 404)
    assert client.get(kind, ended.id).status_code == 200


@each(*ALL)
@pytest.mark.usefixtures("wren_ui")
def test_every_project_is_the_default_one(
    client: LegacyClient, foreigner: LegacyClient, shop: Shop, kind: Kind
) -> None:
    ended = client.run(kind, good(kind, shop) | {"project_id": "1"})
    assert foreigner.get(kind, ended.id).json()["status"] == ended.status


# Bad bodies.


@each(*ALL)
def test_a_body_that_is_no_json_object_is_422(client: LegacyClient, kind: Kind) -> None:
    for content in (b"", b"{", b"null", b"[]", b'"text"', b"\xff\xfe"):
        answer = client.http.post(kind.route, content=content, headers={"Content-Type": "application/json"})
        expect.bad_body(answer)
        expect.error_body(answer, 422)


@each(*ALL)
def test_a_missing_or_wrong_field_is_422_and_named(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    body = good(kind, shop)
    for name in kind.needed:
        without = {one: value for one, value in body.items() if one != name}
        expect.told_field(expect.bad_body(client.post(kind, without)), name)
    for name, value in kind.wrong:
        expect.told_field(expect.bad_body(client.post(kind, body | {name: value})), name)
    if kind.name == "sql_question":
        expect.finished(client.run(kind, body | {"sqls": [COUNT_SQL] * 50}))
        expect.told_field(expect.bad_body(client.post(kind, body | {"sqls": [COUNT_SQL] * 51})), "sqls")


@each(*(kind for kind in JOBS if kind.takes_mdl))
def test_a_model_is_text_or_an_object_or_absent_or_refused(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    body = good(kind, shop)
    expect.finished(client.run(kind, body | {"mdl": json.loads(body["mdl"])}))
    expect.finished(client.run(kind, {name: value for name, value in body.items() if name != "mdl"}))
    for mdl in ("{", "[]", '{"models": 5}'):
        expect.failed(client.run(kind, body | {"mdl": mdl}), "MDL_PARSE_ERROR")
    error = expect.failed(client.run(kind, body | {"mdl": text_of(broken(shop.model))}), "MDL_PARSE_ERROR")
    assert "warehouses" in str(error), "the relationship to nowhere is not told"
    assert "empty_shelf" in str(error), "the model without columns is not told: one problem is not all problems"


# Events.


@each(*ALL)
def test_events_end_with_the_job_and_resume_after_the_last_one(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    job_id = client.start(kind, good(kind, shop))
    code, frames = client.events(kind, job_id)
    assert code == 200
    assert {frame.event for frame in frames} <= {"state", "delta", "heartbeat", "done", "error"}
    numbers = [frame.id for frame in frames if frame.id is not None]
    assert numbers == sorted(set(numbers)), f"ids do not only grow: {numbers}"
    assert frames[-1].event in ("done", "error"), frames[-1]
    states = [frame.data["status"] for frame in frames if frame.event == "state" and "status" in frame.data]
    assert states, "no state frame tells a status"
    assert set(states) <= kind.statuses | {"queued", "stopped"}, states
    once = [status for place, status in enumerate(states) if place == 0 or states[place - 1] != status]
    expect.in_order(kind, [status for status in once if status in kind.statuses])
    assert client.wait(kind, job_id).status in kind.terminal
    if len(numbers) > 1:
        middle = numbers[len(numbers) // 2 - 1]
        _, rest = client.events(kind, job_id, middle)
        told = [(frame.id, frame.event) for frame in rest if frame.event != "heartbeat"]
        want = [(frame.id, frame.event) for frame in frames if (frame.id or 0) > middle and frame.event != "heartbeat"]
        assert told == want, "a resumed stream has gaps or repeats"
    assert client.events(kind, job_id, numbers[-1])[0] == 204, "behind the end there is something"
    assert client.http.get(kind.events_path(job_id), headers={"Last-Event-ID": "tomorrow"}).status_code < 500


# A model server that fails.


@each(*JOBS)
@pytest.mark.usefixtures("with_model")
@pytest.mark.parametrize("how", ["429", "500", "cut_json"])
def test_a_model_server_that_fails_is_met_in_a_documented_way(
    client: LegacyClient, shop: Shop, service: Service, kind: Kind, how: Failure
) -> None:
    """One failed call is as if nothing had failed; where all fail, the job ends with what rules can do, or says why."""
    if service.model_server is None:
        pytest.skip("no control of the model server")
    service.model_server.fail_next(1, how)
    expect.finished(client.run(kind, good(kind, shop)))
    if how == "429":
        return
    service.model_server.fail_next(500, how)
    ended = client.run(kind, good(kind, shop))
    assert ended.status in (kind.good, "failed"), ended.body
    expect.common(ended)
    if ended.status == "failed":
        expect.job_error(ended)
    service.model_server.fail_next(0, how)
    expect.finished(client.run(kind, good(kind, shop)))
