"""What the MCP server needs from the rest of the program, and on whose behalf it works."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from askwell.access.caller import CALLER, Caller
from askwell.config.values import PROJECT_ID
from askwell.errors import InvalidRequest
from askwell.jobs.service import JobService
from askwell.messages import say
from askwell.services.knowledge import Knowledge
from askwell.services.projects import ProjectModels
from askwell.tools.base import Caller as ToolCaller
from askwell.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext

PROJECT_HEADER = "X-Askwell-Project"
# In the scope of an HTTP request: an event that is set once nobody can read the answer any more.
GONE = "askwell.gone"
_LONGEST_SHOWN = 64


class McpServices(Protocol):
    """`container.Container` fits, once it is started."""

    @property
    def tools(self) -> Toolbox: ...

    @property
    def projects(self) -> ProjectModels: ...

    @property
    def knowledge(self) -> Knowledge: ...

    @property
    def asks(self) -> JobService[Any, Any]: ...

    @property
    def shared_secret(self) -> bytes:
        """Random bytes that all processes of a service have alike."""
        ...


@dataclass(frozen=True, slots=True)
class Connections:
    """What is known of the connected client. `project_id` is that of a connection without the header, and `timezone` an
    IANA name."""

    project_id: str = "default"
    timezone: str = "UTC"

    def sender_of(self, context: ServerRequestContext[Any, Any]) -> Caller:
        """Who sends a message: the caller of the request over HTTP, else whoever started this."""
        found = context.request.scope.get(CALLER) if context.request is not None else None
        return found if isinstance(found, Caller) else Caller()

    def owner_of(self, context: ServerRequestContext[Any, Any]) -> str:
        """Whose a message is, and of which project. Raises as `project_of`."""
        return f"{self.sender_of(context).principal.id} {self.project_of(context)}"

    def project_of(self, context: ServerRequestContext[Any, Any]) -> str:
        """The project that a message is about, by its header over HTTP. Raises `InvalidRequest` for what is no name of
        a project, and `NotFound` for one that is not the sender's."""
        project_id = self._named(context)
        self.sender_of(context).require_project(project_id, PROJECT_HEADER)
        return project_id

    def _named(self, context: ServerRequestContext[Any, Any]) -> str:
        said = context.request.headers.getlist(PROJECT_HEADER) if context.request is not None else []
        names: set[str] = {name.strip() for name in said if name.strip()}
        if not names:
            return self.project_id
        if len(names) > 1:
            raise InvalidRequest(*say("mcp.project_header_repeated", count=len(names)))
        name = names.pop()
        if not PROJECT_ID.fullmatch(name):
            raise InvalidRequest(*say("mcp.project_header", name=name[:_LONGEST_SHOWN]))
        return name

    def caller_of(self, context: ServerRequestContext[Any, Any]) -> ToolCaller:
        """On whose behalf a message is handled."""
        return ToolCaller(
            self.project_of(context),
            datetime.now(UTC),
            timezone=self.timezone,
            person=self.sender_of(context).person,
        )
