"""From the record to an archive: a zip file with JSON lines, and `project.json`, which says what is in it."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import IO, Any

from sqlalchemy import Connection

from askwell import __version__
from askwell.archives.parts import PARTS, Option, Part, to_wire
from askwell.errors import Conflict, InvalidRequest
from askwell.knowledge.project_rows import is_at_work, rows_of
from askwell.mdl.bounds import crowded

FORMAT, VERSION = "askwell-project", 1
HEADER = "project.json"
MOST_BYTES = 256 * 1024 * 1024
# Of all parts together, unpacked.
MOST_UNPACKED = 2 * 1024 * 1024 * 1024
# Of one row, which may hold a model or the rows of an answer.
MOST_LINE = 128 * 1024 * 1024
_LEAVE_OUT = "Leave its asks and conversations out, or back the whole record up."
# Of a document that is still being read, nothing but its bytes is known.
_COMING = ("document",)


def write_archive(
    connection: Connection, project_id: str, file: IO[bytes], options: Collection[Option], made_at: datetime
) -> dict[str, int]:
    """Write a project's rows; how many there are of each part. Whatever was in the file goes. Raises `Conflict` while
    documents are being read, and `InvalidRequest` for a project of which `Archive` would not read what was written."""
    if is_at_work(connection, _COMING, project_id):
        raise Conflict(
            f"Documents of project {project_id} are still being read.", "Write the project again when they are."
        )
    file.seek(0)
    file.truncate()
    parts: dict[str, Mapping[str, Any]] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in PARTS:
            if part.option is None or part.option in options:
                parts[part.name] = _written(connection, archive, part, project_id)
                if file.tell() > MOST_BYTES or sum(said["bytes"] for said in parts.values()) > MOST_UNPACKED:
                    raise InvalidRequest(
                        f"Project {project_id} is more than an archive can hold ({MOST_BYTES >> 20} MB packed).",
                        _LEAVE_OUT,
                    )
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
                raise InvalidRequest(f"Project {project_id} has more {part.name} than an archive can hold.", _LEAVE_OUT)
            if len(line) > MOST_LINE or crowded(line) is not None:
                what = f"a row of {part.name} with more in it than an archive can hold"
                raise InvalidRequest(f"Project {project_id} has {what}.", _LEAVE_OUT)
            target.write(line)
            digest.update(line)
    return {"rows": rows, "bytes": size, "sha256": digest.hexdigest()}
