"""The OpenAPI document against the service: requests made from the document, each answer looked up in it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import httpx2
import jsonschema_rs
import pytest

from askwell.errors import Busy, RecordUnavailable
from askwell.job_kinds import KINDS
from tests.support.apps import application
from tests.support.tables import case_table
from tests.web.conftest import ManyRequests, client_of
from tests.web.fakes import FakeServices

# Of every type of JSON, and of texts some that a careless reader takes for something else.
VALUES: tuple[Any, ...] = (
    None, True, 0, 1, -1, 1.5, 10**30, "", " ", "x", "true", "1", "yes", "a\nb", "\x00", "é", "-x", "2024-01-01",
    "x" * 129, "x" * 20_000, [], [1], ["x"], [None], [[]], {}, {"a": 1}, {"a": "b"},
)  # fmt: skip
FEW = (None, 1, "true", "", ["x"], {"a": 1})
FEW_TEXTS = ("", "x", "-1", "1001", "x" * 300, "a/b")
PARAMETERS = ("", "x", "-1", "0", "1.5", "1001", "true", "null", " ", "x" * 300, "é", "a/b")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# What one sends, by the path that it is sent to: the least that is taken.
BODIES: Mapping[tuple[str, str], Any] = {
    **{(said.split()[0], said.split()[1]): body for said, body in case_table(__file__, "bodies").items()},
    **{("PATCH", f"/v1/{kind.path}/{{job_id}}"): {"status": "stopped"} for kind in KINDS},
}
# Files that are sent as they are.
BINARY = {("PUT", "/v1/projects/{project_id}/archive"), ("POST", "/v1/uploads")}
# Whatever the document can say of it: a name that exists is one of six hundred. (And of an agent's messages one has to
# be the user's.)
IN_WORDS_ONLY = (("timezone", "name"), ("forwardedProps", "timezone"))


@dataclass
class Document:
    """The document, and answers held against it."""

    content: dict[str, Any]
    _validators: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def operations(self) -> list[tuple[str, str, dict[str, Any]]]:
        paths = self.content["paths"].items()
        return [(method.upper(), path, said) for path, methods in paths for method, said in methods.items()]

    def at(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            schema = self.content["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema

    def fits(self, value: Any, schema: Mapping[str, Any]) -> bool:
        rules = json.dumps(schema, sort_keys=True)
        if rules not in self._validators:
            whole = {**schema, "components": self.content["components"]}
            self._validators[rules] = jsonschema_rs.Draft202012Validator(whole)
        return bool(self._validators[rules].is_valid(value))

    def places(self, schema: Mapping[str, Any], at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
        """Every place in a body that the document describes."""
        yield at
        choices = self.at(schema)
        for choice in map(self.at, choices.get("anyOf", [choices])):
            for name, inner in choice.get("properties", {}).items():
                yield from self.places(inner, (*at, name))
            if "items" in choice:
                yield from self.places(choice["items"], (*at, 0))

    def untruths(self, said: Mapping[str, Any], answer: httpx2.Response) -> list[str]:
        """What the document says otherwise of this answer."""
        described = said["responses"].get(str(answer.status_code))
        if described is None:
            return [f"status {answer.status_code}"]
        kind = answer.headers.get("Content-Type", "").partition(";")[0]
        contents = described.get("content", {})
        if not answer.content:
            return [] if not contents or answer.request.method == "HEAD" else ["no body"]
        if kind not in contents:
            return [f"{answer.status_code} as {kind}"]
        if kind == "application/json" and not self.fits(answer.json(), contents[kind]["schema"]):
            return [f"{answer.status_code} with {answer.text[:80]}"]
        names = {name.lower() for name in ("Location", "Retry-After") if name in answer.headers}
        return [f"header {name}" for name in names - {name.lower() for name in described.get("headers", {})}]


@pytest.fixture(scope="module")
def document() -> Document:
    with application(FakeServices()) as app, client_of(app) as client:
        return Document(client.get("/openapi.json").json())


@pytest.fixture
def asked(many: ManyRequests) -> None:
    """`ask-1` is there, and what else the addresses of `address` name."""
    assert many.post("/v1/asks", json=BODIES["POST", "/v1/asks"]).status_code == 202


def address(path: str, text: str = "ask-1") -> str:
    return re.sub(r"\{\w+\}", lambda _: text, path)


def is_at(path: str, where: str) -> bool:
    """Whether an address is of a path: `/v1/lessons/export` is of `/v1/lessons/{lesson_id}` too."""
    return re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)), where) is not None


def with_value(body: Any, place: tuple[str | int, ...], value: Any) -> Any:
    """The body with the value there, and with what has to be around it."""
    if not place:
        return value
    first, *rest = place
    whole = copy.deepcopy(body) if isinstance(body, dict if isinstance(first, str) else list) else None
    if isinstance(first, str):
        found = whole or {}
        return {**found, first: with_value(found.get(first), tuple(rest), value)}
    return [with_value((whole or [None])[0], tuple(rest), value)]


def send(many: ManyRequests, method: str, path: str, body: Any, **headers: str) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return many.request(method, address(path), content=content, headers={"Content-Type": "application/json", **headers})


def test_every_body_is_known_here(document: Document) -> None:
    assert {
        (method, path) for method, path, said in document.operations if "requestBody" in said
    } == BODIES.keys() | BINARY


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("values", [FEW, pytest.param(VALUES, marks=pytest.mark.deep)], ids=["few", "all"])
@pytest.mark.parametrize(("method", "path"), BODIES)
def test_what_is_taken_is_what_is_described(
    many: ManyRequests, document: Document, method: str, path: str, values: tuple[Any, ...]
) -> None:
    """Every described place × values of every type: taken where the document takes it, refused where it does not."""
    said = document.content["paths"][path][method.lower()]
    schema = said["requestBody"]["content"]["application/json"]["schema"]
    wrong = []
    for place in document.places(schema):
        for value in values:
            body = with_value(BODIES[method, path], place, value)
            answer = send(many, method, path, body)
            wrong += [(place, value, untruth) for untruth in document.untruths(said, answer)]
            said_in_words = place[-2:] in IN_WORDS_ONLY or (path == "/v1/agent" and place[:1] == ("messages",))
            in_words = said_in_words and answer.status_code == 422
            # 404 is for a body that is taken and names another project.
            taken = answer.is_success or answer.status_code == 404
            if taken != document.fits(body, schema) and not in_words:
                wrong.append((place, value, f"{answer.status_code} {answer.text[:100]}"))
    assert wrong == []


@pytest.mark.deep
@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize(("method", "path"), BODIES)
def test_what_is_missing_or_no_json_is_refused_as_described(
    many: ManyRequests, document: Document, method: str, path: str
) -> None:
    said = document.content["paths"][path][method.lower()]
    schema = said["requestBody"]["content"]["application/json"]["schema"]
    least = BODIES[method, path]
    missing = [{key: value for key, value in least.items() if key != name} for name in least]
    wrong = [body for body in missing if send(many, method, path, body).is_success or document.fits(body, schema)]
    answers = [send(many, method, path, body) for body in (*missing, b"", b"{", b"\xff\xfe", b"NaN", b"[" * 100_000)]
    answers += [
        send(many, method, path, least, **{"Content-Type": kind})
        for kind in ("text/plain", "application/xml", "multipart/form-data", "application/x-www-form-urlencoded", "")
    ]
    assert not any(answer.is_success for answer in answers)
    answers.append(send(many, method, path, b" " * 40_000_000))
    assert answers[-1].status_code == 413
    assert wrong == [untruth for answer in answers for untruth in document.untruths(said, answer)] == []


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("texts", [FEW_TEXTS, pytest.param(PARAMETERS, marks=pytest.mark.deep)], ids=["few", "all"])
def test_parameters_are_taken_and_refused_as_described(
    many: ManyRequests, document: Document, texts: tuple[str, ...]
) -> None:
    wrong = []
    for method, path, said in document.operations:
        for parameter in said.get("parameters", ()):
            for text in texts:
                where, headers, query = address(path), {}, {}
                if parameter["in"] == "path":
                    where = address(path, httpx2.URL(path="/" + text).raw_path.decode()[1:].replace("/", "%2F") or "x")
                elif parameter["in"] == "query":
                    query = {parameter["name"]: text}
                else:
                    headers = {parameter["name"]: text.encode()}
                body = {"json": BODIES[method, path]} if (method, path) in BODIES else {}
                answer = many.request(method, where, params=query, headers=headers, **body)
                if "%2F" in where and answer.status_code in (404, 405):
                    continue  # another address
                wrong += [(method, where, parameter["name"], text, one) for one in document.untruths(said, answer)]
                is_number = "integer" in str(parameter["schema"]) and text.lstrip("-").isdigit()
                value = int(text) if is_number else text
                if parameter["in"] == "query" and (answer.status_code != 422) != document.fits(
                    value, parameter["schema"]
                ):
                    wrong.append((method, where, parameter["name"], text, f"{answer.status_code}"))
    assert wrong == []


@pytest.mark.deep
@pytest.mark.usefixtures("asked")
def test_a_method_that_is_not_taken_names_all_that_are(many: ManyRequests, document: Document) -> None:
    for mount in ("/v1", ""):
        for path in document.content["paths"]:
            where = mount + address(path).removeprefix("/v1")
            taken = {
                method.upper()
                for other, methods in document.content["paths"].items()
                if is_at(other, address(path))
                for method in methods
            }
            taken |= {"HEAD"} & {method for method in METHODS if many.request(method, where).status_code != 405}
            for method in set(METHODS) - taken:
                answer = many.request(method, where)
                assert answer.status_code == 405, (method, where)
                assert set(answer.headers["Allow"].split(", ")) == taken, (method, where)


@pytest.mark.parametrize("said_by", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Host": ""}])
def test_refusals_before_any_route_are_described(
    many: ManyRequests, document: Document, said_by: Mapping[str, str]
) -> None:
    for method, path, said in document.operations:
        answer = many.request(method, address(path), headers=dict(said_by))
        assert answer.status_code in (400, 403)
        assert document.untruths(said, answer) == [], (method, path)


def test_what_services_refuse_is_described(many: ManyRequests, services: FakeServices, document: Document) -> None:
    said = document.content["paths"]["/v1/asks"]["post"]
    for trouble in (Busy("Full.", "Later."), RecordUnavailable("Gone.", "Look."), RuntimeError("a defect")):
        services.asks.fails_with = trouble
        answer = send(many, "POST", "/v1/asks", BODIES["POST", "/v1/asks"])
        assert document.untruths(said, answer) == [], answer.text


def test_a_service_that_is_not_ready_says_so_as_described(
    many: ManyRequests, services: FakeServices, document: Document
) -> None:
    services.checks = {"record": {"ok": False, "message": "locked"}}
    ready = document.content["paths"]["/v1/health/ready"]["get"]
    assert document.untruths(ready, many.get("/v1/health/ready")) == []
