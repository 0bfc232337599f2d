"""Loading CSV files that somebody sent, in child processes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from askwell.csv_files.loaded import LoadedFolder
from askwell.errors import EngineUnavailable, InvalidRequest, Unavailable
from askwell.providers.engine.worker_pool import WorkerPool
from askwell.providers.engine.worker_process import WorkerDied

SECONDS = 180.0
_IDLE_SECONDS = 30.0
_ENTRY_POINT = Path(__file__).parent / "worker" / "__main__.py"
# Rows in columns are mostly smaller than their text; while a file is loaded it is there twice.
_TIMES_ITS_SIZE = 4


class CsvLoader:
    """Loads files of at most `most_bytes`. `close` ends its processes."""

    def __init__(self, most_bytes: int, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        settings = {"largest_file": most_bytes * _TIMES_ITS_SIZE + (1 << 24)}
        self._pool = WorkerPool(
            settings, ("duckdb", "yaml"), size=1, idle_seconds=_IDLE_SECONDS, entry_point=_ENTRY_POINT
        )

    async def load(self, file: Path, database: Path) -> LoadedFolder:
        """Write the rows of a CSV file to a new DuckDB file. Raises `InvalidRequest` for one that cannot be loaded, and
        `Unavailable` where no process can be started."""
        request = {"file": str(file), "database": str(database), "timeout": self._seconds}
        try:
            async with self._pool.worker() as worker, asyncio.timeout(self._seconds):
                told = (await worker.ask(request)).fields
        except TimeoutError:
            raise _refused(f"loading it takes more than {self._seconds:g} seconds") from None
        except WorkerDied:
            raise _refused("loading it needs more memory than it may use") from None
        except EngineUnavailable as error:
            raise Unavailable("A process to load files in could not be started.", error.hint) from None
        if (why := told.get("refused")) is not None:
            raise _refused(why)
        if problems := told["problems"]:
            more = f" ({len(problems) - 1:,} more like that)" if len(problems) > 1 else ""
            raise InvalidRequest(f"The CSV file cannot be loaded: {problems[0]}{more}", "Correct the file first.")
        units = {(table, column): unit for table, column, unit in told["units"]}
        return LoadedFolder([], [], {table: tuple(key) for table, key in told["keys"].items()}, units)

    async def close(self) -> None:
        """End what is still loaded. Safe to call twice."""
        await self._pool.close()


def _refused(why: str) -> InvalidRequest:
    return InvalidRequest(f"The CSV file cannot be loaded: {why}.", "Send it in several parts, or as a DuckDB file.")
