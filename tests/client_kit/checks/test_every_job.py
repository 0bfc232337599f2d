"""What holds for every kind alike (CONTRACTS 0): start, poll, stop, unknown and foreign ids, bad bodies, events,
a failing model."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import Shop, good, succeeds_without_model
from tests.client_kit.client import LegacyClient
from tests.client_kit.kinds import ALL, JOBS, Kind
from tests.client_kit.manifest import broken, text_of
from tests.client_kit.service import Failure, Service


def each(*chosen: Kind) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("kind", chosen, ids=lambda kind: kind.name)


def _needed() -> Iterator[tuple[Kind, str]]:
    for kind in ALL:
        for name in kind.needed:
            yield kind, name


def _wrong() -> Iterator[tuple[Kind, str, object]]:
    for kind in ALL:
        for name, value in kind.wrong:
            yield kind, name, value


def _name(value: object) -> str | None:
    return value.name if isinstance(value, Kind) else value if isinstance(value, str) else None


# Start and poll.


@each(*ALL)
def test_a_start_answers_202_with_a_location_that_can_be_polled(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    answer = client.post(kind, good(kind, shop))
    assert answer.status_code == 202, answer.text
    told = answer.json()
    assert set(told) == {kind.id_name}, told
    job_id = told[kind.id_name]
    assert isinstance(job_id, str)
    place = answer.headers["location"]
    read = client.http.get(place)
    assert read.status_code == 200, f"{place}: {read.text}"
    assert read.json()["status"] in kind.statuses
    assert read.json().keys() == client.get(kind, job_id).json().keys() or read.json()["status"] in kind.running
    client.wait(kind, job_id)


@each(*ALL)
def test_a_job_ends_in_a_state_of_its_table_and_walks_there_in_order(
    client: LegacyClient, shop: Shop, service: Service, kind: Kind
) -> None:
    ended = client.run(kind, good(kind, shop))
    expect.common(ended)
    if service.mode == "no_model" and not succeeds_without_model(kind):
        error = expect.failed(ended, "OTHERS")
        assert error.get("hint"), "without a model the hint says so"
        return
    expect.finished(ended)


@each(*ALL)
def test_a_result_bears_its_id_and_trace_id(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    ended = client.run(kind, good(kind, shop))
    assert ended.body.get(kind.id_name) == ended.id, f"no {kind.id_name} on {sorted(ended.body)}"
    # The label of a model may name several preparations, each with its own trace.
    assert ended.body.get("trace_id") if kind is kinds.PREPARATION else ended.body.get("trace_id") == ended.id


@each(*ALL)
def test_a_result_has_only_names_of_the_contract(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    expect.result_names(client.run(kind, good(kind, shop)))


@each(*ALL)
def test_an_end_never_changes(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    ended = client.run(kind, good(kind, shop))
    if kind is kinds.ANSWER:
        client.answer_stream(ended.id)
    first = client.get(kind, ended.id).json()
    time.sleep(0.3)
    again = client.get(kind, ended.id).json()
    assert again["status"] == first["status"] == ended.status
    assert again.get("response") == first.get("response")


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
    second = client.post(kind, body, key)
    assert first.json() == second.json(), "a repeated POST with the same key made another job"
    other = client.post(kind, body | {"thread_id": "another"}, key)
    assert other.status_code == 422, other.text
    client.wait(kind, first.json()[kind.id_name])


@each(*JOBS)
def test_configuration_and_configurations_are_both_taken(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    body = good(kind, shop)
    chosen = body.pop("configurations", None) or body.pop("configuration", None) or {"language": "English"}
    for name in ("configuration", "configurations"):
        client.wait(kind, client.start(kind, body | {name: chosen}))


# Stop.


@each(*JOBS)
def test_a_stop_answers_200_with_the_id_and_ends_the_job(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    job_id = client.start(kind, good(kind, shop))
    client.stop(kind, job_id)
    ended = client.wait(kind, job_id, also=frozenset({"stopped"}))
    time.sleep(0.3)
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


@each(*JOBS)
def test_a_stop_after_the_end_changes_nothing(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    ended = client.run(kind, good(kind, shop))
    client.stop(kind, ended.id)
    assert client.get(kind, ended.id).json()["status"] == ended.status


@each(*JOBS)
@pytest.mark.parametrize(
    "body", [{}, {"status": "finished"}, {"status": 1}, {"state": "stopped"}, ["stopped"]], ids=str
)
def test_a_stop_with_another_body_is_422(client: LegacyClient, shop: Shop, kind: Kind, body: object) -> None:
    job_id = client.start(kind, good(kind, shop))
    answer = client.http.patch(f"{kind.route}/{job_id}", json=body)
    expect.bad_body(answer)
    client.wait(kind, job_id)


@each(*JOBS)
def test_a_stop_that_is_not_json_is_422(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    job_id = client.start(kind, good(kind, shop))
    answer = client.http.patch(
        f"{kind.route}/{job_id}", content=b"{stopped", headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422, answer.text
    client.wait(kind, job_id)


# Unknown and foreign ids.


@each(*ALL)
def test_an_unknown_id(client: LegacyClient, service: Service, kind: Kind, unknown_id: str) -> None:
    expect.unknown_job(kind, client.get(kind, unknown_id), wren_ui=service.wren_ui)


@each(*ALL)
@pytest.mark.parametrize(
    "odd", ["0", "-1", "x" * 600, "%00", "..%2f..%2fhealth", "ид", "'; DROP TABLE asks; --"], ids=repr
)
def test_an_odd_id_is_an_unknown_one(client: LegacyClient, service: Service, kind: Kind, odd: str) -> None:
    answer = client.http.get(f"{kind.route}/{odd}{kind.poll}")
    assert answer.status_code < 500, answer.text
    expect.no_leak(answer.text)
    if "%2f" in odd:
        return
    if service.wren_ui:
        assert answer.status_code in (200, 404, 422), answer.text
        if answer.status_code == 200:
            assert answer.json()["status"] == "failed"
    else:
        assert answer.status_code in (404, 422), answer.text


@each(*JOBS)
def test_a_stop_of_an_unknown_id(client: LegacyClient, service: Service, kind: Kind, unknown_id: str) -> None:
    answer = client.patch(kind, unknown_id)
    if service.wren_ui and answer.status_code == 200:
        # "unknown job id -> 200 {status: failed}" names no verb: both readings are taken.
        assert answer.json().get("status") == "failed", answer.text
        return
    expect.error_body(answer, 404)


@each(*ALL)
def test_events_of_an_unknown_id(client: LegacyClient, kind: Kind, unknown_id: str) -> None:
    expect.error_body(client.http.get(kind.events_path(unknown_id)), 404)


@each(*ALL)
def test_a_job_of_one_kind_is_unknown_to_another(
    client: LegacyClient, shop: Shop, service: Service, kind: Kind
) -> None:
    other = kinds.CHART if kind is not kinds.CHART else kinds.ANSWER
    ended = client.run(other, good(other, shop))
    expect.unknown_job(kind, client.get(kind, ended.id), wren_ui=service.wren_ui)


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
    again = client.run(kind, {name: value for name, value in good(kind, shop).items() if name != "project_id"})
    assert again.status == ended.status


# Bad bodies.


@each(*ALL)
@pytest.mark.parametrize("content", [b"", b"{", b"null", b"[]", b'"text"', b"\xff\xfe", b"not json at all"], ids=repr)
def test_a_body_that_is_no_json_object_is_422(client: LegacyClient, kind: Kind, content: bytes) -> None:
    answer = client.http.post(kind.route, content=content, headers={"Content-Type": "application/json"})
    expect.bad_body(answer)


@pytest.mark.parametrize(("kind", "name"), list(_needed()), ids=_name)
def test_a_missing_field_is_422_and_named(client: LegacyClient, shop: Shop, kind: Kind, name: str) -> None:
    body = good(kind, shop)
    body.pop(name)
    told = expect.bad_body(client.post(kind, body))
    expect.told_field(told, name)


@pytest.mark.parametrize(("kind", "name", "value"), list(_wrong()), ids=_name)
def test_a_wrong_type_is_422_and_named(client: LegacyClient, shop: Shop, kind: Kind, name: str, value: object) -> None:
    answer = client.post(kind, good(kind, shop) | {name: value})
    told = expect.bad_body(answer)
    expect.told_field(told, name)


@each(*ALL)
def test_a_bad_body_has_the_body_that_all_errors_share(client: LegacyClient, kind: Kind) -> None:
    content = {"Content-Type": "application/json"}
    expect.error_body(client.http.post(kind.route, content=b"{", headers=content), 422)


@each(*JOBS)
def test_a_wrong_configuration_is_422(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    body = good(kind, shop)
    body.pop("configuration", None)
    expect.bad_body(client.post(kind, body | {"configurations": "English"}))


@each(*ALL)
def test_a_field_that_nobody_knows_does_not_break_the_call(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    client.run(kind, good(kind, shop) | {"user_id": "7", "a_field_of_tomorrow": {"x": [1]}})


@each(*(kind for kind in JOBS if kind.takes_mdl))
@pytest.mark.parametrize("mdl", ["{", "[]", '{"models": 5}'], ids=repr)
def test_a_model_that_cannot_be_read_fails_with_its_code(
    client: LegacyClient, shop: Shop, kind: Kind, mdl: str
) -> None:
    ended = client.run(kind, good(kind, shop) | {"mdl": mdl})
    expect.failed(ended, "MDL_PARSE_ERROR")


@each(*(kind for kind in JOBS if kind.takes_mdl))
def test_a_broken_model_fails_with_all_its_problems(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    ended = client.run(kind, good(kind, shop) | {"mdl": text_of(broken(shop.model))})
    error = expect.failed(ended, "MDL_PARSE_ERROR")
    told = json.dumps(error)
    assert "warehouses" in told, "the relationship to nowhere is not told"
    assert "empty_shelf" in told, "the model without columns is not told: one problem is not all problems"


@each(*(kind for kind in JOBS if kind.takes_mdl))
def test_a_model_may_be_an_object_and_may_be_absent(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    body = good(kind, shop)
    body["mdl"] = json.loads(body["mdl"])
    expect.finished(client.run(kind, body))
    del body["mdl"]
    expect.finished(client.run(kind, body))


# Events.


@each(*ALL)
def test_events_end_with_the_job_and_have_growing_ids(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    job_id = client.start(kind, good(kind, shop))
    code, frames = client.events(kind, job_id)
    assert code == 200
    assert frames
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


@each(*ALL)
def test_events_resume_after_the_last_one_and_end_with_204(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    job_id = client.start(kind, good(kind, shop))
    _, frames = client.events(kind, job_id)
    numbers = [frame.id for frame in frames if frame.id is not None]
    middle = numbers[len(numbers) // 2 - 1] if len(numbers) > 1 else None
    if middle is not None:
        _, rest = client.events(kind, job_id, middle)
        told = [(frame.id, frame.event) for frame in rest if frame.event != "heartbeat"]
        want = [(frame.id, frame.event) for frame in frames if (frame.id or 0) > middle and frame.event != "heartbeat"]
        assert told == want, "a resumed stream has gaps or repeats"
    code, _ = client.events(kind, job_id, numbers[-1])
    assert code == 204, f"behind the end: {code}, not 204"


@each(*ALL)
def test_a_last_event_id_that_is_no_number_does_not_break(client: LegacyClient, shop: Shop, kind: Kind) -> None:
    ended = client.run(kind, good(kind, shop))
    answer = client.http.get(kind.events_path(ended.id), headers={"Last-Event-ID": "tomorrow"})
    assert answer.status_code < 500, answer.text
    expect.no_leak(answer.text)


# A model server that fails.


@each(*JOBS)
@pytest.mark.usefixtures("with_model")
@pytest.mark.parametrize("how", ["429", "500", "cut_json"])
def test_one_failed_call_is_as_if_nothing_had_failed(
    client: LegacyClient, shop: Shop, service: Service, kind: Kind, how: Failure
) -> None:
    if service.model_server is None:
        pytest.skip("no control of the model server")
    service.model_server.fail_next(1, how)
    ended = client.run(kind, good(kind, shop))
    expect.finished(ended)


@each(*JOBS)
@pytest.mark.usefixtures("with_model")
@pytest.mark.parametrize("how", ["500", "cut_json"])
def test_a_dead_model_server_ends_the_job_in_a_documented_way(
    client: LegacyClient, shop: Shop, service: Service, kind: Kind, how: Failure
) -> None:
    if service.model_server is None:
        pytest.skip("no control of the model server")
    service.model_server.fail_next(500, how)
    ended = client.run(kind, good(kind, shop))
    assert ended.status in (kind.good, "failed"), ended.body
    expect.common(ended)
    if ended.status == "failed":
        expect.job_error(ended)
    service.model_server.fail_next(0, how)
    expect.finished(client.run(kind, good(kind, shop)))
