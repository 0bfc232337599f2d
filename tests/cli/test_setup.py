"""`askwell setup` in an empty home: what it finds, tries and writes, and what it says where it cannot."""

from __future__ import annotations

import asyncio
import json
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web

from askwell.messages import say
from tests.cli.running import askwell, at_a_terminal, environment, last_json, refused
from tests.fakes.file_server import FileServer
from tests.fakes.openai_server import Answer, ChatScript, ChatServer
from tests.fakes.vendors import AzureVendor, OllamaVendor, OpenRouterVendor
from tests.local_model.models import LLAMA, known
from tests.support.tables import case_rows
from tests.support.tiny_shop import make_database

KEY = "sk-the-secret-key"
RIGHT = "SELECT name FROM suppliers WHERE id IN (SELECT supplier_id FROM products GROUP BY 1 HAVING count(*) > 15)"
CODER, EMBEDDER = "qwen2.5-coder:7b", "nomic-embed-text:latest"
OWN = Path(".config/askwell/config.yaml")
KEYS = Path(".config/askwell/keys")


Ended = subprocess.CompletedProcess[str]


class Ollama(OllamaVendor):
    room = 16384


class Provider(ChatServer):
    """Wants its key for the list of its models too."""

    def routes(self) -> list[web.RouteDef]:
        others = [route for route in super().routes() if route.path != "/v1/models"]
        return [*others, web.get("/v1/models", self._listing)]

    async def _listing(self, http: web.Request) -> web.Response:
        if http.headers.get("Authorization") != f"Bearer {self.script.api_key}":
            return web.json_response({"error": {"message": "No key."}}, status=401)
        return web.json_response({"object": "list", "data": self.models()})


class NoList(Provider):
    """Lists its models to no key, as Anthropic's does not to a bearer's."""

    async def _listing(self, http: web.Request) -> web.Response:
        return web.json_response({"error": {"message": "x-api-key header is required"}}, status=401)


def script(sql: str = RIGHT, **abilities: Any) -> ChatScript:
    return ChatScript({"sql_generation": [Answer(json={"sql": sql})]}, **abilities)


async def run(folder: Path, *arguments: str, **environ: str) -> Ended:
    ended = await asyncio.to_thread(askwell, *arguments, folder=folder, **environ)
    assert KEY not in ended.stdout + ended.stderr
    return ended


def model_in(folder: Path, file: Path = OWN) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((folder / file).read_text())["llm"]["default"]
    return found


class TestWhatIsThere:
    async def test_a_server_of_this_machine_is_found_tried_and_used_from_any_folder(self, tmp_path: Path) -> None:
        async with Ollama(EMBEDDER, "llama3.1:8b", CODER, script=script()) as server:
            host = server.api_base.removeprefix("http://").removesuffix("/v1")
            ended = await run(tmp_path, "setup", "--yes", OLLAMA_HOST=host)
            assert (ended.returncode, ended.stdout) == (0, "")
            assert (EMBEDDER in ended.stderr, "✓ Right" in ended.stderr) == (False, True)
            assert model_in(tmp_path) == {
                "model": CODER, "api_base": server.api_base, "timeout": 300, "context_window": 16384,
            }  # fmt: skip
            make_database(tmp_path / "shop.db")
            elsewhere = tmp_path / "elsewhere"
            elsewhere.mkdir()
            server.replace(script("SELECT name FROM customers"))
            before = server.calls()
            asked = await asyncio.to_thread(
                askwell, "ask", "../shop.db", "Who rather likes us?", "--json",
                folder=elsewhere, HOME=str(tmp_path),
            )  # fmt: skip
            assert (last_json(asked)["language_model"], server.calls() > before) == (CODER, True)

    async def test_what_is_named_whole_needs_no_network(self, tmp_path: Path) -> None:
        arguments = ("setup", "--provider", "openai", "--model", "gpt-x", "--no-try", "--print")
        ended = await run(tmp_path, *arguments, OPENAI_API_KEY=KEY)
        assert yaml.safe_load(ended.stdout)["llm"]["default"] == {
            "model": "gpt-x", "api_key_env": "OPENAI_API_KEY", "context_window": 128000,
        }  # fmt: skip

    def test_the_built_in_model_is_fetched_and_run(self, tmp_path: Path) -> None:
        content = json.dumps({"reply": json.dumps({"sql": RIGHT})}).encode()
        environ = environment(tmp_path, XDG_DATA_HOME=str(tmp_path), PYTHONPATH=str(LLAMA))
        with FileServer(content).serving() as server:
            kept = known(tmp_path, content, server.address)
            line = [sys.executable, "-m", "askwell", "setup", "--provider", "local", "--model", "small"]
            asked, ended = (
                subprocess.run(args, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
                for args in ([*line, "--yes"], [*line, "--fetch"])
            )
        download = f"{len(content) / 1e9:.1f} GB from 127.0.0.1"
        refused(asked, 2, say("cli.setup_download", model="small", download=download).message)
        assert server.asked == [None]  # by the second alone
        assert (ended.returncode, "✓ Right" in ended.stderr) == (0, True), ended.stderr
        assert kept.read_bytes() == content
        assert model_in(tmp_path) == {"provider": "local", "model": "small"}

    async def test_a_little_room_for_prompts_is_said(self, tmp_path: Path) -> None:
        async with OllamaVendor(CODER, script=script()) as server:
            ended = await run(tmp_path, "setup", "--url", server.api_base, "--yes")
        assert "OLLAMA_CONTEXT_LENGTH" in ended.stderr
        assert model_in(tmp_path)["context_window"] == 4096

    async def test_a_key_stays_in_the_environment_or_goes_into_a_private_file(self, tmp_path: Path) -> None:
        async with Provider(script(api_key=KEY, models=["gpt-6-luna", "text-embedding-3-small"])) as server:
            keyed = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.api_base}
            stays = await run(tmp_path, "setup", "--yes", **keyed)
            assert (stays.returncode, (tmp_path / KEYS).exists()) == (0, False)
            assert model_in(tmp_path)["api_key_env"] == "OPENAI_API_KEY"
            status, _ = await _looks(tmp_path)
            assert status == 2  # the variable is not set there
            kept = await run(tmp_path, "setup", "--yes", "--keep-key", **keyed)
            assert kept.returncode == 0
            assert stat.S_IMODE((tmp_path / KEYS).stat().st_mode) == 0o600
            assert KEY not in (tmp_path / OWN).read_text()
            _, parts = await _looks(tmp_path, OPENAI_API_KEY="")  # as a copied .env.example has it
            assert "gpt-6-luna" in parts["language_model.default"]["message"]

    async def test_a_key_is_typed_at_a_terminal_and_not_shown(self, tmp_path: Path) -> None:
        async with Provider(script(api_key=KEY, models=["test"])) as server:
            arguments = ("setup", "--url", server.api_base)
            shown, status = await asyncio.to_thread(at_a_terminal, tmp_path, arguments, [KEY])
        assert (status, KEY in shown) == (0, False), shown
        assert KEY in (tmp_path / KEYS).read_text()

    async def test_a_typed_key_that_is_refused_is_named_as_such(self, tmp_path: Path) -> None:
        async with Provider(script(api_key=KEY, models=["test"])) as server:
            arguments = ("setup", "--url", server.api_base)
            shown, status = await asyncio.to_thread(at_a_terminal, tmp_path, arguments, ["wrong"])
        title = server.api_base.removeprefix("http://").removesuffix("/v1")
        assert status == 2
        assert say("cli.setup_key_typed", title=title).message in shown

    async def test_prices_that_a_provider_tells_are_written(self, tmp_path: Path) -> None:
        async with OpenRouterVendor("qwen/qwen3-coder", script=script(api_key=KEY)) as server:
            url = server.api_base.replace("/v1", "/api/v1")
            arguments = ("setup", "--provider", "openrouter", "--url", url, "--print")
            ended = await run(tmp_path, *arguments, OPENROUTER_API_KEY=KEY)
        assert "$0.00" in ended.stderr
        assert yaml.safe_load(ended.stdout)["llm"]["default"]["prices"] == {"prompt": 0.22, "completion": 0.9}
        assert not (tmp_path / OWN).exists()

    async def test_azure_is_found_by_its_own_variables(self, tmp_path: Path) -> None:
        async with AzureVendor("gpt-main", script=script(api_key=KEY)) as server:
            variables = {"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_ENDPOINT": server.endpoint}
            ended = await run(tmp_path, "setup", "--yes", **variables, AZURE_OPENAI_DEPLOYMENT="gpt-main")
            assert (ended.returncode, "✓ Right" in ended.stderr) == (0, True), ended.stderr
        assert model_in(tmp_path) == {
            "provider": "azure_openai", "model": "gpt-main", "api_base": server.endpoint,
            "api_key_env": "AZURE_OPENAI_API_KEY", "context_window": 128000,
        }  # fmt: skip

    async def test_a_known_model_is_tried_where_the_key_is_not_for_the_list(self, tmp_path: Path) -> None:
        async with NoList(script(api_key=KEY)) as server:
            arguments = ("setup", "--provider", "anthropic", "--url", server.api_base)
            ended = await run(tmp_path, *arguments, ANTHROPIC_API_KEY=KEY)
            assert (ended.returncode, "✓ Right" in ended.stderr) == (0, True), ended.stderr
            assert model_in(tmp_path)["model"].startswith("claude")
            wrong = await run(tmp_path, *arguments, "--yes", ANTHROPIC_API_KEY="wrong")
        refused(wrong, 1, "refused the API key (401)")

    async def test_a_model_that_fails_is_not_written(self, tmp_path: Path) -> None:
        failing = ChatScript({"sql_generation": [Answer(status=500)]}, models=["tiny"])
        async with ChatServer(failing) as server:
            ended = await run(tmp_path, "setup", "--url", server.api_base)
        assert (ended.returncode, "Traceback" in ended.stderr, (tmp_path / OWN).exists()) == (1, False, False)

    async def test_a_model_that_answers_wrongly_is_taken_and_said(self, tmp_path: Path) -> None:
        async with ChatServer(script("SELECT name FROM suppliers", models=["tiny"])) as server:
            ended = await run(tmp_path, "setup", "--url", server.api_base)
        assert (ended.returncode, "✗" in ended.stderr, "askwell measure" in ended.stderr) == (0, True, True)
        assert model_in(tmp_path)["model"] == "tiny"


async def _looks(folder: Path, **environ: str) -> tuple[int, dict[str, Any]]:
    ended = await run(folder, "doctor", "--json", **environ)
    return ended.returncode, last_json(ended)["parts"]


class TestWhatWasWritten:
    MODELS = "# mine\nllm:\n  default: {model: old, api_base: 'http://x/v1'}\n  fast: {model: quick}\n"
    REST = "\n# rows\nsettings:\n  row_limit: 7  # few\n"

    async def test_it_stays_unless_somebody_says_so(self, tmp_path: Path) -> None:
        (tmp_path / "own.yaml").write_text(self.MODELS + self.REST)
        async with ChatServer(script(models=["new"])) as server:
            tried = ("setup", "--url", server.api_base, "--config", "own.yaml")
            kept = await run(tmp_path, *tried)
            refused(kept, 2, say("cli.setup_exists", file="own.yaml", model="old").message)
            assert server.calls() == 0  # nothing was paid for
            arguments = (*tried, "--no-try")
            assert (tmp_path / "own.yaml").read_text() == self.MODELS + self.REST
            _, status = await asyncio.to_thread(at_a_terminal, tmp_path, arguments, ["n"])
            assert (status, (tmp_path / "own.yaml").read_text()) == (130, self.MODELS + self.REST)
            assert (await run(tmp_path, *arguments, "--yes")).returncode == 0
        text = (tmp_path / "own.yaml").read_text()
        assert (text.startswith("# mine\n"), text.endswith("# rows\nsettings:\n  row_limit: 7  # few\n")) == (
            True,
            True,
        )
        assert yaml.safe_load(text)["llm"]["fast"] == {"model": "quick"}
        assert model_in(tmp_path, Path("own.yaml"))["model"] == "new"

    async def test_a_file_of_the_folder_with_a_model_wins_and_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "config.yaml").write_text(self.MODELS + self.REST)
        async with ChatServer(script(models=["new"])) as server:
            ended = await run(tmp_path, "setup", "--url", server.api_base, "--no-try")
        assert (ended.returncode, "! In this folder config.yaml" in ended.stderr) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "environ", "code", "values"),
    case_rows(__file__, "refused", "arguments", "environ", "code", "values", lists=True),
)
async def test_what_cannot_be_used_is_said_in_words(
    tmp_path: Path, arguments: list[str], environ: dict[str, str] | None, code: str, values: Mapping[str, str] | None
) -> None:
    async with Provider(ChatScript(api_key=KEY, models=["small-7b"])) as server:
        places = {"url": server.api_base, "key": KEY}
        given = {name: value.format(**places) for name, value in (environ or {}).items()}
        told = {name: value.format(**places) for name, value in (values or {}).items()}
        ended = await run(tmp_path, "setup", *(one.format(**places) for one in arguments), **given)
    message, hint = say(code, **told)
    refused(ended, 2, message)
    assert hint in ended.stderr
    assert not (tmp_path / OWN).exists()


class TestTheOffer:
    async def test_a_first_question_at_a_terminal_offers_it_once(self, tmp_path: Path) -> None:
        make_database(tmp_path / "shop.db")
        arguments = ("ask", "shop.db", "How many orders are there?")
        first, status = await asyncio.to_thread(at_a_terminal, tmp_path, arguments, ["n"], is_new=True)
        second, again = await asyncio.to_thread(at_a_terminal, tmp_path, arguments, [], is_new=True)
        assert (status, again) == (0, 0)
        assert ("No language model is set up" in first, "No language model is set up" in second) == (True, False)

    async def test_whoever_takes_it_has_the_model_for_the_question(self, tmp_path: Path) -> None:
        make_database(tmp_path / "shop.db")
        arguments = ("ask", "shop.db", "How many orders are there?")
        async with Ollama(CODER, script=script()) as server:
            host = server.api_base.removeprefix("http://").removesuffix("/v1")
            answers = ["y", "1"]
            shown, status = await asyncio.to_thread(
                at_a_terminal, tmp_path, arguments, answers, is_new=True, OLLAMA_HOST=host
            )
        assert (status, "✓ Right" in shown) == (0, True), shown
        assert model_in(tmp_path)["model"] == CODER

    async def test_whoever_said_that_there_is_none_is_not_asked(self, tmp_path: Path) -> None:
        make_database(tmp_path / "shop.db")
        (tmp_path / "config.yaml").write_text("llm: {default: {provider: none}}")
        arguments = ("ask", "shop.db", "How many orders are there?")
        shown, status = await asyncio.to_thread(at_a_terminal, tmp_path, arguments, [], is_new=True)
        assert (status, "No language model is set up" in shown) == (0, False)
