"""Which requests are answered at all: those under the service's own names, and from no page of another origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient

from askwell.config import ServerConfig
from tests.support.apps import application
from tests.support.tables import case_rows, case_table
from tests.web.conftest import client_of
from tests.web.fakes import FakeServices

ROUTES = case_table(__file__, "routes")
QUESTION = {"query": "How many orders?"}


@contextmanager
def services_named(
    *hosts: str, origins: tuple[str, ...] = (), services: FakeServices | None = None
) -> Iterator[TestClient]:
    server = ServerConfig(allowed_hosts=hosts, allowed_origins=origins)
    with application(services or FakeServices(), server) as app, client_of(app) as client:
        yield client


class TestHost:
    @pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "0.0.0.0", "192.168.1.5:5555"])
    def test_another_host_is_refused_everywhere(self, http: TestClient, host: str) -> None:
        for method, path in ROUTES:
            answer = http.request(method, path, headers={"Host": host})
            assert answer.status_code == 403, (method, path)
            assert answer.headers["X-Request-ID"], (method, path)
            if method != "HEAD":
                assert answer.json()["code"] == "FORBIDDEN", (method, path)
                assert "server.allowed_hosts" in answer.json()["hint"], (method, path)
                assert host not in answer.text, (method, path)

    @pytest.mark.parametrize("host", case_table(__file__, "this_machines_own_names_are_always_its_own"))
    def test_this_machines_own_names_are_always_its_own(self, http: TestClient, host: str) -> None:
        assert http.get("/health", headers={"Host": host}).status_code == 200

    @pytest.mark.parametrize(
        "host",
        ["", " ", ":5555", "a b", "localhost:port", "localhost/", "a@localhost", "::1", "[::1", "[::g]", "localhost..",
         "localhost,evil.example", "http://localhost", "caf\u00e9"],
    )  # fmt: skip
    def test_what_is_no_host_is_a_bad_request(self, http: TestClient, host: str) -> None:
        answer = http.get("/health", headers=[(b"Host", host.encode("latin-1"))])
        assert answer.status_code == 400
        assert answer.json()["code"] == "INVALID_REQUEST"

    def test_several_are_a_bad_request(self, http: TestClient) -> None:
        for hosts in (["localhost", "localhost"], ["localhost", "evil.example"]):
            assert http.get("/health", headers=[("Host", host) for host in hosts]).status_code == 400

    @pytest.mark.deep
    @pytest.mark.parametrize(
        ("allowed", "host", "is_taken"),
        case_rows(__file__, "names_can_be_added", "allowed", "host", "is_taken"),
    )
    def test_names_can_be_added(self, allowed: str, host: str, is_taken: bool) -> None:
        with services_named(allowed) as http:
            assert (http.get("/health", headers={"Host": host}).status_code == 200) is is_taken
            assert http.get("/health").status_code == 200

    def test_nothing_is_done_for_another_host(self, http: TestClient, services: FakeServices) -> None:
        http.post("/v1/asks", json=QUESTION, headers={"Host": "evil.example"})
        assert services.asks.requests == {}


class TestOrigin:
    @pytest.mark.parametrize("said", case_table(__file__, "a_page_of_another_origin_is_refused_everywhere"))
    def test_a_page_of_another_origin_is_refused_everywhere(
        self, http: TestClient, services: FakeServices, said: Mapping[str, str]
    ) -> None:
        for method, path in ROUTES:
            answer = http.request(method, path, headers=said)
            assert answer.status_code == 403, (method, path)
            assert "Access-Control-Allow-Origin" not in answer.headers, (method, path)

    @pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/json"])
    def test_nothing_is_done_for_it(self, http: TestClient, services: FakeServices, kind: str) -> None:
        headers = {"Origin": "https://evil.example", "Content-Type": kind}
        assert http.post("/v1/asks", content='{"query": "How many?"}', headers=headers).status_code == 403
        assert services.asks.requests == {}

    @pytest.mark.parametrize(
        ("host", "said"),
        case_rows(__file__, "programs_and_pages_of_its_own_are_answered", "host", "said"),
    )
    def test_programs_and_pages_of_its_own_are_answered(
        self, http: TestClient, host: str, said: Mapping[str, str]
    ) -> None:
        assert http.post("/v1/asks", json=QUESTION, headers={"Host": host, **said}).status_code == 202

    def test_a_link_of_another_page_can_be_followed_and_no_form_sent(self, http: TestClient) -> None:
        followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        assert http.get("/docs", headers=followed).status_code == 200
        assert http.post("/v1/asks", json=QUESTION, headers=followed).status_code == 403


class TestAllowedOrigins:
    @pytest.mark.deep
    @pytest.mark.parametrize(
        ("allowed", "origin", "is_taken"),
        case_rows(__file__, "they_are_answered_and_may_read_the_answer", "allowed", "origin", "is_taken"),
    )
    def test_they_are_answered_and_may_read_the_answer(self, allowed: str, origin: str, is_taken: bool) -> None:
        services = FakeServices()
        with services_named(origins=(allowed,), services=services) as http:
            answer = http.post("/v1/asks", json=QUESTION, headers={"Origin": origin, "Sec-Fetch-Site": "cross-site"})
        assert answer.status_code == (202 if is_taken else 403)
        assert answer.headers.get("Access-Control-Allow-Origin") == (origin if is_taken else None)
        assert ("Location" in answer.headers.get("Access-Control-Expose-Headers", "")) is is_taken
        assert len(services.asks.requests) == is_taken

    def test_a_preflight_is_answered_for_them_only(self) -> None:
        wanted = {
            "Access-Control-Request-Method": "DELETE",
            "Access-Control-Request-Headers": "content-type, idempotency-key",
            "Access-Control-Request-Private-Network": "true",
        }
        with services_named(origins=("https://app.example",)) as http:
            allowed = http.options("/v1/semantics", headers={"Origin": "https://app.example", **wanted})
            others = http.options("/v1/semantics", headers={"Origin": "https://evil.example", **wanted})
            elsewhere = {"Host": "evil.example", "Origin": "https://app.example", **wanted}
            rebound = http.options("/v1/semantics", headers=elsewhere)
        assert allowed.status_code == 200
        assert allowed.headers["Access-Control-Allow-Origin"] == "https://app.example"
        assert "DELETE" in allowed.headers["Access-Control-Allow-Methods"]
        assert allowed.headers["Access-Control-Allow-Headers"] == "content-type, idempotency-key"
        assert allowed.headers["Access-Control-Allow-Private-Network"] == "true"
        assert "Access-Control-Allow-Credentials" not in allowed.headers
        assert (others.status_code, rebound.status_code) == (403, 403)

    def test_errors_are_theirs_to_read_too(self) -> None:
        with services_named(origins=("https://app.example",)) as http:
            answer = http.get("/v1/asks/none/result", headers={"Origin": "https://app.example"})
        assert answer.status_code == 404
        assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example"
