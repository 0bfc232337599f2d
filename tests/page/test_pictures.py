"""The pictures in the documentation: made by `pytest tests/page/test_pictures.py --update-golden`."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from askwell.sample.shop import generate_shop, shop_manifest
from tests.page.conftest import Looked, Service, service_of
from tests.support.service import write_config

pytestmark = pytest.mark.deep

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "page.png"
SIZE = (1280, 860)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The sample shop of the demo."""
    folder = tmp_path_factory.mktemp("shop")
    generate_shop(folder / "shop.duckdb", datetime.now(UTC).date())
    sources = {"default": {"engine": "duckdb", "path": str(folder / "shop.duckdb"), "shared": True}}
    with service_of(write_config(folder, data_sources=sources), shop_manifest()) as running:
        yield running


def test_the_readme_opens_with_a_picture_of_the_page(
    shop: Service, look: Callable[..., Looked], request: pytest.FixtureRequest
) -> None:
    looked = look(shop, width=SIZE[0], height=SIZE[1])
    looked.ask("revenue per month this year")
    looked.card.get_by_role("tab", name="Chart").click()
    looked.card.locator(".chart-view canvas, .chart-view img").wait_for(timeout=90_000)
    looked.page.wait_for_timeout(500)
    picture = looked.page.screenshot()
    if request.config.getoption("--update-golden"):
        PICTURE.write_bytes(picture)
    assert size_of(picture) == size_of(PICTURE.read_bytes()) == SIZE
    assert "docs/pictures/page.png" in (PICTURE.parents[2] / "README.md").read_text(encoding="utf-8")


def size_of(png: bytes) -> tuple[int, int]:
    """Width and height, as the header has them (https://www.w3.org/TR/png-3/#11IHDR)."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height
