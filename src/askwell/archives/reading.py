"""An archive that a person sent: nothing in it is believed. It is never unpacked to files; each part is read line by
line, by the name that it has to have, up to the size that the header says of it and no further."""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Annotated, Any, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from askwell.archives.checks import Checks
from askwell.archives.parts import FORMAT, HEADER, MOST_BYTES, MOST_LINE, MOST_UNPACKED, PARTS, VERSION, Part, from_wire
from askwell.errors import InvalidRequest
from askwell.jobs.request import ProjectId
from askwell.mdl.json_source import crowded
from askwell.messages import say

_MOST_HEADER = 64 * 1024
# The end of a zip file without a comment, and how large the table of contents before it may be: ours takes one or two
# kilobytes. Python reads all of it into memory, half a kilobyte for each entry, before anything can be looked at.
_END = struct.Struct("<4s8xLL2s")
_END_SIGNATURE, _ZIP64_SIGNATURE, _ZIP64_LOCATOR_SIZE = b"PK\5\6", b"PK\6\7", 20
_MOST_CONTENTS = 64 * 1024
_AGAIN = "Write it again with `askwell project export`, and send that file as it is."
_NAMES = {part.file: part for part in PARTS}


class PartSaid(BaseModel):
    """What the header says of a part."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    rows: Annotated[int, Field(strict=True, ge=0)]
    bytes: Annotated[int, Field(strict=True, ge=0, le=MOST_UNPACKED)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Header(BaseModel):
    """What the archive says of itself."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    format: str
    version: int
    askwell: str
    project_id: ProjectId
    made_at: str
    parts: dict[str, PartSaid]


class Archive:
    """An archive over an open file. Every method raises `InvalidRequest`, with a sentence, for what no archive of ours
    can be."""

    def __init__(self, file: IO[bytes]) -> None:
        with _damaged():
            file.seek(0, 2)
            if (size := file.tell()) > MOST_BYTES:
                _refuse(f"The archive has more than {MOST_BYTES >> 20} MB.", "Write the project without its asks.")
            _require_few_entries(file, size)
            self._zip = zipfile.ZipFile(file)
            self.header = self._read_header()
        self.parts = tuple(part for part in PARTS if part.name in self.header.parts)

    def check(self) -> None:
        """Read all of it, so that what is wrong is known before anything is written. Takes up to some minutes."""
        checks = Checks(self.header.project_id)
        for part in self.parts:
            seen: set[tuple[Any, ...]] = set()
            for number, row in enumerate(self.rows(part), 1):
                try:
                    checks.check(part.name, row)
                except ValueError as error:
                    _refuse_line(part, number, error)
                key = tuple(row[name] for name in part.keys)
                if key in seen:
                    _refuse_line(part, number, "another line has its id")
                seen.add(key)
        try:
            checks.end()
        except ValueError as error:
            _refuse(f"The archive can't be used: {error}.")

    def rows(self, part: Part) -> Iterator[dict[str, Any]]:
        """The rows of a part, in its order."""
        said = self.header.parts[part.name]
        digest, count, size = hashlib.sha256(), 0, 0
        with _damaged(), self._zip.open(part.file) as source:
            while line := source.readline(MOST_LINE + 1):
                count, size = count + 1, size + len(line)
                if size > said.bytes or count > said.rows or len(line) > MOST_LINE:
                    _refuse(f"{part.file} in the archive is larger than its header says.")
                digest.update(line)
                yield self._row(part, count, line)
        if (count, size, digest.hexdigest()) != (said.rows, said.bytes, said.sha256):
            _refuse(f"{part.file} in the archive is not what its checksum says.")

    def _row(self, part: Part, number: int, line: bytes) -> dict[str, Any]:
        if crowded(line) is not None:
            _refuse_line(part, number, "it has more in it than a row may have")
        try:
            read = json.loads(line, parse_constant=_no_number)
        except (ValueError, RecursionError):
            _refuse_line(part, number, "it is not JSON")
        try:
            return from_wire(part, read)
        except ValueError as error:
            _refuse_line(part, number, error)

    def _read_header(self) -> Header:
        found = self._zip.infolist()
        names = [one.filename for one in found]
        unknown = sorted(set(names) - _NAMES.keys() - {HEADER})
        if HEADER not in names:
            _refuse(f"This isn't a project archive: it has no {HEADER}.")
        if unknown or len(set(names)) != len(names):
            _refuse(f"The archive holds {(unknown or ['a file twice'])[0][:64]!r}, which no archive of ours does.")
        if any(one.flag_bits & 0x1 or one.compress_type not in (0, 8) for one in found):
            _refuse("The archive is packed in a way that ours are not.")
        with self._zip.open(HEADER) as source:
            text = source.read(_MOST_HEADER + 1)
        if len(text) > _MOST_HEADER:
            _refuse(f"{HEADER} in the archive is too large.")
        try:
            said = json.loads(text, parse_constant=_no_number)
            if not isinstance(said, dict) or said.get("format") != FORMAT:
                _refuse(f"This isn't a project archive: its {HEADER} says another format.")
            if said.get("version") != VERSION:
                _refuse(
                    f"The archive is of version {str(said.get('version'))[:16]}; this Askwell reads version {VERSION}.",
                    "Read it with the Askwell that wrote it, or a newer one.",
                )
            header = Header.model_validate(said)
        except (ValueError, RecursionError) as error:
            what = "it is not JSON"
            if isinstance(error, ValidationError):
                first = error.errors(include_url=False, include_input=False, include_context=False)[0]
                what = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise InvalidRequest(*say("archive.part_unusable", header=HEADER, what=what)) from None
        self._compare(header, set(names))
        return header

    def _compare(self, header: Header, names: set[str]) -> None:
        """What the header says against what there is."""
        said = {f"{name}.jsonl": one for name, one in header.parts.items()}
        if said.keys() != names - {HEADER}:
            _refuse(f"The files in the archive are not those that its {HEADER} names.")
        missing = [part.name for part in PARTS if part.option is None and part.name not in header.parts]
        if missing or ("threads" in header.parts) != ("messages" in header.parts):
            _refuse(f"The archive has no {(missing or ['messages to its threads'])[0]}.")
        if sum(one.bytes for one in said.values()) > MOST_UNPACKED:
            _refuse(f"The archive would be larger than {MOST_UNPACKED >> 30} GB.")
        for name, one in said.items():
            if one.rows > _NAMES[name].most:
                _refuse(f"{name} in the archive has more rows than a project may have ({_NAMES[name].most:,}).")


def _require_few_entries(file: IO[bytes], size: int) -> None:
    """Refuse a table of contents that no archive of ours has, before Python reads it. The end of the file is where
    Python looks first, too; one with a comment, which it would look for elsewhere, is not ours."""
    file.seek(max(0, size - _END.size - _ZIP64_LOCATOR_SIZE))
    tail = file.read()
    if len(tail) < _END.size:
        raise zipfile.BadZipFile
    signature, contents, _, comment = _END.unpack(tail[-_END.size :])
    if signature != _END_SIGNATURE or comment != b"\0\0":
        raise zipfile.BadZipFile
    if contents > _MOST_CONTENTS or tail.startswith(_ZIP64_SIGNATURE):
        _refuse("The archive holds more files than ours do.")
    file.seek(0)


# What Python's reader of zip files raises for damaged ones: names that are no UTF-8 and places before the beginning are
# a ValueError, places behind any end an OverflowError.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    OverflowError,
    ValueError,
)


@contextmanager
def _damaged() -> Iterator[None]:
    """Damage as a refusal."""
    try:
        yield
    except _DAMAGE as error:
        if isinstance(error, RecursionError):
            raise
        raise InvalidRequest(*say("archive.damaged")) from None


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


def _refuse(message: str, hint: str = _AGAIN) -> NoReturn:
    raise InvalidRequest(message, hint)


def _refuse_line(part: Part, number: int, why: object) -> NoReturn:
    _refuse(f"{part.file} in the archive, line {number}: {why}.")
