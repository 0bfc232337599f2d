"""Making the folder that the record lies in, and its file."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from askwell.errors import RecordUnavailable


def make_folder(folder: Path) -> None:
    """Make `folder` and those above it. Raises `RecordUnavailable` where that cannot be done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordUnavailable(
            f"The folder {folder} for the record cannot be made ({error.strerror}).",
            "Point `home` or `knowledge.url` at a place where this user may write.",
        ) from error


def make_private(file: Path) -> None:
    """Make an empty `file`, where there is none, that its owner alone may read: SQLite gives the same rights to those
    that it makes beside it. Where that cannot be done, opening it says why."""
    with contextlib.suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
