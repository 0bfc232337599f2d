"""Expectations that many checks share, in the contract's own words."""

from __future__ import annotations

import json
from typing import Any

import httpx2 as httpx

from tests.client_kit.client import Ended, Stream
from tests.client_kit.kinds import Kind
from tests.client_kit.manifest import Json

LEAKS = ("Traceback (most recent", 'File "/', "site-packages", "sqlalchemy.exc", "openai.", "duckdb.duckdb")
CHART_TYPES = frozenset({"line", "bar", "pie", "grouped_bar", "stacked_bar", "area", "multi_line", ""})


def no_leak(text: str) -> None:
    """No traceback, path or raw exception reaches a client."""
    found = [leak for leak in LEAKS if leak in text]
    assert not found, f"{found} in {text[:600]}"


def error_body(answer: httpx.Response, status_code: int) -> Json:
    """An HTTP error with the one body that all errors share."""
    assert answer.status_code == status_code, f"{answer.status_code}, not {status_code}: {answer.text[:400]}"
    no_leak(answer.text)
    body: Json = answer.json()
    missing = {"code", "message", "hint", "request_id"} - set(body)
    assert not missing, f"the error body lacks {sorted(missing)}: {body}"
    assert isinstance(body["code"], str)
    assert body["code"]
    assert isinstance(body["message"], str)
    assert body["message"]
    return body


def bad_body(answer: httpx.Response) -> Json:
    """422 with the usual list of field errors."""
    assert answer.status_code == 422, f"{answer.status_code}, not 422: {answer.text[:400]}"
    no_leak(answer.text)
    body: Json = answer.json()
    detail = body.get("detail")
    assert isinstance(detail, list), f"no list of field errors: {body}"
    assert detail, f"no field error is told: {body}"
    for one in detail:
        assert {"loc", "msg", "type"} <= set(one), f"not a field error: {one}"
    return body


def told_field(body: Json, field: str) -> None:
    """The list of field errors names the field."""
    places = [str(part) for one in body["detail"] for part in one["loc"]]
    assert field in places, f"{field} is not named among {places}"


def unknown_job(kind: Kind, answer: httpx.Response, *, wren_ui: bool) -> None:
    """404; with `compatibility: wren_ui` 200, failed, with a code that the client maps (CONTRACTS 1.5 b)."""
    if not wren_ui:
        error_body(answer, 404)
        return
    assert answer.status_code == 200, f"{answer.status_code}, not 200: {answer.text[:400]}"
    body: Json = answer.json()
    assert body.get("status") == "failed", body
    allowed = {"OTHERS", "RESOURCE_NOT_FOUND"} & kind.codes
    assert (body.get("error") or {}).get("code") in allowed, f"code is none of {sorted(allowed)}: {body}"
    no_leak(answer.text)


def in_order(kind: Kind, seen: list[str]) -> None:
    """States in the table's order only, no way back, and one end."""
    table = [*kind.running]
    walked = [status for status in seen if status not in kind.terminal]
    places = [table.index(status) for status in walked]
    assert places == sorted(places), f"{kind.name}: {seen} is not in the order {table}"
    assert len(set(places)) == len(places), f"{kind.name}: {seen} goes back"
    assert all(status not in kind.terminal for status in seen[:-1]), f"{kind.name}: an end changed: {seen}"


def job_error(ended: Ended) -> Json:
    """The error of a failed job: a code of the closed set, words, and a hint (words or null)."""
    error = ended.error
    assert error, f"{ended.kind.name} failed without an error: {ended.body}"
    assert error.get("code") in ended.kind.codes, f"{error.get('code')!r} is none of {sorted(ended.kind.codes)}"
    assert isinstance(error.get("message"), str), error
    assert error["message"].strip(), error
    assert error.get("hint") is None or isinstance(error["hint"], str), error
    no_leak(json.dumps(error))
    return error


def finished(ended: Ended) -> Any:
    """The response of a job that ended well; every answer on the way bore the trace id, and the order was kept."""
    assert ended.status == ended.kind.good, f"{ended.kind.name} ended {ended.status}: {ended.error or ended.body}"
    assert not ended.body.get("error"), ended.body
    common(ended)
    return ended.body.get("response")


def failed(ended: Ended, *codes: str) -> Json:
    """The error of a job that failed as it should, with one of the codes."""
    assert ended.status == "failed", f"{ended.kind.name} ended {ended.status}, not failed: {ended.body}"
    common(ended)
    error = job_error(ended)
    assert not codes or error["code"] in codes, f"{error} is none of {codes}"
    return error


def common(ended: Ended) -> None:
    """What every answer of a job keeps: the order of states and `trace_id` = the id."""
    in_order(ended.kind, ended.seen)
    if ended.kind.name != "preparation":
        wrong = [one.get("trace_id") for one in ended.answers if one.get("trace_id") != ended.id]
        assert not wrong, f"{ended.kind.name}: trace_id {wrong[0]!r} is not the id {ended.id!r}"
    no_leak(json.dumps(ended.body))


def text_stream(stream: Stream, *, empty: bool = False) -> str:
    """A text stream that the legacy client reads whole: one frame a write, no blanks in the JSON."""
    assert stream.status_code == 200, stream.raw[:400]
    assert stream.media_type.startswith("text/event-stream"), stream.media_type
    no_leak(stream.raw)
    assert empty or stream.frames, "the stream has no words"
    for line in stream.raw.splitlines():
        assert not line or line.startswith(('data: {"message":"', ":")), f"not a frame the client reads: {line[:200]!r}"
    assert len(stream.as_client) == len(stream.frames), (
        "a write held more than one frame: the client shows only the first"
    )
    shown = "".join(json.loads(f'"{part}"') for part in stream.as_client)
    assert shown == stream.text, "the client's pattern cuts a frame short"
    return stream.text


def result_names(ended: Ended) -> None:
    """No answer has a name that neither page of the contract lists."""
    known = {"status", "response", "error", "trace_id", ended.kind.id_name} | ended.kind.fields
    for body in ended.answers:
        extra = set(body) - known
        assert not extra, f"{ended.kind.name}: names that the contract does not list: {sorted(extra)}"


def table_names(sql: str, names: set[str]) -> set[str]:
    """Which of the names stand in the SQL."""
    words = {word.strip('"`[](),;').casefold() for word in sql.replace(".", " ").replace("(", " ").split()}
    return {name for name in names if name.casefold() in words}


def fields_of(schema: Any) -> list[str]:
    """Every `field` of every encoding in a chart schema, at any depth."""
    found: list[str] = []
    if isinstance(schema, dict):
        for channel in (schema.get("encoding") or {}).values():
            parts = channel if isinstance(channel, list) else [channel]
            found += [part["field"] for part in parts if isinstance(part, dict) and isinstance(part.get("field"), str)]
        for name, value in schema.items():
            if name != "encoding":
                found += fields_of(value)
    elif isinstance(schema, list):
        for one in schema:
            found += fields_of(one)
    return found


def made_fields(schema: Json) -> set[str]:
    """Names that a chart's own transforms make (fold, aggregate, timeUnit)."""
    made: set[str] = set()
    for step in schema.get("transform") or []:
        fold = step.get("fold")
        if fold is not None:
            made |= set(step.get("as") or ("key", "value"))
        made |= {str(one.get("as")) for one in step.get("aggregate") or []}
        if isinstance(step.get("as"), str):
            made.add(step["as"])
    return made


def chart(response: Any, columns: set[str], *, with_data: bool = False) -> Json:
    """A chart's response field by field; the schema when there is a chart, an empty one when there is none."""
    assert isinstance(response, dict), response
    assert set(response) == {"reasoning", "chart_type", "chart_schema"}, sorted(response)
    assert isinstance(response["reasoning"], str)
    assert response["chart_type"] in CHART_TYPES, response["chart_type"]
    schema = response["chart_schema"]
    assert isinstance(schema, dict)
    if response["chart_type"] == "":
        assert schema == {}, schema
        assert response["reasoning"].strip(), "no chart and no word of why"
        return schema
    assert "mark" in schema, schema
    assert schema.get("encoding"), schema
    if "$schema" in schema:
        assert "vega-lite" in schema["$schema"]
        assert any(f"/v{major}" in schema["$schema"] for major in (5, 6)), schema["$schema"]
    made = made_fields(schema)
    plain = {field.replace("\\", "") for field in fields_of(schema)}
    assert plain <= columns | made, (
        f"fields {sorted(plain - columns - made)} are not columns of the result {sorted(columns)}"
    )
    told = json.dumps({name: value for name, value in schema.items() if name != "$schema"})
    for word in ('"expr"', '"href"', '"url"', "http"):
        assert word not in told, f"{word} in a chart: {told[:300]}"
    values = (schema.get("data") or {}).get("values")
    if with_data:
        assert isinstance(values, list), "remove_data_from_chart_schema=false, and there are no rows in the schema"
        assert 0 < len(values) <= 1000
    else:
        assert not values, "rows in a schema that should have none"
    return schema
