"""Who calls."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from askwell.access.current import current_call
from askwell.web.schemas.me import Me
from askwell.web.session_cookies import CSRF_TOKEN


def routes() -> APIRouter:
    """The route /me."""
    router = APIRouter(tags=["operations"])

    @router.get("/me")
    async def me(request: Request, response: Response) -> Me:
        """Who you are, what you may do, and what changes have to bring along where a browser's session makes them."""
        response.headers["Cache-Control"] = "no-store"
        caller = current_call().principal
        projects = None if caller.projects is None else sorted(caller.projects)
        return Me(name=caller.name, role=caller.role, projects=projects, csrf_token=request.scope.get(CSRF_TOKEN))

    return router
