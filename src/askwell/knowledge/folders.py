"""Making the folder that the record lies in."""

from __future__ import annotations

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
