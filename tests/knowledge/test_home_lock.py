"""One service on one home."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from askwell.errors import RecordUnavailable
from askwell.knowledge.engines import LOCK_NAME, HomeLock

HOLDER = """
import sys
from pathlib import Path
from askwell.knowledge.engines import HomeLock
lock = HomeLock.take(Path(sys.argv[1]))
print("taken", flush=True)
sys.stdin.read()
"""


def holding(home: Path) -> subprocess.Popen[str]:
    """A process that has the lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "taken\n"
    return process


def test_a_second_one_is_told_who_has_it_and_what_to_do(tmp_path: Path) -> None:
    first = holding(tmp_path / "home")
    with pytest.raises(RecordUnavailable) as caught:
        HomeLock.take(tmp_path / "home")
    assert str(tmp_path / "home") in caught.value.message
    assert f"process {first.pid}" in caught.value.message
    assert "ASKWELL_HOME" in caught.value.hint
    first.communicate()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_it_is_free_again_however_its_holder_ended(tmp_path: Path, how: signal.Signals) -> None:
    first = holding(tmp_path)
    first.send_signal(how)
    first.communicate()
    HomeLock.take(tmp_path).release()


def test_it_can_be_released_and_taken_again_in_one_process(tmp_path: Path) -> None:
    lock = HomeLock.take(tmp_path)
    with pytest.raises(RecordUnavailable):
        HomeLock.take(tmp_path)
    lock.release()
    lock.release()
    HomeLock.take(tmp_path).release()


def test_who_only_looks_at_it_keeps_nobody_from_taking_it(tmp_path: Path) -> None:
    HomeLock.take(tmp_path).release()
    with (tmp_path / LOCK_NAME).open() as looked_at, ThreadPoolExecutor() as threads:
        fcntl.flock(looked_at, fcntl.LOCK_SH)
        taking = threads.submit(HomeLock.take, tmp_path)
        with pytest.raises(TimeoutError):
            taking.result(0.05)
        fcntl.flock(looked_at, fcntl.LOCK_UN)
        lock = taking.result()
    assert HomeLock.holder(tmp_path) is not None
    lock.release()


def test_a_home_that_cannot_hold_the_lock_is_said(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).mkdir()
    with pytest.raises(RecordUnavailable, match=str(tmp_path)) as caught:
        HomeLock.take(tmp_path)
    assert "home" in caught.value.hint
