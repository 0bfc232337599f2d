"""Haystack components that the configuration names: a class by its path, made with the parameters beside it, and what
their failures mean. Only the operator's configuration leads to an import here.

Making one imports Haystack: import it inside the function that needs it.
"""

from __future__ import annotations

import asyncio
import difflib
import inspect
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from typing import Any, Literal

from askwell.errors import ConfigurationError
from askwell.messages import say
from askwell.providers.model_server import CallFailed, Late, NotConnected, ServerRefused
from askwell.providers.secrets import without_secrets

Kind = Literal["chat_generator", "embedder", "document_store"]

# What `run` of a component has to take, and may not need anything beside.
_TAKEN = {"chat_generator": ({"messages"},), "embedder": ({"documents"}, {"text"})}
_STORE_METHODS = ("count_documents", "filter_documents", "write_documents", "delete_documents")
_FOLDERS = frozenset({"generators", "embedders", "document_stores", "retrievers"})


class ComponentFailed(CallFailed):
    """A component raised something that says neither of a status nor of a connection."""


@dataclass(slots=True)
class Component:
    """A component, the path of its class, and its secrets by the variables that hold them."""

    instance: Any
    path: str
    secrets: Mapping[str, str]
    _warming: asyncio.Task[None] | None = None

    @property
    def takes(self) -> frozenset[str]:
        """The parameters of its `run`."""
        return frozenset(inspect.signature(self.instance.run).parameters)

    async def run(self, **given: Any) -> dict[str, Any]:
        """What it gives, by its `run_async` where it has one. Otherwise a thread runs it, which cannot be stopped: what
        is late ends by the component's own time limit."""
        if callable(warm_up := getattr(self.instance, "warm_up", None)):  # some load their model in it
            if self._warming is None or (self._warming.done() and self._warming.exception() is not None):
                self._warming = asyncio.create_task(asyncio.to_thread(warm_up))
            await asyncio.shield(self._warming)
        run_async = getattr(self.instance, "run_async", None)
        found: dict[str, Any] = await (
            run_async(**given) if run_async else asyncio.to_thread(self.instance.run, **given)
        )
        return found

    async def close(self) -> None:
        """Let go of connections, where it has a way to."""
        for close in (getattr(self.instance, name, None) for name in ("close_async", "close")):
            if callable(close) and inspect.isawaitable(done := close()):
                await done


def create_component(kind: Kind, path: str, init: Mapping[str, Any]) -> Component:
    """An instance of the class at `path`. Secrets in `init` have Haystack's form, `{type: env_var, env_vars: [NAME]}`;
    devices and nested objects too. Connects to nothing yet. Raises `ConfigurationError`."""
    from haystack.core.serialization import default_from_dict, generate_qualified_class_name

    found = _class_at(path)
    if not _is_of_kind(found, kind):
        raise ConfigurationError(*say("component.of_another_kind", path=path, kind=kind.replace("_", " ")))
    given = _with_secrets(init)
    if "progress_bar" in inspect.signature(found).parameters:  # a log is no place for one
        given.setdefault("progress_bar", False)
    try:
        made: Any = default_from_dict(found, {"type": generate_qualified_class_name(found), "init_parameters": given})
    except Exception as error:  # noqa: BLE001 - whatever it does not like of its parameters
        said = str(error) or type(error).__name__
        reason = without_secrets(said, tuple(_secrets_of(given.values()).values()))[:300]
        raise ConfigurationError(*say("component.not_made", path=path, reason=reason)) from None
    return Component(made, path, _secrets_of(vars(made).values()))


def call_failure(error: BaseException) -> CallFailed:
    """What a component's error means: the server's refusal, that nobody takes the connection, that it is late, or
    else `ComponentFailed` with its words."""
    for one in _chain(error):
        name = type(one).__name__
        status = getattr(one, "status_code", None) or getattr(getattr(one, "response", None), "status_code", None)
        if isinstance(status, int) and 400 <= status < 600:
            said = getattr(one, "body", None) or getattr(one, "error", None) or str(one)
            return ServerRefused(status, said, getattr(getattr(one, "response", None), "headers", {}))
        if isinstance(one, TimeoutError) or "Timeout" in name:
            return Late(str(one))
        if isinstance(one, ConnectionError) or "Connect" in name:
            return NotConnected(str(one))
    return ComponentFailed(str(error) or type(error).__name__)


def failure_name(error: BaseException) -> str:
    """The same as a name in a `failures.yaml`."""
    names = {NotConnected: "component_unreachable", Late: "component_late"}
    return names.get(type(call_failure(error)), "component_failed")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(6):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _class_at(path: str) -> type:
    module, _, name = path.rpartition(".")
    try:
        there = import_module(module)
    except ImportError as error:
        missing = error.name or module
        package = _package(path) if path.startswith(missing) else missing
        raise ConfigurationError(*say("component.not_installed", path=path, package=package)) from None
    if not isinstance(found := getattr(there, name, None), type):
        close = difflib.get_close_matches(name, dir(there), n=1)
        near = f" Did you mean {module}.{close[0]}?" if close else ""
        raise ConfigurationError(*say("component.no_such_class", path=path, module=module, near=near))
    return found


def _package(path: str) -> str:
    """The package that has a class: of the integrations, the folder behind the kind of component is its name."""
    parts = path.split(".")
    if parts[0] == "haystack_integrations":
        named = [after for before, after in pairwise(parts) if before in _FOLDERS]
        return f"{named[0].replace('_', '-')}-haystack" if named else "that integration's package"
    return parts[0]


def _is_of_kind(found: type, kind: Kind) -> bool:
    from haystack.core.component.component import ComponentMeta

    if kind == "document_store":
        return all(callable(getattr(found, name, None)) for name in _STORE_METHODS)
    if not isinstance(found, ComponentMeta):
        return False
    parameters = list(inspect.signature(inspect.getattr_static(found, "run")).parameters.values())[1:]
    needed = {one.name for one in parameters if one.default is one.empty and one.kind is not one.VAR_KEYWORD}
    return needed in _TAKEN[kind]


def _secrets_of(values: Iterable[Any]) -> dict[str, str]:
    """Those of Haystack's secrets that are set, by their variables."""
    from haystack.utils import Secret

    names = [name for one in values if isinstance(one, Secret) for name in getattr(one, "_env_vars", ())]
    return {name: os.environ[name] for name in names if os.environ.get(name)}


def _with_secrets(value: Any) -> Any:
    """The parameters with Haystack's secrets in their places."""
    from haystack.utils import Secret

    if isinstance(value, Mapping):
        names = value.get("env_vars")
        if value.get("type") in ("env_var", "env_vars") and names:
            names = [names] if isinstance(names, str) else list(names)
            return Secret.from_env_var(names, strict=value.get("strict", True))
        return {name: _with_secrets(one) for name, one in value.items()}
    return [_with_secrets(one) for one in value] if isinstance(value, list | tuple) else value
