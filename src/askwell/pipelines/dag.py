"""One pipeline as a Hamilton graph: refused when it is wired wrongly, and owned while it runs.

A pipeline is a module (or several) of functions. Each function is a node, named for the value it gives; its parameters
are the nodes or inputs it needs. Helpers start with `_`, or Hamilton takes them for nodes. The last node is what the
pipeline gives:

    dag: Dag[RetrievedContext] = Dag("askwell.pipelines.retrieval.nodes", result="retrieved_context")
    found = await dag.run(question=question, prepared=prepared)

Only this file and `hamilton_driver.py` import Hamilton, which is imported when a graph is first built. What they add:
- an input that is missing or unknown is refused with a message that names it;
- when a node fails, or the run is cancelled, every node still running is cancelled and awaited before `run` returns;
- errors come out as they were raised, and Hamilton's log of a failed node's inputs (prompts, rows) is silenced;
- a plain function whose inputs are ready runs at once instead of in a task of its own.
"""

from __future__ import annotations

import asyncio
import importlib
import threading
import typing
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

if TYPE_CHECKING:
    from askwell.pipelines.hamilton_driver import OwningDriver

T = TypeVar("T")

_NAME: ContextVar[str] = ContextVar("askwell_dag_name")
# Held while libraries are imported on threads: Haystack's packages put something else in their own place when their
# import ends, and another thread that waited for that would get what was there before, without half of its names.
IMPORTING = threading.RLock()


def imported(module: str) -> ModuleType:
    """A module with its libraries, imported by one thread at a time."""
    with IMPORTING:
        return importlib.import_module(module)


def pipeline_name() -> str:
    """The pipeline that is being run in this context."""
    return _NAME.get()


class Dag(Generic[T]):
    """A pipeline that gives the value of one final node.

    `modules` hold the nodes, `result` is the final one. Where only their names are given, they are imported with the
    graph. The pipeline is called `name`, or else like its result.
    `adapters` are Hamilton lifecycle adapters (tracing); their node hooks have to be the async ones, because only those
    see a node's run rather than its scheduling. `pipeline_name` tells them which pipeline it is. The graph is built by
    the first run, on a thread: with Hamilton's import that takes a fifth of a second.
    """

    def __init__(
        self, *modules: ModuleType | str, result: Callable[..., Any] | str, name: str = "", adapters: Sequence[Any] = ()
    ) -> None:
        self._modules = modules
        self._result = result if isinstance(result, str) else result.__name__
        self.name = name or self._result
        self._adapters = tuple(adapters)
        self._driver: OwningDriver | None = None

    def build(self) -> Self:
        """Build the graph now. Raises `ValueError` for a module with a function that the result does not need (often a
        helper without its `_`), and for an adapter with plain node hooks."""
        with IMPORTING:
            if self._driver is None:
                driver = imported("askwell.pipelines.hamilton_driver")
                modules = (imported(one) if isinstance(one, str) else one for one in self._modules)
                self._driver = driver.OwningDriver(tuple(modules), self._adapters, self._result, self.name)
        return self

    async def run(self, *, pipeline: str = "", **inputs: object) -> T:
        """The final node's value. `pipeline` is what adapters are told in place of the name: pipelines of one shape
        share a graph. Raises `TypeError` for inputs that do not fit, else whatever a node raised."""
        if self._driver is None:
            await asyncio.to_thread(self.build)
        assert self._driver is not None
        name = pipeline or self.name
        token = _NAME.set(name)
        try:
            return typing.cast(T, await self._driver.value(name, inputs))
        finally:
            _NAME.reset(token)
