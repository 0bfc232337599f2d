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
from functools import partial
from pathlib import Path
from subprocess import DEVNULL, Popen, TimeoutExpired
from typing import Annotated, Any

import typer

from askwell.cli.answer import console_for_output, show_answer, show_failure
from askwell.cli.client import PROJECT, Client
from askwell.cli.demo.turns import ROWS_SHOWN, Turn, wrong_answer
from askwell.cli.messages import shown
from askwell.cli.progress import Progress
from askwell.cli.service import HttpTransport
from askwell.cli.waiting import in_own_thread, run, until_signalled
from askwell.errors import AskwellError
from askwell.messages import say
from askwell.sample.demo import demo_script, reference_rows
from askwell.sample.scripted_model import NAME, ScriptedModel
from askwell.sample.shop import generate_shop, shop_knowledge, shop_manifest, shop_version

Home = Annotated[
    Path,
    typer.Option(help="Where the shop and the service's own files go.", envvar="ASKWELL_HOME", file_okay=False),
]
_STAY = "At the end show the address of the page, and serve it until Ctrl-C; at a terminal that is usual."
_TALK = "Hold a conversation of ten turns; a stand-in is its language model."
_ALONE = "take one: the stand-in for a language model ends with the demo, and with --keep the service stays anyway."
_AGENT, _LOG, _START_SECONDS, _STOP_SECONDS = "ada", "service.log", 60.0, 15.0
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


def demo(
    home: Home = Path(".askwell"),
    keep: Annotated[bool, typer.Option("--keep", help="Leave the service running, and show how to ask it.")] = False,
    conversation: Annotated[bool, typer.Option("--conversation", help=_TALK)] = False,
    stay: Annotated[bool | None, typer.Option("--stay/--no-stay", help=_STAY, show_default=False)] = None,
) -> None:
    """Make the sample shop, start the service on it and ask it questions. Status 1 when an answer is not the right one.

    No language model is used, whatever the environment holds, so that everybody sees the same. With --conversation a
    stand-in on this machine says what a script says; the figures are the database's.
    """
    if keep + bool(stay) + conversation > 1:
        raise typer.BadParameter(_ALONE, param_hint="--conversation, --keep, --stay")
    if stay is None:
        stay = not keep and not conversation and sys.stdin.isatty() and sys.stdout.isatty()
    # Else SIGTERM would leave the service behind.
    work = until_signalled(_run(home.absolute(), conversation=conversation, keep=keep, stay=stay))
    raise typer.Exit(0 if run(work, lambda _: 1) else 1)


async def _run(home: Path, *, conversation: bool, keep: bool, stay: bool) -> bool:
    """Run the demo in `home`; whether all was as expected. Raises `AskwellError` when the demo itself cannot run.
    `keep` leaves the service running, and with `stay` it runs until this task is cancelled."""
    began = time.perf_counter()
    os.environ["no_proxy"] = "127.0.0.1"  # where all runs that the demo talks to
    shop = await _shop_in(home)
    _say(f"✓ Sample shop of today, after {time.perf_counter() - began:.1f} s: {shop}")
    async with ScriptedModel(demo_script()) as model:
        settings: dict[str, Any] = {"llm": {"default": {"provider": "none"}}}
        if conversation:  # Rules write the SQL all the same: the stand-in knows none.
            settings["llm"]["default"] = {"provider": "openai", "model": NAME, "api_base": model.api_base}
            settings["settings"] = {"rules_mode": "balanced", "allow_intent_classification": False}
        async with _service_on(shop, home, settings, keep=keep) as (url, process, folder):
            _say(f"✓ Service ready at {url} after {time.perf_counter() - began:.1f} s")
            client = Client(HttpTransport(url), url)
            await _prepare(url, client)
            if conversation:
                count, wrong = await _hold_conversation(client, shop, model)
                what, expected = "turns", "as expected, and their figures are the database's"
            else:
                count, wrong = await _ask_all(client, shop)
                what, expected = "questions", "answered as expected"
            _say(
                f"\n{wrong} of {count} {what} were not {expected}."
                if wrong
                else f"\nAll {count} {what} were {expected}."
            )
            _say(f"✓ Done after {time.perf_counter() - began:.1f} s")
            texts = [_KEPT] * keep + [_INVITATION] * (not conversation) + [_PAGE] * stay
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
async def _service_on(
    shop: Path, home: Path, settings: Mapping[str, Any], *, keep: bool
) -> AsyncIterator[tuple[str, Popen[bytes], Path]]:
    """A service's address, process and folder. It is stopped and removed afterwards whatever happens; with `keep` it is
    left running when all went well. `settings` are what its configuration has besides its places. Raises
    `AskwellError` when it does not start."""
    with contextlib.ExitStack() as cleanup:
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=home / "demo"))
        cleanup.callback(shutil.rmtree, folder, ignore_errors=True)
        (home / "models").mkdir(exist_ok=True)  # the embedder that `make install` has exported there
        (folder / "models").symlink_to(home / "models")
        places = {"home": str(folder), "data_sources": {PROJECT: {"engine": "duckdb", "path": str(shop)}}}
        config = folder / "config.yaml"
        config.write_text(json.dumps({**places, **settings}), encoding="utf-8")  # JSON is YAML, and quotes paths
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


async def _add(client: Client, what: str, body: Mapping[str, Any], events: str = "") -> None:
    """Post something to a collection and wait until it counts. `events` is what follows its path there."""
    event = (await client.call(f"POST /{what}", body))["event_id"]
    while (status := await client.call(f"GET /{what}{events}/{event}"))["status"] != "finished":
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


# -- questions, or a conversation -----------------------------------------------------------------------------------


async def _ask_all(client: Client, shop: Path) -> tuple[int, int]:
    """Ask all questions and show the answers; how many there are, and how many were not as expected."""
    questions, failures = demo_script().questions, 0
    for number, question in enumerate(questions, 1):
        began, text = time.perf_counter(), question.text_on(_today())
        _say(f"\n{number}. {text}  ({question.form})", bold=True)
        with Progress(states=False) as progress:
            result = await client.ask(text, progress)
        took = _ms(began)
        _say(f"   {' → '.join(progress.reached)}", dim=True)
        if result["status"] == "finished":
            show_answer({**result, "renamed": False}, rows=ROWS_SHOWN, more="")
        else:
            show_failure(result, console_for_output())
        rows = await asyncio.to_thread(reference_rows, shop, question.reference, _today()) if question.reference else []
        good = f"rightly refused: {question.why}" if question.refused else "the right rows"
        answered_by = result.get("sql_source") or result.get("error", {}).get("code", "")
        failures += _judge(wrong_answer(question, result, rows), good, f"({answered_by}, {took})")
    return len(questions), failures


async def _hold_conversation(client: Client, shop: Path, model: ScriptedModel) -> tuple[int, int]:
    """Introduce the agent, and hold all turns; how many there are, and how many were not as expected."""
    script, failures, thread_id, remembered = demo_script(), 0, None, dict[str, str]()
    for document in script.documents:
        await _add(client, "documents", document.model_dump(), events="/events")
    await client.call("PUT /agents/{agent_id}", script.agent, agent_id=_AGENT)
    titles = ", ".join(f"“{document.title}”" for document in script.documents)
    _say(f"✓ Added the documents {titles}, and the agent {script.agent['name']}")
    _say(_PREFACE.format(count=len(script.turns)), bold=True)
    for number, scripted in enumerate(script.turns, 1):
        _say(f"\n{number}. You: {scripted.message}  ({scripted.form})", bold=True)
        began, turn = time.perf_counter(), Turn(script.agent["name"], remembered)
        thread_id, run_id = await client.send(scripted.message, thread_id, _AGENT)
        place = await client.follow(run_id, 0, turn.hear)
        while scripted.choice and turn.interrupts:
            for asked in turn.interrupts:
                answer = {"interrupt_id": asked["id"], "payload": turn.choose(asked, scripted.choice)}
                await client.call("POST /runs/{run_id}/input", answer, run_id=run_id)
            place = await client.follow(run_id, place, turn.hear)
        took, held_back = _ms(began), [one for one in model.held_back if one.message == scripted.message]
        turn.show_rest(held_back)
        right = partial(reference_rows, shop, today=_today())
        mistakes = await asyncio.to_thread(turn.mistakes, scripted, held_back, right)
        good = f"as expected, statements compared: {len(scripted.expected.statements)}"
        failures += _judge(mistakes, good, f"({took})")
    return len(script.turns), failures


def _judge(mistakes: Sequence[str], good: str, more: str) -> bool:
    """Print whether something is as expected; whether it is not."""
    outcome = f"✗ not as expected: {'; '.join(mistakes)}" if mistakes else f"✓ {good}"
    _say(f"   {outcome} {more}", bold=bool(mistakes))
    return bool(mistakes)


def _ms(began: float) -> str:
    return f"{(time.perf_counter() - began) * 1000:.0f} ms"


def _say(text: str, *, bold: bool = False, dim: bool = False) -> None:
    typer.secho(shown(text), bold=bold or None, dim=dim or None)
