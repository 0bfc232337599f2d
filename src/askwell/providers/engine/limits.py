"""What an engine may use, in one value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """Bounds on the query processes of one database.

    `pool_size`: how many may run at once. `memory_mb`: what one query may use in MiB; the process as a whole is held
    to about twice that. `threads`: DuckDB's workers inside one process. `idle_seconds`: how long an unused process
    keeps the file open. `byte_limit`: the largest result, in bytes of JSON.
    """

    pool_size: int = 2
    memory_mb: int = 512
    threads: int = 2
    idle_seconds: float = 15.0
    byte_limit: int = 8_000_000
