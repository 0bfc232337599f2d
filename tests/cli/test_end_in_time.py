"""However stuck a service is, one signal ends it within the time that the deployment page names, and two at once."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from askwell.cli.graceful_server import STOP_SECONDS

# A server over nothing, which does what the test says: `begin` when it is ready, `drain` when it is told to stop.
SCRIPT = """
import asyncio, re, threading, time, uvicorn
from askwell.cli.graceful_server import GracefulServer

def hold_the_interpreter():
    re.match("(a+)+$", "a" * 60 + "b")

{begin}

class Services:
    def drain(self):
{drain}
        return 0
    async def drained(self): pass
    def hurry(self): pass

async def application(scope, receive, send): pass

def ready():
    begin()
    print("ready", flush=True)

GracefulServer(uvicorn.Config(application, port=0, lifespan="off", log_config=None), Services(), ready).run()
"""
NOTHING = "def begin(): pass"


@contextmanager
def server(begin: str = NOTHING, drain: str = "pass") -> Iterator[subprocess.Popen[str]]:
    script = SCRIPT.format(begin=begin, drain=f"        {drain}")
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


@pytest.mark.deep
def test_a_thread_that_works_on_is_cut_once_all_is_closed() -> None:
    begin = "def begin(): asyncio.get_running_loop().run_in_executor(None, time.sleep, 300)"
    with server(begin) as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=STOP_SECONDS / 2) == 0


@pytest.mark.deep
def test_a_second_signal_ends_one_whose_event_loop_is_stuck() -> None:
    with server(drain="print('stuck', flush=True); time.sleep(300)") as process:
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        assert process.stdout.readline() == "stuck\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=STOP_SECONDS / 2) == 1


@pytest.mark.deep
@pytest.mark.parametrize(
    "drain", ["time.sleep(300)", "threading.Thread(target=hold_the_interpreter).start()"], ids=["a loop", "Python"]
)
def test_one_signal_is_enough_whatever_is_stuck(drain: str) -> None:
    with server(drain=drain) as process:
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=STOP_SECONDS + 10) == 1
        assert time.monotonic() - started > STOP_SECONDS / 2, "what runs gets its time"
