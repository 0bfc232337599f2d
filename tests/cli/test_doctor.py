"""`askwell doctor` as an operator meets it, beside real servers and files."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sqlite3
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from askwell.cli.main import app
from tests.fakes.openai_server import ChatScript, ChatServer
from tests.support.commands import run_askwell
from tests.support.servers import ServerDatabase, new_mariadb, new_postgresql
from tests.support.service import running_service, write_config

KEY = "sk-the-secret-key"


async def doctor(
    config: Path, *options: str, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own, while this one goes on serving what it looks at."""
    arguments = ("doctor", "--config", str(config), *options)
    environment = {"PATH": os.environ["PATH"], **(environ or {})}
    return await asyncio.to_thread(run_askwell, *arguments, cwd=config.parent, environ=environment)


async def findings(config: Path, environ: Mapping[str, str] | None = None) -> tuple[int, dict[str, dict[str, str]]]:
    """The status, and what was found of each part."""
    said = await doctor(config, "--json", environ=environ)
    assert KEY not in said.stdout + said.stderr
    assert "Traceback" not in said.stdout + said.stderr
    told = json.loads(said.stdout.splitlines()[-1])
    states = {part["state"] for part in told["parts"].values()}
    assert told["status"] == next((state for state in ("failed", "warning") if state in states), "ok")
    return said.returncode, told["parts"]


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below it with its size and time, but for SQLite's shared memory, which readers use too. None is read:
    closing it would let go of the locks that the service in this process has on it."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}


class TestBesideAService:
    async def test_everything_is_well_and_nothing_is_disturbed(self, tmp_path: Path) -> None:
        async with ChatServer() as server:
            config = write_config(tmp_path, api_base=server.api_base)
            async with running_service(config) as http:
                await http.prepare()
                before = snapshot(tmp_path)
                status, found = await findings(config)
                assert snapshot(tmp_path) == before
                assert (await http.call("GET", "/health/ready"))[0] == 200
                answer = await http.answer("How many orders are there?", execute=True)
        assert (status, {part["state"] for part in found.values()}) == (0, {"ok"}), found
        assert set(found) == {
            "configuration", "server", "home", "record", "language_model.default", "embedder", "document_store",
            "data_source.default", "semantic_model.default", "sign_in", "privacy", "tracing",
        }  # fmt: skip
        assert f"a service (process {os.getpid()}) uses it" in found["home"]["message"]
        assert "with models of default" in found["record"]["message"]
        assert "shows 2 tables" in found["data_source.default"]["message"]
        assert "all its 2 tables are there" in found["semantic_model.default"]["message"]
        assert found["privacy"]["message"].startswith("full: ")
        assert answer["data"]["rows"] == [[4]]

    @pytest.mark.deep
    async def test_a_port_that_askwell_has_is_no_trouble_and_one_that_another_has_is(self, tmp_path: Path) -> None:
        config = write_config(tmp_path)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            other = str(silent.getsockname()[1])
            async with running_service(config) as http:
                own = http.url.rpartition(":")[2]
                _, beside = await findings(config, {"ASKWELL_SERVER__PORT": own})
            _, taken = await findings(config, {"ASKWELL_SERVER__PORT": other})
            _, nameless = await findings(config, {"ASKWELL_SERVER__HOST": "0.0.0.0"})
        assert beside["server"] == {
            "state": "ok",
            "message": f"127.0.0.1 port {own}, where Askwell answers",
            "hint": "",
        }
        assert taken["server"]["state"] == "failed"
        assert "the port is in use" in taken["server"]["message"]
        assert nameless["server"]["state"] == "failed"
        assert "`allowed_hosts: [askwell.example.org]`" in nameless["server"]["message"]

    @pytest.mark.deep
    async def test_a_record_on_a_server_is_looked_at_without_its_lock(self, tmp_path: Path) -> None:
        database = new_postgresql()
        environ = {"RECORD": database.url}
        config = write_config(tmp_path, knowledge={"url_env": "RECORD"})
        try:
            _, before = await findings(config, environ)
            async with running_service(config, environ) as http:
                await http.prepare()
                status, found = await findings(config, environ)
                ready, _ = await http.call("GET", "/health/ready")
        finally:
            database.drop()
        assert "made at the first start" in before["record"]["message"]
        assert (status, ready) == (0, 200)
        assert "uses it" not in found["home"]["message"]
        assert f"{database.name} at 127.0.0.1:5432, with models of default" in found["record"]["message"]
        assert found["semantic_model.default"]["state"] == "ok"


class TestWithoutAnything:
    async def test_nothing_is_made(self, tmp_path: Path) -> None:
        config = write_config(tmp_path, embedder={"default": {"provider": "minilm"}})
        before = snapshot(tmp_path)
        status, found = await findings(config)
        assert snapshot(tmp_path) == before
        assert not (tmp_path / "home").exists()
        assert status == 0
        assert "made at the first start" in found["home"]["message"]
        assert found["embedder"]["state"] == "warning"
        assert found["semantic_model.default"]["state"] == "warning"
        assert "semantics-preparations" in found["semantic_model.default"]["hint"]

    @pytest.mark.deep
    async def test_similar_questions_need_the_local_embedder(self, tmp_path: Path) -> None:
        config = write_config(tmp_path, settings={"history_match": "similar"})
        status, found = await findings(config)
        assert (status, found["history_match"]["state"]) == (0, "warning")
        assert "works as `exact`" in found["history_match"]["message"]
        assert "history_match" not in (await findings(write_config(tmp_path)))[1]

    async def test_each_server_for_traces_that_is_away_is_told(self, tmp_path: Path) -> None:
        tracing = {"provider": ["langfuse", "otlp"], "host": "http://127.0.0.1:9", "endpoint": "http://127.0.0.1:7"}
        keys = {"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk"}
        _, found = await findings(write_config(tmp_path, tracing=tracing), keys)
        told = found["tracing"]
        assert told["state"] == "warning"
        assert "langfuse at 127.0.0.1:9 cannot be reached" in told["message"]
        assert "otlp at 127.0.0.1:7 cannot be reached" in told["message"]
        assert told["hint"] == "Check tracing.host and tracing.endpoint, and the network."

    async def test_a_configuration_that_cannot_be_used_is_status_2_with_every_problem(self, tmp_path: Path) -> None:
        config = write_config(tmp_path, settings={"row_limt": 5, "queue_sise": 2})
        said = await doctor(config, "--json")
        assert said.returncode == 2
        assert 'Did you mean "row_limit"?' in said.stderr
        told = json.loads(said.stdout.splitlines()[-1])
        assert told["status"] == "failed"
        assert "queue_size" in told["parts"]["configuration"]["message"]


class TestLanguageModels:
    @pytest.mark.parametrize(
        ("script", "facts"),
        [
            (ChatScript(), ("JSON by schema", "streams", "counts tokens")),
            (ChatScript(accepts="json_object"), ("JSON objects", "counts tokens")),
            (ChatScript(accepts="text", usage=False), ("counts no tokens",)),
            (ChatScript(streams=False), ("does not stream",)),
        ],
    )
    async def test_what_the_server_really_does_is_told(
        self, tmp_path: Path, script: ChatScript, facts: tuple[str, ...]
    ) -> None:
        async with ChatServer(script) as server:
            _, found = await findings(write_config(tmp_path, api_base=server.api_base))
        assert [fact for fact in facts if fact not in found["language_model.default"]["message"]] == []

    async def test_each_model_in_use_is_asked_and_one_that_is_not_is_left_alone(self, tmp_path: Path) -> None:
        async with ChatServer(ChatScript(api_key=KEY)) as strict, ChatServer() as unused:
            models = {
                "default": {"model": "test", "api_base": strict.api_base, "api_key_env": "BIG_KEY"},
                "fast": {"model": "test", "api_base": strict.api_base, "api_key_env": "WRONG_KEY"},
                "later": {"model": "other", "api_base": unused.api_base},
            }
            pipelines = {"intent_classification": {"llm": "fast"}}
            config = write_config(tmp_path, llm=models, pipelines=pipelines)
            status, found = await findings(config, {"BIG_KEY": KEY, "WRONG_KEY": "sk-another"})
            assert unused.probes == []
        assert status == 1
        assert found["language_model.default"]["state"] == "ok"
        assert found["language_model.fast"]["state"] == "failed"
        assert "refused the API key" in found["language_model.fast"]["message"]
        assert "WRONG_KEY" in found["language_model.fast"]["hint"]
        assert "language_model.later" not in found
        assert "sk-another" not in str(found)


class TestOneBrokenPart:
    async def test_does_not_hide_the_others(self, tmp_path: Path) -> None:
        """A server that never says a word, a home that is a file, a missing driver, and one thing that works."""
        (tmp_path / "home").write_text("a file")
        sources: dict[str, Any] = {
            "default": {"engine": "sqlite", "path": str(tmp_path / "shop.sqlite")},
            "gone": {"engine": "sqlite", "path": str(tmp_path / "gone.db")},
            "lake": {"engine": "sqlalchemy", "url": "trino://lake.invalid/hive"},
            "away": {"engine": "sqlalchemy", "url_env": "AWAY"},
        }
        config = write_config(tmp_path, data_sources=sources)
        status, found = await findings(config, {"AWAY": "postgresql://reader:hunter2@127.0.0.1:9/d"})
        assert status == 1
        assert not any(word in str(found) for word in ("hunter2", "reader"))
        assert [name for name in sources if found[f"data_source.{name}"]["state"] == "ok"] == ["default"]
        assert "pip install" in found["data_source.lake"]["hint"]
        assert "does not exist" in found["data_source.gone"]["message"]
        assert "127.0.0.1:9" in found["data_source.away"]["message"]
        assert found["home"]["state"] == "failed"
        assert found["record"]["state"] == "skipped"


class TestDatabases:
    async def test_who_holds_a_file_is_told(self, tmp_path: Path) -> None:
        config = write_config(tmp_path)
        holder = sqlite3.connect(tmp_path / "shop.sqlite")
        holder.execute("BEGIN EXCLUSIVE")
        _, found = await findings(config)
        holder.close()
        assert found["data_source.default"]["state"] == "failed"
        assert f"(PID {os.getpid()})" in found["data_source.default"]["message"]

    @pytest.mark.parametrize("make", [new_postgresql, new_mariadb])
    async def test_a_server_is_signed_in_to_and_a_role_that_may_write_is_a_warning(
        self, tmp_path: Path, make: Any
    ) -> None:
        database: ServerDatabase = make()
        try:
            database.ask("CREATE TABLE orders (id integer)")
            config = write_config(tmp_path, data_sources={"default": {"engine": "sqlalchemy", "url_env": "SHOP"}})
            status, found = await findings(config, {"SHOP": database.url})
        finally:
            database.drop()
        told = found["data_source.default"]
        assert (status, told["state"]) == (0, "warning")
        assert "shows 1 table" in told["message"]
        assert "role script" in told["hint"]

    async def test_a_server_without_time_zones_is_a_warning(self, tmp_path: Path) -> None:
        database = new_mariadb()
        try:
            database.ask("CREATE TABLE orders (id integer)")
            lacks_zones = database.ask("SELECT CONVERT_TZ('2024-01-01', 'UTC', 'Europe/Berlin')")[0][0] is None
            config = write_config(tmp_path, data_sources={"default": {"engine": "sqlalchemy", "url_env": "SHOP"}})
            _, found = await findings(config, {"SHOP": database.url})
        finally:
            database.drop()
        told = found["data_source.default"]
        assert ("time zones" in told["message"]) == lacks_zones
        assert ("mysql_tzinfo_to_sql" in told["hint"]) == lacks_zones

    async def test_every_project_of_a_shared_database_is_compared_with_it(self, tmp_path: Path) -> None:
        config = write_config(tmp_path)
        async with running_service(config) as http:
            await http.prepare(project_id="alpha")
            await http.prepare(project_id="beta")
        with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
            connection.execute("ALTER TABLE orders RENAME COLUMN amount TO total")
        connection.close()
        status, found = await findings(config)
        told = found["semantic_model.default"]
        assert (status, told["state"]) == (1, "failed")
        assert told["message"].count("does not fit its database") == 2
        assert told["message"].count('no column "amount"') == 2


async def test_on_paper_it_is_a_table_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "shop.sqlite").touch()
    said = await doctor(write_config(tmp_path))
    lines = said.stdout.splitlines()
    assert said.returncode == 0
    assert lines[0].split()[:2] == ["ok", "configuration"]
    shows_nothing = next(number for number, line in enumerate(lines) if "sees no tables" in line)
    assert lines[shows_nothing].startswith("warning")
    assert lines[shows_nothing + 1].strip().startswith("→")
    assert lines[-1].endswith("ok")


async def test_a_service_that_cannot_start_leads_to_it(tmp_path: Path) -> None:
    lake = {"engine": "sqlalchemy", "url": "trino://lake.invalid/hive"}
    config = write_config(tmp_path, data_sources={"default": lake})
    environ = {"PATH": os.environ["PATH"]}
    said = await asyncio.to_thread(run_askwell, "serve", "--config", str(config), cwd=tmp_path, environ=environ)
    command = f"askwell doctor --config {config}"
    assert said.returncode == 2
    assert command in said.stdout
    assert said.stderr.splitlines()[-1] == f"To look at every part: {command}"
    assert "pip install" in said.stderr


def test_colours_are_for_those_who_want_them(tmp_path: Path) -> None:
    config = str(write_config(tmp_path))

    def said(environ: dict[str, str | None]) -> str:
        return CliRunner().invoke(app, ["doctor", "--config", config], color=True, env=environ).stdout

    assert "\x1b" in said({"NO_COLOR": None})
    assert "\x1b" not in said({"NO_COLOR": "1"})


@pytest.mark.parametrize(
    ("named", "more"), [("RECORD_URL", {}), ("ASKWELL_KNOWLEDGE__URL", {"RECORD_URL": "sqlite"})], ids=["named", "over"]
)
async def test_a_record_out_of_reach_is_told_of_by_the_variable_that_holds_its_url(
    tmp_path: Path, named: str, more: dict[str, str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        url = f"postgresql://askwell@127.0.0.1:{gone.getsockname()[1]}/askwell"
    config = write_config(tmp_path, knowledge={"url_env": "RECORD_URL"})
    status, parts = await findings(config, {named: url, **more})
    (hint,) = {part["hint"] for part in parts.values() if "host and port" in part["hint"]}
    assert status == 1
    assert named in hint
