"""A folder of CSV files as a DuckDB file: a table for each, with types by all of its values."""

from __future__ import annotations

import codecs
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from askwell.csv_files import CSV_SUFFIXES
from askwell.csv_files.header import FirstLine, first_line, first_rows
from askwell.csv_files.keys import find_keys
from askwell.csv_files.kinds import sql_text
from askwell.csv_files.loaded import LoadedFolder
from askwell.csv_files.types import cast_columns
from askwell.errors import ConfigurationError
from askwell.mdl.json_source import COLUMNS_EACH
from askwell.mdl.problems import Findings, TooManyProblems, shown
from askwell.messages import say
from askwell.spelling import free_name

_DELIMITERS = ",;\t|"
# What is read to find the header.
_HEADER_CHARACTERS = 1_000_000
_MAX_FILES = 5_000
_CHUNK = 1 << 20
_MOST_BAD_LINES = 20
_GLOB = set("*?[]{}")
_EXPECTED_FOUND = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?[ \t]*(?:\r\n|\r|\n)', re.I)
_REJECTED = {
    "UNQUOTED VALUE": "has a quote that does not end",
    "LINE SIZE OVER MAXIMUM": "is too long; a quote may not end",
    "INVALID ENCODING": "has bytes that aren't text",
}


@dataclass(slots=True)
class _Source:
    path: Path
    encoding: str
    delimiter: str
    header: list[str] = field(default_factory=list)
    skipped: int = 0
    has_names: bool = True


def load_csv_folder(folder: Path, database: Path, encoding: str | None = None) -> LoadedFolder:
    """Write the files' rows to a new DuckDB file `database`; with problems, nothing is written. `encoding` is that of
    files that are not UTF-8; without it they are read as Windows-1252, and a warning says so. Raises
    `ConfigurationError` where there is nothing to read or no place to write."""
    findings = Findings()
    loaded = LoadedFolder(findings.problems, findings.warnings)
    files = list(_files(folder, findings))
    if encoding is not None:
        _check_encoding(encoding)
    if not files:
        raise ConfigurationError(*say("csv.folder_empty", folder=folder, csv_suffixes=" or ".join(CSV_SUFFIXES)))
    try:
        with tempfile.TemporaryDirectory(dir=database.absolute().parent, prefix=".askwell-") as beside:
            written = Path(beside) / "tables.duckdb"
            _write(files, written, Path(beside), encoding, loaded, findings)
            if not findings.problems:
                os.replace(written, database)
    except OSError as error:
        raise ConfigurationError(
            *say("csv.database_not_writable", database=database, strerror=error.strerror)
        ) from None
    return loaded


def _check_encoding(encoding: str) -> None:
    try:
        codecs.lookup(encoding)
    except LookupError:
        hint = "Name one such as windows-1252, iso-8859-15, cp1250 or utf-16."
        raise ConfigurationError(f"--encoding: {shown(encoding)} isn't a known encoding.", hint) from None


def _files(folder: Path, findings: Findings) -> Iterator[Path]:
    """The CSV files in the folder itself. A link is followed only where it stays in the folder."""
    try:
        entries = sorted(folder.iterdir()) if folder.is_dir() else [folder]
    except OSError as error:
        raise ConfigurationError(*say("csv.folder_unreadable", folder=folder, strerror=error.strerror)) from None
    inside = folder.resolve()
    for entry in entries[:_MAX_FILES]:
        if entry.name.startswith(".") or (entry.suffix.lower() not in CSV_SUFFIXES and entry != folder):
            continue
        if entry != folder and entry.is_symlink() and not Path(os.path.realpath(entry)).is_relative_to(inside):
            findings.warn(
                shown(entry.name), "it is a link that leads out of the folder, and is not read", "Copy the file."
            )
        elif entry.is_file():
            yield entry
    if len(entries) > _MAX_FILES:
        findings.warn(shown(folder.name), f"only its first {_MAX_FILES:,} files are looked at", "Divide it.")


def _write(
    files: list[Path], database: Path, beside: Path, encoding: str | None, loaded: LoadedFolder, findings: Findings
) -> None:
    taken: set[str] = set()
    settings: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    with duckdb.connect(str(database), config=settings) as connection:
        for path in files:
            source = _opened(path, encoding, findings)
            if source is None:
                continue
            name = free_name(re.sub(r"\W+", "_", path.stem).strip("_") or "table", taken, str.lower)
            try:
                units = _load(connection, source, name, beside, findings)
                loaded.units.update({(name, column): unit for column, unit in units.items()})
            except duckdb.Error as error:
                what = f"it can't be read as CSV ({type(error).__name__})"
                findings.refuse(shown(path.name), what, "Save it again as CSV, in UTF-8.")
            except TooManyProblems:
                return
        if not findings.problems:
            loaded.keys = find_keys(connection)


def _opened(path: Path, encoding: str | None, findings: Findings) -> _Source | None:
    """How the file is read; None where it cannot be, or holds nothing."""
    where = shown(path.name)
    found = _encoding(path, encoding)
    if found is None:
        what = "it is not text that can be read" if encoding is None else f"it is neither UTF-8 nor {shown(encoding)}"
        findings.refuse(where, what, "Save it as CSV in UTF-8, or name its encoding with --encoding.")
        return None
    if found not in ("utf-8", "utf-16") and encoding is None:
        what = "it is not UTF-8, and was read as Windows-1252"
        findings.warn(where, what, "Where letters are wrong, name its encoding with --encoding.")
    with path.open(encoding="utf-8-sig" if found == "utf-8" else found, newline="") as file:
        start = file.read(_HEADER_CHARACTERS)
    if not start.strip():
        findings.warn(where, "it is empty, and is left out", "Nothing needs to be done.")
        return None
    said = _SEPARATOR_LINE.match(start)
    if said:  # Excel's own line
        start = start[said.end() :]
    line = start.lstrip("\r\n").partition("\n")[0]
    bare = re.sub(r'"(?:[^"]|"")*"', "", line)
    delimiter = max(_DELIMITERS, key=bare.count) if any(sign in bare for sign in _DELIMITERS) else ","
    if said and said[1] in _DELIMITERS:
        delimiter = said[1]
    if not start or start[0] in "\r\n":
        findings.refuse(where, "its first line is empty, and should have the columns' names", "Remove the line.")
        return None
    rows = first_rows(start, delimiter)
    if not rows:
        findings.refuse(where, "its first line can't be read as column names", "Correct its quotes.")
        return None
    header = rows[0]
    if len(header) > COLUMNS_EACH.limit:
        what = f"it has {len(header):,} columns, and a table may have {COLUMNS_EACH.limit:,}"
        findings.refuse(where, what, "Leave out the columns that you don't need.")
        return None
    skipped = 1 if said else 0
    kind = first_line(rows)
    if kind is FirstLine.ROW:
        what = (
            f"its first line looks like the rows below it, so the columns are called column_1 to column_{len(header)}"
        )
        findings.warn(where, what, "Write their names above it, and import it again.")
        return _Source(
            path, found, delimiter, [f"column_{number}" for number in range(1, len(header) + 1)], skipped, False
        )
    if kind is FirstLine.UNSURE:
        what = "its first line was used as column names, though it looks like the lines below"
        findings.warn(where, what, "If it is a row, write the names above it, and import it again.")
    return _Source(path, found, delimiter, _names(header, where, findings), skipped)


def _names(header: list[str], where: str, findings: Findings) -> list[str]:
    taken: set[str] = set()
    names = [
        free_name(cell.strip().replace("\x00", "") or f"column_{number}", taken, str.lower)
        for number, cell in enumerate(header, start=1)
    ]
    changed = [name for name, cell in zip(names, header, strict=True) if name != cell.strip()]
    if changed:
        what = f"columns without a name, or with that of another, are called {shown(', '.join(changed), 200)}"
        findings.warn(where, what, "Name them in the first line.")
    if len(header) > 1 and all(re.fullmatch(r"[-+\d.,]+", cell.strip()) for cell in header):
        findings.warn(where, "its first line was taken for names, and is all numbers", "Write the names above it.")
    return names


def _encoding(path: Path, given: str | None) -> str | None:
    """The first encoding that reads the whole file; files with NUL bytes are no text."""
    with path.open("rb") as file:
        start = file.read(4)
    if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16" if _decodes(path, "utf-16") else None
    if b"\x00" in start:
        return None
    for encoding in ("utf-8", given or "cp1252"):
        if _decodes(path, encoding):
            return encoding
    return None


def _decodes(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                if "\x00" in decoder.decode(chunk):
                    return False
            decoder.decode(b"", final=True)
    except (UnicodeError, ValueError):
        return False
    return True


def _load(
    connection: duckdb.DuckDBPyConnection, source: _Source, name: str, beside: Path, findings: Findings
) -> dict[str, str]:
    """The table `name` with the file's rows; the units of its columns come back."""
    read = _in_utf8(source, beside)
    columns = ", ".join(f"{sql_text(column)}: 'VARCHAR'" for column in source.header)
    # Nothing is guessed: a guess may skip lines, or take another delimiter, without a word.
    options = (
        f"auto_detect=false, header={str(source.has_names).lower()}, skip={source.skipped}, "
        f"delim={sql_text(source.delimiter)}, quote='\"', escape='\"', "
        f"columns={{{columns}}}, store_rejects=true, rejects_limit={_MOST_BAD_LINES + 1}, nullstr=''"
    )
    connection.execute(f"CREATE TEMP TABLE raw AS FROM read_csv({sql_text(str(read))}, {options})")
    _tell_rejected(connection, shown(source.path.name), findings)
    units = cast_columns(connection, name, source.header, source.delimiter, shown(source.path.name), findings)
    connection.execute("DROP TABLE raw")
    connection.execute("DROP TABLE IF EXISTS reject_errors")
    connection.execute("DROP TABLE IF EXISTS reject_scans")
    if read != source.path:
        read.unlink()
    return units


def _tell_rejected(connection: duckdb.DuckDBPyConnection, where: str, findings: Findings) -> None:
    """Each line that could not be read, once: the reader tells every value too many."""
    rejected = connection.execute("SELECT line, error_type, error_message FROM reject_errors ORDER BY line").fetchall()
    lines: dict[int, str] = {}
    most: dict[int, int] = {}
    for line, kind, message in rejected:
        counts = _EXPECTED_FOUND.search(str(message))
        what = _REJECTED.get(str(kind), "cannot be read")
        if counts:
            what = f"has {counts[2]} values, and the first line {counts[1]}"
        found = int(counts[2]) if counts else 0
        if found >= most.get(line, -1):
            lines[line], most[line] = what, found
    for number, (line, what) in enumerate(lines.items()):
        if number == _MOST_BAD_LINES:
            findings.refuse(where, "more lines are like that", "Correct these first.")
            break
        todo = "Put values with the delimiter in them into quotes, and write every value."
        findings.refuse(f"{where} line {line}", f"it {what}", todo)


def _in_utf8(source: _Source, beside: Path) -> Path:
    """The file itself, or a copy where it is in another encoding or DuckDB would take its name for a pattern."""
    if source.encoding == "utf-8" and not _GLOB & set(str(source.path)):
        return source.path
    copy = beside / "copy.csv"
    with (
        source.path.open(encoding="utf-8-sig" if source.encoding == "utf-8" else source.encoding, newline="") as file,
        copy.open("w", encoding="utf-8", newline="") as target,
    ):
        while chunk := file.read(_CHUNK):
            target.write(chunk)
    return copy
