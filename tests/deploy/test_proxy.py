"""The proxy of the profile `full`: nginx itself, with the file that Compose mounts, in front of two that answer."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import socket
import struct
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "compose" / "nginx.conf"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


class Names(asyncio.DatagramProtocol):
    """A name server that knows `web`, at two addresses."""

    addresses = ("127.0.0.2", "127.0.0.3")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        question = data[12 : data.index(b"\0", 12) + 5]
        records = [b"\xc0\x0c\0\x01\0\x01" + struct.pack("!IH", 1, 4) + socket.inet_aton(one) for one in self.addresses]
        head = data[:2] + b"\x81\x80" + struct.pack("!HHHH", 1, len(records), 0, 0)
        self.transport.sendto(head + question + b"".join(records), addr)


@contextlib.asynccontextmanager
async def proxy(tmp_path: Path, *servers: TestServer, trusted: str) -> AsyncIterator[str]:
    """nginx in front of servers at 127.0.0.2 and 127.0.0.3, which believes `trusted` for whom they ask; its address."""
    port = unused_port()
    loop = asyncio.get_running_loop()
    names, _ = await loop.create_datagram_endpoint(Names, local_addr=("127.0.0.1", 0))
    place = names.get_extra_info("sockname")[1]
    text = CONFIGURATION.read_text()
    for there, here in (
        ("127.0.0.11 valid=2s", f"127.0.0.1:{place} valid=2s"),
        ("http://web:5555", f"http://web:{servers[0].port}"),
        ("listen 8080", f"listen 127.0.0.1:{port}"),
        ("/tmp/", f"{tmp_path}/"),
        # In the container nobody is root, so that nginx changes no user.
        ("worker_processes 2;", "worker_processes 1; user root;" if os.geteuid() == 0 else "worker_processes 1;"),
        # As another proxy on the same machine is seen in the container.
        ("set_real_ip_from 172.16.0.0/12", f"set_real_ip_from {trusted}"),
    ):
        assert there in text
        text = text.replace(there, here)
    (tmp_path / "nginx.conf").write_text(text)
    process = await asyncio.create_subprocess_exec(
        str(NGINX), "-c", str(tmp_path / "nginx.conf"), "-g", "daemon off;", stderr=asyncio.subprocess.DEVNULL
    )
    try:
        url = f"http://127.0.0.1:{port}"
        async with aiohttp.ClientSession() as session:
            for _ in range(500):
                with contextlib.suppress(aiohttp.ClientError):
                    async with session.get(f"{url}/proxy-health") as answer:
                        assert answer.status == 204
                        break
                await asyncio.sleep(0.02)
        yield url
    finally:
        process.terminate()
        await process.wait()
        names.close()


def application(name: str, sent: asyncio.Event | None = None) -> web.Application:
    async def who(request: web.Request) -> web.Response:
        asker = request.headers["X-Forwarded-For"]
        return web.json_response({"who": name, "host": request.headers["Host"], "asker": asker})

    async def read(request: web.Request) -> web.StreamResponse:
        """Tells that the first of a body has come, and then how much there was of it."""
        answer = web.StreamResponse()
        size = len(await request.content.read(1))
        assert sent is not None
        sent.set()
        async for piece in request.content.iter_any():
            size += len(piece)
        await answer.prepare(request)
        await answer.write(str(size).encode())
        return answer

    async def gone(_: web.Request) -> web.Response:
        status = 503 if name == "a" else 200
        return web.json_response({"who": name}, status=status)

    async def events(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        await answer.write(b"event: state\ndata: {}\n\n")
        assert sent is not None
        await sent.wait()
        await answer.write(b"event: done\ndata: {}\n\n")
        return answer

    app = web.Application(client_max_size=2**26)
    app.add_routes([web.get("/v1/who", who), web.get("/v1/events", events), web.get("/v1/gone", gone)])
    app.add_routes([web.put("/v1/projects/shop/archive", read)])
    app.add_routes([web.post("/v1/gone", gone), web.post("/v1/who", who), web.get("/v1/metrics", who)])
    return app


@contextlib.asynccontextmanager
async def two(
    tmp_path: Path, sent: asyncio.Event | None = None, trusted: str = "172.16.0.0/12"
) -> AsyncIterator[tuple[str, list[TestServer]]]:
    port = unused_port()
    servers = [
        TestServer(application(name, sent), host=host, port=port)
        for name, host in zip("ab", Names.addresses, strict=True)
    ]
    for one in servers:
        await one.start_server()
    try:
        async with proxy(tmp_path, *servers, trusted=trusted) as url:
            yield url, servers
    finally:
        for one in servers:
            await one.close()


async def test_both_answer_and_the_other_one_where_one_is_away(tmp_path: Path) -> None:
    async with two(tmp_path) as (url, servers), aiohttp.ClientSession() as session:

        async def asked(times: int) -> Counter[str]:
            found: Counter[str] = Counter()
            for _ in range(times):
                async with session.get(f"{url}/v1/who", headers={"Host": "askwell.example.com:8443"}) as answer:
                    told = await answer.json()
                    assert told["host"] == "askwell.example.com:8443"
                    found[told["who"]] += 1
            return found

        shares = await asked(40)
        assert shares.keys() == {"a", "b"}
        assert min(shares.values()) >= 10
        await servers[0].close()
        assert await asked(20) == {"b": 20}


async def test_one_that_takes_nothing_new_is_passed_over_but_nothing_is_sent_twice(tmp_path: Path) -> None:
    async with two(tmp_path) as (url, _), aiohttp.ClientSession() as session:
        for _ in range(10):
            async with session.get(f"{url}/v1/gone") as answer:
                assert (answer.status, (await answer.json())["who"]) == (200, "b")
        posted = Counter()
        for _ in range(20):
            async with session.post(f"{url}/v1/gone") as answer:
                posted[answer.status] += 1
        assert posted.keys() == {200, 503}


async def test_events_come_through_as_they_are_sent(tmp_path: Path) -> None:
    sent = asyncio.Event()
    async with two(tmp_path, sent) as (url, _), aiohttp.ClientSession() as session:
        async with asyncio.timeout(10), session.get(f"{url}/v1/events") as answer:
            assert await answer.content.readuntil(b"\n\n") == b"event: state\ndata: {}\n\n"
            # Only now, so the first was not held back for it.
            sent.set()
            assert await answer.content.readuntil(b"\n\n") == b"event: done\ndata: {}\n\n"


async def test_metrics_stay_inside_and_large_bodies_come_through(tmp_path: Path) -> None:
    async with two(tmp_path) as (url, _), aiohttp.ClientSession() as session:
        for path in ("/v1/metrics", "/metrics"):
            async with session.get(f"{url}{path}") as answer:
                assert answer.status == 404
        async with session.post(f"{url}/v1/who", data=b"x" * 2**25) as answer:
            assert answer.status == 200
        async with session.post(f"{url}/v1/who", data=b"x" * 2**26) as answer:
            assert answer.status == 413


async def test_an_archive_is_not_kept_in_the_memory_of_the_proxy(tmp_path: Path) -> None:
    sent = asyncio.Event()

    async def pieces() -> AsyncIterator[bytes]:
        yield b"x" * 2**20
        # Only when the first of it has come through.
        await asyncio.wait_for(sent.wait(), 10)
        for _ in range(99):
            yield b"x" * 2**20

    async with two(tmp_path, sent) as (url, _), aiohttp.ClientSession() as session:
        async with session.put(f"{url}/v1/projects/shop/archive", data=pieces()) as answer:
            assert (answer.status, await answer.text()) == (200, str(100 * 2**20))


@pytest.mark.parametrize("address", ["203.0.113.9", "10.1.2.3"])
@pytest.mark.parametrize("is_trusted", [True, False])
async def test_limits_see_who_asks_and_not_what_clients_say_of_themselves(
    tmp_path: Path, is_trusted: bool, address: str
) -> None:
    """A client in the same house has an address like those of proxies."""
    said = {"X-Forwarded-For": f"198.51.100.1, {address}"}
    trusted, asker = ("127.0.0.0/8", address) if is_trusted else ("172.16.0.0/12", "127.0.0.1")
    async with two(tmp_path, trusted=trusted) as (url, _), aiohttp.ClientSession() as session:
        async with session.get(f"{url}/v1/who", headers=said) as answer:
            assert (await answer.json())["asker"] == asker


def test_nothing_is_written_but_under_tmp() -> None:
    text = CONFIGURATION.read_text()
    paths = re.findall(r"(?m)^\s*(?:pid|\w+_temp_path) (\S+);", text)
    assert len(paths) == 6
    assert all(path.startswith("/tmp/") for path in paths)
