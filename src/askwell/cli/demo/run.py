"""The story of the demo, from an empty folder to the last comparison: questions, or a conversation."""

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
import textwrap
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from itertools import chain
from pathlib import Path
from subprocess import DEVNULL, Popen, TimeoutExpired
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from askwell.cli.answer import console_for_output, show_answer, show_failure, sources_of
from askwell.cli.chat_doors import ServiceChat
from askwell.cli.demo.checking import Event, calls_in, customs_in, message_in, wrong_answer, wrong_turn
from askwell.cli.plain_text import shown
from askwell.cli.progress import Progress
from askwell.cli.remote import ask_service, conversation_call, push_model
from askwell.cli.rows_table import show_rows
from askwell.cli.text_chart import told_chart
from askwell.cli.threads import in_own_thread
from askwell.errors import AskwellError
from askwell.sample.demo import demo_script, reference_rows
from askwell.sample.scripted_model import NAME, HeldBack, ScriptedModel
from askwell.sample.shop import generate_shop, shop_knowledge, shop_manifest, shop_version

_PROJECT, _AGENT, _ROWS_SHOWN, _CHART_WIDTH = "default", "ada", 5, 117
_PREFACE = """
A conversation of {count} turns. Its words are scripted: a stand-in for a language model says them, and chooses the
tools, from a file (sample/demo.yaml). The figures are not: they come from the database through the tools, and behind
each turn the demo compares them with statements that it runs itself."""
_KEPT = """
The service still runs at {url} (its routes: {url}/docs). Ask it:
  {program} ask --url {url} 'How many reviews were written last month?'
Stop it with: kill {pid}  (its files stay in {folder})"""
_INVITATION = """
Now ask it something of your own, for example:
  {program} ask "How many reviews were written last month?" {shop}
  {program} shell {shop}"""
_PAGE = "\nOr ask the shop in your browser: {url}/  (Ctrl-C ends the demo.)"
_LOG, _START_SECONDS, _STOP_SECONDS = "service.log", 60.0, 15.0


async def run_demo(home: Path, *, conversation: bool, keep: bool, stay: bool) -> bool:
    """Run the demo in `home`; whether all was as expected. Raises `AskwellError` when the demo itself cannot run.
    `keep` leaves the service running, and with `stay` it runs until this task is cancelled."""
    console, began = console_for_output(), time.perf_counter()
    os.environ["no_proxy"] = "127.0.0.1"  # where all runs that the demo talks to
    shop = await _shop_in(home, console)
    async with ScriptedModel(demo_script()) as model:
        settings: dict[str, Any] = {"llm": {"default": {"provider": "none"}}}
        if conversation:  # Rules write the SQL all the same: the stand-in knows none.
            settings["llm"]["default"] = {"provider": "openai", "model": NAME, "api_base": model.api_base}
            settings["settings"] = {"rules_mode": "balanced", "allow_intent_classification": False}
        async with _service_on(shop, home, settings, keep=keep) as (url, process, folder):
            say(console, f"✓ Service ready at {url} after {time.perf_counter() - began:.1f} s", margin=0)
            await _prepare(url, console)
            ask = _hold_conversation(console, url, shop, model) if conversation else _ask_all(console, url, shop)
            wrong = await ask
            say(console, f"✓ Done after {time.perf_counter() - began:.1f} s", margin=0)
            file, program = _from_here(shop), _this_program()
            texts = [_KEPT] * keep + [_INVITATION] * (not conversation) + [_PAGE] * stay
            lines = "\n".join(texts).format(url=url, program=program, shop=file, pid=process.pid, folder=folder)
            console.print(lines, soft_wrap=True, markup=False)
            with contextlib.suppress(asyncio.CancelledError):  # that is how it is to end
                if stay:
                    status = await in_own_thread(process.wait)
                    raise AskwellError(f"The service ended with status {status}.", "Start the demo again.")
    return not wrong


def _this_program() -> str:
    """How this command is called again from the same folder."""
    called = Path(sys.argv[0])
    if called.name != "askwell":
        return f"{_from_here(sys.executable)} -m askwell"
    return "askwell" if shutil.which("askwell") == str(called) else _from_here(called)


def _from_here(path: str | Path) -> str:
    return shlex.quote(os.path.relpath(path))


def _say_total(console: Console, count: int, wrong: int, what: str, expected: str) -> None:
    said = f"{wrong} of {count} {what} were not {expected}." if wrong else f"All {count} {what} were {expected}."
    say(console, f"\n{said}", "red" if wrong else "green", margin=0)


# -- the service -------------------------------------------------------------------------------------------------------


def say(console: Console, text: str, style: str = "", *, margin: int = 3) -> None:
    """Print a text behind a margin."""
    console.print(Text(textwrap.indent(shown(text), " " * margin), style))


def today() -> date:
    """The day as the service sees it: asks without a time zone are asked in UTC."""
    return datetime.now(UTC).date()


async def _shop_in(home: Path, console: Console) -> Path:
    """The shop's file of today, made when it is not there; those of other days and versions are removed."""
    began, folder = time.perf_counter(), home / "demo"
    shop = folder / f"shop-{shop_version()}-{today().isoformat()}.duckdb"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in set(folder.glob("shop-*.duckdb")) - {shop}:
            old.unlink()
        if not shop.exists():
            await asyncio.to_thread(generate_shop, shop, today())
    except OSError as error:
        hint = "Name a folder that can be written with --home (or ASKWELL_HOME)."
        raise AskwellError(f"The sample shop cannot be written to {folder}: {error.strerror}.", hint) from None
    say(console, f"✓ Sample shop of today, after {time.perf_counter() - began:.1f} s: {shop}", margin=0)
    return shop


@contextlib.asynccontextmanager
async def _service_on(
    shop: Path, home: Path, settings: Mapping[str, Any], *, keep: bool
) -> AsyncIterator[tuple[str, Popen[bytes], Path]]:
    """A service's address, process and folder. It is stopped and removed afterwards whatever happens; with `keep` it is
    left running when all went well. `settings` are what its configuration has besides its places. Raises
    `AskwellError` when it does not start."""
    with contextlib.ExitStack() as cleanup:
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=home / "demo"))
        cleanup.callback(shutil.rmtree, folder, ignore_errors=True)
        process = _start(folder, shop, home / "models", settings)
        cleanup.callback(_stop, process)
        yield await in_own_thread(partial(_address, process, folder / _LOG)), process, folder
        if keep:
            cleanup.pop_all()


def _start(folder: Path, shop: Path, models: Path, settings: Mapping[str, Any]) -> Popen[bytes]:
    models.mkdir(exist_ok=True)  # the embedder that `make install` has exported there is not exported again
    (folder / "models").symlink_to(models)
    places = {"home": str(folder), "data_sources": {"default": {"engine": "duckdb", "path": str(shop)}}}
    config = folder / "config.yaml"
    config.write_text(json.dumps({**places, **settings}), encoding="utf-8")  # JSON is YAML, and quotes paths
    # Nothing that would change the configuration, or turn a language model on.
    kept = {name: value for name, value in os.environ.items() if not re.match("ASKWELL_|OPENAI_API_KEY$", name, re.I)}
    command = (sys.executable, "-m", "askwell", "serve", "--config", str(config), "--port", "0")
    with (folder / _LOG).open("wb") as log:
        # In a session of its own: Ctrl-C stops the demo, and the demo stops the service.
        return Popen(command, stdin=DEVNULL, stdout=log, stderr=log, env=kept, start_new_session=True)


def _address(process: Popen[bytes], log: Path) -> str:
    """Where the service answers, as soon as it is ready."""
    deadline = time.monotonic() + _START_SECONDS
    while not (ready := re.search(r"Askwell is ready at (\S+)", lines := log.read_text("utf-8", "replace"))):
        if (status := process.poll()) is not None or time.monotonic() > deadline:
            why = (
                f"did not start within {_START_SECONDS:g} seconds" if status is None else f"ended with status {status}"
            )
            raise AskwellError(f"The service {why}.", "\n".join(["It said last:", *lines.splitlines()[-15:]]))
        time.sleep(0.05)
    return ready[1]


def _stop(process: Popen[bytes]) -> None:
    """SIGTERM, and SIGKILL for one that does not end."""
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except TimeoutExpired:
        process.kill()
        process.wait()


async def _call(url: str, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What a route under /v1 of the service at `url` answers. Raises `AskwellError` where it refuses."""
    return await in_own_thread(partial(conversation_call, url, method, path, body))


async def _add(url: str, what: str, body: Mapping[str, Any], events: str = "") -> None:
    """Post something to a collection and wait until it counts. `events` is what follows its path there."""
    event = (await _call(url, "POST", f"/{what}", body))["event_id"]
    while (status := await _call(url, "GET", f"/{what}{events}/{event}"))["status"] != "finished":
        if status["status"] == "failed":
            raise AskwellError(f"The service refused {what}: {status['error']['message']}")
        await asyncio.sleep(0.02)


async def _prepare(url: str, console: Console) -> None:
    """Send the shop's model, and what somebody taught the service about it."""
    began, taught = time.perf_counter(), shop_knowledge()
    with Progress(states=False) as progress:
        model = json.dumps(shop_manifest()).encode()
        _, status = await in_own_thread(partial(push_model, url, _PROJECT, model, on_event=progress.event))
    if status["status"] != "finished":
        raise AskwellError(f"The service refused the model: {status['error']['message']}")
    for warning in status.get("warnings", ()):
        say(console, f"! {warning}", "yellow", margin=0)
    states = " → ".join(progress.reached)
    say(console, f"✓ Prepared the semantic model in {time.perf_counter() - began:.1f} s ({states})", margin=0)
    pairs, instructions = taught["sql_pairs"], taught["instructions"]
    await _add(url, "sql-pairs", {"sql_pairs": pairs})
    await _add(url, "instructions", {"instructions": instructions})
    say(console, f"✓ Taught {len(pairs)} SQL pairs and {len(instructions)} instructions", margin=0)


# -- questions ------------------------------------------------------------------------------------------------------


async def _ask_all(console: Console, url: str, shop: Path) -> int:
    """Ask all questions, and show them at a glance; how many were not answered as expected."""
    table = Table("", "kind of question", "question", "answered by", Column("ms", justify="right"), box=box.SIMPLE_HEAD)
    failures = 0
    for number, question in enumerate(demo_script().questions, 1):
        began, text = time.perf_counter(), question.text_on(today())
        say(console, f"\n{number}. {text}  ({question.form})", "bold", margin=0)
        with Progress(states=False) as progress:
            result = await ask_service(url, _PROJECT, text, progress)
        took = f"{(time.perf_counter() - began) * 1000:.0f}"
        say(console, " → ".join(progress.reached), "dim")
        if result["status"] == "finished":
            show_answer({**result, "renamed": False}, rows=_ROWS_SHOWN, more="")
        else:
            show_failure(result, console)
        right = await asyncio.to_thread(reference_rows, shop, question.reference, today()) if question.reference else []
        wrong = "; ".join(wrong_answer(question, result, right))
        good = f"rightly refused: {question.why}" if question.refused else "the right rows"
        answered_by = result.get("sql_source") or result.get("error", {}).get("code", "")
        verdict = f"✗ not as expected: {wrong}" if wrong else f"✓ {good}"
        say(console, f"{verdict} ({answered_by}, {took} ms)", "red" if wrong else "green")
        table.add_row("✗" if wrong else "✓", question.form, text, answered_by, took)
        failures += bool(wrong)
    console.print(table)
    _say_total(console, table.row_count, failures, "questions", "answered as expected")
    return failures


# -- the conversation -----------------------------------------------------------------------------------------------


async def _hold_conversation(console: Console, url: str, shop: Path, model: ScriptedModel) -> int:
    """Introduce the agent, and hold all turns, one after the other; how many were not as expected."""
    script, wrong, thread_id, variables = demo_script(), 0, None, dict[str, str]()
    for document in script.documents:
        await _add(url, "documents", document.model_dump(), events="/events")
    await _call(url, "PUT", f"/agents/{_AGENT}", script.agent)
    titles = ", ".join(f"“{document.title}”" for document in script.documents)
    say(console, f"✓ Added the documents {titles}, and the agent {script.agent['name']}", margin=0)
    say(console, _PREFACE.format(count=len(script.turns)), "bold yellow", margin=0)
    chat = ServiceChat(url, _PROJECT, _AGENT)
    for number, turn in enumerate(script.turns, 1):
        say(console, f"\n{number}. You: {turn.message}  ({turn.form})", "bold", margin=0)
        began, events = time.perf_counter(), list[Event]()
        hear = partial(show_event, console, variables, events)
        with console.status(f"{script.agent['name']} is at work"):
            thread_id, run_id = await chat.send(turn.message, thread_id)
            place = await chat.follow(run_id, 0, hear)
            while turn.choice and (asked := events[-1].get("outcome", {}).get("interrupts")):
                for one in asked:
                    await chat.answer(run_id, one["id"], show_choice(console, one, turn.choice))
                place = await chat.follow(run_id, place, hear)
        took = f"({(time.perf_counter() - began) * 1000:.0f} ms)"
        held_back = [one for one in model.held_back if one.message == turn.message]
        show_words(console, events, held_back)
        right = partial(reference_rows, shop, today=today())
        found = await asyncio.to_thread(wrong_turn, turn, events, held_back, right)
        for one in found:
            say(console, f"✗ not as expected: {one} {took}", "red")
        if not found:
            say(console, f"✓ as expected, statements compared: {len(turn.expected.statements)} {took}", "green")
        wrong += bool(found)
    _say_total(console, len(script.turns), wrong, "turns", "as expected, and their figures are the database's")
    return wrong


def show_choice(console: Console, interrupt: Mapping[str, Any], choice: str) -> str:
    """Print what the person is asked and the ways to answer; the value of the way with the title `choice`."""
    say(console, f"Asked back: {interrupt['message']}", "yellow")
    options = [one for one in interrupt["responseSchema"].get("anyOf", ()) if "const" in one]
    for number, option in enumerate(options, 1):
        say(console, f"  {number}. {option['title']}{'  ← chosen' if option['title'] == choice else ''}")
    return next((one["const"] for one in options if one["title"] == choice), choice)


def show_event(console: Console, variables: dict[str, str], events: list[Event], event: Event) -> None:
    """Print one more event of a turn; `events` and `variables` are those before, and are brought up to date."""
    events.append(event)
    match event:
        case {"type": "STEP_STARTED", "stepName": "reformulate"}:
            say(console, "↻ the message is rewritten so that it stands alone", "dim")
        case {"type": "TOOL_CALL_END", "toolCallId": call_id}:
            made = calls_in(events)[call_id]
            given = ", ".join(f"{name}: {value}" for name, value in json.loads(made["arguments"] or "{}").items())
            say(console, f"⚙ {made['tool']}  {given}", "dim")
        case {"type": "TOOL_CALL_RESULT", "toolCallId": call_id} if error := calls_in(events)[call_id]["error"]:
            say(
                console, f"✗ {calls_in(events)[call_id]['tool']} refused, {error['code']}: {error['message']}", "yellow"
            )
        case {"type": "STATE_SNAPSHOT", "snapshot": {"variables": known}}:
            for name in [name for name, value in known.items() if value and value != variables.get(name)]:
                say(console, f"✎ remembers {name} = {known[name]}", "magenta")
            variables.update(known)
        case {"type": "CUSTOM", "name": "askwell.sql", "value": value}:
            say(console, f"SQL {' '.join(value['sql'].split())}", "dim")
            if assumptions := value.get("assumptions"):
                say(console, f"taken for granted: {' '.join(assumptions)}", "dim")
        case {"type": "CUSTOM", "name": "askwell.data", "value": value}:
            show_rows(console, value, _ROWS_SHOWN)
        case {"type": "CUSTOM", "name": "askwell.chart", "value": value}:
            width, plain = min(console.width, _CHART_WIDTH), not console.encoding.lower().startswith("utf")
            say(console, "\n".join(["", *told_chart(value, width=width, plain=plain), ""]))
        case {"type": "CUSTOM", "name": "askwell.warning", "value": value}:
            say(console, f"! {value['message']}", "yellow")
        case {"type": "RUN_ERROR", "code": code, "message": message}:
            say(console, f"{code}: {message}", "red")


def show_words(console: Console, events: Sequence[Event], held_back: Sequence[HeldBack]) -> None:
    """Print the words of a turn with what belongs to them."""
    for one in held_back:
        say(console, f"The model wrote: “{one.written}”", "dim")
        say(console, f"Held back; the service told the model: “{one.objection.partition('. ')[0]}.”", "yellow")
    if message := message_in(events):
        say(console, f"{demo_script().agent['name']}: {message}")
    for source in sources_of({"citations": list(chain.from_iterable(customs_in(events, "citations")))}):
        say(console, " ".join(source.split()), "dim")
    for question in chain.from_iterable(customs_in(events, "suggestions")):
        say(console, f"You might ask next: {question}")
