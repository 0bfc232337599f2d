"""What the page costs: bytes by file, when it can be used, and how it stays quick with many rows.

    python -m benchmarks.page

Needs Chromium and Playwright. A slow laptop is this machine with its processor four times as slow, as Chromium's own
tools have it; figures of a machine that does other things beside are too high.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.service import running_service, write_config

ROWS, TRIES, SLOWER = 10_000, 5, 4
PAGE = Path(__file__).parents[1] / "src" / "askwell" / "web" / "page"


def main() -> None:
    """Print all figures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, start_blocking_portal() as portal:
        config = write_config(Path(folder), settings={"row_limit": ROWS})
        with portal.wrap_async_context_manager(running_service(config)) as service:
            _fill(Path(folder) / "shop.sqlite")
            portal.call(service.prepare, _model())
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            _bytes(browser, service.url)
            _loads(browser, service.url)
            _rows(browser, service.url)
            browser.close()
    _lines()


def _fill(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE visits (id INTEGER PRIMARY KEY, city TEXT, day DATE, amount REAL)")
        rows = ((n, f"City {n % 97}", f"2025-{1 + n % 12:02}-{1 + n % 28:02}", n * 7 % 1000 / 4) for n in range(ROWS))
        connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", rows)


def _model() -> Mapping[str, Any]:
    types = {"id": "INTEGER", "city": "VARCHAR", "day": "DATE", "amount": "DOUBLE"}
    columns = [{"name": name, "type": kind} for name, kind in types.items()]
    visits = {"name": "visits", "tableReference": {"table": "visits"}, "primaryKey": "id", "columns": columns}
    return {"catalog": "shop", "schema": "main", "dataSource": "SQLITE", "models": [visits]}


def _open(browser: Browser, url: str, *, slower: int = 1) -> Page:
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    if slower > 1:
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.goto(url)
    page.get_by_role("textbox", name="Your question").wait_for()
    return page


def _bytes(browser: Browser, url: str) -> None:
    page = browser.new_context().new_page()
    sizes: dict[str, int] = {}

    def loaded(response: Any) -> None:
        if "/v1/" not in response.url:
            name = re.sub(r"^.*/page/[0-9a-f]+/", "", response.url.removeprefix(url)) or "/"
            sizes[name] = response.request.sizes()["responseBodySize"]

    page.on("requestfinished", lambda request: loaded(request.response()))
    page.goto(url)
    page.get_by_role("textbox", name="Your question").wait_for()
    page.wait_for_timeout(500)
    print(f"first load: {sum(sizes.values()):,} bytes in {len(sizes)} files, compressed")
    for name, size in sorted(sizes.items(), key=lambda one: -one[1]):
        print(f"  {size:>7,}  {name}")


def _loads(browser: Browser, url: str) -> None:
    """From the request until the box takes what is typed."""
    for slower in (1, SLOWER):
        took = []
        for _ in range(TRIES):
            page = _open(browser, url, slower=slower)
            took.append(page.evaluate("performance.now()"))
            page.context.close()
        print(f"usable after {statistics.median(took):.0f} ms (processor {slower}x slower, median of {TRIES})")


def _rows(browser: Browser, url: str) -> None:
    page = _open(browser, url)
    page.get_by_role("textbox", name="Your question").fill("list all visits")
    page.keyboard.press("Enter")
    page.locator(".grid [role=gridcell]").first.wait_for()
    frames = page.evaluate(
        """async () => {
          const grid = document.querySelector(".grid"), times = [];
          for (let at = 0; at < 120; at += 1) {
            const began = performance.now();
            grid.scrollTop = at * 2400;
            await new Promise(requestAnimationFrame);
            await new Promise(requestAnimationFrame);
            times.push((performance.now() - began) / 2);
          }
          return times.sort((a, b) => a - b);
        }"""
    )
    cells = page.locator(".grid [role=gridcell]").count()
    print(f"scrolling {ROWS:,} rows: {frames[60]:.0f} ms a frame, {frames[-2]:.0f} at worst; {cells} cells are there")
    sort = page.evaluate(
        """async () => {
          const heading = document.querySelectorAll("[role=columnheader]")[1], began = performance.now();
          heading.dispatchEvent(new PointerEvent("pointerdown", {bubbles: true, button: 0}));
          await new Promise(requestAnimationFrame);
          return performance.now() - began;
        }"""
    )
    print(f"sorting {ROWS:,} rows by a text: {sort:.0f} ms")
    page.context.close()


def _lines() -> None:
    for ending in ("js", "css"):
        files = list(PAGE.rglob(f"*.{ending}"))
        lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
        print(f"{lines:,} lines of {ending} in {len(files)} files")


if __name__ == "__main__":
    main()
