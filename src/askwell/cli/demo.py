"""`askwell demo`: the service on the sample shop, asked over HTTP, and every answer compared with the right one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from subprocess import DEVNULL, Popen, TimeoutExpired
from typing import Annotated, Any

import typer

from askwell.cli.answer import console_for_output, show_answer, show_failure
from askwell.cli.client import PROJECT, Client
from askwell.cli.messages import shown
from askwell.cli.progress import Progress
from askwell.cli.service import HttpTransport
from askwell.cli.waiting import in_own_thread, run, until_signalled
from askwell.errors import AskwellError
from askwell.messages import say
from askwell.sample.demo import DemoQuestion, demo_questions, reference_rows
from askwell.sample.shop import generate_shop, shop_knowledge, shop_manifest, shop_version
from askwell.sql.same_result import same_result

Home = Annotated[
    Path,
    typer.Option(help="The folder for the shop and the service's own files.", envvar="ASKWELL_HOME", file_okay=False),
]
_STAY = "At the end show the address of the page and serve it until Ctrl-C; the default at a terminal."
_ALONE = "take one: with --keep the service stays anyway."
_LOG, _START_SECONDS, _STOP_SECONDS = "service.log", 60.0, 15.0
_ROWS_SHOWN = 5
# Types whose values the service sends as text, because JSON's numbers would round them.
_NUMBERS_AS_TEXT = ("DECIMAL", "HUGEINT", "UHUGEINT", "BIGINT")
_KEPT = """
The service still runs at {url} (its routes: {url}/docs). Ask it:
  {program} ask --url {url} 'How many reviews were written last month?'
Stop it with: kill {pid}  (its files stay in {folder})"""
_INVITATION = """
Now ask it something of your own, for example:
  {program} ask {shop} "How many reviews were written last month?"
  {program} shell {shop}"""
_PAGE = "\nOr ask the shop in your browser: {url}/  (Ctrl-C ends the demo.)"


def demo(
    home: Home = Path(".askwell"),
    keep: Annotated[bool, typer.Option("--keep", help="Leave the service running and show how to ask it.")] = False,
    stay: Annotated[bool | None, typer.Option("--stay/--no-stay", help=_STAY, show_default=False)] = None,
) -> None:
    """Make the sample shop, start the service on it and ask it questions. Status 1 when an answer is not the right one.

    No language model is used, whatever the environment holds, so that everybody sees the same.
    """
    if keep and stay:
        raise typer.BadParameter(_ALONE, param_hint="--keep, --stay")
    if stay is None:
        stay = not keep and sys.stdin.isatty() and sys.stdout.isatty()
    # Else SIGTERM would leave the service behind.
    work = until_signalled(_run(home.absolute(), keep=keep, stay=stay))
    raise typer.Exit(0 if run(work, lambda _: 1) else 1)


async def _run(home: Path, *, keep: bool, stay: bool) -> bool:
    """Run the demo in `home`; whether all was as expected. Raises `AskwellError` when the demo itself cannot run.
    `keep` leaves the service running, and with `stay` it runs until this task is cancelled."""
    began = time.perf_counter()
    os.environ["no_proxy"] = "127.0.0.1"  # where the service runs that the demo talks to
    shop = await _shop_in(home)
    _say(f"✓ Sample shop of today, after {time.perf_counter() - began:.1f} s: {shop}")
    async with _service_on(shop, home, keep=keep) as (url, process, folder):
        _say(f"✓ Service ready at {url} after {time.perf_counter() - began:.1f} s")
        client = Client(HttpTransport(url), url)
        await _prepare(url, client)
        count, wrong = await _ask_all(client, shop)
        _say(
            f"\n{wrong} of {count} questions were not answered as expected."
            if wrong
            else f"\nAll {count} questions were answered as expected."
        )
        _say(f"✓ Done after {time.perf_counter() - began:.1f} s")
        texts = [_KEPT] * keep + [_INVITATION] + [_PAGE] * stay
        places = {"url": url, "program": _this_program(), "shop": _from_here(shop)}
        typer.echo("\n".join(texts).format(**places, pid=process.pid, folder=folder))
        with contextlib.suppress(asyncio.CancelledError):  # that is how it is to end
            if stay:
                status = await in_own_thread(process.wait)
                raise AskwellError(*say("cli.demo_service_ended", status=status))
    return not wrong


def _this_program() -> str:
    """How this command is called again from the same folder."""
    called = Path(sys.argv[0])
    if called.name != "askwell":
        return f"{_from_here(sys.executable)} -m askwell"
    return "askwell" if shutil.which("askwell") == str(called) else _from_here(called)


def _from_here(path: str | Path) -> str:
    return shlex.quote(os.path.relpath(path))


def _today() -> date:
    """The day as the service sees it: asks without a time zone are asked in UTC."""
    return datetime.now(UTC).date()


# -- the service ----------------------------------------------------------------------------------------------------


async def _shop_in(home: Path) -> Path:
    """The shop's file of today, made when it is not there; those of other days and versions are removed."""
    folder = home / "demo"
    shop = folder / f"shop-{shop_version()}-{_today().isoformat()}.duckdb"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in set(folder.glob("shop-*.duckdb")) - {shop}:
            old.unlink()
        if not shop.exists():
            await asyncio.to_thread(generate_shop, shop, _today())
    except OSError as error:
        raise AskwellError(*say("cli.demo_not_writable", folder=folder, strerror=error.strerror)) from None
    return shop


@contextlib.asynccontextmanager
async def _service_on(shop: Path, home: Path, *, keep: bool) -> AsyncIterator[tuple[str, Popen[bytes], Path]]:
    """A service's address, process and folder. It is stopped and removed at the end, whatever happens; with `keep` it
    is left running when all went well. Raises `AskwellError` when it does not start."""
    with contextlib.ExitStack() as cleanup:
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=home / "demo"))
        cleanup.callback(shutil.rmtree, folder, ignore_errors=True)
        (home / "models").mkdir(exist_ok=True)  # the embedder that `make install` has exported there
        (folder / "models").symlink_to(home / "models")
        source = {"engine": "duckdb", "path": str(shop)}
        settings = {"home": str(folder), "data_sources": {PROJECT: source}, "llm": {"default": {"provider": "none"}}}
        config = folder / "config.yaml"
        config.write_text(json.dumps(settings), encoding="utf-8")  # JSON is YAML, and quotes paths
        # Nothing that would change the configuration, or turn a language model on.
        kept = {name: one for name, one in os.environ.items() if not re.match("ASKWELL_|OPENAI_API_KEY$", name, re.I)}
        command = (sys.executable, "-m", "askwell", "serve", "--config", str(config), "--port", "0")
        with (folder / _LOG).open("wb") as log:
            # In a session of its own: Ctrl-C stops the demo, and the demo stops the service.
            process = Popen(command, stdin=DEVNULL, stdout=log, stderr=log, env=kept, start_new_session=True)  # noqa: ASYNC220 - it does not wait
        cleanup.callback(_stop, process)
        yield await in_own_thread(partial(_address, process, folder / _LOG)), process, folder
        if keep:
            cleanup.pop_all()


def _address(process: Popen[bytes], log: Path) -> str:
    """Where the service answers, as soon as it is ready."""
    deadline = time.monotonic() + _START_SECONDS
    while not (ready := re.search(r"Askwell is ready at (\S+)", lines := log.read_text("utf-8", "replace"))):
        if (status := process.poll()) is not None or time.monotonic() > deadline:
            why = f"ended with status {status}" if status is not None else f"is not ready after {_START_SECONDS:g} s"
            raise AskwellError(*say("cli.demo_not_started", why=why, lines="\n".join(lines.splitlines()[-15:])))
        time.sleep(0.05)
    return ready[1]


def _stop(process: Popen[bytes]) -> None:
    """SIGTERM, and SIGKILL for one that does not end."""
    process.terminate()
    with contextlib.suppress(TimeoutExpired):
        process.wait(_STOP_SECONDS)
    process.kill()  # nothing where it has ended
    process.wait()


async def _add(client: Client, what: str, body: Mapping[str, Any]) -> None:
    """Post something to a collection and wait until it counts."""
    event = (await client.call(f"POST /{what}", body))["event_id"]
    while (status := await client.call(f"GET /{what}/{event}"))["status"] != "finished":
        if status["status"] == "failed":
            raise AskwellError(*say("cli.demo_part_refused", what=what, status=status["error"]["message"]))
        await asyncio.sleep(0.02)


async def _prepare(url: str, client: Client) -> None:
    """Send the shop's model, and what somebody taught the service about it."""
    began, taught = time.perf_counter(), shop_knowledge()
    with Progress(states=False) as progress:
        model = json.dumps(shop_manifest()).encode()
        send = partial(HttpTransport(url).push_model, PROJECT, model, on_event=progress.event)
        _, status = await in_own_thread(send)
    if status["status"] != "finished":
        raise AskwellError(*say("cli.demo_model_refused", status=status["error"]["message"]))
    for warning in status.get("warnings", ()):
        _say(f"! {warning}")
    _say(f"✓ Prepared the semantic model in {time.perf_counter() - began:.1f} s ({' → '.join(progress.reached)})")
    pairs, instructions = taught["sql_pairs"], taught["instructions"]
    await _add(client, "sql-pairs", {"sql_pairs": pairs})
    await _add(client, "instructions", {"instructions": instructions})
    _say(f"✓ Taught {len(pairs)} SQL pairs and {len(instructions)} instructions")


# -- questions --------------------------------------------------------------------------------------------------------


async def _ask_all(client: Client, shop: Path) -> tuple[int, int]:
    """Ask all questions and show the answers; how many there are, and how many were not as expected."""
    questions, failures, turns = demo_questions(), 0, list[Mapping[str, str]]()
    for number, question in enumerate(questions, 1):
        began, text = time.perf_counter(), question.text_on(_today())
        _say(f"\n{number}. {text}  ({question.form})", bold=True)
        with Progress(states=False) as progress:
            result = await client.ask(text, progress, histories=turns if question.follows else ())
        took = f"{(time.perf_counter() - began) * 1000:.0f} ms"
        _say(f"   {' → '.join(progress.reached)}", dim=True)
        if result["status"] == "finished":
            turns = [*(turns if question.follows else ()), {"question": text, "sql": result["response"][0]["sql"]}]
            show_answer({**result, "renamed": False}, rows=_ROWS_SHOWN, more="")
        else:
            show_failure(result, console_for_output())
        rows = await asyncio.to_thread(reference_rows, shop, question.reference, _today()) if question.reference else []
        good = f"rightly refused: {question.why}" if question.refused else "the right rows"
        answered_by = result.get("sql_source") or result.get("error", {}).get("code", "")
        failures += _judge(wrong_answer(question, result, rows), good, f"({answered_by}, {took})")
    return len(questions), failures


def wrong_answer(question: DemoQuestion, result: Mapping[str, Any], right: Sequence[tuple[Any, ...]]) -> list[str]:
    """What of `result` is not as expected, in words; `right` are the right rows."""
    parts = (
        ("status", result["status"], "failed" if question.refused else "finished"),
        ("code", result.get("error", {}).get("code", ""), question.refused),
        ("source", result.get("sql_source") or "", "" if question.refused else question.source),
    )
    wrong = [f"{name}: {found!r} instead of {expected!r}" for name, found, expected in parts if found != expected]
    if not wrong and not question.refused and not _same_rows(right, result.get("data"), ordered=question.ordered):
        wrong = [f"the rows are not the {len(right)} right ones"]
    return wrong


def _same_rows(right: Sequence[tuple[Any, ...]], data: Mapping[str, Any] | None, *, ordered: bool) -> bool:
    """Whether the service gave the right rows, as JSON has them."""
    if data is None:
        return False
    exact = [column["type"].upper().startswith(_NUMBERS_AS_TEXT) for column in data["columns"]]
    received = [
        tuple(float(v) if n and isinstance(v, str) else v for v, n in zip(row, exact, strict=True))
        for row in data["rows"]
    ]
    as_json = json.dumps(right, default=lambda value: float(value) if isinstance(value, Decimal) else value.isoformat())
    return same_result([tuple(row) for row in json.loads(as_json)], received, ordered=ordered)


def _judge(mistakes: Sequence[str], good: str, more: str) -> bool:
    """Print whether something is as expected; whether it is not."""
    outcome = f"✗ not as expected: {'; '.join(mistakes)}" if mistakes else f"✓ {good}"
    _say(f"   {outcome} {more}", bold=bool(mistakes))
    return bool(mistakes)


def _say(text: str, *, bold: bool = False, dim: bool = False) -> None:
    typer.secho(shown(text), bold=bold or None, dim=dim or None)
