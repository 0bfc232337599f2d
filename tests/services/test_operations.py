"""The whole service when something that it stands on breaks or changes under it."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.service import running_service, write_config


async def test_a_home_that_is_deleted_while_it_runs_is_noticed(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as http:
        await http.prepare()
        assert (await http.call("GET", "/health/ready"))[0] == 200
        shutil.rmtree(tmp_path / "home")
        status, said = await http.call("POST", "/v1/asks", json={"query": "How many orders are there?"})
        assert (status, said["code"]) == (503, "RECORD_UNAVAILABLE")
        assert "start the service again" in said["hint"]
        assert str(tmp_path) not in str(said)
        status, said = await http.call("GET", "/health/ready")
        assert status == 503
        assert said["checks"]["record"]["ok"] is False
        assert str(tmp_path) not in str(said)
