"""Running `askwell …` as a process of its own that can be killed and waited for. It starts quickly: it is forked from a
process that has imported what commands need (`prefork.py`)."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

PIPE, STDOUT = subprocess.PIPE, subprocess.STDOUT


class Command:
    """A running `askwell …`. The names are those of `subprocess.Popen`; input and output are text. A terminal that is
    its input is its own, as one that somebody opens for it."""

    def __init__(
        self,
        *arguments: str,
        cwd: Path,
        environ: Mapping[str, str],
        stdin: int | IO[Any] | None = None,
        stdout: int | IO[Any] | None = None,
        stderr: int | IO[Any] | None = None,
    ) -> None:
        self.args = arguments
        self.returncode: int | None = None
        self.stdin: IO[str] | None = None
        self.stdout: IO[str] | None = None
        self.stderr: IO[str] | None = None
        with contextlib.ExitStack() as ours, open(os.devnull, "rb") as nothing:
            encoding = environ.get("PYTHONIOENCODING", "utf-8")
            if stdin == PIPE:
                reading, writing = os.pipe()
                ours.callback(os.close, reading)
                self.stdin = open(writing, "w", encoding=encoding)  # noqa: SIM115 - closed by `wait`'s caller
                streams = [reading]
            else:
                given = nothing if stdin is None else stdin
                streams = [given if isinstance(given, int) else given.fileno()]
            for number, (name, out) in enumerate((("stdout", stdout), ("stderr", stderr)), 1):
                if out == PIPE:
                    reading, writing = os.pipe()
                    ours.callback(os.close, writing)
                    setattr(self, name, open(reading, encoding=encoding))  # noqa: SIM115 - closed by `wait`'s caller
                elif out == STDOUT:
                    writing = streams[1]
                else:
                    writing = number if out is None else out if isinstance(out, int) else out.fileno()
                streams.append(writing)
            self._told, telling = os.pipe()
            ours.callback(os.close, telling)
            request = {"arguments": arguments, "cwd": str(cwd), "environ": dict(environ)}
            _PREFORK.ask(json.dumps(request).encode(), [*streams, telling])
        self.pid = int(self._tell() or "")

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        if self.returncode is None and select.select([self._told], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, negative for a signal. Raises `subprocess.TimeoutExpired` after so many seconds."""
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self.returncode = int(self._tell())
            os.close(self._told)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Everything it says until it ends, of the streams that are pipes."""
        deadline = None if timeout is None else time.monotonic() + timeout
        said = ["", ""]

        def read(place: int, stream: IO[str]) -> None:
            said[place] = stream.read()

        streams = [(place, one) for place, one in enumerate((self.stdout, self.stderr)) if one is not None]
        readers = [threading.Thread(target=read, args=one, daemon=True) for one in streams]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join(None if deadline is None else max(0, deadline - time.monotonic()))
        self.wait(None if deadline is None else max(0, deadline - time.monotonic()))
        return said[0], said[1]

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self.wait()

    def _tell(self) -> str:
        """The next line that the prefork process writes about this one."""
        line = b""
        while not line.endswith(b"\n"):
            piece = os.read(self._told, 1)
            if not piece:
                raise AssertionError("the process that forks commands has ended; run `python -m tests.support.prefork`")
            line += piece
        return line.decode().strip()


def run_askwell(
    *arguments: str, cwd: Path, environ: Mapping[str, str], timeout: float = 120, given: bytes = b""
) -> subprocess.CompletedProcess[str]:
    """`askwell …` from beginning to end, with what is `given` as its input. Raises `subprocess.TimeoutExpired`, and
    leaves nothing running."""
    with tempfile.TemporaryFile() as stdin:
        stdin.write(given)
        stdin.seek(0)
        with Command(*arguments, cwd=cwd, environ=environ, stdin=stdin, stdout=PIPE, stderr=PIPE) as command:
            try:
                stdout, stderr = command.communicate(timeout)
            except subprocess.TimeoutExpired:
                command.kill()
                raise
    return subprocess.CompletedProcess(arguments, command.wait(), stdout, stderr)


class _Prefork:
    """The process that forks, one for each process of the test run, started when the first command is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None

    def ask(self, request: bytes, descriptors: list[int]) -> None:
        with self._lock:
            if self._control is None:
                self._control = self._start()
            socket.send_fds(self._control, [request], descriptors)

    @staticmethod
    def _start() -> socket.socket:
        # Its end is that of the socket, which closes with this process.
        here, there = socket.socketpair()
        subprocess.run(
            [sys.executable, "-m", "tests.support.prefork", str(there.fileno())],
            cwd=Path(__file__).parents[2],
            env={"PATH": os.environ["PATH"], "TMPDIR": tempfile.gettempdir()},
            pass_fds=[there.fileno()],
            stdin=subprocess.DEVNULL,
            check=True,
        )
        there.close()
        return here


_PREFORK = _Prefork()
