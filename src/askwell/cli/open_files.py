"""How many files the process may open, and so how many connections it can have."""

from __future__ import annotations

import resource

# What else is open: databases and their processes, the record, servers of models, the log.
_OTHERS = 256


def connections_within(wanted: int) -> int:
    """Asks the system for as many files as that many connections need; how many of these are possible. Many systems let
    a process have 1,024 until it asks for more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHERS
    if soft != resource.RLIM_INFINITY and soft < needed:
        more = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
        except (OSError, ValueError):  # macOS has a lower limit than it tells
            more = soft
        needed = min(needed, more)
    return max(needed - _OTHERS, needed // 2)
