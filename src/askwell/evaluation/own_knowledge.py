"""What an evaluation is given beside questions: semantic models, instructions and SQL pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from askwell.errors import ConfigurationError, InvalidRequest
from askwell.services.sql_pair_file import read_pair_file

_INSTRUCTIONS = (
    "It holds, as YAML or JSON, a list of instructions for all databases, or a map from databases to such lists; each "
    "is a sentence, which holds for all questions, or {instruction, questions, is_default}."
)
_ALL = ""


@dataclass(frozen=True, slots=True)
class OwnKnowledge:
    """By database: the text of its semantic model, where it is given one; instructions and SQL pairs as `Knowledge`
    saves them. Instructions under "" hold for all."""

    models: Mapping[str, str] = field(default_factory=dict)
    instructions: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    pairs: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    def instructions_of(self, db_id: str) -> list[Mapping[str, Any]]:
        """Those for all databases, then its own."""
        return [*self.instructions.get(_ALL, ()), *self.instructions.get(db_id, ())]


def read_own_knowledge(
    databases: Sequence[str], *, mdl: Path | None, instructions: Path | None, sql_pairs: Path | None
) -> OwnKnowledge:
    """Everything that is given for these databases. `mdl` is a file, for the only database, or a folder of
    `<db_id>.json`. Raises `InvalidRequest` for a file that cannot be used, or is about none of the databases."""
    knowledge = OwnKnowledge(
        models=_models(mdl, databases) if mdl else {},
        instructions=_instructions(instructions) if instructions else {},
        pairs=_pairs(sql_pairs) if sql_pairs else {},
    )
    for path, given in ((instructions, knowledge.instructions), (sql_pairs, knowledge.pairs)):
        strangers = sorted(given.keys() - {_ALL, *databases})
        if strangers and len(strangers) == len(given):
            raise InvalidRequest(
                f"{path} is about {', '.join(strangers[:3])}, and the questions are about {', '.join(databases[:3])}.",
                "Its keys are the databases of the questions: a db_id, the project, or the name of the file.",
            )
    return knowledge


def _models(path: Path, databases: Sequence[str]) -> dict[str, str]:
    if path.is_dir():
        found = {db_id: path / f"{db_id}.json" for db_id in databases}
        models = {db_id: _text(file) for db_id, file in found.items() if file.exists()}
        if not models:
            raise InvalidRequest(f"{path} holds no model of a database that is asked.", "Call each <db_id>.json.")
        return models
    if len(databases) != 1:
        raise InvalidRequest(
            f"--mdl names one model, and the questions are about {len(databases)} databases.",
            "Name a folder of <db_id>.json.",
        )
    return {databases[0]: _text(path)}


def _pairs(path: Path) -> dict[str, Sequence[Mapping[str, Any]]]:
    try:
        file = read_pair_file(path)
    except ConfigurationError as error:
        raise InvalidRequest(error.message, error.hint) from error
    if file.problems:
        raise InvalidRequest(
            file.problems[0], f"Correct it, and {len(file.problems) - 1} more." if file.problems[1:] else ""
        )
    return {
        db_id: [
            {"id": one.pair.id, "question": one.pair.question, "sql": one.pair.sql, "parameters": one.pair.parameters}
            for one in filed
        ]
        for db_id, filed in file.pairs.items()
    }


def _instructions(path: Path) -> dict[str, Sequence[Mapping[str, Any]]]:
    try:
        data = yaml.safe_load(_text(path))
        lists = data if isinstance(data, dict) else {_ALL: data}
        return {str(db_id): list(_instruction_items(path, entries)) for db_id, entries in lists.items()}
    except yaml.YAMLError as error:
        raise InvalidRequest(f"{path} cannot be read as YAML or JSON.", _INSTRUCTIONS) from error


def _instruction_items(path: Path, entries: Any) -> Iterator[Mapping[str, Any]]:
    if not isinstance(entries, list):
        raise InvalidRequest(f"{path} holds something else than lists of instructions.", _INSTRUCTIONS)
    for number, entry in enumerate(entries):
        one = {"instruction": entry, "is_default": True} if isinstance(entry, str) else entry
        if not isinstance(one, dict) or not isinstance(one.get("instruction"), str) or not one["instruction"].strip():
            raise InvalidRequest(f"{path}: instruction {number + 1} has no text.", _INSTRUCTIONS)
        yield {"id": f"given-{number}"} | one


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read: {error.strerror}.", "Name a file.") from error
    except ValueError as error:
        raise InvalidRequest(f"{path} is not text in UTF-8.", "Save it as UTF-8.") from error
