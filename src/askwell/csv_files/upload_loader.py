"""Loads CSV files that were sent to the service, in child processes."""

from __future__ import annotations

from pathlib import Path

from askwell.child_process.pool import ChildKind, ChildWork
from askwell.csv_files.loaded import LoadedFolder
from askwell.errors import InvalidRequest
from askwell.messages import say

SECONDS = 180.0
# Rows in columns are mostly smaller than their text; while a file is loaded it is there twice.
_TIMES_ITS_SIZE = 4


class CsvLoader(ChildWork):
    """Loads files of at most `most_bytes`."""

    def __init__(self, most_bytes: int, seconds: float = SECONDS) -> None:
        settings = {"largest_file": most_bytes * _TIMES_ITS_SIZE + (1 << 24)}
        imports = ("duckdb", "yaml")
        super().__init__(
            ChildKind("askwell.csv_files.child", "to load files in", "loading it", imports, settings), seconds
        )

    async def load(self, file: Path, database: Path) -> LoadedFolder:
        """Write the rows of a CSV file to a new DuckDB file. Raises `InvalidRequest` for one that cannot be loaded, and
        `Unavailable` where no process can be started."""
        fields = await self._answer({"file": str(file), "database": str(database)}, _refused)
        if problems := fields["problems"]:
            more = f" ({len(problems) - 1:,} more like that)" if len(problems) > 1 else ""
            raise InvalidRequest(*say("csv.problems", problems=problems[0], more=more))
        units = {(table, column): unit for table, column, unit in fields["units"]}
        return LoadedFolder([], [], {table: tuple(key) for table, key in fields["keys"].items()}, units)


def _refused(why: str) -> InvalidRequest:
    return InvalidRequest(*say("csv.too_much", why=why))
