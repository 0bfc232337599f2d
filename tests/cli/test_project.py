"""A project in a file, on the command line: over a service, and over a record that no service has."""

from __future__ import annotations

import asyncio
import stat
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from askwell.cli.main import app
from askwell.messages import say
from tests.support.service import running_service, write_config

RUNNER = CliRunner()
QUESTION = "how many customers are there?"


async def run(*args: str) -> Result:
    return await asyncio.to_thread(partial(RUNNER.invoke, app, ["project", *args]))


async def test_a_project_moves_from_one_service_to_another(tmp_path: Path) -> None:
    file = tmp_path / "shop.zip"
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    config = write_config(tmp_path / "one")
    async with running_service(config) as service:
        await service.prepare()
        assert (await service.answer(QUESTION))["status"] == "finished"
        written = await run("export", "default", str(file), "--with-asks", "--url", service.url)
        assert (written.exit_code, f"{file}: " in written.stdout) == (0, True), written.output
        # It is as confidential as the record.
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        again = await run("export", "default", str(file), "--url", service.url)
        assert (again.exit_code, "exists and was not overwritten" in again.stderr) == (2, True)

    async with running_service(write_config(tmp_path / "two")) as service:
        read = await run("import", str(file), "--url", service.url)
        assert (read.exit_code, read.stderr) == (0, ""), read.output
        assert read.stdout.startswith("default: 1 models, 1 labels, 1 current model, 1 asks, from default.")
        answer = await service.answer(QUESTION, execute=True)
        assert (answer["status"], answer["data"]["rows"]) == ("finished", [[3]])
        refused = await run("import", str(file), "--url", service.url)
        assert (refused.exit_code, "Project default is not empty" in refused.stderr) == (3, True), refused.output
        replaced = await run("import", str(file), "--replace", "--url", service.url)
        assert "1 models" in replaced.stdout
        assert (await service.answer(QUESTION))["status"] == "finished"
        file.write_bytes(b"not an archive")
        damaged = await run("import", str(file), "--project", "default", "--url", service.url)
        assert (damaged.exit_code, "no archive of a project" in damaged.stderr) == (3, True)


async def test_a_record_that_no_service_has_is_written_and_read(tmp_path: Path) -> None:
    file = tmp_path / "shop.zip"
    config = write_config(tmp_path)
    async with running_service(config) as service:
        await service.prepare()
        # Reading goes on beside the service; writing does not.
        written = await run("export", "default", str(file), "--config", str(config))
        assert written.exit_code == 0, written.output
        refused = await run("import", str(file), "--project", "other", "--config", str(config))
        assert (refused.exit_code, "Another Askwell service" in refused.stderr) == (3, True)
    read = await run("import", str(file), "--project", "other", "--json", "--config", str(config))
    assert (read.exit_code, '"made_of": "default"' in read.stdout) == (0, True), read.output
    missing = await run("export", "nobody", str(tmp_path / "none.zip"), "--config", str(config))
    assert (missing.exit_code, "nothing of a project nobody" in missing.stderr) == (3, True)
    assert not (tmp_path / "none.zip").exists()


@pytest.mark.parametrize("name", ["a file/shop.zip", "x" * 300, "no such folder/shop.zip"])
async def test_a_place_that_cannot_be_written_is_told_in_words(tmp_path: Path, name: str) -> None:
    (tmp_path / "a file").write_text("")
    config = write_config(tmp_path)
    refused = await run("export", "default", str(tmp_path / name), "--config", str(config))
    assert (refused.exit_code, "cannot be written: " in refused.stderr) == (2, True), refused.output
    assert isinstance(refused.exception, SystemExit)


@pytest.mark.parametrize(
    "command", [("project", "export", "shop", "new.zip"), ("project", "import", "old.zip"), ("keys", "list")]
)
async def test_a_service_and_a_record_at_once_are_refused(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "old.zip").write_bytes(b"")
    config = write_config(tmp_path)
    arguments = [str(tmp_path / one) if one.endswith(".zip") else one for one in command]
    both = [*arguments, "--config", str(config), "--url", "http://127.0.0.1:9"]
    refused = await asyncio.to_thread(partial(RUNNER.invoke, app, both))
    assert (refused.exit_code, say("cli.url_and_config").hint in refused.stderr) == (2, True), refused.output


async def test_a_configuration_wins_over_the_service_of_the_environment(tmp_path: Path) -> None:
    """Which is there for all commands, where the option is there for this one."""
    elsewhere = {"ASKWELL_URL": "http://127.0.0.1:9"}
    config = ["--config", str(write_config(tmp_path))]
    keys = await asyncio.to_thread(partial(RUNNER.invoke, app, ["keys", "list", *config], env=elsewhere))
    assert (keys.exit_code, "There are no keys yet." in keys.stderr) == (0, True), keys.output
    export = ["project", "export", "nobody", str(tmp_path / "none.zip"), *config]
    written = await asyncio.to_thread(partial(RUNNER.invoke, app, export, env=elsewhere))
    assert "nothing of a project nobody" in written.stderr
