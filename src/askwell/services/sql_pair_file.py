"""SQL pairs from a file, saved at each start: questions that an operator vouches for, beside those that clients save.

default:
  - question: How many orders are open?
    sql: SELECT count(*) FROM orders WHERE status = 'open'
  - id: by-country
    question: How many customers are there in a country?
    sql: SELECT count(*) FROM customers WHERE country = :country
    parameters: [{name: country, type: VARCHAR, description: The country's name}]
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from askwell.config.problems import Origins
from askwell.config.values import PROJECT_ID
from askwell.config.yaml_source import read_yaml
from askwell.errors import AskwellError, ConfigurationError
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.record import Record
from askwell.knowledge.saved import SqlPair
from askwell.mdl.problems import shown
from askwell.messages import say
from askwell.services.knowledge import Knowledge
from askwell.services.projects import ProjectModels
from askwell.services.sql_pair_check import check_pairs

logger = logging.getLogger(__name__)

_MOST_BYTES = 20_000_000
# Problems that are told one by one.
_MOST_TOLD = 100
_PAIR = TypeAdapter(SqlPair)
_HINT = "It is a map from project ids to lists of {id?, question, sql, parameters?}, as YAML or JSON: see " + (
    "sql_pairs_path in docs/configuration/README.md."
)


@dataclass(frozen=True, slots=True)
class FiledPair:
    """A pair, and where it stands: `pairs.yaml:7`, or `pairs.json: entry 2 of project default`."""

    where: str
    pair: SqlPair


@dataclass(frozen=True, slots=True)
class PairFile:
    """What a file of SQL pairs holds, by project, and what is wrong with the rest of it."""

    pairs: Mapping[str, tuple[FiledPair, ...]]
    problems: tuple[str, ...]


def read_pair_file(path: Path) -> PairFile:
    """Read a file of SQL pairs. A pair that cannot be used is a problem and does not keep the others out. Raises
    `ConfigurationError` where the file as a whole cannot be read."""
    origins = Origins(str(path))
    data = _json(path) if path.suffix.lower() == ".json" else _yaml(path, origins)
    pairs: dict[str, tuple[FiledPair, ...]] = {}
    problems: list[str] = []
    for project_id, entries in data.items():
        if not PROJECT_ID.fullmatch(project_id):
            problems.append(f'{path}: "{shown(project_id)}" is not a project id.')
            continue
        if not isinstance(entries, list):
            problems.append(f"{path}: project {project_id} has to have a list of pairs.")
            continue
        pairs[project_id] = tuple(_usable(project_id, entries, origins, problems))
    return PairFile(pairs, tuple(problems))


async def load_pair_file(path: Path, record: Record, projects: ProjectModels, knowledge: Knowledge) -> None:
    """Read the file and save its pairs; what is wrong with single ones is logged. Raises `ConfigurationError`."""
    file = await asyncio.to_thread(read_pair_file, path)
    problems = await save_filed_pairs(file, record, projects, knowledge)
    for problem in problems[:_MOST_TOLD]:
        logger.warning("SQL pair not loaded: %s", problem)
    if len(problems) > _MOST_TOLD:
        logger.warning("SQL pairs not loaded: %d more", len(problems) - _MOST_TOLD)


async def save_filed_pairs(
    file: PairFile, record: Record, projects: ProjectModels, knowledge: Knowledge
) -> tuple[str, ...]:
    """Store the pairs that are new or changed, each in the place of the one with its id, as far as their projects'
    models bear them out; what could not be stored and why."""
    problems = list(file.problems)
    for project_id, filed in file.pairs.items():
        try:
            projects.require_database(project_id)
            saved = (await record.saved.of(project_id)).pairs
            changed = [one for one in filed if saved.get(one.pair.id) != one.pair]
            if not changed:
                continue
            checked = await check_pairs(projects, project_id, [one.pair for one in changed])
            refused = checked.refused
            problems += [f"{one.where}: {refused[one.pair.id]}" for one in changed if one.pair.id in refused]
            if checked.usable:
                await knowledge.store_pairs(project_id, replace(checked, refusal=None))
            logger.info("saved SQL pairs of a file", extra={"project": project_id, "pairs": len(checked.usable)})
        except AskwellError as error:
            where = filed[0].where if filed else project_id
            problems.append(f"{where}: the pairs of project {project_id} were not saved. {error.message} {error.hint}")
    return tuple(problems)


def _yaml(path: Path, origins: Origins) -> Mapping[str, Any]:
    data, problems = read_yaml(_text(path), origins)
    if problems:
        raise ConfigurationError(f"The file of SQL pairs cannot be read: {problems[0]}", _HINT)
    return data


def _json(path: Path) -> Mapping[str, Any]:
    try:
        data = json.loads(_text(path))
    except json.JSONDecodeError as error:
        what = f"{path}:{error.lineno}: is not JSON: {error.msg}"
        raise ConfigurationError(f"The file of SQL pairs cannot be read: {what}.", _HINT) from None
    except (ValueError, RecursionError):
        raise ConfigurationError(f"The file of SQL pairs {path} cannot be read as JSON.", _HINT) from None
    if not isinstance(data, dict):
        raise ConfigurationError(f"The file of SQL pairs {path} has to hold an object.", _HINT)
    return data


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ConfigurationError(*say("pairs.file_too_large", path=path, most_bytes=_MOST_BYTES // 1000000))
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ConfigurationError(*say("pairs.file_unreadable", path=path, reason=reason)) from None


def _usable(project_id: str, entries: Sequence[object], origins: Origins, problems: list[str]) -> Iterator[FiledPair]:
    first: dict[str, str] = {}
    for number, entry in enumerate(entries):
        where = _place(origins, project_id, number, entry)
        try:
            pair = _pair(entry)
        except ValueError as error:
            problems.append(f"{where}: {error}")
            continue
        if pair.id in first:
            what = "that question" if isinstance(entry, dict) and entry.get("id") is None else f'the id "{pair.id}"'
            problems.append(f"{where}: {what} is there already, at {first[pair.id]}.")
            continue
        first[pair.id] = where
        yield FiledPair(where, pair)


def _place(origins: Origins, project_id: str, number: int, entry: object) -> str:
    for key in entry if isinstance(entry, dict) else ():
        place = origins.places.get((project_id, number, key))
        if place is not None:
            return place[1]
    return f"{origins.source}: entry {number + 1} of project {project_id}"


def _pair(entry: object) -> SqlPair:
    """Raises `ValueError` with a sentence for people."""
    if not isinstance(entry, dict):
        raise ValueError("it has to be a map with question and sql.")
    unknown = [str(key) for key in entry if key not in ("id", "question", "sql", "parameters")]
    if unknown:
        raise ValueError(f"{shown(unknown[0])} is not known; a pair has question, sql, id and parameters.")
    fields = {key: value for key, value in entry.items() if value is not None}
    if fields.get("id", "") == "":
        digest = hashlib.sha256(normalise_question(str(fields.get("question", "")).strip()).encode()).hexdigest()
        fields["id"] = f"file-{digest[:16]}"
    try:
        return _PAIR.validate_python({**fields, "id": str(fields["id"])})
    except ValidationError as error:
        raise ValueError(_told(error.errors(include_url=False, include_input=False)[0])) from None


def _told(detail: ErrorDetails) -> str:
    """What is wrong with an entry, for people."""
    key, *more = detail["loc"]
    if key == "parameters" and len(more) < 2:
        return "its parameters have to be a list of {name, type, description?, required?, default?}."
    if key == "parameters":
        return f"parameter {int(more[0]) + 1} cannot be used: {more[1]} {detail['msg']}."
    if detail["type"] in ("missing", "string_type"):
        return f"its {key} is missing, or no text."
    if detail["type"] == "string_too_long":
        return f"its {key} is longer than {detail['ctx']['max_length']:,} characters."
    return f"its {key} {detail['msg'].removeprefix('Value error, ')}."
