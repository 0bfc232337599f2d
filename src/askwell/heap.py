"""Making many objects that stay, without the pauses that Python's garbage collector would make over all of them.

A full collection looks at every object that there is while nothing else runs: up to half a second with a semantic model
of a thousand tables in memory, and making such a model brings about ten of them. The young collections, which find
nearly all garbage there is, go on. What has been made is then left out of later collections (`gc.freeze`): models hold
no cycles, so they go when nobody refers to them any more, collector or not.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Collections of the second generation before a full one: more than there ever are.
_NEVER = 2**31 - 1


class _Making:
    """How many threads and tasks are making objects, and what was usual before the first began."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.makers = 0
        self.usual = gc.get_threshold()
        self.frozen = False


_making = _Making()


@contextmanager
def many_objects() -> Iterator[None]:
    """While this lasts, anywhere in the process, there is no full collection; at the end what is there is left out of
    later ones. On threads and tasks alike, one within or beside another."""
    with _making.lock:
        _making.makers += 1
        if _making.makers == 1:
            _making.usual = gc.get_threshold()
            gc.set_threshold(_making.usual[0], _making.usual[1], _NEVER)
    try:
        yield
    finally:
        with _making.lock:
            _making.makers -= 1
            if _making.makers == 0:
                gc.set_threshold(*_making.usual)
                gc.freeze()
                _making.frozen = True


def collect_all() -> bool:
    """Collect what was garbage, or became it, when objects were left out: everything stops for a moment, so it is for
    when nobody waits. False where there was nothing to do."""
    with _making.lock:
        if not _making.frozen or _making.makers:
            return False
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        _making.frozen = False
        return True
