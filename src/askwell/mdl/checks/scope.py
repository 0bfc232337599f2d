"""What every check is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from askwell.mdl.lookup import Lookup
from askwell.mdl.manifest import Manifest
from askwell.mdl.names import nearest_hint
from askwell.mdl.problems import Findings, item, shown


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
