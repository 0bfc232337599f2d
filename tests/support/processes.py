"""Child processes of a test, apart from those of services that other tests share."""

from __future__ import annotations

import psutil

_others: set[int] = set()


def forget_others() -> None:
    """What runs now is somebody else's."""
    _others.clear()
    _others.update(child.pid for child in psutil.Process().children(recursive=True))


def child_processes() -> list[psutil.Process]:
    """The children, and theirs, that came since `forget_others`, and are not yet reaped."""
    return [child for child in psutil.Process().children(recursive=True) if child.pid not in _others]
