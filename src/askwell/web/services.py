"""All that the routes need from the rest of the program, in one place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias

from fastapi import FastAPI

from askwell.errors import AskwellError

if TYPE_CHECKING:
    from typing import Any

    from askwell.agent.service import Conversations as OpenConversations
    from askwell.container import Container
    from askwell.jobs.service import JobService
    from askwell.web.guard.conversations import GuardedConversations
    from askwell.web.guard.jobs import GuardedJobs
    from askwell.web.guard.services import GuardedServices

# The service container, and what it has, as anybody may use it or as one caller may.
Services: TypeAlias = "Container | GuardedServices"
Conversations: TypeAlias = "OpenConversations | GuardedConversations"
JobDoor: TypeAlias = "JobService[Any, Any] | GuardedJobs"


@asynccontextmanager
async def running(app: FastAPI, services: Services, *also: Awaitable[None]) -> AsyncIterator[None]:
    """Starts the services, with what is to be done at the same time, and stops them at the end."""
    try:
        await asyncio.gather(services.start(), *also)
    except AskwellError as error:
        # For whoever runs the server: uvicorn itself only tells that starting failed.
        app.state.start_error = error
        raise
    try:
        yield
    finally:
        await services.stop()
