"""Who may take a project out of a service, and put one in."""

from __future__ import annotations

import asyncio
import io
import zipfile
from pathlib import Path

from typer.testing import CliRunner

from askwell.cli.main import app
from tests.archives.test_hostile import packed, row
from tests.support import tiny_shop
from tests.support.service import running_service, write_config

ADMIN = "admin-key-of-these-tests-0123456789abcdef"
PATH = "/v1/projects/{}/archive"


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def test_only_an_admin_of_the_project_may(tmp_path: Path) -> None:
    config = write_config(tmp_path, sign_in={"keys": True})
    async with running_service(config, {"ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN}) as service:

        async def key(role: str, project: str) -> str:
            body = {"name": role, "role": role, "projects": [project]}
            status, made = await service.call("POST", "/v1/keys", json=body, headers=bearer(ADMIN))
            assert status in (200, 201), made
            return str(made["key"])

        status, _ = await service.call("GET", PATH.format("default"))
        assert status == 401
        for role in ("ask", "curate"):
            for method in ("GET", "PUT"):
                given = bearer(await key(role, "default"))
                status, _ = await service.call(method, PATH.format("default"), headers=given)
                assert (role, method, status) == (role, method, 403)
        own = bearer(await key("admin", "default"))
        service.session.headers.update(bearer(ADMIN))
        assert (await service.prepare())["status"] == "finished"
        service.session.headers.clear()
        for method in ("GET", "PUT"):
            # A project of others and one that nobody has look the same.
            answers = [await service.call(method, PATH.format(project), headers=own) for project in ("bank", "nothing")]
            assert [status for status, _ in answers] == [404, 404]
        async with service.session.get(f"{service.url}{PATH.format('default')}", headers=own) as response:
            assert response.status == 200
            archive = await response.read()
        assert ADMIN.encode() not in archive
        for option in ("with_asks", "with_history"):
            status, told = await service.call("GET", f"{PATH.format('default')}?{option}=true", headers=own)
            assert (status, "belong to the people who had them" in told["message"]) == (403, True)
        path = f"{PATH.format('default')}?replace=true"
        status, read = await service.call("PUT", path, headers=own, data=archive)
        assert (status, read["made_of"]) == (200, "default")
    moved = await asyncio.to_thread(whole, config)
    async with running_service(config, {"ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN}) as service:
        path = f"{PATH.format('default')}?replace=true"
        status, told = await service.call("PUT", path, headers=bearer(ADMIN), data=moved)
        assert (status, "The archive has threads, which belong" in told["message"]) == (422, True)


async def test_no_door_takes_an_id_that_has_no_address(tmp_path: Path) -> None:
    """Clients and servers read `/` and `..` in an address as something else."""
    async with running_service(write_config(tmp_path)) as service:
        agent = {"instructions": "Be brief."}
        assert (await service.call("PUT", "/v1/agents/brief", json=agent))[0] == 200
        async with service.session.get(f"{service.url}{PATH.format('default')}") as response:
            archive = io.BytesIO(await response.read())
        with zipfile.ZipFile(archive) as found:
            files = {name: found.read(name) for name in found.namelist()}
        changed = packed(row(files, "agents", id="../x")).getvalue()
        status, told = await service.call("PUT", PATH.format("default") + "?replace=true", data=changed)
        assert (status, "agents.jsonl in the archive, line 1: its id" in told["message"]) == (422, True)
        document = {"id": "../x", "title": "x", "text": "x"}
        assert (await service.call("POST", "/v1/documents", json=document))[0] == 422


async def test_a_project_with_row_rules_is_for_whoever_has_the_record(tmp_path: Path) -> None:
    config = write_config(tmp_path, sign_in={"keys": True})
    ruled = tiny_shop.manifest()
    ruled["models"][0]["rowLevelAccessControls"] = [
        {"name": "own", "requiredProperties": [{"name": "who", "required": True}], "condition": "name = @who"}
    ]
    async with running_service(config, {"ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN}) as service:
        service.session.headers.update(bearer(ADMIN))
        assert (await service.prepare(ruled))["status"] == "finished"
        status, told = await service.call("GET", PATH.format("default"))
        assert (status, "People may read different rows" in told["message"]) == (403, True), told


def whole(config: Path) -> bytes:
    """All of a project, as whoever has the record writes it."""
    file = config.parent / "whole.zip"
    arguments = ["project", "export", "default", str(file), "--with-history", "--with-asks", "--config", str(config)]
    written = CliRunner().invoke(app, arguments)
    assert written.exit_code == 0, written.output
    return file.read_bytes()
