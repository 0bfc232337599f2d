"""What an archive is made of: a file of rows for each table that belongs to a project, and what of each is left out.

Columns that are not named here are in the archive, those that come with later versions too.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any, Literal

from sqlalchemy import JSON, BigInteger, Column, Connection, Integer, RowMapping, Text

from askwell import __version__
from askwell.errors import Conflict, InvalidRequest
from askwell.field_types import storable
from askwell.knowledge.documents import MOST_DOCUMENTS, MOST_PASSAGES
from askwell.knowledge.keywords import MAX_KEYWORDS
from askwell.knowledge.lessons import MAX_LESSONS
from askwell.knowledge.record import ProjectTable, is_at_work, rows_of
from askwell.knowledge.schema import (
    Moment,
    agents,
    chunks,
    current_models,
    documents,
    instructions,
    jobs,
    keywords,
    labels,
    lessons,
    manifests,
    messages,
    sql_pairs,
    threads,
)
from askwell.knowledge.threads import MOST_AGENTS
from askwell.mdl.json_source import crowded
from askwell.messages import say

Option = Literal["history", "asks"]
OPTIONS: tuple[Option, ...] = ("history", "asks")
_MANY = 1_000_000


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of a table, in a file of that name. `without` are columns that are made again, or are of no use
    elsewhere; an `option` has to be chosen; `most` is how many rows there may be. No two rows have the same `key`;
    without one, the same primary key."""

    name: str
    place: ProjectTable
    most: int = _MANY
    without: frozenset[str] = frozenset()
    option: Option | None = None
    key: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """Its name in the archive."""
        return f"{self.name}.jsonl"

    @property
    def columns(self) -> dict[str, Column[Any]]:
        """What its rows hold, by name: never the project, which the archive says once."""
        left_out = {"project_id", *self.without}
        return {column.name: column for column in self.place.table.columns if column.name not in left_out}

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that tell a row from all others of its project."""
        return self.key or tuple(one.name for one in self.place.table.primary_key if one.name != "project_id")


# In the order in which they are written and read: what others refer to comes first.
PARTS = (
    Part("models", ProjectTable(manifests), most=100_000),
    Part("labels", ProjectTable(labels), most=100_000),
    Part("current_model", ProjectTable(current_models), most=1),
    Part("sql_pairs", ProjectTable(sql_pairs), without=frozenset({"question_key"})),
    Part("instructions", ProjectTable(instructions)),
    Part("keywords", ProjectTable(keywords), most=MAX_KEYWORDS),
    Part("lessons", ProjectTable(lessons), most=MAX_LESSONS),
    Part("documents", ProjectTable(documents), most=MOST_DOCUMENTS),
    Part("passages", ProjectTable(chunks), most=MOST_PASSAGES),
    Part("agents", ProjectTable(agents), most=MOST_AGENTS),
    Part("threads", ProjectTable(threads), option="history"),
    Part("messages", ProjectTable(messages), without=frozenset({"place"}), option="history", key=("thread_id", "id")),
    Part(
        "asks",
        ProjectTable(jobs, "ask"),
        without=frozenset({"kind", "idempotency_key", "parked", "parked_until", "worker"}),
        option="asks",
    ),
)
# Tables of projects that are no part of an archive, with why.
LEFT_OUT: Mapping[str, str] = {
    "uploads": "documents are read before a project is written",
    "client_runs": "what clients were told of runs is for as long as they listen",
    "texts_in_use": "indexes are made again",
}


def to_wire(part: Part, row: RowMapping) -> dict[str, Any]:
    """A row as JSON."""
    return {
        name: row[name].isoformat() if isinstance(row[name], datetime) else row[name]
        for name in part.columns
        if row[name] is not None
    }


def from_wire(part: Part, line: Any) -> dict[str, Any]:
    """A row for the record. Raises `ValueError`, with half a sentence, for what no such row can be."""
    if not isinstance(line, dict):
        raise ValueError("it is not a JSON object")
    columns = part.columns
    # What is left out by now may be in archives of earlier versions.
    if unknown := sorted(line.keys() - columns.keys() - part.without):
        raise ValueError(f"it has {unknown[0][:64]!r}, which this Askwell does not know there")
    return {name: _value(column, line.get(name)) for name, column in columns.items()}


def _value(column: Column[Any], value: Any) -> Any:
    if value is None:
        if not column.nullable:
            raise ValueError(f"it has no {column.name}")
        return None
    kind = column.type
    if isinstance(kind, Moment):
        return _moment(column.name, value)
    if isinstance(kind, Text):
        if not isinstance(value, str):
            raise ValueError(f"its {column.name} is not text")
        try:
            return storable(value)
        except ValueError as error:
            raise ValueError(f"its {column.name} {error}") from None
    if isinstance(kind, Integer):
        bits = 63 if isinstance(kind, BigInteger) else 31
        if not isinstance(value, int) or isinstance(value, bool) or not -(2**bits) <= value < 2**bits:
            raise ValueError(f"its {column.name} is not a valid number")
        return value
    assert isinstance(kind, JSON)
    return value


def _moment(name: str, value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(f"its {name} is not a time") from None
    if moment.tzinfo is None:
        raise ValueError(f"its {name} says no time zone")
    return moment


FORMAT, VERSION = "askwell-project", 1
HEADER = "project.json"
MOST_BYTES = 256 * 1024 * 1024
# Of all parts together, unpacked.
MOST_UNPACKED = 2 * 1024 * 1024 * 1024
# Of one row, which may hold a model or the rows of an answer.
MOST_LINE = 128 * 1024 * 1024
# Of a document that is still being read, nothing but its bytes is known.
_COMING = ("document",)


def write_archive(
    connection: Connection, project_id: str, file: IO[bytes], options: Collection[Option], made_at: datetime
) -> dict[str, int]:
    """Write a project's rows; how many there are of each part. Whatever was in the file goes. Raises `Conflict` while
    documents are being read, and `InvalidRequest` for a project of which `Archive` would not read what was written."""
    if is_at_work(connection, _COMING, project_id):
        raise Conflict(*say("archive.documents_being_read", project_id=project_id))
    file.seek(0)
    file.truncate()
    parts: dict[str, Mapping[str, Any]] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in PARTS:
            if part.option is None or part.option in options:
                parts[part.name] = _written(connection, archive, part, project_id)
                if file.tell() > MOST_BYTES or sum(said["bytes"] for said in parts.values()) > MOST_UNPACKED:
                    raise InvalidRequest(*say("archive.too_large", project_id=project_id, most_bytes=MOST_BYTES >> 20))
        header = {
            "format": FORMAT,
            "version": VERSION,
            "askwell": __version__,
            "project_id": project_id,
            "made_at": made_at.isoformat(),
            "parts": parts,
        }
        archive.writestr(HEADER, json.dumps(header, indent=1))
    return {name: said["rows"] for name, said in parts.items()}


def _written(connection: Connection, archive: zipfile.ZipFile, part: Part, project_id: str) -> Mapping[str, Any]:
    digest, rows, size = hashlib.sha256(), 0, 0
    with archive.open(part.file, "w", force_zip64=True) as target:
        for row in rows_of(connection, part.place, project_id):
            line = json.dumps(to_wire(part, row), ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
            rows, size = rows + 1, size + len(line)
            if rows > part.most or size > MOST_UNPACKED:
                raise InvalidRequest(*say("archive.too_many_of_a_part", project_id=project_id, name=part.name))
            if len(line) > MOST_LINE or crowded(line) is not None:
                what = f"a row of {part.name} with more in it than an archive can hold"
                raise InvalidRequest(*say("archive.too_large_part", project_id=project_id, what=what))
            target.write(line)
            digest.update(line)
    return {"rows": rows, "bytes": size, "sha256": digest.hexdigest()}
