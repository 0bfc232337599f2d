"""What was typed in `askwell shell`, kept for the arrow keys of the next time."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping

from askwell.cli.local.cache import cache_root

_MOST_LINES = 1_000


@contextlib.contextmanager
def kept_history(environ: Mapping[str, str]) -> Iterator[None]:
    """Editing and history for `input()`, where the platform has them. The file is readable by its owner only. The
    terminal is left as it was found, also where nobody has ended the line that is edited."""
    try:
        import readline
        import termios
    except ImportError:  # Windows
        yield
        return
    file = cache_root(environ) / "shell_history"
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600, exist_ok=True)
        readline.read_history_file(file)
    readline.set_history_length(_MOST_LINES)
    terminal = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSANOW, terminal)
        with contextlib.suppress(OSError):
            readline.write_history_file(file)
