"""What a fan-out is, and finding those of a statement."""

from __future__ import annotations

from dataclasses import dataclass

from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.bound import BoundSql


@dataclass(frozen=True, slots=True)
class FanOut:
    """An aggregate over rows that a join repeats.

    `sentence` says, for people and for the model that corrects, which aggregate, which table's rows are repeated and by
    which join, and what to write instead. `inflates` is True where the result is wrong in almost every case (SUM): the
    model is asked once to write it anew. Otherwise (AVG, COUNT) the sentence is only a note.
    """

    aggregate: str
    sentence: str
    inflates: bool


def find_fan_outs(bound: BoundSql, model: SemanticModel) -> tuple[FanOut, ...]:
    """The aggregates of `bound` that joins inflate, by the keys and relationship cardinalities of `model`."""
    return ()
