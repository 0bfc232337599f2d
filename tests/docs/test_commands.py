"""Commands in the pages: each is known to the program, and is run, here or elsewhere in the suite, or says why not."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import typer

from askwell.cli.main import COMMANDS, app
from askwell.cli.options import names_database
from askwell.config import SignInConfig
from askwell.config.sign_in import OidcConfig
from askwell.web.app import create_app
from tests.support import tiny_shop
from tests.support.commands import run_askwell
from tests.support.service import Client, running_service, write_config
from tests.support.tables import case_table
from tests.web.fakes import FakeServices

REPOSITORY = Path(__file__).parents[2]
_BESIDE = (REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "evaluation/README.md"))
PAGES = [*_BESIDE, *sorted((REPOSITORY / "docs").rglob("*.md"))]
TEXTS = {page.relative_to(REPOSITORY).as_posix(): page.read_text() for page in PAGES}

# Run by test_readme_tour, test_troubleshooting, test_shell, documents/test_docs_command, mcp_server/test_command,
# cli/test_keys, cli/test_project, cli/test_setup, cli/test_measure and .ci/run.
ELSEWHERE = case_table(__file__, "elsewhere")
# What a test cannot do, in any page: the reason, and how such commands begin.
NOT_HERE = case_table(__file__, "not_here")


def lines(page: str) -> list[str]:
    """The commands in a page's `sh` blocks, those over several lines as one, without what is said about them."""
    blocks = re.findall(r"^```sh\n(.*?)^```", TEXTS[page], re.MULTILINE | re.DOTALL)
    joined = re.sub(r"\\\n\s*|(?<=\|)\n\s*", " ", "".join(blocks))
    return [line for each in joined.splitlines() if (line := re.sub(r"(^|\s+)# .*$", "", each).strip())]


def here(command: str, page: str) -> bool:
    """Whether it is to be run here."""
    elsewhere = ELSEWHERE.get(page)
    known = [*NOT_HERE.values(), *([elsewhere] if elsewhere else [])]
    if command.startswith("docker compose exec -T askwell askwell "):
        return True
    return not any(re.match(pattern, command) for pattern in known)


def _written() -> Iterator[tuple[str, str]]:
    """Every `askwell …` in a block or in the text, with its page."""
    for page, text in TEXTS.items():
        for line in lines(page):
            for command in re.findall(
                r"(?:^|\s|/)askwell ((?:ask|shell|check|serve|doctor|model|demo|eval|mcp)\b[^|>]*)", line
            ):
                yield page, command
        for command in re.findall(r"`(?:\.venv/bin/)?askwell ([^`]+)`", text):
            yield page, command


class TestWhatIsWritten:
    def test_every_command_and_option_in_a_page_is_one_of_the_program(self) -> None:
        group = typer.main.get_command(app)
        context = typer.Context(group)
        wrong, seen = [], set()
        for page, text in _written():
            # A phrase may be cut where the page breaks a line.
            words = shlex.split(text if text.count('"') % 2 == 0 else text + '"')
            name, *rest = words
            if name in ("COMMAND", "--version"):
                continue
            if name not in COMMANDS:
                wrong.append(f"{page}: askwell {text}")
                continue
            seen.add(name)
            _, command, _ = group.resolve_command(context, [name])  # type: ignore[attr-defined]
            subcommands: dict[str, Any] = getattr(command, "commands", {})
            if subcommands and rest:
                command = subcommands.get(rest[0], click.Command(None))
            options = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
            given = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
            if command.name is None or not given <= options | {"--help"}:
                wrong.append(f"{page}: askwell {text}")
        assert wrong == []
        assert seen == set(COMMANDS)

    def test_every_address_in_a_page_is_a_route(self) -> None:
        issuer = OidcConfig(issuer="https://login.example.org", audiences=("askwell",))
        routes = create_app(FakeServices(), sign_in=SignInConfig(keys=True, oidc=issuer)).openapi()["paths"]
        patterns = [re.sub(r"\{\w+\}", "[^/]+", route) for route in routes]
        given = {
            path
            for text in TEXTS.values()
            for path in re.findall(r"(?:localhost:\d+|\b(?:GET|POST|PATCH|DELETE)) ?(/[\w/{}$…-]+(?:\.\w+\b)?)", text)
        }
        assert len(given) > 10
        known = [*patterns, *(pattern.removeprefix("/v1") for pattern in patterns)]
        assert [path for path in given if not any(re.fullmatch(one, path) for one in known)] == []

    def test_every_target_of_make_is_described_and_no_other(self) -> None:
        real = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
        told = "\n".join(TEXTS.values())
        assert set(re.findall(r"(?:^|`)make ([a-z-]+)", told, re.MULTILINE)) == real

    def test_every_extra_that_is_named_can_be_installed(self) -> None:
        extras = (REPOSITORY / "pyproject.toml").read_text().partition("[project.optional-dependencies]")[2]
        named = set(re.findall(r"askwell\[([\w,]+)\]", "\n".join(TEXTS.values())))
        assert named
        assert [name for name in ",".join(named).split(",") if not re.search(rf"^{name} = \[", extras, re.M)] == []


RUN = [(page, line) for page in TEXTS for line in lines(page) if here(line, page)]


@pytest.mark.skipif(not all(map(shutil.which, ("bash", "curl", "jq", "sqlite3", "openssl"))), reason="needs curl, jq …")
async def test_the_commands_of_the_pages_run(tmp_path: Path) -> None:
    """One after the other in one folder, beside a service on the tiny shop: some need what those before them made."""
    shop = tiny_shop.make_database(tmp_path / "shop.db")
    shutil.copy(REPOSITORY / ".env.example", tmp_path)
    places = {
        "/databases/shop.db": str(shop),
        "docs/examples/": f"{REPOSITORY / 'docs' / 'examples'}/",
        ".venv/bin/askwell ": "askwell ",
        ".askwell/": "home/",
        "docker compose exec -T askwell askwell": "askwell",
    }
    async with running_service(write_config(tmp_path), {"ASKWELL_HOME": str(tmp_path / "home")}) as http:
        await http.prepare()
        failed = []
        for page, line in RUN:
            for told, place in places.items():
                line = line.replace(told, place)
            status, said = await _run(line, tmp_path, http)
            if status or '"code"' in said:
                failed.append(f"{page}: {line}\n{said}")
    assert failed == []
    assert not re.search(r"^POSTGRES_PASSWORD=$", (tmp_path / ".env").read_text(), re.MULTILINE)
    assert (tmp_path / "askwell-backup.sqlite").stat().st_size > 0
    assert len(RUN) > 10


async def _run(line: str, folder: Path, http: Client) -> tuple[int, str]:
    """The exit status, and what was said on both streams."""
    ask_id = await http.ask("How many customers are there?")
    environ = {
        "PATH": os.environ["PATH"],
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_DATA_HOME": str(folder / "data"),
        "SHOP_URL": "shop.db",
        "QUERY_ID": ask_id,
        "ASKWELL_CONFIG": str(folder / "config.yaml"),
    }
    if line.startswith("askwell "):
        words, target = shlex.split(line.partition(" > ")[0])[1:], line.partition(" > ")[2]
        if words[0] == "ask" and not any(map(names_database, words)):
            words += ["--url", http.url]
        done = await asyncio.to_thread(run_askwell, *words, cwd=folder, environ=environ)
        if target:
            (folder / target).write_text(done.stdout)
    else:
        line = line.replace("localhost:5555", http.url.removeprefix("http://")).replace("0c4e…", ask_id)
        command = ["bash", "-o", "pipefail", "-c", line.replace("curl -s", "curl -sS")]
        done = await asyncio.to_thread(
            subprocess.run, command, cwd=folder, env=environ, capture_output=True, text=True, timeout=60
        )
    return done.returncode, done.stdout + done.stderr
