"""Every route: the role that it takes, a limit for its bodies, and errors that the OpenAPI document describes. A route
that states no role is refused to everybody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from askwell.access.caller import CALLER, Caller
from askwell.config import SignInConfig
from askwell.principal import ROLES, Person, Principal, Role
from askwell.web.app import create_app, include, make_routers
from askwell.web.deps import Access
from askwell.web.errors import install_error_handlers
from askwell.web.mcp import PATH, McpDoor
from askwell.web.page_files import PageFiles
from askwell.web.routing import SecuredRoute, router
from tests.support.tables import case_table
from tests.web.fakes import PERSON, FakeServices
from tests.web.test_document_is_true import BODIES, Document, address

ANYBODY = {"/health", "/health/live", "/health/ready", "/sign-in", "/sign-in/callback"}
# By path, or by method and path where these differ; what is not here is for the role `ask`.
CURATE, ADMIN = (set(case_table(__file__, role)) for role in ("curate", "admin"))
# Of the largest body that any route takes: an archive of a project.
MOST_BYTES = 2**32
SIGN_IN = SignInConfig.model_validate(
    {"keys": True, "oidc": {"issuer": "https://issuer.example", "audiences": ["a"], "client_id": "c"}}
)


def role_of(path: str, method: str) -> Access:
    """The role that a route has to take; its path is without the prefix."""
    if path in ANYBODY:
        return "anybody"
    named = {path, f"{method} {path}"}
    return "admin" if named & ADMIN else "curate" if named & CURATE else "ask"


def all_routes() -> Iterator[APIRoute]:
    services: Any = FakeServices()
    for one in make_routers(services, "none", SIGN_IN, PageFiles(SIGN_IN, services)):
        yield from (route for route in one.routes if isinstance(route, APIRoute))


def client(app: FastAPI, role: Role) -> TestClient:
    """Requests of a person with this role, and every project."""

    async def of_person(scope: Scope, receive: Receive, send: Send) -> None:
        caller = Caller(Principal(Person(PERSON), "Ann", role))
        await app(scope | ({CALLER: caller} if scope["type"] == "http" else {}), receive, send)

    return TestClient(of_person, "http://localhost:5555", raise_server_exceptions=False)


@pytest.fixture(scope="module")
def application() -> FastAPI:
    services: Any = FakeServices()
    return create_app(services)


def test_every_route_states_its_role_and_its_limit() -> None:
    wrong, count = [], 0
    for route in all_routes():
        for method in route.methods:
            count += 1
            stated = route.role if isinstance(route, SecuredRoute) else None
            if stated != role_of(route.path, method):
                wrong.append((method, route.path, stated))
        assert isinstance(route, SecuredRoute), route.path
        most = route.most_bytes() if callable(route.most_bytes) else route.most_bytes
        assert 0 < most <= MOST_BYTES, route.path
    assert wrong == []
    assert count > 120


@pytest.mark.parametrize("role", ROLES)
def test_every_route_refuses_what_its_role_and_limit_do_not_allow_as_described(
    application: FastAPI, role: Role
) -> None:
    document = Document(application.openapi())
    http = client(application, role)
    wrong, refused, large = [], 0, 0
    for method, path, described in document.operations:
        needed = role_of(path.removeprefix("/v1"), method)
        body = {"json": BODIES[method, path]} if (method, path) in BODIES else {}
        announced = {"Content-Length": str(MOST_BYTES * 2)}
        is_allowed = needed == "anybody" or ROLES.index(role) >= ROLES.index(needed)
        answer = http.request(method, address(path), headers={} if method == "GET" else announced, **body)
        if method != "GET":
            # Before anything is read of it, and before it is asked who calls.
            large += 1
            if answer.status_code != 413:
                wrong.append((method, path, "a large body", f"{answer.status_code}"))
            wrong += [(method, path, "a large body", one) for one in document.untruths(described, answer)]
        elif not is_allowed and answer.status_code != 403:
            wrong.append((method, path, role, f"{answer.status_code}"))
        for text in ("event-1", "m1", "unknown"):
            answer = http.request(method, address(path, text), **body)
            wrong += [(method, path, text, one) for one in document.untruths(described, answer)]
            if not is_allowed and answer.status_code != 403:
                wrong.append((method, path, text, f"{answer.status_code}"))
        answer = http.request(method, address(path), headers={"Accept": "application/openmetrics-text"}, **body)
        if (answer.status_code == 403) is is_allowed:
            wrong.append((method, path, role, f"{answer.status_code} {answer.text[:100]}"))
        if not is_allowed:
            refused += 1
            assert f"This needs the role {needed}, and you have the role {role}." in answer.text
        wrong += [(method, path, role, one) for one in document.untruths(described, answer)]
        assert answer.status_code < 500, (method, path, answer.text)
    assert wrong == []
    assert large > 50
    assert (refused > 0) is (role != "admin")


@pytest.mark.parametrize("is_open", [True, False])
def test_a_route_that_states_no_role_is_refused_to_everybody(is_open: bool) -> None:
    app = FastAPI()
    app.state.is_open = is_open
    install_error_handlers(app)
    unsecured = router("/secrets", tag="secrets")
    unsecured.add_api_route("", lambda: "secret", methods=["GET"])
    include(app, [unsecured])
    for http in (client(app, "admin"), TestClient(app)):
        answer = http.get("/v1/secrets")
        assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")
    bare = APIRouter()
    bare.add_api_route("/secrets", lambda: "secret")
    with pytest.raises(TypeError, match="has to be made by"):
        include(app, [bare])


def test_without_a_caller_nothing_is_open_where_people_sign_in() -> None:
    app = FastAPI()
    app.state.is_open = False
    install_error_handlers(app)
    secured = router("/secrets", tag="secrets", role="ask")
    secured.add_api_route("", lambda: "secret", methods=["GET"])
    include(app, [secured])
    app.router.routes.append(Route(PATH, McpDoor(FakeServices())))
    assert TestClient(app).get("/v1/secrets").status_code == 401
    assert TestClient(app).post(PATH, json={}).status_code == 401
    assert client(app, "ask").get("/v1/secrets").json() == "secret"
