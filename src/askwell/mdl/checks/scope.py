"""What every check is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from askwell.mdl.lookup import Lookup
from askwell.mdl.manifest import Manifest
from askwell.mdl.names import nearest, nearest_hint
from askwell.mdl.problems import Findings, item, shown
from askwell.mdl.types import COMMON_TYPES, is_sql_type


@dataclass(frozen=True, slots=True)
class Scope:
    """The manifest as far as it could be read, and where to put what is wrong with it.

    `broken` are parts that were left out because of their shape, which is reported already; `positions` where entries
    stood in their lists.
    """

    manifest: Manifest
    lookup: Lookup
    findings: Findings
    dialect: str
    broken: frozenset[tuple[str, ...]]
    positions: Mapping[int, int]

    def at(self, kind: str, entry: object, position: int, name: object) -> str:
        """The place of an entry in its list."""
        return item(kind, self.positions.get(id(entry), position), name)

    def is_broken(self, *names: str) -> bool:
        """Whether a part of that name is there, but in a bad shape, so that nothing can be said about it."""
        return tuple(name.lower() for name in names) in self.broken

    def dangling(self, where: str, name: str, what: str, valid: Iterable[str]) -> None:
        """Refuse a name that refers to nothing."""
        hint = nearest_hint(name, valid)
        self.findings.refuse(where, f'"{shown(name)}" is not {what}', hint or "Add it, or correct the name.")

    def check_type(self, where: str, type_name: str) -> None:
        """Warn of a type that no database has and the manifest does not define."""
        name = type_name.strip()
        if not name or name.lower() in self.lookup.enums or self.is_broken(name):
            return
        if self.findings.enough_warnings or is_sql_type(name, self.dialect):
            return
        model = self.lookup.model(name)
        if model is not None:
            what = f'its type is the model {model.name}, but it names no "relationship"'
            self.findings.warn(where, what, "Name the relationship that leads there, or give it a SQL type.")
            return
        near = nearest(name, [*(enum.name for enum in self.manifest.enum_definitions), *COMMON_TYPES])
        hint = (
            f"Nearest: {', '.join(near)}." if near else "Use one such as INTEGER, DOUBLE, VARCHAR, DATE or TIMESTAMP."
        )
        self.findings.warn(where, f'its type "{shown(name)}" is neither a SQL type nor an enum of the model', hint)
