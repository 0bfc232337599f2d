"""`askwell keys`, and commands that send a key to a service."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import yaml

from tests.access.house import ADMIN_KEY, ALPHA, house, prepared


async def askwell(*arguments: str, cwd: Path, **environ: str) -> tuple[int, str, str]:
    """The command in a process of its own: its status, and what it printed."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("ASKWELL_")} | environ
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "askwell", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=cwd,
        env=env,
    )
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


def configuration(folder: Path) -> None:
    sections = {"home": "home", "llm": {"default": {"provider": "none"}}, "sign_in": {"keys": True}}
    (folder / "config.yaml").write_text(yaml.safe_dump(sections | {"embedder": {"default": {"provider": "none"}}}))


async def test_a_key_is_made_listed_rotated_and_revoked_in_the_record(tmp_path: Path) -> None:
    configuration(tmp_path)
    made = await askwell(
        *("keys", "create", "Ann", "--role", "curate", "--project", ALPHA, "--attribute", "region=EMEA"),
        *("--expires", "90d"),
        cwd=tmp_path,
    )
    assert made[0] == 0, made
    assert made[1].startswith("ak_")
    assert len(made[1].splitlines()) == 1
    listed = json.loads((await askwell("keys", "list", "--json", cwd=tmp_path))[1])
    (key,) = listed
    assert (key["name"], key["role"], key["projects"], key["attributes"]) == (
        "Ann",
        "curate",
        [ALPHA],
        {"region": "EMEA"},
    )
    assert made[1].strip() not in json.dumps(listed)
    rotated = await askwell("keys", "rotate", key["id"], "--grace", "0m", "--expires", "2d", "--json", cwd=tmp_path)
    now = json.loads(rotated[1])
    assert (rotated[0], now["key"] != made[1].strip(), now["expires_at"] < key["expires_at"]) == (0, True, True)
    assert (await askwell("keys", "revoke", key["id"], cwd=tmp_path))[0] == 0
    status, shown, _ = await askwell("keys", "list", cwd=tmp_path)
    assert (status, "revoked" in shown) == (0, True)


async def test_what_cannot_be_a_key_is_told_why(tmp_path: Path) -> None:
    configuration(tmp_path)
    for arguments, words in (
        (("--role", "boss"), "boss is no role"),
        (("--attribute", "region"), "region is no attribute"),
        (("--expires", "soon"), "soon is neither a time nor a day"),
        (("--expires", "2001-01-01"), "would be over already"),
    ):
        status, out, err = await askwell("keys", "create", "Ann", *arguments, cwd=tmp_path)
        assert (status, out, words in err) == (2, "", True), err
    status, _, err = await askwell("keys", "revoke", "0123456789abcdef", cwd=tmp_path)
    assert (status, "There is no key" in err) == (3, True)


async def test_commands_send_the_key_to_a_service(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await prepared(home, ALPHA)
        url, folder = home.service.url, tmp_path / "elsewhere"
        folder.mkdir()
        root = {"ASKWELL_URL": url, "ASKWELL_API_KEY": ADMIN_KEY}
        status, out, err = await askwell("keys", "create", "Ann", "--project", ALPHA, cwd=folder, **root)
        assert status == 0, err
        own = {"ASKWELL_API_KEY": out.strip()}
        asking = ("ask", "--url", url, "--project", ALPHA, "how many customers are there?")
        assert "3" in (await askwell(*asking, cwd=folder, **own))[1]
        assert "3" in (await askwell("--api-key", out.strip(), *asking, cwd=folder))[1]
        status, _, err = await askwell(*asking, cwd=folder)
        assert (status, "wants to know who calls" in err) == (3, True)
        status, _, err = await askwell("keys", "list", cwd=folder, ASKWELL_URL=url, **own)
        assert (status, "takes the role admin" in err) == (3, True)
        # A service has the record: its keys are looked after through it.
        status, _, err = await askwell("keys", "list", "--config", str(tmp_path / "config.yaml"), cwd=folder)
        assert (status, "add --url with its address" in err) == (3, True)
