"""Signing in to the page at an issuer of OpenID Connect, in a real browser, and out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from anyio.from_thread import start_blocking_portal

from tests.fakes.oidc_issuer import AUDIENCE, CLIENT, CLIENT_SECRET, FakeIssuer
from tests.page.conftest import Looked, Service
from tests.support.service import ServiceProcess, client, write_config

pytestmark = pytest.mark.deep

ADMIN_KEY = "ak_" + "a" * 43
Signing = tuple[Service, FakeIssuer]


@pytest.fixture(scope="module")
def signing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signing]:
    """A service whose people sign in at an issuer, with the tiny shop's model, and that issuer."""
    folder = tmp_path_factory.mktemp("single_sign_on")
    environ = {
        "ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN_KEY,
        "ASKWELL_SIGN_IN__SESSION_SECRET": "s" * 43,
        "ASKWELL_SIGN_IN__OIDC__CLIENT_SECRET": CLIENT_SECRET,
    }
    process = ServiceProcess(folder / "config.yaml", environ)
    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal())
        issuer = stack.enter_context(portal.wrap_async_context_manager(FakeIssuer()))
        oidc = {
            "issuer": issuer.url,
            "audiences": [AUDIENCE],
            "client_id": CLIENT,
            "redirect_url": f"{process.url}/v1/sign-in/callback",
            "role": {"claim": "roles", "roles": {"ask": "ask", "curate": "curate"}},
        }
        write_config(folder, sign_in={"keys": True, "oidc": oidc})
        stack.callback(portal.call, process.kill)
        portal.call(process.start)
        service = Service(stack.enter_context(portal.wrap_async_context_manager(client(process.url))), portal)
        service.sign_in(ADMIN_KEY)
        service.prepare()
        yield service, issuer


def sign_in(signing: Signing, look: Callable[..., Looked], place: str = "") -> Looked:
    service, issuer = signing
    looked = look(service, place, trusted=(issuer.url,))
    looked.page.get_by_role("button", name="Sign in with your organisation").click()
    return looked


def test_who_signs_in_at_the_issuer_comes_back_to_where_they_wanted(
    signing: Signing, look: Callable[..., Looked]
) -> None:
    looked = sign_in(signing, look, "#/default/history")
    looked.page.get_by_role("heading", name="History").wait_for()
    looked.page.get_by_role("link", name="Ask").first.click()
    looked.ask("How many customers are there?")
    assert looked.card.locator(".figure-value").inner_text() == "3"
    looked.page.reload()
    looked.card.locator(".figure-value").wait_for()
