"""What other sites load to ask on their pages: which of them may, and how long browsers keep it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx2
import pytest
from anyio.from_thread import start_blocking_portal

from tests.support.service import running_service, write_config

SITE, OTHER = "https://site.example", "https://other.example"
EMBED = "/askwell-ask.js"
STYLES = ("tokens", "controls", "answer", "table", "sql", "chart", "embed")


@pytest.fixture(scope="module", params=["open", "signed in"])
def http(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A service that pages of one other origin may call."""
    sections = {"sign_in": {"keys": True}} if request.param == "signed in" else {}
    server = {"host": "127.0.0.1", "port": 0, "allowed_origins": [SITE]}
    config = write_config(tmp_path_factory.mktemp("files"), server=server, **sections)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(running_service(config)) as client:
        with httpx2.Client(base_url=client.url) as opened:
            yield opened


def of(site: str, destination: str = "script") -> dict[str, str]:
    """What a browser says of a request by a page of this site."""
    said = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": destination}
    return {"Origin": site, **said}


def loaded(http: httpx2.Client) -> list[str]:
    """Every file that the element is made of but what is loaded when it is needed."""
    modules = re.findall(r'^import "\.(/page/[^"]+)";$', http.get(EMBED).text, re.MULTILINE)
    base = modules[0].rpartition("/")[0]
    return [*modules, *(f"{base}/styles/{name}.css" for name in STYLES)]


def test_its_address_is_the_same_for_every_version_and_kept_for_minutes(http: httpx2.Client) -> None:
    answer = http.get(EMBED)
    assert answer.status_code == 200
    assert answer.headers["content-type"].partition(";")[0] == "text/javascript"
    assert answer.headers["cache-control"] == "public, max-age=300"
    assert len(answer.content) < 4_000
    assert [
        line for line in answer.text.splitlines() if not re.fullmatch(r'import "\./page/\w{16}/[\w/-]+\.js";', line)
    ] == []
    assert answer.text.splitlines()[0].endswith('/embed.js";')


def test_a_site_that_may_call_the_service_may_load_all_of_it(http: httpx2.Client) -> None:
    for address in [EMBED, *loaded(http)]:
        answer = http.get(address, headers=of(SITE))
        assert answer.status_code == 200, address
        assert answer.headers["access-control-allow-origin"] == SITE
        assert "access-control-allow-credentials" not in answer.headers
        assert address == EMBED or "immutable" in answer.headers["cache-control"]


def test_what_one_site_was_given_is_not_kept_for_another(http: httpx2.Client) -> None:
    for address in [EMBED, *loaded(http)]:
        for headers in ({}, of(SITE)):
            kept_by = http.get(address, headers=headers).headers["vary"].replace(" ", "").split(",")
            assert {"Accept-Encoding", "Origin"} <= set(kept_by), address


@pytest.mark.parametrize("site", [OTHER, "null", f"{SITE}.evil.example", "http://site.example"])
def test_another_site_may_load_nothing(http: httpx2.Client, site: str) -> None:
    for address in [EMBED, *loaded(http)]:
        answer = http.get(address, headers=of(site))
        assert answer.status_code == 403, address
        assert "access-control-allow-origin" not in answer.headers


def test_a_site_may_ask_with_a_token_and_no_other_site_may(http: httpx2.Client) -> None:
    wants = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
    }
    may = http.options("/v1/asks", headers=of(SITE, "empty") | wants)
    assert may.status_code == 200
    assert may.headers["access-control-allow-origin"] == SITE
    assert "idempotency-key" in may.headers["access-control-allow-headers"].lower()
    assert "access-control-allow-credentials" not in may.headers
    assert http.options("/v1/asks", headers=of(OTHER, "empty") | wants).status_code == 403
    stream = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization,last-event-id"}
    assert http.options("/v1/asks/x/events", headers=of(SITE, "empty") | stream).status_code == 200


def test_the_page_itself_stays_in_no_frame_and_loads_nothing_of_others(http: httpx2.Client) -> None:
    policy = http.get("/").headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert SITE not in policy


def test_where_no_site_may_none_is_told_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    config = write_config(tmp_path_factory.mktemp("closed"))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(running_service(config)) as client:
        with httpx2.Client(base_url=client.url) as opened:
            assert opened.get(EMBED).status_code == 200
            assert opened.get(EMBED, headers=of(SITE)).status_code == 403
