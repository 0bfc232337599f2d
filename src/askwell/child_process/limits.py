"""What a child process may use, and that it dies with the service.

Limits are the operating system's, set from inside: SQL cannot raise them. On systems without one of these facilities
the parent's SIGKILL at the deadline still stands.
"""

from __future__ import annotations

import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_MIB = 1024 * 1024

# While a file is being opened, before the real limit can be computed: drivers reserve address space generously.
_OPENING_ALLOWANCE_MIB = 2048

# SQLite needs a small shared-memory file beside a database in WAL mode; no query may write anything larger.
_LARGEST_FILE_BYTES = 4 * _MIB


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when the service dies, and leave at once if it already has."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def leave_network() -> None:
    """Move into a network of this process's own, which has no way out, on systems that allow it."""
    if sys.platform == "linux":
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(_CLONE_NEWNET) != 0:
            libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


def restrict_process(largest_file_bytes: int = _LARGEST_FILE_BYTES) -> None:
    """No core dumps, no large files, few descriptors, and first in line when the machine runs out of memory."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file_bytes, largest_file_bytes))
    _lower(resource.RLIMIT_NOFILE, 64)
    die_first()


def die_first() -> None:
    """Let the kernel end this process before the service where the machine runs out of memory."""
    if sys.platform == "linux":
        try:
            with open("/proc/self/oom_score_adj", "w") as score:
                score.write("1000")
        except OSError:
            pass  # a refinement only: the limits above do not depend on it


def loosen_address_space() -> None:
    """Give a driver room to open a file."""
    tighten_address_space(_OPENING_ALLOWANCE_MIB)


def tighten_address_space(allowance_mib: int) -> None:
    """Allow at most `allowance_mib` more address space than is mapped already."""
    if sys.platform == "linux":
        _lower(resource.RLIMIT_AS, _pages(0) + allowance_mib * _MIB)


def allow_cpu_seconds(seconds: float) -> None:
    """Backstop for a parent that is itself stopped: SIGXCPU after `seconds` more of processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + seconds) + 1)


def resident_mib() -> int:
    """Return what this process has in memory now; 0 on systems that do not say.

    (The peak that `getrusage` reports is no less than that of the process it was forked from.)"""
    return _pages(1) // _MIB


def _pages(position: int) -> int:
    """In bytes: what is mapped (0) or resident (1)."""
    if sys.platform != "linux":
        return 0
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[position]) * os.sysconf("SC_PAGE_SIZE")


def _lower(kind: int, soft: int) -> None:
    """Set the soft limit, and leave the hard one, so that it can be moved again for the next file or query."""
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(kind, (soft, hard))
