"""`askwell keys`, and commands that send a key to a service."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path

import yaml

from tests.access.house import ADMIN_KEY, ALPHA, house, prepared
from tests.cli.running import askwell


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
        (("--role", "boss"), "boss is no role"),
        (("--attribute", "region"), "region is no attribute"),
        (("--expires", "soon"), "soon is neither a time nor a day"),
        (("--expires", "2001-01-01"), "would be over already"),
    ):
        status, out, err = await keys("keys", "create", "Ann", *arguments, folder=tmp_path)
        assert (status, out, words in err) == (2, "", True), err
    status, _, err = await keys("keys", "rotate", "0123456789abcdef", "--expires", "soon", folder=tmp_path)
    assert (status, "soon is neither a time nor a day" in err) == (2, True), err
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
        assert (status, "wants to know who calls" in err) == (3, True)
        status, _, err = await keys("keys", "list", folder=folder, ASKWELL_URL=url, **own)
        assert (status, "takes the role admin" in err) == (3, True)
        # A service has the record: its keys are looked after through it.
        status, _, err = await keys("keys", "list", "--config", str(tmp_path / "config.yaml"), folder=folder)
        assert (status, "add --url with its address" in err) == (3, True)
