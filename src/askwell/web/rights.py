"""Which role each route takes. A route that is not here is refused to everybody, where people sign in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fastapi import Request

from askwell.access.current import current_call
from askwell.errors import Forbidden
from askwell.job_kinds import KINDS
from askwell.principal import Role

# By the path without its prefix: the role of each method.
_TABLE: Mapping[str, Mapping[str, Role]] = {
    "/asks": {"GET": "ask", "POST": "ask"},
    "/asks/{query_id}": {"GET": "ask", "PATCH": "ask"},
    "/asks/{query_id}/result": {"GET": "ask"},
    "/asks/{query_id}/streaming-result": {"GET": "ask"},
    "/asks/{query_id}/events": {"GET": "ask"},
    "/asks/{query_id}/corrections": {"POST": "ask"},
    # That an answer is wrong; what is right takes `curate`, as it answers everybody's question from then on.
    "/asks/{query_id}/feedback": {"POST": "ask"},
    "/sql-runs": {"POST": "ask"},
    "/sql-exports": {"POST": "ask"},
    "/sql-checks": {"POST": "ask"},
    "/charts/{job_id}/image.svg": {"GET": "ask"},
    "/charts/{job_id}/image.png": {"GET": "ask"},
    "/chart-adjustments/{job_id}/image.svg": {"GET": "ask"},
    "/chart-adjustments/{job_id}/image.png": {"GET": "ask"},
    "/agent": {"POST": "ask"},
    "/ui-messages": {"POST": "ask"},
    "/chat/completions": {"POST": "ask"},
    "/models": {"GET": "ask"},
    "/chats": {"POST": "ask"},
    "/runs/{run_id}": {"GET": "ask", "PATCH": "ask"},
    "/runs/{run_id}/events": {"GET": "ask"},
    "/runs/{run_id}/input": {"POST": "ask"},
    "/threads": {"GET": "ask", "POST": "ask"},
    "/threads/{thread_id}": {"GET": "ask", "PATCH": "ask", "DELETE": "ask"},
    "/threads/{thread_id}/messages": {"GET": "ask"},
    "/agents": {"GET": "ask"},
    "/agents/{agent_id}": {"GET": "ask", "PUT": "curate", "DELETE": "curate"},
    "/sql-pairs": {"GET": "curate", "POST": "curate", "DELETE": "curate"},
    "/sql-pairs/{event_id}": {"GET": "curate"},
    "/sql-pairs/{job_id}/events": {"GET": "curate"},
    "/instructions": {"GET": "curate", "POST": "curate", "DELETE": "curate"},
    "/instructions/{event_id}": {"GET": "curate"},
    "/instructions/{job_id}/events": {"GET": "curate"},
    "/keywords": {"GET": "curate", "POST": "curate", "DELETE": "curate"},
    "/lessons": {"GET": "curate", "POST": "curate", "DELETE": "curate"},
    "/lessons/export": {"GET": "curate"},
    "/lessons/import": {"POST": "curate"},
    "/lessons/model-patch": {"GET": "curate"},
    "/lessons/{lesson_id}": {"PATCH": "curate"},
    "/lessons/{lesson_id}/revert": {"POST": "curate"},
    "/documents": {"GET": "ask", "POST": "curate"},
    "/documents/search": {"POST": "ask"},
    "/documents/events/{event_id}": {"GET": "curate"},
    "/documents/events/{event_id}/events": {"GET": "curate"},
    "/documents/{document_id}": {"GET": "ask", "DELETE": "curate"},
    "/documents/{document_id}/chunks": {"GET": "ask"},
    "/semantics-preparations": {"POST": "admin"},
    "/semantics-preparations/{mdl_hash}/status": {"GET": "curate"},
    "/semantics-preparations/{mdl_hash}/events": {"GET": "curate"},
    "/semantics": {"GET": "ask", "PATCH": "curate", "DELETE": "admin"},
    "/projects": {"GET": "ask"},
    "/projects/{project_id}/archive": {"GET": "admin", "PUT": "admin"},
    "/keys": {"GET": "admin", "POST": "admin"},
    "/keys/{key_id}": {"DELETE": "admin"},
    "/keys/{key_id}/rotate": {"POST": "admin"},
    "/uploads": {"POST": "admin"},
    "/uploads/{project_id}": {"DELETE": "admin"},
    "/usage": {"GET": "curate"},
    "/metrics": {"GET": "ask"},
    "/me": {"GET": "ask"},
    "/sign-out": {"POST": "ask"},
}
# Answered to whoever reaches the service: load balancers and orchestrators need no key, and nobody to sign in.
READY = "/health/ready"
OPEN = frozenset({"/health", "/health/live", READY, "/sign-in", "/sign-in/callback"})
# Outside of the routes.
_ELSEWHERE: Mapping[str, Role] = {
    "/mcp": "ask",
    "/docs": "ask",
    "/openapi.json": "ask",
}


def _of_kinds() -> Iterator[tuple[str, Mapping[str, Role]]]:
    """Jobs around an answer are asked for like answers."""
    for kind in KINDS:
        job = f"/{kind.path}/{{job_id}}"
        yield f"/{kind.path}", {"POST": "ask"}
        yield f"{job}/events", {"GET": "ask"}
        if kind.result_path:
            yield job, {"PATCH": "ask"}
            yield f"{job}{kind.result_path}", {"GET": "ask"}
        else:
            yield job, {"PATCH": "ask", "GET": "ask"}
        if kind.stream_path:
            yield f"{job}{kind.stream_path}", {"GET": "ask"}


_ROLES: Mapping[str, Mapping[str, Role]] = {**dict(_of_kinds()), **_TABLE}


def role_of(path: str, method: str) -> Role | None:
    """The role that a route takes (its pattern, without the prefix); None where the table does not have it."""
    return _ROLES.get(path, {}).get(method)


def role_elsewhere(path: str) -> Role | None:
    """The role that an address outside of the routes takes."""
    return _ELSEWHERE.get(path)


def require_role(role: Role | None) -> None:
    """Raises `Forbidden` where the caller does not have the role, and for what no role is known of."""
    if role is None:
        raise Forbidden(
            "Nobody may use this address.", "It is missing in the table of roles of this Askwell: report it."
        )
    call = current_call()
    if not call.principal.may(role):
        raise Forbidden(
            f"This takes the role {role}; yours is {call.principal.role}.",
            "Ask whoever gives out the keys of this service for one with that role.",
        )


async def allowed(request: Request) -> None:
    """For every route: raises `Forbidden` where the caller may not use it."""
    path = request.scope["route"].path.removeprefix("/v1")
    if path not in OPEN:
        require_role(role_of(path, request.method))
