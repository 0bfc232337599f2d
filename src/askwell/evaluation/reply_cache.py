"""Replies of language models on disk, by the exact request: what was asked before costs nothing again.

Prompts tell the time, so no two runs would ask the same: with a cache the clock of all asks stands still, at the moment
when its folder was made.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from askwell.errors import InvalidRequest
from askwell.providers.llm.base import ModelReply, Usage

_CLOCK = "clock.txt"
_USAGE_FIELDS = frozenset(field.name for field in fields(Usage))


class ReplyCache:
    """A folder with a JSON file for each request. Several runs may use it at once. Raises `InvalidRequest` where the
    folder cannot be made or written to. `moment` is the time of all asks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
            self.moment = _moment(folder / _CLOCK)
        except OSError as error:
            raise InvalidRequest(
                f"Replies cannot be kept in {folder}: {error.strerror}.", "Name another folder for --reply-cache."
            ) from error

    def find(self, request: Mapping[str, Any]) -> ModelReply | None:
        """What the model said to exactly this request; None where it was not asked, or its file cannot be read."""
        try:
            kept = json.loads(self._path(request).read_text(encoding="utf-8"))
            counted = {key: value for key, value in kept["usage"].items() if key in _USAGE_FIELDS}
            return ModelReply(str(kept["text"]), Usage(**counted), bool(kept["truncated"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def keep(self, request: Mapping[str, Any], reply: ModelReply) -> None:
        """Write it down. Where that cannot be done, as on a full disk, it is asked for again another time."""
        path = self._path(request)
        kept = {
            # Settings of the model may hold what is nobody's business: they count in the file's name alone.
            "request": {**request, "model": request["model"]["model"]},
            "text": reply.text,
            "truncated": reply.truncated,
            "usage": asdict(reply.usage),
        }
        # Under another name first: an interrupted run leaves no half of a reply.
        half = path.with_suffix(f".{os.getpid()}")
        with contextlib.suppress(OSError):
            half.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
            half.replace(path)

    def _path(self, request: Mapping[str, Any]) -> Path:
        written = json.dumps(request, sort_keys=True, ensure_ascii=False)
        return self._folder / f"{hashlib.sha256(written.encode()).hexdigest()}.json"


def _moment(path: Path) -> datetime:
    with contextlib.suppress(ValueError, FileNotFoundError):
        return datetime.fromisoformat(path.read_text(encoding="utf-8").strip()).astimezone(UTC)
    now = datetime.now(UTC).replace(microsecond=0)
    path.write_text(now.isoformat() + "\n", encoding="utf-8")
    return now
