"""Templates that are strict, and that keep data from passing for anything else.

Whatever a template prints is data: a tag of ours in it, or a mark of a chat format, is made harmless by another opening
bracket, so that no text can close the block that it stands in. All templates below the same folders share one jinja
environment, which reads and compiles each file once, when it is first used.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, Template, TemplateNotFound, meta, nodes
from jinja2.sandbox import SandboxedEnvironment

_TAG = re.compile(r"<([a-z_]+)[ >{]")
# Marks by which chat formats tell system, user and assistant apart; some servers honour them inside a message too.
_CHAT_MARKS = r"<\|\w+\|>|<</?SYS>>|\[/?INST\]"

Folders = tuple[Path, ...]


def template(folders: Folders, file: str) -> Template:
    """A file below the first of `folders` that has it. Every undefined name is an error, also in the fields of a value.
    Raises `jinja2.TemplateError`."""
    return _environment(folders).get_template(file)


@cache
def variables_used(folders: Folders, file: str) -> frozenset[str]:
    """The names a template takes from outside, its includes followed. Raises `jinja2.TemplateError`, and `ValueError`
    for an include whose name is computed."""
    environment = _environment(folders)
    assert environment.loader is not None
    try:
        source, _, _ = environment.loader.get_source(environment, file)
    except TemplateNotFound:
        raise TemplateNotFound(file, f"there is no file {file}") from None
    tree = environment.parse(source, file)
    used = meta.find_undeclared_variables(tree)
    for include in tree.find_all(nodes.Include):
        if not isinstance(include.template, nodes.Const):
            raise ValueError(f"{file} includes a file whose name is computed; write the name out")
        used |= variables_used(folders, str(include.template.value))
    return frozenset(used)


@cache
def _environment(folders: Folders) -> SandboxedEnvironment:
    return SandboxedEnvironment(
        loader=FileSystemLoader(folders),
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=harmless_beside(folders),
    )


@cache
def harmless_beside(folders: Folders) -> Harmless:
    """What makes data harmless that stands in the prompts of these folders, or beside them."""
    files = (file for folder in folders for file in folder.rglob("*.jinja"))
    return Harmless(frozenset(tag for file in files for tag in _TAG.findall(file.read_text(encoding="utf-8"))))


class Harmless:
    """Data as text that cannot be taken for the frame around it, whose `tags` templates put around data."""

    def __init__(self, tags: frozenset[str]) -> None:
        names = "|".join(sorted(tags))
        # A closing tag in any form, an opening one with or without attributes. `a <plan AND b> c` is SQL, not a tag.
        closing, opening = rf"<\s*/\s*(?:{names})\b[^<>]*>", rf"<\s*(?:{names})(?:\s+\w+\s*=\s*\"[^\"]*\")*\s*/?>"
        self._frames = re.compile(rf"{closing}|{opening}|{_CHAT_MARKS}", re.IGNORECASE)

    def __call__(self, value: Any) -> str:
        if value is None or isinstance(value, (dict, list, tuple, set)):
            raise TypeError(f"A prompt cannot print a {type(value).__name__} as it is.")
        # Half a surrogate pair has no UTF-8, and could not be sent.
        text = str(value).encode(errors="replace").decode()
        return self._frames.sub(lambda found: found[0].replace("<", "‹").replace("[", "⁅"), text)
