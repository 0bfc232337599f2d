"""Running `askwell …` in tests: with nothing of this process's environment, by a pipe, and at a terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.commands import Command, run_askwell

CTRL_C, CTRL_D = "\x03", "\x04"
_PROMPTS = (b"stop:", b"askwell>", b"...", b"[y/N]:", b"[1]:", b"shown):")


def environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment whose home, cache and temporary files are in the folder."""
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    home = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "TMPDIR": str(temporary)}
    return {
        "PATH": os.environ["PATH"],
        "TERM": "xterm",
        "COLUMNS": "200",
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
        **home,
        **more,
    }


def askwell(*arguments: str, folder: Path, given: bytes = b"", **environ: str) -> subprocess.CompletedProcess[str]:
    """The command from beginning to end, in `folder`."""
    return run_askwell(*arguments, cwd=folder, environ=environment(folder, **environ), given=given)


def typed(folder: Path, *lines: str, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """The command of these arguments, of which the lines are the input."""
    return askwell(*arguments, folder=folder, given="".join(f"{line}\n" for line in lines).encode())


def last_json(ended: subprocess.CompletedProcess[str]) -> Any:
    """The JSON on the last line of standard output."""
    return json.loads(ended.stdout.splitlines()[-1])


def refused(ended: subprocess.CompletedProcess[str], status: int, words: str) -> None:
    """Fails unless the command ended with that status, and with these words instead of a traceback."""
    assert (ended.returncode, words in ended.stderr, "Traceback" in ended.stderr) == (status, True, False), ended.stderr


def at_a_terminal(
    folder: Path,
    arguments: Sequence[str],
    answers: Sequence[str],
    columns: int = 80,
    *,
    is_new: bool = False,
    **environ: str,
) -> tuple[str, int]:
    """What a terminal shows, and the status, where somebody answers each prompt: with a line, or with keys that end in
    Ctrl-C or Ctrl-D. Who `is_new` was not offered the setup yet."""
    environ = environment(folder, **environ)
    del environ["COLUMNS"], environ["NO_COLOR"]
    if not is_new:
        (offered := folder / ".local/state/askwell/setup_offered").parent.mkdir(parents=True, exist_ok=True)
        offered.touch()
    terminal, theirs = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = Command(*arguments, cwd=folder, environ=environ, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown, waiting, answered, end = b"", list(answers), 0, time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        elif command.poll() is not None:  # whoever it started may hold its terminal for longer
            break
        elif waiting and shown[answered:].rstrip().endswith(_PROMPTS):
            answered, keys = len(shown), waiting.pop(0)
            os.write(terminal, keys.encode() if keys.endswith((CTRL_C, CTRL_D)) else f"{keys}\n".encode())
    is_as_before = termios.tcgetattr(terminal)[3] & (termios.ECHO | termios.ICANON) == termios.ECHO | termios.ICANON
    os.close(terminal)
    assert is_as_before, "the terminal is left in a state in which nobody sees what they type"
    return shown.decode(errors="replace"), command.wait()
