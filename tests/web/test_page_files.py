"""What the page is made of, over HTTP: its document, its modules, and how browsers may keep them."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from anyio.from_thread import start_blocking_portal

from tests.support.service import running_service, write_config

LEAST_STATEMENTS = {"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"}
FIRST_LOAD = 65_000


@pytest.fixture(scope="module", params=["open", "signed in"])
def http(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """The page is there before anybody has signed in, and where nobody has to."""
    sections = {"sign_in": {"keys": True}} if request.param == "signed in" else {}
    config = write_config(tmp_path_factory.mktemp("files"), **sections)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(running_service(config)) as client:
        with httpx2.Client(base_url=client.url) as opened:
            yield opened


def addresses(document: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r'(?:href|src)="([^"]+)"', document)))


def test_the_document_lets_in_nothing_but_its_own(http: httpx2.Client) -> None:
    answer = http.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["x-content-type-options"] == "nosniff"
    policy = answer.headers["content-security-policy"].split("; ")
    assert set(policy) >= LEAST_STATEMENTS
    assert not [said for said in policy if "unsafe" in said or "http" in said or "*" in said]
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", answer.text)


def test_all_that_it_loads_is_there_and_kept_for_good(http: httpx2.Client) -> None:
    for address in addresses(http.get("/").text):
        answer = http.get(address)
        assert answer.status_code == 200, address
        assert "immutable" in answer.headers["cache-control"]
        kind = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}[address.rpartition(".")[2]]
        assert answer.headers["content-type"].partition(";")[0] == kind


def test_the_first_load_is_small(http: httpx2.Client) -> None:
    document = http.get("/")
    total = 0
    for address in ["/", *addresses(document.text)]:
        with http.stream("GET", address, headers={"Accept-Encoding": "gzip"}) as answer:
            assert answer.headers["content-encoding"] == "gzip"
            total += sum(len(piece) for piece in answer.iter_raw())
    assert total <= FIRST_LOAD


def test_what_is_compressed_is_the_same(http: httpx2.Client) -> None:
    address = next(one for one in addresses(http.get("/").text) if one.endswith("main.js"))
    plain = http.get(address, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    with http.stream("GET", address, headers={"Accept-Encoding": "gzip;q=0.5, br"}) as answer:
        assert gzip.decompress(b"".join(answer.iter_raw())) == plain.content


@pytest.mark.parametrize(
    "path", ["nothing.js", "../app.py", "%2e%2e/app.py", "..%2f..%2fconfig.py", "index.html", "", "lib", "lib/"]
)
def test_nothing_else_is_there(http: httpx2.Client, path: str) -> None:
    version = addresses(http.get("/").text)[0].split("/")[2]
    assert http.get(f"/page/{version}/{path}", follow_redirects=True).status_code == 404


def test_another_version_loads_what_is_still_called_so_and_keeps_nothing(http: httpx2.Client) -> None:
    answer = http.get("/page/0123456789abcdef/main.js")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")


def test_nothing_about_a_project_is_in_the_document(http: httpx2.Client, tmp_path: Path) -> None:
    text = http.get("/").text
    assert "shop" not in text
    assert str(tmp_path.parent.parent) not in text


def test_the_library_of_charts_is_a_module(http: httpx2.Client) -> None:
    pytest.importorskip("vl_convert", reason="the extra `charts` is not installed")
    version = addresses(http.get("/").text)[0].split("/")[2]
    answer = http.get(f"/page/{version}/vega.js", timeout=120)
    assert answer.status_code == 200
    assert "askwellVegaEmbed" in answer.text
    assert answer.text == http.get(f"/page/{version}/vega.js", headers={"Accept-Encoding": "identity"}).text


# -- What other sites load to ask on their pages: which of them may, and how long browsers keep it.


SITE, OTHER = "https://site.example", "https://other.example"
EMBED = "/askwell-ask.js"
STYLES = ("tokens", "controls", "answer", "table", "sql", "chart", "embed")


@pytest.fixture(scope="module", params=["open", "signed in"])
def embedding(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
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


def loaded(embedding: httpx2.Client) -> list[str]:
    """Every file that the element is made of but what is loaded when it is needed."""
    modules = re.findall(r'^import "\.(/page/[^"]+)";$', embedding.get(EMBED).text, re.MULTILINE)
    base = modules[0].rpartition("/")[0]
    return [*modules, *(f"{base}/styles/{name}.css" for name in STYLES)]


def test_its_address_is_the_same_for_every_version_and_kept_for_minutes(embedding: httpx2.Client) -> None:
    answer = embedding.get(EMBED)
    assert answer.status_code == 200
    assert answer.headers["content-type"].partition(";")[0] == "text/javascript"
    assert answer.headers["cache-control"] == "public, max-age=300"
    assert len(answer.content) < 4_000
    assert [
        line for line in answer.text.splitlines() if not re.fullmatch(r'import "\./page/\w{16}/[\w/-]+\.js";', line)
    ] == []
    assert answer.text.splitlines()[0].endswith('/embed.js";')


def test_a_site_that_may_call_the_service_may_load_all_of_it(embedding: httpx2.Client) -> None:
    for address in [EMBED, *loaded(embedding)]:
        answer = embedding.get(address, headers=of(SITE))
        assert answer.status_code == 200, address
        assert answer.headers["access-control-allow-origin"] == SITE
        assert "access-control-allow-credentials" not in answer.headers
        assert address == EMBED or "immutable" in answer.headers["cache-control"]


def test_what_one_site_was_given_is_not_kept_for_another(embedding: httpx2.Client) -> None:
    for address in [EMBED, *loaded(embedding)]:
        for headers in ({}, of(SITE)):
            kept_by = embedding.get(address, headers=headers).headers["vary"].replace(" ", "").split(",")
            assert {"Accept-Encoding", "Origin"} <= set(kept_by), address


@pytest.mark.parametrize("site", [OTHER, "null", f"{SITE}.evil.example", "http://site.example"])
def test_another_site_may_load_nothing(embedding: httpx2.Client, site: str) -> None:
    for address in [EMBED, *loaded(embedding)]:
        answer = embedding.get(address, headers=of(site))
        assert answer.status_code == 403, address
        assert "access-control-allow-origin" not in answer.headers


def test_a_site_may_ask_with_a_token_and_no_other_site_may(embedding: httpx2.Client) -> None:
    wants = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
    }
    may = embedding.options("/v1/asks", headers=of(SITE, "empty") | wants)
    assert may.status_code == 200
    assert may.headers["access-control-allow-origin"] == SITE
    assert "idempotency-key" in may.headers["access-control-allow-headers"].lower()
    assert "access-control-allow-credentials" not in may.headers
    assert embedding.options("/v1/asks", headers=of(OTHER, "empty") | wants).status_code == 403
    stream = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization,last-event-id"}
    assert embedding.options("/v1/asks/x/events", headers=of(SITE, "empty") | stream).status_code == 200


def test_the_page_itself_stays_in_no_frame_and_loads_nothing_of_others(embedding: httpx2.Client) -> None:
    policy = embedding.get("/").headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert SITE not in policy


def test_where_no_site_may_none_is_told_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    config = write_config(tmp_path_factory.mktemp("closed"))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(running_service(config)) as client:
        with httpx2.Client(base_url=client.url) as opened:
            assert opened.get(EMBED).status_code == 200
            assert opened.get(EMBED, headers=of(SITE)).status_code == 403
