"""The scripted server as a process of its own, as kill tests and benchmarks use it."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def _process(script: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.openai_server", "--script", str(script)),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(20):
            yield process, json.loads(await process.stdout.readline())["api_base"]
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_it_answers_by_script_keeps_a_record_and_ends_on_sigterm(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"stages": {"sql_generation": ["first", {"json": {"sql": "second"}}]}}))
    body = {"model": "m", "messages": [{"role": "system", "content": "Task: sql_generation\nx"}]}

    async with _process(script) as (process, api_base), aiohttp.ClientSession() as http:

        async def said() -> Any:
            async with http.post(f"{api_base}/chat/completions", json=body) as response:
                return (await response.json())["choices"][0]["message"]["content"]

        assert [await said() for _ in range(3)] == ["first", '{"sql": "second"}', '{"sql": "second"}']
        root = api_base.removesuffix("/v1")
        async with http.get(f"{root}/requests") as response:
            record = await response.json()
        assert [(request["stage"], request["outcome"]) for request in record] == [("sql_generation", "answered")] * 3
        await http.put(f"{root}/script", json={"stages": {"*": [{"hang": True, "text": "released"}]}})
        waiting = asyncio.create_task(said())
        while True:
            async with http.get(f"{root}/requests") as response:
                if len(await response.json()) == 4:
                    break
        assert not waiting.done()
        await http.post(f"{root}/release")
        assert await waiting == "released"
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
