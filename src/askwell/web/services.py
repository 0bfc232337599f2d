"""All that the routes need from the rest of the program, in one place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol

from fastapi import FastAPI

from askwell.errors import AskwellError
from askwell.observability.metrics import Metrics
from askwell.observability.tracing import Tracing
from askwell.web.ports.answers import AskCorrections, AskFeedback, ChartPictures, History, Statements, Vega
from askwell.web.ports.conversations import Conversations
from askwell.web.ports.jobs import JobDoor
from askwell.web.ports.projects import Archives, Documents, Knowledge, Lessons, Preparation, SemanticModels, Uploads


class Services(Protocol):
    """The service container as the web sees it."""

    @property
    def asks(self) -> JobDoor: ...

    @property
    def jobs(self) -> Mapping[str, JobDoor]:
        """The other kinds of jobs, by name."""
        ...

    @property
    def history(self) -> History: ...

    @property
    def feedback(self) -> AskFeedback: ...

    @property
    def corrections(self) -> AskCorrections: ...

    @property
    def lessons(self) -> Lessons: ...

    @property
    def documents(self) -> Documents: ...

    @property
    def uploads(self) -> Uploads: ...

    @property
    def archives(self) -> Archives: ...

    @property
    def statements(self) -> Statements: ...

    @property
    def conversations(self) -> Conversations: ...

    @property
    def chart_images(self) -> ChartPictures: ...

    @property
    def vega(self) -> Vega: ...

    @property
    def preparation(self) -> Preparation: ...

    @property
    def semantic_models(self) -> SemanticModels: ...

    @property
    def knowledge(self) -> Knowledge: ...

    @property
    def metrics(self) -> Metrics: ...

    @property
    def tracing(self) -> Tracing: ...

    @property
    def ending(self) -> asyncio.Event:
        """Set when the service is about to end: streams that are open then have to end too."""
        ...

    async def start(self) -> None:
        """Open what has to be open before the first request; take up unfinished work."""
        ...

    async def stop(self) -> None:
        """Drain and let go of everything. Safe to call twice."""
        ...

    async def readiness(self) -> Mapping[str, Mapping[str, Any]]:
        """Each dependency by name: `{ok, message}`."""
        ...


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
