"""Files that are written whole, or left as they were."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal


@contextmanager
def whole_file(
    file: Path, mode: Literal["w", "wb"] = "w", *, rights: int = 0o666, keeps_rights: bool = True
) -> Iterator[Any]:
    """A text or binary file to write, which becomes `file` once all of it is on the disk; what fails leaves the file as
    it was. A new file has these `rights`, less the umask; with `keeps_rights` one that was there keeps its own. Devices
    and pipes are written directly. Raises `OSError`."""
    target = file.resolve()
    text: dict[str, Any] = {"encoding": "utf-8", "newline": ""} if mode == "w" else {}
    if target.exists() and not target.is_file():
        with open(target, mode, **text) as out:
            yield out
        return
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied")
    beside = target.with_name(f".askwell-{os.getpid()}.part")
    new = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, rights)
    try:
        with open(new, mode, **text) as out:
            yield out
            out.flush()
            os.fsync(new)
        if target.exists() and keeps_rights:
            shutil.copymode(target, beside)
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
