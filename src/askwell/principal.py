"""Who asks: what was found out about a caller, and what of that goes along with the work done for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

# What a caller may do, each with what stands before it: ask and read what was asked; change what the project knows;
# models, keys and the like.
Role = Literal["ask", "curate", "admin"]
ROLES: tuple[Role, ...] = ("ask", "curate", "admin")


@dataclass(frozen=True, slots=True)
class Person:
    """For whom work is done. `id` is empty where nobody had to sign in. `session_properties` are what row and column
    rules may refer to, by name, as SQL literals; `database_role` is the role that statements take on in databases that
    know roles. Who `may_curate` is also told what there is to teach and to set up."""

    id: str = ""
    session_properties: Mapping[str, str] = field(default_factory=dict)
    database_role: str | None = None
    may_curate: bool = True

    @property
    def has_signed_in(self) -> bool:
        """Whether it is known who this is."""
        return bool(self.id)

    def to_json(self) -> dict[str, Any]:
        """The person as the record keeps it with a job."""
        return {
            "id": self.id,
            "session_properties": dict(self.session_properties),
            "database_role": self.database_role,
            "may_curate": self.may_curate,
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any] | None) -> Person:
        """The person back from the record; fields of another version are left out."""
        if kept is None:
            return NOBODY
        properties = dict(kept.get("session_properties", {}))
        return cls(kept.get("id", ""), properties, kept.get("database_role"), kept.get("may_curate", True))


NOBODY = Person()


@dataclass(frozen=True, slots=True)
class Principal:
    """Who calls. `name` is for people to read. Without `projects` every project is theirs."""

    person: Person
    name: str
    role: Role
    projects: frozenset[str] | None = None

    @property
    def id(self) -> str:
        """Tells one caller from another, in the record and in the audit log."""
        return self.person.id

    def may(self, role: Role) -> bool:
        """Whether the caller may do what this role may."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def may_use(self, project_id: str) -> bool:
        """Whether the project is one of the caller's."""
        return self.projects is None or project_id in self.projects


# Whoever reaches a service without sign-in.
ANYBODY = Principal(NOBODY, "anybody", "admin")
