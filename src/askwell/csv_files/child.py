"""The process that loads CSV files: a file comes in, a DuckDB file is written beside it.

A file may be made to harm its reader: there is no network here, no environment, and bounded memory, time
and disk.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from askwell.child_process import limits
from askwell.child_process.child import Child, Refused, Request
from askwell.csv_files.reading import load_csv_folder
from askwell.errors import ConfigurationError

_MEMORY_MIB = 3_072


def main() -> None:
    """Serve until the pipe closes."""
    child = Child()
    limits.leave_network()
    limits.restrict_process(child.settings["largest_file"])
    limits.tighten_address_space(_MEMORY_MIB)
    child.serve(_answer)


def _answer(request: Request) -> dict[str, Any]:
    try:
        loaded = load_csv_folder(Path(request["file"]), Path(request["database"]))
    except ConfigurationError:
        raise Refused("there is not enough disk space for its rows") from None
    except (MemoryError, duckdb.OutOfMemoryException):
        raise MemoryError from None
    except Exception:  # noqa: BLE001 - of whatever a library meets in what it reads; its words may quote the file
        raise Refused("it can't be read as CSV") from None
    return {
        "problems": [str(one) for one in loaded.problems],
        "keys": {table: list(key) for table, key in loaded.keys.items()},
        "units": [[*place, unit] for place, unit in loaded.units.items()],
    }
