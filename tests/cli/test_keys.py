"""`askwell keys`, and commands that send a key to a service."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from askwell.cli.main import app
from askwell.messages import say
from tests.access.house import ADMIN_KEY, ALPHA, house, prepared
from tests.cli.running import askwell
from tests.support.service import running_service, write_config
from tests.support.tables import case_rows


async def keys(*arguments: str, folder: Path, **environ: str) -> tuple[int, str, str]:
    """The status of the command, and what it printed."""
    ended = await asyncio.to_thread(partial(askwell, *arguments, folder=folder, **environ))
    return ended.returncode, ended.stdout, ended.stderr


def configuration(folder: Path) -> None:
    sections = {"home": "home", "llm": {"default": {"provider": "none"}}, "sign_in": {"keys": True}}
    (folder / "config.yaml").write_text(yaml.safe_dump(sections | {"embedder": {"default": {"provider": "none"}}}))


async def test_a_key_is_made_listed_rotated_and_revoked_in_the_record(tmp_path: Path) -> None:
    configuration(tmp_path)
    made = await keys(
        *("keys", "create", "Ann", "--role", "curate", "--project", ALPHA, "--attribute", "region=EMEA"),
        *("--expires", "90d"),
        folder=tmp_path,
    )
    assert made[0] == 0, made
    assert made[1].startswith("ak_")
    assert len(made[1].splitlines()) == 1
    listed = json.loads((await keys("keys", "list", "--json", folder=tmp_path))[1])
    (key,) = listed
    assert (key["name"], key["role"], key["projects"], key["attributes"]) == (
        "Ann",
        "curate",
        [ALPHA],
        {"region": "EMEA"},
    )
    assert made[1].strip() not in json.dumps(listed)
    rotated = await keys("keys", "rotate", key["id"], "--grace", "0m", "--expires", "2d", "--json", folder=tmp_path)
    now = json.loads(rotated[1])
    assert (rotated[0], now["key"] != made[1].strip(), now["expires_at"] < key["expires_at"]) == (0, True, True)
    assert (await keys("keys", "revoke", key["id"], folder=tmp_path))[0] == 0
    status, shown, _ = await keys("keys", "list", folder=tmp_path)
    assert (status, "revoked" in shown) == (0, True)


async def test_what_cannot_be_a_key_is_told_why(tmp_path: Path) -> None:
    configuration(tmp_path)
    for arguments, words in (
        (("--role", "boss"), "There is no role “boss”"),
        (("--attribute", "region"), "“region” isn't an attribute"),
        (("--expires", "soon"), "“soon” isn't a time or a day"),
        (("--expires", "2001-01-01"), "would have expired already"),
    ):
        status, out, err = await keys("keys", "create", "Ann", *arguments, folder=tmp_path)
        assert (status, out, words in err) == (2, "", True), err
    status, _, err = await keys("keys", "rotate", "0123456789abcdef", "--expires", "soon", folder=tmp_path)
    assert (status, "“soon” isn't a time or a day" in err) == (2, True), err
    status, _, err = await keys("keys", "revoke", "0123456789abcdef", folder=tmp_path)
    assert (status, "There is no key" in err) == (3, True)


async def test_commands_send_the_key_to_a_service(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await prepared(home, ALPHA)
        url, folder = home.service.url, tmp_path / "elsewhere"
        folder.mkdir()
        root = {"ASKWELL_URL": url, "ASKWELL_API_KEY": ADMIN_KEY}
        status, out, err = await keys("keys", "create", "Ann", "--project", ALPHA, folder=folder, **root)
        assert status == 0, err
        own = {"ASKWELL_API_KEY": out.strip()}
        asking = ("ask", "--url", url, "--project", ALPHA, "how many customers are there?")
        assert "3" in (await keys(*asking, folder=folder, **own))[1]
        assert "3" in (await keys("--api-key", out.strip(), *asking, folder=folder))[1]
        status, _, err = await keys(*asking, folder=folder)
        assert (status, say("sign_in.needed").message in err) == (3, True)
        status, _, err = await keys("keys", "list", folder=folder, ASKWELL_URL=url, **own)
        assert (status, "needs the role admin" in err) == (3, True)
        # A service has the record: its keys are looked after through it.
        status, _, err = await keys("keys", "list", "--config", str(tmp_path / "config.yaml"), folder=folder)
        assert (status, "add --url with its address" in err) == (3, True)


# -- What Tab completes: in a real bash, and by what zsh and fish ask and are answered.


BIN = Path(sys.executable).parent
ENVIRON = {"PATH": f"{BIN}:{os.environ['PATH']}", "NO_COLOR": "1"}


def in_bash(*words: str) -> list[str]:
    """What bash's own function offers for the last of these words."""
    listed = " ".join(f"'{word}'" for word in words)
    program = (
        'eval "$(askwell completion bash)"; complete -p askwell >/dev/null || exit 9; '
        f"COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; "
        "_askwell_completion askwell; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    said = subprocess.run(
        ["bash", "--norc", "-c", program], env=ENVIRON, capture_output=True, text=True, timeout=60, check=True
    )
    assert said.stderr == ""
    return [line for line in said.stdout.splitlines() if line]


@pytest.mark.parametrize(("words", "offered"), case_rows(__file__, "bash_completes", "words", "offered"))
def test_bash_completes(words: tuple[str, ...], offered: list[str]) -> None:
    assert in_bash(*words) == offered


@pytest.mark.parametrize(
    ("shell", "asks", "answer"),
    [
        ("zsh", {"_TYPER_COMPLETE_ARGS": "askwell doc"}, '"doctor":"Look at every configured part'),
        ("fish", {"_TYPER_COMPLETE_ARGS": "askwell doc", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}, "doctor\tLook at"),
    ],
)
def test_zsh_and_fish_are_answered(shell: str, asks: dict[str, str], answer: str) -> None:
    script = subprocess.run(["askwell", "completion", shell], env=ENVIRON, capture_output=True, text=True, check=True)
    assert f"_ASKWELL_COMPLETE=complete_{shell}" in script.stdout
    environ = ENVIRON | asks | {"_ASKWELL_COMPLETE": f"complete_{shell}"}
    said = subprocess.run(["askwell"], env=environ, capture_output=True, text=True, timeout=60, check=True)
    assert answer in said.stdout


def test_a_shell_that_is_not_known_is_status_2() -> None:
    said = subprocess.run(["askwell", "completion", "tcsh"], env=ENVIRON, capture_output=True, text=True, check=False)
    assert said.returncode == 2
    assert "'tcsh' is not one of 'bash', 'zsh'" in said.stderr


# -- A project in a file, on the command line: over a service, and over a record that no service has.


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
        assert (damaged.exit_code, "isn't a project archive" in damaged.stderr) == (3, True)


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
    assert (missing.exit_code, "The record has no project nobody" in missing.stderr) == (3, True)
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
    assert "The record has no project nobody" in written.stderr
