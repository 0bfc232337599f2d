"""The process that writes files: rows come in one file and go out in another, of the format that is asked
for. There is no network here, no environment, and little memory and time."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from askwell.child_process import limits
from askwell.child_process.child import Child, Request
from askwell.row_files.columns import FileColumn
from askwell.row_files.spool import rows_in
from askwell.row_files.text import row_writer

_MEMORY_MIB = 1_024
_TEXT_FORMATS = {"csv": "spreadsheet_csv", "json": "json"}


def main() -> None:
    """Serve until the pipe closes."""
    child = Child()
    limits.leave_network()
    limits.die_first()
    limits.tighten_address_space(_MEMORY_MIB)
    child.serve(_answer)


def _answer(request: Request) -> dict[str, str]:
    rows, file = Path(request["rows"]), Path(request["file"])
    # Libraries write files beside: they end with the folder, however this process does.
    tempfile.tempdir = str(file.parent)
    columns = [FileColumn.of(name, type_name) for name, type_name in request["columns"]]
    try:
        match request["format"]:
            case "xlsx":
                from askwell.row_files.workbook import write_workbook

                write_workbook(rows_in(rows), columns, file)
            case "parquet":
                from askwell.row_files.parquet import write_parquet

                write_parquet(rows, columns, file, request["longest"])
            case form:
                _write_text(_TEXT_FORMATS[form], rows, columns, file)
    except OSError as error:
        return {"disk": error.strerror or type(error).__name__}
    return {}


def _write_text(form: str, rows: Path, columns: Sequence[FileColumn], file: Path) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = row_writer(form, [column.name for column in columns], out)
        for row in rows_in(rows):
            writer.write([row])
        writer.end()
