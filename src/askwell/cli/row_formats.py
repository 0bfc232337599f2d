"""In which format rows are written, as options and the names of files say."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from askwell.errors import ConfigurationError


class RowFormat(StrEnum):
    """How rows are written. `table` is for people."""

    TABLE = "table"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    NDJSON = "ndjson"
    MARKDOWN = "markdown"


_BY_ENDING = {".csv": "csv", ".tsv": "tsv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson", ".md": "markdown"}


def format_of(file: Path, wanted: RowFormat | None = None) -> RowFormat:
    """The format that is wanted, or else that of the ending of its name. Raises `ConfigurationError` where these are
    two, and where there is neither."""
    ending = _BY_ENDING.get(file.suffix.lower())
    if wanted is RowFormat.TABLE:
        raise ConfigurationError("A table is for people, and not for files.", "Choose another --format than table.")
    form = wanted or ending
    if form is None:
        raise ConfigurationError(f"{file} is of no known kind.", f"Its name ends in {', '.join(_BY_ENDING)}.")
    if form != (ending or form):
        raise ConfigurationError(
            f"{file} is to be {form}, and its name says {ending}.", "Leave out --format, or name another file."
        )
    return RowFormat(form)
