"""Keys of people and programs: made, listed, rotated, revoked. An administrator of some projects sees and makes keys
of those only, and rotates those whose secret was theirs to know."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from askwell.access.caller import Caller
from askwell.access.keys import ApiKeys, NewKey, told, unknown_key
from askwell.errors import Forbidden
from askwell.field_types import Identifier
from askwell.jobs.request import ProjectId
from askwell.knowledge.api_keys import StoredKey
from askwell.messages import say
from askwell.principal import Role
from askwell.web.deps import AnyCaller
from askwell.web.responses import CHANGES, ERRORS, NOT_FOUND
from askwell.web.routing import router as new_router

if TYPE_CHECKING:
    from askwell.container import Container

MAX_BODY = 256 * 1024


AttributeName = Annotated[str, StringConstraints(min_length=1, max_length=256)]
AttributeText = Annotated[str, StringConstraints(max_length=1_000)]


class KeyBody(BaseModel):
    """A key that is to be made. Without `projects` it is for all, without `expires_at` for good. `attributes` are what
    the configuration makes session properties and a database role of."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200)
    role: Role = "ask"
    projects: list[ProjectId] | None = Field(None, max_length=1_000)
    attributes: dict[AttributeName, AttributeText] = Field(default_factory=dict, max_length=50)
    expires_at: datetime | None = None


class RotationBody(BaseModel):
    """For how many seconds the key before works too. `expires_at` is when the key is over from now on."""

    model_config = ConfigDict(extra="forbid")

    grace: int = Field(3_600, ge=0, le=2_592_000)
    expires_at: datetime | None = None


class Key(BaseModel):
    """A key without the key itself. `used_at` is coarse: to the hour."""

    model_config = ConfigDict(extra="forbid")

    id: str
    name: str
    role: Role
    projects: list[str] | None
    attributes: dict[str, str]
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None


class KeyMade(Key):
    """The key itself is told this once."""

    key: str


class Keys(BaseModel):
    model_config = ConfigDict(extra="forbid")

    keys: list[Key]


def routes(services: Container) -> APIRouter:
    """The routes under /keys."""
    router = new_router("/keys", tag="operations", role="admin", most_bytes=MAX_BODY)

    @router.post("", status_code=201, response_model=KeyMade, responses=CHANGES)
    async def create_key(caller: AnyCaller, body: KeyBody) -> dict[str, Any]:
        """Make a key. The answer is the only place where the key itself stands."""
        for project_id in body.projects or ():
            caller.require_project(project_id)
        projects = body.projects
        if projects is None and caller.principal.projects is not None:
            projects = sorted(caller.principal.projects)
        stored, key = await _keys(services).create(
            NewKey(body.name, body.role, projects, body.attributes, _in_utc(body.expires_at), caller.principal.id)
        )
        return {**told(stored), "key": key}

    @router.get("", response_model=Keys, responses=ERRORS)
    async def list_keys(caller: AnyCaller) -> dict[str, Any]:
        """All keys, those that were revoked too, oldest first."""
        return {"keys": [told(one) for one in await _keys(services).all() if _is_theirs(caller, one)]}

    @router.post("/{key_id}/rotate", response_model=KeyMade, responses=CHANGES | NOT_FOUND)
    async def rotate_key(caller: AnyCaller, key_id: Identifier, body: RotationBody) -> dict[str, Any]:
        """Another key in the place of this one: same rights, same owner of what was asked."""
        _require_known_secret(caller, await _theirs(caller, _keys(services), key_id))
        grace, expires_at = timedelta(seconds=body.grace), _in_utc(body.expires_at)
        stored, key = await _keys(services).rotate(key_id, grace, expires_at)
        return {**told(stored), "key": key}

    @router.delete("/{key_id}", response_model=Key, responses=NOT_FOUND | CHANGES)
    async def revoke_key(caller: AnyCaller, key_id: Identifier) -> dict[str, Any]:
        """Let a key work no more, everywhere within some seconds."""
        await _theirs(caller, _keys(services), key_id)
        return told(await _keys(services).revoke(key_id))

    return router


def _keys(services: Container) -> ApiKeys:
    assert services.access is not None
    return services.access.keys


def _in_utc(moment: datetime | None) -> datetime | None:
    """What names no zone is in UTC."""
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


async def _theirs(caller: Caller, keys: ApiKeys, key_id: str) -> StoredKey:
    """Raises `NotFound` for a key of projects that are not the caller's."""
    key = await keys.get(key_id)
    if not _is_theirs(caller, key):
        raise unknown_key(key_id)
    return key


def _is_theirs(caller: Caller, key: StoredKey) -> bool:
    """A key of no project is of its maker, and of administrators of all."""
    own = caller.principal.projects
    return (
        own is None or caller.principal.id == key.made_by or (bool(key.projects) and own.issuperset(key.projects or ()))
    )


def _require_known_secret(caller: Caller, key: StoredKey) -> None:
    """Raises `Forbidden` where the new secret would open to the caller what the key's owner asked."""
    principal = caller.principal
    if principal.projects is not None and principal.id not in (key.made_by, f"key:{key.id}"):
        raise Forbidden(*say("keys.rotate_others"))
