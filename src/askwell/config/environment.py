"""Lays the environment over the file: `ASKWELL_LLM__DEFAULT__MODEL=x` is `llm.default.model: x`, and it wins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Literal, get_args, get_origin

import yaml
from pydantic import BaseModel, SecretStr

from askwell.config.problems import Origins, Path, Problem, did_you_mean, dotted, known_keys, section_at, type_at

PREFIX = "ASKWELL_"
# Not values of the configuration: where the file is, what commands take for options, what an orchestrator sets for a
# service named "askwell", and switches of the test suite.
_NOT_OURS = re.compile(
    r"ASKWELL_(CONFIG|API_KEY|URL|DATABASE|SERVICE_HOST|SERVICE_PORT(_.+)?|PORT|PORT_\d+_(TCP|UDP)(_.+)?|TEST_.+)"
)
# After every line of any file.
_AFTER_THE_FILE = 10_000_000


def lay_over(
    data: dict[str, Any], environ: Mapping[str, str], origins: Origins, root: type[BaseModel]
) -> list[Problem]:
    """Write every `ASKWELL_…` variable into `data`. Returns the variables that name no key."""
    problems = []
    for number, name in enumerate(sorted(environ)):
        if not name.startswith(PREFIX) or _NOT_OURS.fullmatch(name):
            continue
        parts = [part.lower() for part in name.removeprefix(PREFIX).split("__")]
        path = _spelled_as_in(data, parts)
        wrong = _unknown_part(root, path)
        if wrong is not None:
            section, part = path[:wrong], str(path[wrong])
            what = f'unknown key "{part}".{did_you_mean(part, known_keys(root, section))}'
            problems.append(Problem(_AFTER_THE_FILE + number, f"environment variable {name}", dotted(path), what))
            continue
        origins.record(path, f"environment variable {name}", _AFTER_THE_FILE + number)
        _set(data, path, _value(environ[name], type_at(root, path)))
    return problems


def _spelled_as_in(data: Mapping[str, Any], parts: list[str]) -> Path:
    """Names that people choose may have capitals in the file; variables are matched to them without case."""
    path: list[str] = []
    here: Any = data
    for part in parts:
        names = {str(key).lower(): str(key) for key in here} if isinstance(here, Mapping) else {}
        name = names.get(part, part)
        path.append(name)
        here = here.get(name) if isinstance(here, Mapping) else None
    return tuple(path)


def _unknown_part(root: type[BaseModel], path: Path) -> int | None:
    for end in range(len(path)):
        section = section_at(root, path[:end])
        if section is not None and str(path[end]) not in known_keys(root, path[:end]):
            return end
        if not path[end]:
            return end
    return None


def _set(data: dict[str, Any], path: Path, value: object) -> None:
    here = data
    for part in path[:-1]:
        inner = here.get(str(part))
        if not isinstance(inner, dict):
            inner = here[str(part)] = {}
        here = inner
    here[str(path[-1])] = value


def _value(text: str, target: Any) -> object:
    """Text stays text where text is wanted; elsewhere it is read like a value in the file (`30`, `true`, `{a: 1}`). A
    list may also stand as in a shell: `a,b`; in quotes too, which some readers of env files leave there."""
    is_list = _wants_list(target)
    if is_list:
        text = _unquoted(text)
    if not is_list and _wants_text(target):
        return text
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        value = text
    if is_list and not isinstance(value, list | dict) and not _is_choice(value, target):
        return [_unquoted(part) for part in text.split(",") if part.strip()]
    return value


def _unquoted(text: str) -> str:
    text = text.strip()
    quote = text[:1]
    return text[1:-1].strip() if quote in ("'", '"') and text[1:].find(quote) == len(text) - 2 else text


def _wants_list(target: Any) -> bool:
    return get_origin(target) is tuple or any(get_origin(inner) is tuple for inner in get_args(target))


def _is_choice(value: object, target: Any) -> bool:
    """Whether a word stands beside the list, in any letter case: `open`."""
    words = [word for inner in get_args(target) if get_origin(inner) is Literal for word in get_args(inner)]
    return isinstance(value, str) and value.lower() in words


def _wants_text(target: Any) -> bool:
    if isinstance(target, type):
        return issubclass(target, str | PurePath | SecretStr)
    if get_origin(target) is Literal:
        return True
    if int in get_args(target):  # a word or a number
        return False
    return get_origin(target) is not Mapping and any(_wants_text(inner) for inner in get_args(target))
