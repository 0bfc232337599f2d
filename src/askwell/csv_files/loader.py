"""Loads CSV files that were sent to the service, in child processes."""

from __future__ import annotations

from pathlib import Path

from askwell.child_process.pool import ChildDied, ChildKind, ChildPool
from askwell.csv_files.loaded import LoadedFolder
from askwell.errors import InvalidRequest
from askwell.messages import say

SECONDS = 180.0
# Rows in columns are mostly smaller than their text; while a file is loaded it is there twice.
_TIMES_ITS_SIZE = 4


class CsvLoader:
    """Loads files of at most `most_bytes`. `close` ends its processes."""

    def __init__(self, most_bytes: int, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        settings = {"largest_file": most_bytes * _TIMES_ITS_SIZE + (1 << 24)}
        self._pool = ChildPool(
            ChildKind("askwell.csv_files.child", "to load files in", imports=("duckdb", "yaml"), settings=settings)
        )

    async def load(self, file: Path, database: Path) -> LoadedFolder:
        """Write the rows of a CSV file to a new DuckDB file. Raises `InvalidRequest` for one that cannot be loaded, and
        `Unavailable` where no process can be started."""
        try:
            request = {"file": str(file), "database": str(database)}
            fields = (await self._pool.ask(request, self._seconds)).fields
        except TimeoutError:
            raise _refused(f"loading it takes more than {self._seconds:g} seconds") from None
        except ChildDied:
            raise _refused("loading it needs more memory than it may use") from None
        if (why := fields.get("refused")) is not None:
            raise _refused(why)
        if problems := fields["problems"]:
            more = f" ({len(problems) - 1:,} more like that)" if len(problems) > 1 else ""
            raise InvalidRequest(*say("csv.problems", problems=problems[0], more=more))
        units = {(table, column): unit for table, column, unit in fields["units"]}
        return LoadedFolder([], [], {table: tuple(key) for table, key in fields["keys"].items()}, units)

    async def close(self) -> None:
        """End what is still loaded. Safe to call twice."""
        await self._pool.close()


def _refused(why: str) -> InvalidRequest:
    return InvalidRequest(*say("csv.too_much", why=why))
