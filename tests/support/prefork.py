"""A process that has imported what `askwell` needs, and forks a real `askwell …` process on request.

Half of what a command of a second costs is imports; a suite that starts two hundred of them pays it once. Requests come
over the socket whose descriptor is the argument: JSON `{arguments, cwd, environ}` with four descriptors, the command's
input, output and errors, and a pipe that is told its process id and, when it has ended, how.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import io
import json
import os
import selectors
import signal
import socket
import sys
import tempfile
import termios
from typing import Any

from tests.support.tables import case_table

# What commands import, also what they import only when they need it.
_PRELOADED = case_table(__file__, "preloaded")
_LARGEST_REQUEST = 1_000_000


def main(control: socket.socket) -> Any:
    """Serve requests until the other end is closed. In a forked process: what its command ends with."""
    for name in _PRELOADED:
        importlib.import_module(name)
    # Forked processes share these pages for as long as nothing looks through them.
    gc.freeze()
    wake, woken = socket.socketpair()
    wake.setblocking(False)
    woken.setblocking(False)
    signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    pipes: dict[int, int] = {}
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        selector.register(wake, selectors.EVENT_READ)
        while True:
            ready = [key.fileobj for key, _ in selector.select()]
            if wake in ready:
                wake.recv(4096)
                _tell_ends(pipes)
            if control not in ready:
                continue
            message, descriptors, _, _ = socket.recv_fds(control, _LARGEST_REQUEST, 4)
            if not message:
                return 0
            *streams, pipe = descriptors
            if pid := os.fork():
                pipes[pid] = pipe
                os.write(pipe, f"{pid}\n".encode())
                for descriptor in streams:
                    os.close(descriptor)
                continue
            for descriptor in (pipe, *pipes.values()):
                os.close(descriptor)
            break
    for one in (control, wake, woken):
        one.close()
    return _run(json.loads(message), streams)


def _tell_ends(pipes: dict[int, int]) -> None:
    while pipes:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        pipe = pipes.pop(pid)
        os.write(pipe, f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os.close(pipe)


def _run(request: dict[str, Any], streams: list[int]) -> Any:
    """Become the command: as a new process would be, but for what is imported already."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for target, descriptor in enumerate(streams):
        os.dup2(descriptor, target)
        os.close(descriptor)
    if os.isatty(0):
        # So that Ctrl-C there is a signal for it.
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environ"])
    tempfile.tempdir = None
    encoding = os.environ.get("PYTHONIOENCODING", "utf-8")
    unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    for target, name in ((0, "stdin"), (1, "stdout"), (2, "stderr")):
        raw = open(target, "rb" if target == 0 else "wb", buffering=-1, closefd=False)  # noqa: SIM115 - as long as we run
        errors = "backslashreplace" if name == "stderr" else "strict"
        text = io.TextIOWrapper(
            raw, encoding, errors, line_buffering=name == "stderr", write_through=unbuffered and target > 0
        )
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
    import askwell.__main__ as module

    # What `python -m askwell` sees of itself.
    sys.modules["__main__"].__package__ = "askwell"
    sys.argv = [str(module.__file__), *request["arguments"]]
    return module.app()


if __name__ == "__main__":
    # Detached: tests look at the children of their process, and this is none of the service's.
    if os.fork():
        os._exit(0)
    sys.exit(main(socket.socket(fileno=int(sys.argv[1]))))
