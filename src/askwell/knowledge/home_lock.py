"""The folder that the record lies in, and the lock that lets one service at a time use it: two would take up the same
unfinished asks and answer each of them twice."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
from pathlib import Path
from typing import Self

from askwell.errors import RecordUnavailable
from askwell.messages import say

if sys.platform != "win32":
    import fcntl

logger = logging.getLogger(__name__)

LOCK_NAME = "service.lock"
# How long, and how often, somebody who only looks at the lock is waited for.
_LOOKS = 1000
_LOOK_SECONDS = 0.002


class HomeLock:
    """An advisory lock on a file in `home`. The operating system lets go of it when the process ends, however it ends;
    the file itself stays, because removing it would let two processes lock two files of one name."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, home: Path) -> Self:
        """Lock `home`, which is made when missing. Raises `RecordUnavailable` when another service has it. Where the
        system or the file system has no such locks, a line in the log has to do."""
        make_folder(home)
        if sys.platform == "win32":
            logger.warning("this system has no file locks: start no second service on the same home")
            return cls(None)
        try:
            descriptor = os.open(home / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise RecordUnavailable(*say("record.home_unusable", home=home, strerror=error.strerror)) from error
        try:
            _lock(descriptor)
        except BlockingIOError:
            holder = _holder(descriptor)
            os.close(descriptor)
            raise RecordUnavailable(*say("record.home_in_use", holder=holder, home=home)) from None
        except OSError as error:
            os.close(descriptor)
            logger.warning(
                "home cannot be locked: start no second service on it", extra={"reason": error.strerror, "home": home}
            )
            return cls(None)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        return cls(descriptor)

    @staticmethod
    def holder(home: Path) -> str | None:
        """Who has `home` now, in words; None for nobody, or where that cannot be told. Makes nothing, and asks for a
        shared lock that it gives back at once."""
        if sys.platform == "win32":
            return None
        try:
            descriptor = os.open(home / LOCK_NAME, os.O_RDONLY)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return f"a service{_holder(descriptor)}"
        except OSError:
            return None
        finally:
            os.close(descriptor)
        return None

    def release(self) -> None:
        """Let others have the home. Safe to call twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _lock(descriptor: int) -> None:
    """Raises `BlockingIOError` when another service has the lock. Who only looks whether one has it, or tries to take
    it at the same time, is waited for."""
    for _ in range(_LOOKS):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)  # cannot be had beside a service
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        time.sleep(_LOOK_SECONDS)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _holder(descriptor: int) -> str:
    """Who has the lock, for whoever wants to stop it: what that process wrote into the file."""
    written = os.pread(descriptor, 16, 0)
    return f" (process {written.decode()})" if written.isdigit() else ""


def make_folder(folder: Path) -> None:
    """Make `folder` and those above it. Raises `RecordUnavailable` where that cannot be done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordUnavailable(*say("record.folder", folder=folder, strerror=error.strerror)) from error


def make_private(file: Path) -> None:
    """Make an empty `file`, where there is none, that its owner alone may read: SQLite gives the same rights to those
    that it makes beside it. Where that cannot be done, opening it says why."""
    with contextlib.suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
