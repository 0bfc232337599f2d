"""Keys of people and programs: made, listed, rotated, revoked. An administrator of some projects sees and makes keys
of those only, and rotates those whose secret was theirs to know."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import APIRouter

from askwell.access.current import current_call
from askwell.access.keys import ApiKeys, NewKey, told, unknown_key
from askwell.errors import Forbidden
from askwell.jobs.request import Identifier
from askwell.knowledge.api_keys import StoredKey
from askwell.web.body_limit import body_limit
from askwell.web.guard import GuardedServices
from askwell.web.responses import CHANGES, ERRORS, NOT_FOUND
from askwell.web.schemas.keys import Key, KeyBody, KeyMade, Keys, RotationBody

MAX_BODY = 256 * 1024


def routes(services: GuardedServices) -> APIRouter:
    """The routes under /keys."""
    router = APIRouter(prefix="/keys", tags=["operations"], route_class=body_limit(MAX_BODY))

    @router.post("", status_code=201, response_model=KeyMade, responses=CHANGES)
    async def create_key(body: KeyBody) -> dict[str, Any]:
        """Make a key. The answer is the only place where the key itself stands."""
        call = current_call()
        for project_id in body.projects or ():
            call.require_project(project_id)
        projects = body.projects
        if projects is None and call.principal.projects is not None:
            projects = sorted(call.principal.projects)
        stored, key = await services.access.keys.create(
            NewKey(body.name, body.role, projects, body.attributes, _in_utc(body.expires_at), call.principal.id)
        )
        return {**told(stored), "key": key}

    @router.get("", response_model=Keys, responses=ERRORS)
    async def list_keys() -> dict[str, Any]:
        """All keys, those that were revoked too, oldest first."""
        return {"keys": [told(one) for one in await services.access.keys.all() if _is_theirs(one)]}

    @router.post("/{key_id}/rotate", response_model=KeyMade, responses=CHANGES | NOT_FOUND)
    async def rotate_key(key_id: Identifier, body: RotationBody) -> dict[str, Any]:
        """Another key in the place of this one: same rights, same owner of what was asked."""
        _require_known_secret(await _theirs(services.access.keys, key_id))
        grace, expires_at = timedelta(seconds=body.grace), _in_utc(body.expires_at)
        stored, key = await services.access.keys.rotate(key_id, grace, expires_at)
        return {**told(stored), "key": key}

    @router.delete("/{key_id}", response_model=Key, responses=NOT_FOUND)
    async def revoke_key(key_id: Identifier) -> dict[str, Any]:
        """Let a key work no more, everywhere within some seconds."""
        await _theirs(services.access.keys, key_id)
        return told(await services.access.keys.revoke(key_id))

    return router


def _in_utc(moment: datetime | None) -> datetime | None:
    """What names no zone is in UTC."""
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


async def _theirs(keys: ApiKeys, key_id: str) -> StoredKey:
    """Raises `NotFound` for a key of projects that are not the caller's."""
    key = await keys.get(key_id)
    if not _is_theirs(key):
        raise unknown_key(key_id)
    return key


def _is_theirs(key: StoredKey) -> bool:
    """A key of no project is of whoever made it, and of administrators of all."""
    caller = current_call().principal
    own = caller.projects
    return own is None or caller.id == key.made_by or (bool(key.projects) and own.issuperset(key.projects or ()))


def _require_known_secret(key: StoredKey) -> None:
    """Raises `Forbidden` where the new secret would open to the caller what the key's owner asked."""
    caller = current_call().principal
    if caller.projects is not None and caller.id not in (key.made_by, f"key:{key.id}"):
        raise Forbidden(
            "Somebody else made this key, and a new secret would open what its owner asked.",
            "Ask the person who made it or an administrator of all projects, or revoke it and make another.",
        )
