"""How database engines compare names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

Named = TypeVar("Named")
T = TypeVar("T")

# By the schema and the name of a table that the model does not have, the table of the model that it is; None for none.
Renamed = Callable[[str, str], str | None]


def as_named(schema: str, name: str) -> str | None:
    """Nothing has another name."""
    return None


def fold(name: str) -> str:
    """Lower case for ASCII letters only, as database engines fold names.

    Python's `str.lower` would make the Kelvin sign a "k", and so take two different tables for one.
    """
    if name.isascii():
        return name.lower()
    return "".join(c.lower() if c.isascii() else c for c in name)


class ByFoldedName(Mapping[str, T], Generic[Named, T]):
    """What `look` gives of the things that have these folded names, looked at only when a statement names them."""

    def __init__(self, things: Mapping[str, Named], look: Callable[[Named], T]) -> None:
        self._things = things
        self._look = look
        self._seen: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        if key not in self._seen:
            self._seen[key] = self._look(self._things[key])
        return self._seen[key]

    def __contains__(self, key: object) -> bool:
        return key in self._things

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)
