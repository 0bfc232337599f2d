"""A local model runs in a process of its own, from the first question to its owner's end. Only xllamacpp is a fake."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

import psutil
import pytest

from askwell import local_model
from askwell.config import LlmConfig
from askwell.config.loading import LOCAL_MODEL, load_config
from askwell.errors import ConfigurationError, ModelUnavailable
from askwell.messages import say
from askwell.providers.llm import create_language_model
from askwell.providers.llm.base import LanguageModel, ModelCall
from tests.cli.running import environment
from tests.fakes.model_at import model_at
from tests.local_model.models import LLAMA, code_of, fetched
from tests.support.processes import child_processes

HELLO = ModelCall(system="Task: sql_generation", user="Hello")
DIE = ModelCall(system="Task: sql_generation", user="DIE")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.syspath_prepend(str(LLAMA))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(data: Path, *arguments: str) -> subprocess.Popen[str]:
    """`askwell …` with the fake on its import path, which forked commands have not."""
    environ = environment(data, XDG_DATA_HOME=str(data), PYTHONPATH=str(LLAMA))
    line = [sys.executable, "-m", "askwell", *arguments]
    return subprocess.Popen(line, cwd=data, env=environ, stdout=PIPE, stderr=PIPE, text=True)


@asynccontextmanager
async def small(**options: Any) -> AsyncIterator[LanguageModel]:
    async with model_at(None, "small", "local", api_key=None, context_window=4096, **options) as model:
        yield model


async def told(model: LanguageModel) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads((await model.reply(HELLO)).text)
    return answer


async def test_it_starts_with_the_first_question_and_ends_with_its_owner(data: Path) -> None:
    fetched(data, {})
    before = len(child_processes())
    async with small() as model:
        await model.reach()
        assert len(child_processes()) == before
        first, second = await told(model), await told(model)
        assert first == second
        assert (first["n_ctx"], first["address"].partition(":")[0]) == (4096, "127.0.0.1")
        process = psutil.Process(first["pid"])
    assert not process.is_running()


async def test_nobody_else_on_the_machine_may_ask_it(data: Path) -> None:
    fetched(data, {})
    async with small() as model:
        address = (await told(model))["address"]
        url = f"http://{address}/v1/chat/completions"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            await asyncio.to_thread(urllib.request.urlopen, url, b"{}")


async def test_one_that_is_killed_while_it_answers_says_so_and_starts_anew(data: Path) -> None:
    fetched(data, {})
    async with small() as model:
        first = await told(model)
        with pytest.raises(ModelUnavailable) as caught:
            await model.reply(DIE)
        assert code_of(caught.value) == "killed"
        assert not model.away
        assert (await told(model))["pid"] != first["pid"]


@pytest.mark.parametrize(("load", "code"), [("fails", "not_loaded"), ("killed", "killed"), ("exits", "ended")])
async def test_one_that_does_not_start_says_why(load: str, code: str, data: Path) -> None:
    fetched(data, {"load": load})
    async with small() as model:
        with pytest.raises(ModelUnavailable) as caught:
            await model.reply(HELLO)
        assert code_of(caught.value) == code


async def test_a_question_that_is_late_leaves_it_starting(data: Path) -> None:
    fetched(data, {"load": 1.5})
    async with small() as model:
        with pytest.raises(ModelUnavailable):
            await model.reply(ModelCall(system="Task: sql_generation", user="Hello", timeout=0.5))
        started = time.monotonic()
        assert (await told(model))["n_ctx"] == 4096
        assert time.monotonic() - started < 20


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_its_owner_however_that_ends(number: signal.Signals, data: Path) -> None:
    fetched(data, {})
    owner = command(data, "local-model", "run", "small")
    assert owner.stdout is not None
    said = dict(owner.stdout.readline().strip().split("=", 1) for _ in range(2))
    request = urllib.request.Request(
        f"{said['OPENAI_BASE_URL']}/chat/completions", b"{}", {"Authorization": f"Bearer {said['OPENAI_API_KEY']}"}
    )
    with urllib.request.urlopen(request) as response:
        answer = json.loads(json.load(response)["choices"][0]["message"]["content"])
    owner.send_signal(number)
    owner.communicate()
    deadline = time.monotonic() + 10
    while psutil.pid_exists(answer["pid"]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(answer["pid"])


def test_a_command_asks_it(data: Path) -> None:
    fetched(data, {"reply": json.dumps({"sql": "SELECT name FROM customer"})})
    with sqlite3.connect(data / "shop.db") as database:
        database.executescript(
            "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO customer VALUES (1, 'Ada')"
        )
    config = "llm: {default: {provider: local, model: small}}\nsettings: {rules_mode: 'off', intent_mode: fast}\n"
    (data / "config.yaml").write_text(config)
    asked = command(data, "ask", "shop.db", "Who bought something?", "--json")
    answer, problem = asked.communicate()
    assert asked.returncode == 0, problem
    assert json.loads(answer)["language_model"] == "small"


def test_without_the_extra_or_the_file_it_says_what_to_run(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = LlmConfig(provider="local", model=LOCAL_MODEL)
    with pytest.raises(ConfigurationError) as caught:
        create_language_model(options)
    assert (caught.value.message, caught.value.hint) == say(
        "local_model.not_fetched", name=options.model, download="1.1 GB from huggingface.co"
    )
    assert local_model.available()
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert not local_model.available()
    with pytest.raises(ConfigurationError) as caught:
        create_language_model(options)
    assert (caught.value.message, caught.value.hint) == say("local_model.not_installed", name=options.model)


def test_a_configuration_needs_the_provider_alone(data: Path) -> None:
    config = load_config(None, {"ASKWELL_LLM__DEFAULT__PROVIDER": "local"})
    assert config.llm["default"].model in local_model.known_models()
    assert config.settings.ask_deadline > config.llm["default"].timeout > 60


@pytest.mark.deep
async def test_the_real_one_answers_and_keeps_what_it_has_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    if not local_model.available():
        pytest.skip("xllamacpp is not installed: pip install 'askwell[local]'")
    if not (model := local_model.known_model(LOCAL_MODEL)).file.exists():
        pytest.skip(f"{model.file} is not there: askwell local-model fetch")
    rules = f"You write SQL. {' '.join(f'CREATE TABLE t{number} (a int);' for number in range(20))}"
    async with model_at(None, model.name, "local", api_key=None, context_window=4096, timeout=900.0) as real:
        first = await real.reply(ModelCall(rules, "Count the rows of t1. Write the statement only."))
        other = await real.reply(ModelCall("You answer with one word.", "Is water wet?"))
        again = await real.reply(ModelCall(rules, "Count the rows of t2. Write the statement only."))
    assert "SELECT" in first.text.upper()
    assert other.text
    # Also after another prompt has had the slot.
    assert again.usage.cached_tokens > 0.8 * again.usage.prompt_tokens
