"""Hamilton's driver with nodes that are owned by their run, and spans for traces.

Importing it imports Hamilton: see `dag.py`.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from askwell.observability.tracing import Outcome, Span, current_span, error_code
from askwell.pipelines.dag import pipeline_name


@contextmanager
def _without_pandas() -> Iterator[None]:
    """Hamilton imports pandas for results as data frames, which nothing here asks for: a tenth of a second and 30 MB.
    It gets an empty stand-in, unless pandas is there already, and leaves its plug-ins for data frames out (9 MB)."""
    os.environ["HAMILTON_AUTOLOAD_EXTENSIONS"] = "0"  # read when Hamilton is first imported
    if "pandas" in sys.modules:
        yield
        return
    names = ("pandas", "pandas.core", "pandas.core.indexes", "pandas.core.indexes.extension")
    for name in names:
        module = sys.modules[name] = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None, is_package=True)
        module.__path__ = []  # a package without modules
        module.__getattr__ = lambda name: type(name, (), {})  # type: ignore[method-assign]
    try:
        yield
    finally:
        for name in names:
            sys.modules.pop(name, None)


with _without_pandas():
    from hamilton import base, node
    from hamilton.async_driver import AsyncDriver
    from hamilton.driver import Driver
    from hamilton.lifecycle import base as lifecycle

__all__ = ["OwningDriver", "lifecycle"]

# Hamilton logs a failed node with all its inputs. Failures are logged by the caller of the pipeline.
logging.getLogger("hamilton").setLevel(logging.CRITICAL + 1)

# The futures of the run that is being executed in this context: what has to be cancelled when it ends early.
_RUNNING: ContextVar[list[asyncio.Future[Any]]] = ContextVar("askwell_dag_running")


class OwningDriver(AsyncDriver):  # type: ignore[misc]
    """The driver of one graph, of which it gives the node `result`; see `Dag` for what it refuses."""

    def __init__(self, modules: tuple[ModuleType, ...], adapters: tuple[Any, ...], result: str, name: str) -> None:
        for adapter in adapters:
            if isinstance(adapter, lifecycle.BasePreNodeExecute | lifecycle.BasePostNodeExecute):
                raise ValueError(f"{type(adapter).__name__} has plain node hooks; a Dag needs the async ones.")
        Driver.__init__(self, {}, *modules, adapter=[_NodeTasks(adapters), base.DictResult(), *adapters])
        self.initialized = False
        self._wanted = result
        self._taken = _inputs_of(self, result, name)

    async def value(self, name: str, inputs: Mapping[str, object]) -> Any:
        """The value of the result, in a run of the pipeline of that name."""
        self._check(name, inputs)
        await self.ainit()  # does nothing but the first time
        running: list[asyncio.Future[Any]] = []
        token = _RUNNING.set(running)
        try:
            return (await self.execute([self._wanted], inputs=dict(inputs)))[self._wanted]
        finally:
            _RUNNING.reset(token)
            await _end(running)

    def _check(self, name: str, inputs: Mapping[str, object]) -> None:
        if unknown := sorted(inputs.keys() - self._taken.keys()):
            raise TypeError(f"Pipeline {name} takes no {', '.join(unknown)}; it takes {', '.join(self._taken)}.")
        for key, is_required in self._taken.items():
            if is_required and key not in inputs:
                raise TypeError(f"Pipeline {name} was not given {key}.")


class _NodeTasks(lifecycle.BaseDoNodeExecute):  # type: ignore[misc]
    """Runs each node as a task owned by the run, as soon as its inputs are there."""

    def __init__(self, adapters: tuple[Any, ...]) -> None:
        self._before = [one.pre_node_execute for one in adapters if isinstance(one, lifecycle.BasePreNodeExecuteAsync)]
        self._after = [one.post_node_execute for one in adapters if isinstance(one, lifecycle.BasePostNodeExecuteAsync)]
        self._hooked = bool(self._before or self._after)

    def do_node_execute(
        self, *, run_id: str, node_: node.Node, kwargs: dict[str, Any], task_id: str | None = None
    ) -> Any:
        pending = {name: value for name, value in kwargs.items() if isinstance(value, asyncio.Future)}
        is_async = inspect.iscoroutinefunction(node_.callable)
        started: asyncio.Future[Any]
        if pending or is_async or self._hooked:
            started = asyncio.ensure_future(self._run(run_id, node_, kwargs, pending, is_async))
        else:
            try:
                return node_.callable(**kwargs)
            except Exception as error:  # noqa: BLE001 - raised again by whoever awaits this node
                started = asyncio.get_running_loop().create_future()
                started.set_exception(error)
        _RUNNING.get().append(started)
        return started

    async def _run(
        self, run_id: str, node_: node.Node, kwargs: dict[str, Any], pending: dict[str, Any], is_async: bool
    ) -> Any:
        if len(pending) == 1:
            ((name, value),) = pending.items()
            kwargs = {**kwargs, name: await value}
        elif pending:
            kwargs = {**kwargs, **dict(zip(pending, await asyncio.gather(*pending.values()), strict=True))}
        if not self._hooked:
            return await node_.callable(**kwargs) if is_async else node_.callable(**kwargs)
        return await self._run_hooked(run_id, node_, kwargs, is_async)

    async def _run_hooked(self, run_id: str, node_: node.Node, kwargs: dict[str, Any], is_async: bool) -> Any:
        # Awaited here and not by way of Hamilton, which would make a task of every call.
        for hook in self._before:
            await hook(run_id=run_id, node_=node_, kwargs=kwargs, task_id=None)
        result, error = None, None
        try:
            result = await node_.callable(**kwargs) if is_async else node_.callable(**kwargs)
        except BaseException as raised:
            error = raised
            raise
        finally:
            for hook in self._after:
                await hook(
                    run_id=run_id,
                    node_=node_,
                    kwargs=kwargs,
                    success=error is None,
                    error=error,
                    result=result,
                    task_id=None,
                )
        return result


async def _end(running: list[asyncio.Future[Any]]) -> None:
    """Cancel what still runs, wait for it, and mark every error as seen."""
    for future in running:
        future.cancel()
    if running:
        await asyncio.gather(*running, return_exceptions=True)


def _inputs_of(driver: OwningDriver, result: str, name: str) -> dict[str, bool]:
    """What the graph takes from outside, and whether it needs that. Refuses a graph with nodes that its result does not
    need."""
    needed, external = driver.graph.get_upstream_nodes([result])
    if idle := sorted(n.name for n in driver.graph.get_nodes() if n not in needed and n not in external):
        raise ValueError(
            f"Pipeline {name}: {result} does not need {', '.join(idle)} (helpers start with an underscore)."
        )
    return {n.name: _is_required(n) for n in sorted(external, key=lambda n: n.name)}


def _is_required(external: node.Node) -> bool:
    uses = (user.input_types[external.name] for user in external.depended_on_by)
    return any(dependency is node.DependencyType.REQUIRED for _, dependency in uses)


class PipelineSpans(
    lifecycle.BasePreGraphExecuteAsync,  # type: ignore[misc]
    lifecycle.BasePostGraphExecuteAsync,  # type: ignore[misc]
    lifecycle.BasePreNodeExecuteAsync,  # type: ignore[misc]
    lifecycle.BasePostNodeExecuteAsync,  # type: ignore[misc]
):
    """Within a traced job, a run of a pipeline is a span, and each of its nodes a span in it, to which the calls that
    the node makes belong. Outside of one (a preparation, an ask that is left out) it does nothing. One instance serves
    every pipeline."""

    def __init__(self) -> None:
        self._pipelines: dict[str, Span] = {}
        self._nodes: dict[tuple[str, str], Span] = {}

    async def pre_graph_execute(self, *, run_id: str, **_: Any) -> None:
        """The pipeline begins."""
        ask = current_span.get()
        if ask is not None:
            self._pipelines[run_id] = ask.child(pipeline_name())

    async def post_graph_execute(self, *, run_id: str, success: bool, error: BaseException | None, **_: Any) -> None:
        """The pipeline ended, or was cancelled: then it has neither a result nor an error."""
        if (span := self._pipelines.pop(run_id, None)) is not None:
            span.end(Outcome(error=None if success else error_code(error)))

    async def pre_node_execute(self, *, run_id: str, node_: Any, **_: Any) -> None:
        """The node's inputs are there. It has a task of its own, which ends with it: so does the current span."""
        if (pipeline := self._pipelines.get(run_id)) is not None:
            span = self._nodes[run_id, node_.name] = pipeline.child(node_.name)
            current_span.set(span)

    async def post_node_execute(self, *, run_id: str, node_: Any, error: BaseException | None, **_: Any) -> None:
        """The node ended, however it did."""
        if (span := self._nodes.pop((run_id, node_.name), None)) is not None:
            span.end(Outcome(error=None if error is None else error_code(error)))
