"""Where Askwell keeps what belongs to the person who runs it: in folders of the XDG Base Directory Specification, and
on macOS and Windows in those of the system."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

Kind = Literal["config", "state", "data", "cache"]
_XDG = {"config": ".config", "state": ".local/state", "data": ".local/share", "cache": ".cache"}
_MACOS = {"data": "Library/Application Support", "cache": "Library/Caches"}
_WINDOWS = {"data": "askwell", "cache": "askwell/cache"}


def user_folder(kind: Kind, environ: Mapping[str, str] = os.environ) -> Path:
    """The folder, whether it is there or not. Raises `RuntimeError` where there is no home folder."""
    base = environ.get(f"XDG_{kind.upper()}_HOME", "")
    if base.startswith("/"):  # the specification has relative paths ignored
        return Path(base) / "askwell"
    if sys.platform == "win32" and kind in _WINDOWS and (local := environ.get("LOCALAPPDATA")):
        return Path(local) / _WINDOWS[kind]
    home = Path(environ.get("HOME", "") or "~").expanduser()
    if not home.is_absolute():
        raise RuntimeError("HOME is no absolute path")
    return home / (_MACOS if sys.platform == "darwin" else _XDG).get(kind, _XDG[kind]) / "askwell"
