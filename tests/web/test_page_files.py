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
