"""Reads a YAML text into plain values and remembers on which line each key stands."""

from __future__ import annotations

from typing import Any

import yaml
from yaml.parser import ParserError
from yaml.scanner import ScannerError

from askwell.config.problems import Origins, Path, Problem


def read_yaml(text: str, origins: Origins) -> tuple[dict[str, Any], list[Problem]]:
    """The mapping that `text` holds (empty for an empty file) and what is wrong with its form."""
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            return {}, []
        if not isinstance(node, yaml.MappingNode):
            return {}, [origins.at_line(1, "has to hold sections such as `llm:`.")]
        reader = _Reader(loader, origins)
        data = reader.value(node, ())
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        return {}, [origins.at_line(line, f"is not valid YAML: {_complaint(error)}.")]
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return {}, [origins.at_line(1, f"is not valid YAML ({type(error).__name__}).")]
    return data, reader.problems


def _complaint(error: yaml.MarkedYAMLError) -> str:
    # These two speak of tokens; others quote names from the file, and a file may hold a secret by mistake.
    if isinstance(error, ParserError | ScannerError):
        return ", ".join(part for part in (error.context, error.problem) if part)
    return error.context or "something in it cannot be read here"


class _Reader:
    def __init__(self, loader: yaml.SafeLoader, origins: Origins) -> None:
        self._loader = loader
        self._origins = origins
        self.problems: list[Problem] = []

    def value(self, node: yaml.Node, path: Path) -> Any:
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._loader.construct_object(node, deep=True)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        self._refuse_twins(node, path)
        # Resolves `<<: *anchor`: what was merged in comes first, so that the section's own keys win.
        self._loader.flatten_mapping(node)
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = _key(key_node)
            line = key_node.start_mark.line + 1
            self._origins.record((*path, key), f"{self._origins.source}:{line}", line)
            found[key] = self.value(value_node, (*path, key))
        return found

    def _refuse_twins(self, node: yaml.MappingNode, path: Path) -> None:
        first: dict[str, int] = {}
        for key_node, _ in node.value:
            key, line = _key(key_node), key_node.start_mark.line + 1
            if key in first:
                what = f"stands twice (first on line {first[key]})."
                self.problems.append(self._origins.at_line(line, what, (*path, key)))
            first.setdefault(key, line)


def _key(node: yaml.Node) -> str:
    # As written: to YAML a bare `on` is true and `1` a number, and here every key is a name.
    return node.value if isinstance(node, yaml.ScalarNode) else "?"
