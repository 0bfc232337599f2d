"""The story of the demo, from an empty folder to the last comparison."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

from askwell.cli.demo.checking import what_is_wrong
from askwell.cli.demo.client import Client
from askwell.cli.demo.display import Display, Outcome
from askwell.cli.demo.service import RunningService, service_on
from askwell.errors import AskwellError
from askwell.sample.questions import Answered, DemoQuestion, demo_questions, reference_rows
from askwell.sample.shop import generate_shop, shop_knowledge, shop_manifest, shop_version


async def run_demo(home: Path, *, keep: bool, stay: bool) -> bool:
    """Run the demo in `home`; whether every question was answered as expected. Raises `AskwellError` when the demo
    itself cannot run. `keep` leaves the service running, and with `stay` it runs until this task is cancelled."""
    display = Display()
    began = time.perf_counter()
    shop = await shop_in(home, display)
    async with service_on(shop, home, keep=keep) as service:
        async with Client(service.url) as client:
            await client.wait_until_ready()
            display.step(f"Service ready at {service.url} after {time.perf_counter() - began:.1f} s")
            await prepare(client, display)
            outcomes = await _ask_everything(client, shop, display)
        display.summary(outcomes)
        display.step(f"Done after {time.perf_counter() - began:.1f} s")
        if keep:
            display.left_running(service.url, service.process.pid, service.folder)
        display.invitation(shop)
        if stay:
            display.staying(service.url)
            await _until_cancelled(service)
    return not any(outcome.wrong for outcome in outcomes)


async def _until_cancelled(service: RunningService) -> None:
    try:
        status = await service.process.wait()
    except asyncio.CancelledError:
        if (own := asyncio.current_task()) is not None:
            own.uncancel()  # that is how it is to end
        return
    raise AskwellError(f"The service ended with status {status}.", "Start the demo again.")


async def shop_in(home: Path, display: Display) -> Path:
    """The shop's file of today, made when it is not there; those of other days and versions are removed."""
    folder = home / "demo"
    shop = folder / f"shop-{shop_version()}-{today().isoformat()}.duckdb"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if shop.exists():
            display.step(f"Sample shop of today: {shop}")
            return shop
        for old in folder.glob("shop-*.duckdb"):
            old.unlink()
        began = time.perf_counter()
        await asyncio.to_thread(generate_shop, shop, today())
    except OSError as error:
        raise AskwellError(
            f"The sample shop cannot be written to {folder}: {error.strerror}.",
            "Name a folder that can be written with --home (or ASKWELL_HOME).",
        ) from None
    display.step(f"Generated the sample shop in {time.perf_counter() - began:.1f} s: {shop}")
    return shop


async def prepare(client: Client, display: Display) -> None:
    """Send the shop's model and what somebody taught the service about it."""
    began = time.perf_counter()
    stages: list[str] = []

    with display.live("Preparing the semantic model") as show:

        def on_progress(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages.append(stage)
            show(f"{stage} {done} of {total}" if total else stage)

        warnings = await client.prepare(shop_manifest(), on_progress)
    for warning in warnings:
        display.warning(warning)
    display.step(f"Prepared the semantic model in {time.perf_counter() - began:.1f} s ({' → '.join(stages)})")
    knowledge = shop_knowledge()
    await client.teach("sql-pairs", knowledge["sql_pairs"])
    await client.teach("instructions", knowledge["instructions"])
    display.step(f"Taught {len(knowledge['sql_pairs'])} SQL pairs and {len(knowledge['instructions'])} instructions")


async def _ask_everything(client: Client, shop: Path, display: Display) -> list[Outcome]:
    outcomes = []
    for number, question in enumerate(demo_questions(today()), start=1):
        with display.live(question.text) as on_status:
            outcome = await _ask(client, shop, question, on_status)
        display.outcome(number, outcome)
        outcomes.append(outcome)
    return outcomes


async def _ask(client: Client, shop: Path, question: DemoQuestion, on_status: Callable[[str], None]) -> Outcome:
    statuses: list[str] = []

    def note(status: str) -> None:
        statuses.append(status)
        on_status(status)

    began = time.perf_counter()
    result = await client.ask(question.text, note)
    milliseconds = (time.perf_counter() - began) * 1000
    right: list[tuple[object, ...]] = []
    if isinstance(question.expected, Answered):
        right = await asyncio.to_thread(reference_rows, shop, question.expected, today())
    return Outcome(question, result, tuple(statuses), milliseconds, what_is_wrong(question.expected, result, right))


def today() -> date:
    """The day as the service sees it: asks without a time zone are asked in UTC."""
    return datetime.now(UTC).date()
