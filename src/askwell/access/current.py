"""Who calls, for as long as a request is handled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from askwell.errors import NotFound
from askwell.principal import ANYBODY, Principal


@dataclass(frozen=True, slots=True)
class Call:
    """A request of a principal, and the projects that it turned out to be about."""

    principal: Principal
    projects: set[str] = field(default_factory=set)

    def require_project(self, project_id: str) -> None:
        """Raises `NotFound` for a project that is not the caller's, whether there is one or not."""
        if not self.principal.may_use(project_id):
            raise NotFound(
                f"There is no project {project_id[:64]}.", "Name one that you may use; whoever gave you the key knows."
            )
        self.projects.add(project_id)


_current: ContextVar[Call] = ContextVar("askwell-call")


def current_call() -> Call:
    """The request that is handled here; anybody's where nobody has to sign in."""
    return _current.get(None) or Call(ANYBODY)


def known_call() -> Call | None:
    """The request of somebody who signed in; None where nobody has to, or has."""
    return _current.get(None)


@contextmanager
def calling(call: Call) -> Iterator[None]:
    """Everything inside, and every task that begins there, is on behalf of this call."""
    token = _current.set(call)
    try:
        yield
    finally:
        _current.reset(token)
