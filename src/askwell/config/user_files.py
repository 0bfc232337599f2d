"""What one person keeps for all folders: a config.yaml of their own, and keys in a file that only they can read.

What commands remember of themselves is in the folder of their state.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from askwell.config.problems import Origins
from askwell.config.yaml_source import read_yaml
from askwell.errors import ConfigurationError
from askwell.messages import say
from askwell.user_folders import Kind, user_folder
from askwell.whole_files import whole_file

_LLM = "llm"


def user_config(environ: Mapping[str, str]) -> Path | None:
    """The person's own config.yaml, whether it is there or not; None where there is no home folder."""
    return _place(environ, "config", "config.yaml")


def key_file(environ: Mapping[str, str]) -> Path | None:
    """The file of `NAME=key` lines, whether it is there or not; None where there is no home folder."""
    return _place(environ, "config", "keys")


def state_file(environ: Mapping[str, str], name: str) -> Path | None:
    """Where commands remember something of themselves; None where there is no home folder."""
    return _place(environ, "state", name)


def _place(environ: Mapping[str, str], kind: Kind, name: str) -> Path | None:
    with contextlib.suppress(RuntimeError):
        return user_folder(kind, {"HOME": "nowhere", **environ}) / name
    return None


def kept_keys(environ: Mapping[str, str]) -> dict[str, str]:
    """The keys of the key file by the variables that they stand for; none where it cannot be read."""
    file = key_file(environ)
    with contextlib.suppress(OSError, UnicodeDecodeError):
        lines = file.read_text(encoding="utf-8").splitlines() if file is not None else ()
        pairs = (line.partition("=") for line in lines if not line.startswith("#"))
        return {name.strip(): key.strip() for name, is_there, key in pairs if is_there and key.strip()}
    return {}


def with_kept_keys(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment, with the kept key where a variable is not set, or empty, as in a copied .env.example."""
    return {**environ, **{name: key for name, key in kept_keys(environ).items() if not environ.get(name)}}


def keep_key(environ: Mapping[str, str], variable: str, key: str) -> Path:
    """Write a key to the key file, in place of the one of that name; the file. Raises `ConfigurationError`."""
    file = key_file(environ)
    if file is None:
        raise ConfigurationError(*say("cli.setup_no_home"))
    keys = {**kept_keys(environ), variable: key}
    write_whole(file, "".join(f"{name}={value}\n" for name, value in keys.items()), private=True)
    return file


def write_whole(file: Path, text: str, *, private: bool = False) -> None:
    """Write a file at once and whole. A new one, and a `private` one, only its owner can read. Raises
    `ConfigurationError`."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(file, rights=0o600, keeps_rights=not private) as writing:
            writing.write(text)
    except OSError as error:
        raise ConfigurationError(*say("cli.setup_not_written", file=file, reason=error.strerror)) from None


def models_in(text: str) -> dict[str, Any]:
    """The language models by name that the text of a config.yaml has; none where it says nothing of them. Raises
    `ConfigurationError` for what is not YAML."""
    data, problems = read_yaml(text, Origins("config.yaml"))
    if problems:
        raise ConfigurationError(*say("cli.setup_config_broken", problem=problems[0]))
    found = data.get(_LLM)
    return found if isinstance(found, dict) else {}


def with_default_model(text: str, model: Mapping[str, Any]) -> str:
    """The text of a config.yaml with this language model as `default`; everything outside of `llm` stays as it is."""
    section = {_LLM: {**models_in(text), "default": dict(model)}}
    written = yaml.safe_dump(section, sort_keys=False, allow_unicode=True)
    node = yaml.compose(text, yaml.SafeLoader)
    if isinstance(node, yaml.MappingNode) and node.flow_style:  # JSON, perhaps on one line
        return yaml.safe_dump({**yaml.safe_load(text), **section}, sort_keys=False, allow_unicode=True)
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    place = next(((key, value) for key, value in pairs if key.value == _LLM), None)
    if place is None:
        before = f"{text.rstrip()}\n\n" if text.strip() else ""
        return before + written
    start, lines = place[0].start_mark.line, text.splitlines(keepends=True)
    end = place[1].end_mark.line + (place[1].end_mark.column > 0)
    while end > start + 1 and not lines[end - 1].split("#")[0].strip():
        end -= 1  # what is said about the next section stays
    return "".join([*lines[:start], written, *lines[end:]])
