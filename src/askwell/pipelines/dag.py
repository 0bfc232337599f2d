"""One pipeline as a Hamilton graph: built once, refused when it is wired wrongly, owned while it runs.

A pipeline is a module (or several) of functions. Each function is a node, named for the value it gives; its parameters
are the nodes or inputs it needs. Helpers start with `_`, or Hamilton takes them for nodes. The last node is what the
pipeline gives, and is named to `Dag` by the function itself, so that the result is typed:

    dag = Dag(sql_generation, result=sql_generation.sql_reply)
    reply = await dag.run(question=question, context=context)      # a SqlReply

This is the only file that imports Hamilton's driver. What it adds to it:
- an input that is missing, unknown or of another class is refused with a message that names it;
- when a node fails, or the run is cancelled, every node still running is cancelled and awaited before `run` returns;
- errors come out as they were raised, and Hamilton's log of a failed node's inputs (prompts, rows) is silenced;
- a plain function whose inputs are ready runs at once instead of in a task of its own.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import types
import typing
from collections.abc import Callable, Coroutine, Sequence
from contextvars import ContextVar
from types import ModuleType
from typing import Any, Generic, TypeVar, overload

from hamilton import base, node
from hamilton.async_driver import AsyncDriver
from hamilton.driver import Driver
from hamilton.lifecycle.base import (
    BaseDoNodeExecute,
    BasePostNodeExecute,
    BasePostNodeExecuteAsync,
    BasePreNodeExecute,
    BasePreNodeExecuteAsync,
)

T = TypeVar("T")

# The futures of the run that is being executed in this context: what has to be cancelled when it ends early.
_RUNNING: ContextVar[list[asyncio.Future[Any]]] = ContextVar("askwell_dag_running")
_NAME: ContextVar[str] = ContextVar("askwell_dag_name")


def pipeline_name() -> str:
    """The pipeline that is being run in this context."""
    return _NAME.get()


class Dag(Generic[T]):
    """A pipeline that gives the value of one final node.

    `modules` hold the nodes, `result` is the final one. The pipeline is called `name`, or else like its first module.
    `adapters` are Hamilton lifecycle adapters (tracing); their node hooks have to be the async ones, because only those
    see a node's run rather than its scheduling. `pipeline_name` tells them which pipeline it is.
    Raises `ValueError` for a module with a function that the result does not need (often a helper without its `_`).
    """

    @overload
    def __init__(
        self: Dag[T],
        *modules: ModuleType,
        result: Callable[..., Coroutine[Any, Any, T]],
        name: str = "",
        adapters: Sequence[Any] = (),
    ) -> None: ...
    @overload
    def __init__(
        self: Dag[T], *modules: ModuleType, result: Callable[..., T], name: str = "", adapters: Sequence[Any] = ()
    ) -> None: ...
    def __init__(
        self, *modules: ModuleType, result: Callable[..., Any], name: str = "", adapters: Sequence[Any] = ()
    ) -> None:
        _silence_hamilton()
        _refuse_sync_node_hooks(adapters)
        self.name = name or modules[0].__name__.rpartition(".")[2]
        self._result = result.__name__
        self._driver = _OwningDriver(modules, tuple(adapters))
        self._inputs = _inputs_of(self._driver, self._result, self.name)

    @property
    def inputs(self) -> frozenset[str]:
        """The names `run` takes."""
        return frozenset(self._inputs)

    async def run(self, **inputs: object) -> T:
        """The final node's value. Raises `TypeError` for inputs that do not fit, else whatever a node raised."""
        self._check(inputs)
        await self._driver.ainit()  # does nothing but the first time
        running: list[asyncio.Future[Any]] = []
        token, name_token = _RUNNING.set(running), _NAME.set(self.name)
        try:
            values = await self._driver.execute([self._result], inputs=inputs)
        finally:
            _RUNNING.reset(token)
            _NAME.reset(name_token)
            await _end(running)
        return typing.cast(T, values[self._result])

    def _check(self, inputs: dict[str, object]) -> None:
        if unknown := sorted(inputs.keys() - self._inputs.keys()):
            raise TypeError(f"Pipeline {self.name} takes no {', '.join(unknown)}; it takes {', '.join(self._inputs)}.")
        for name, wanted in self._inputs.items():
            if name not in inputs:
                if wanted.required:
                    raise TypeError(f"Pipeline {self.name} was not given {name}.")
            elif wanted.classes is not None and not isinstance(inputs[name], wanted.classes):
                given = type(inputs[name]).__name__
                raise TypeError(f"Pipeline {self.name} was given a {given} as {name}, which is {wanted.annotation}.")


class _Input(typing.NamedTuple):
    """An input of a graph. `classes` is None where the annotation says more than `isinstance` can check cheaply."""

    required: bool
    classes: tuple[type, ...] | None
    annotation: str


class _OwningDriver(AsyncDriver):  # type: ignore[misc]
    """Hamilton's async driver with `_NodeTasks` in place of the node execution that it wires in by itself."""

    def __init__(self, modules: tuple[ModuleType, ...], adapters: tuple[Any, ...]) -> None:
        Driver.__init__(self, {}, *modules, adapter=[_NodeTasks(adapters), base.DictResult(), *adapters])
        self.initialized = False


class _NodeTasks(BaseDoNodeExecute):  # type: ignore[misc]
    """Runs each node as a task owned by the run, as soon as its inputs are there."""

    def __init__(self, adapters: tuple[Any, ...]) -> None:
        self._before = [one.pre_node_execute for one in adapters if isinstance(one, BasePreNodeExecuteAsync)]
        self._after = [one.post_node_execute for one in adapters if isinstance(one, BasePostNodeExecuteAsync)]
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


def _inputs_of(driver: AsyncDriver, result: str, name: str) -> dict[str, _Input]:
    """What the graph takes from outside. Refuses a graph with nodes that its result does not need."""
    needed, external = driver.graph.get_upstream_nodes([result])
    if idle := sorted(n.name for n in driver.graph.get_nodes() if n not in needed and n not in external):
        raise ValueError(
            f"Pipeline {name}: {result} does not need {', '.join(idle)} (helpers start with an underscore)."
        )
    return {
        n.name: _Input(_is_required(n), _classes(n.type), str(n.type)) for n in sorted(external, key=lambda n: n.name)
    }


def _is_required(external: node.Node) -> bool:
    uses = (user.input_types[external.name] for user in external.depended_on_by)
    return any(dependency is node.DependencyType.REQUIRED for _, dependency in uses)


def _classes(annotation: Any) -> tuple[type, ...] | None:
    """The classes a value may have, or None for generics, protocols, literals and callables."""
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        members = [_classes(member) for member in typing.get_args(annotation)]
        if any(member is None for member in members):
            return None
        return tuple(cls for member in members if member for cls in member)
    if annotation is float:
        return (float, int)
    if annotation is Any or not isinstance(annotation, type):
        return None
    if getattr(annotation, "_is_protocol", False) or typing.is_typeddict(annotation):
        return None
    return (annotation,)


def _refuse_sync_node_hooks(adapters: Sequence[Any]) -> None:
    for adapter in adapters:
        if isinstance(adapter, BasePreNodeExecute | BasePostNodeExecute):
            raise ValueError(f"{type(adapter).__name__} has plain node hooks; a Dag needs the async ones.")


def _silence_hamilton() -> None:
    """Hamilton logs a failed node with all its inputs. Failures are logged by whoever runs the pipeline."""
    logging.getLogger("hamilton").setLevel(logging.CRITICAL + 1)
