"""What was said by now of the parameters of a saved question, and what is asked of them, as values that outlive a
restart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from askwell.question.slots import Value


@dataclass(frozen=True, slots=True)
class ClarificationField:
    """A parameter that is asked for. `type` is a SQL type; `default` holds where it is left out."""

    name: str
    type: str
    required: bool
    description: str | None = None
    default: Value | None = None

    def rendered(self) -> dict[str, Any]:
        """As clients see it, and as the record keeps it."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class Filling:
    """The values of a saved question's parameters, by name. `reply` is an answer in words that nobody has read yet;
    `fruitless` counts answers that gave nothing. `is_asked`: parameters that may be left out were asked for by
    themselves. `is_skipped`: what has no value by now gets none."""

    pair_id: str
    values: Mapping[str, Value] = field(default_factory=dict)
    reply: str | None = None
    fruitless: int = 0
    is_asked: bool = False
    is_skipped: bool = False

    def to_json(self) -> dict[str, Any]:
        """As the record keeps it."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Back from the record."""
        return cls(**kept)
