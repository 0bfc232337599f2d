"""What rule-based translation gives back: a scored reading of the question, or an abstention that says why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RulesMode(StrEnum):
    """How sure rules must be before their SQL stands as the answer."""

    STRICT = "strict"
    BALANCED = "balanced"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something taken for granted. `kind` is a stable name (`partial_column`, `bridge`, …), `text` is for people."""

    kind: str
    text: str


# They weigh in the probability, and say nothing that the result or its joins do not show.
_STRUCTURAL = frozenset(
    {"join", "chain", "link", "inferred_key", "ranked_join", "row_repeats", "counted_once", "distinct_values"}
    | {"default_name", "first_last", "coordinated_table", "repeated_output", "repeated_column", "dropped_table"}
    | {"implicit_group", "name_of_column", "two_sentences", "column_as_table", "table_as_column", "each_row"}
)


@dataclass(frozen=True, slots=True)
class Translation:
    """SQL over the model, in the data source's dialect, with the probability (0–1) that it is right for a business
    user; `benchmark_probability` is that of being what a public benchmark asks for, down to the columns.

    `tables` are the models it reads; `ordered` says whether row order is part of the answer. Where only the first few
    rows are shown, `ranking` is SQL that gives what they are sorted by, a row for each of them and one for the next.
    `modes` are those in which it stands as an answer, where whoever read the question has decided that.
    """

    sql: str
    probability: float
    assumptions: tuple[Assumption, ...]
    tables: tuple[str, ...]
    ordered: bool = False
    ranking: str | None = None
    benchmark_probability: float = 0.0
    modes: frozenset[RulesMode] | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """The assumptions that a person would want to know of: not how names and joins are written down."""
        told = (assumption for assumption in self.assumptions if assumption.kind not in _STRUCTURAL)
        return tuple(dict.fromkeys(assumption.text for assumption in told))


@dataclass(frozen=True, slots=True)
class Abstention:
    """No answer. `reason` is a stable name, `words` are the words of the question that could not be placed (or, for an
    ambiguity, that have several readings), `message` says it to a person, `tables` are what was understood so far."""

    reason: str
    message: str
    words: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
