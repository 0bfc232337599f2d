"""One template as a Haystack prompt builder that is strict, and that keeps data from passing for anything else."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from haystack.components.builders.prompt_builder import PromptBuilder
from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound, meta, nodes

_TAG = re.compile(r"<([a-z_]+)[ >{]")
# Marks by which chat formats tell system, user and assistant apart; some servers honour them inside a message too.
_CHAT_MARKS = r"<\|\w+\|>|<</?SYS>>|\[/?INST\]"


class PromptTemplate(PromptBuilder):
    """A file below the first of `folders` that has it. Every undefined name is an error, also in the fields of a value.

    Whatever a template prints is data: a tag of ours in it, or a mark of a chat format, is made harmless by another
    opening bracket, so that no text can close the block that it stands in.
    """

    def __init__(self, folders: Sequence[Path], file: str, variables: frozenset[str]) -> None:
        source = _source(folders, file)
        super().__init__(source, variables=sorted(variables))
        environment: Environment = self._env
        environment.loader = FileSystemLoader(folders)
        environment.undefined = StrictUndefined
        environment.trim_blocks = environment.lstrip_blocks = environment.keep_trailing_newline = True
        environment.finalize = _Harmless(_tags_of(folders))
        self.template = environment.from_string(source)


class _Harmless:
    """Data as text that cannot be taken for the frame around it."""

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


def harmless_beside(folders: Sequence[Path]) -> Callable[[Any], str]:
    """What makes data harmless that stands beside the prompts of these folders and in none of them."""
    return _Harmless(_tags_of(folders))


def variables_used(folders: Sequence[Path], file: str) -> frozenset[str]:
    """The names a template takes from outside, its includes followed. Raises `jinja2.TemplateError`, and `ValueError`
    for an include whose name is computed."""
    environment = Environment(loader=FileSystemLoader(folders), autoescape=False)
    return frozenset(_used(environment, folders, file))


def _used(environment: Environment, folders: Sequence[Path], file: str) -> set[str]:
    tree = environment.parse(_source(folders, file), file)
    used = meta.find_undeclared_variables(tree)
    for include in tree.find_all(nodes.Include):
        if not isinstance(include.template, nodes.Const):
            raise ValueError(f"{file} includes a file whose name is computed; write the name out")
        used |= _used(environment, folders, str(include.template.value))
    return used


def _source(folders: Sequence[Path], file: str) -> str:
    found = next((folder / file for folder in folders if (folder / file).is_file()), None)
    if found is None:
        raise TemplateNotFound(file, f"there is no file {file}")
    return found.read_text(encoding="utf-8")


def _tags_of(folders: Sequence[Path]) -> frozenset[str]:
    """The tags that templates put around data."""
    files = (file for folder in folders for file in folder.rglob("*.jinja"))
    return frozenset(tag for file in files for tag in _TAG.findall(file.read_text(encoding="utf-8")))
