"""JSON and YAML files of other tools, read within bounds into plain values."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import yaml

from askwell.errors import ConfigurationError
from askwell.mdl.json_source import DEPTH
from askwell.messages import say

# A dbt project of five thousand models writes 100 MB, most of it code that is not looked at.
MAX_JSON_BYTES = 300_000_000
# YAML is read far more slowly than JSON.
MAX_YAML_BYTES = 10_000_000

# libyaml's where it is there: ten times as fast.
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def read_bytes(path: Path, limit: int) -> bytes:
    """The content of a file. Raises `ConfigurationError` where it cannot be read or is larger than `limit`."""
    try:
        if not path.is_file():  # a pipe would be waited for
            raise FileNotFoundError(errno.ENOENT, "there is no such file")
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise ConfigurationError(*say("importer.file_unreadable", path=path, strerror=error.strerror)) from None
    if len(content) > limit:
        raise ConfigurationError(*say("importer.too_large", path=path, limit=limit // 1000000))
    return content


def read_json_file(path: Path) -> Any:
    """The value of a JSON file. Raises `ConfigurationError` where it is none."""
    try:
        return json.loads(_decoded(path, read_bytes(path, MAX_JSON_BYTES)))
    except json.JSONDecodeError as error:
        raise _unreadable(path, f"is not JSON (line {error.lineno})") from None
    except (RecursionError, ValueError):
        raise _unreadable(path, "is JSON that is nested too deeply, or has a number of thousands of digits") from None


def read_yaml_file(path: Path) -> Any:
    """The value of a YAML file, in which every scalar is text: a bare `no` or `2024-01-01` is often a name. Anchors are
    not followed, since few of them can stand for any amount of text. Raises `ConfigurationError` where it cannot be
    read."""
    text = _decoded(path, read_bytes(path, MAX_YAML_BYTES))
    try:
        _refuse_unbounded(path, text)
        return yaml.load(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        raise _unreadable(path, f"is not YAML (line {_line(error.problem_mark)})") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise _unreadable(path, f"is not YAML ({type(error).__name__})") from None


def _refuse_unbounded(path: Path, text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if getattr(event, "anchor", None):
            raise _unreadable(path, f"has an anchor, which is not followed (line {_line(event.start_mark)})")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH:
            raise _unreadable(path, f"is nested more than {DEPTH} levels deep (line {_line(event.start_mark)})")


def _line(mark: Any) -> int:
    return mark.line + 1 if mark is not None else 1


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"is not UTF-8 text (byte {error.start})") from None


def _unreadable(path: Path, what: str) -> ConfigurationError:
    return ConfigurationError(*say("importer.unusable_file", path=path, what=what))


def record(value: object) -> dict[str, Any]:
    """A JSON object, or an empty one where there is something else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """A JSON list, or an empty one where there is something else."""
    return value if isinstance(value, list) else []


def records(value: object) -> list[dict[str, Any]]:
    """The objects of a JSON list."""
    return [one for one in items(value) if isinstance(one, dict)]


def text(value: object) -> str:
    """A text without the spaces around it, "" where there is something else."""
    return value.strip() if isinstance(value, str) else ""


def texts(value: object) -> list[str]:
    """The texts of a JSON list, or the one text that stands in its place."""
    if isinstance(value, str):
        return [value.strip()] if value.strip() else []
    return [one.strip() for one in items(value) if isinstance(one, str) and one.strip()]
