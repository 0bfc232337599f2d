"""The loop of a process that loads CSV files: a file comes in, a DuckDB file is written beside it.

Whoever wrote the file may want to harm its reader: there is no network here, no environment, and bounded memory, time
and disk.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from askwell.csv_files.folder import load_csv_folder
from askwell.errors import ConfigurationError
from askwell.providers.engine.wire import pack, read_frame
from askwell.providers.engine.worker import limits
from askwell.providers.engine.worker.serving import begin, write_all

_MEMORY_MIB = 3_072


def main() -> None:
    """Read the settings, then serve until the pipe closes."""
    requests, replies, settings = begin()
    limits.leave_network()
    limits.restrict_process(settings["largest_file"])
    limits.tighten_address_space(_MEMORY_MIB)
    while (request := read_frame(requests)) is not None:
        limits.allow_cpu_seconds(request["timeout"] * 2)
        write_all(replies, pack({"end": True, **_answer(request)}))


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        loaded = load_csv_folder(Path(request["file"]), Path(request["database"]))
    except ConfigurationError:
        return {"refused": "there is no room for its rows"}
    except (MemoryError, duckdb.OutOfMemoryException):
        return {"refused": "loading it needs more memory than it may use"}
    except Exception:  # noqa: BLE001 - of whatever a library meets in what it reads; its words may quote the file
        return {"refused": "it cannot be read as CSV"}
    return {
        "problems": [str(one) for one in loaded.problems],
        "keys": {table: list(key) for table, key in loaded.keys.items()},
        "units": [[*place, unit] for place, unit in loaded.units.items()],
    }
