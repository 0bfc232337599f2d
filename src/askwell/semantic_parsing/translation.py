"""What reading a question without a language model gives: a scored reading, or an abstention that says why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.bindings import Bindings

# The reason of an abstention whose reading is not sure enough to answer unasked.
UNSURE = "unsure"
# That of one over words that nothing is called; its choices are what is near to them.
UNKNOWN_WORD = "unknown_word"
# Nobody reads more of what else a question could mean.
MOST_ALTERNATIVES, MOST_CHOICES = 4, 6
# What a question left open.
About = Literal["column", "date", "table", "join", "period"]


class RulesMode(StrEnum):
    """How sure a reading must be before its SQL stands as the answer."""

    STRICT = "strict"
    BALANCED = "balanced"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something taken for granted. `kind` is a stable name (`partial_column`, `value`, …), `text` is for people. What
    was `taken` is a table or column, where it is one, and a `value` of it, where one was looked for. `said` are the
    words that were taught to mean it."""

    kind: str
    text: str
    taken: str | ColumnRef | None = None
    value: str | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the things that a question could mean. `label` names it among the others, `detail` says more where there
    is more to say; `bindings` hold where it is chosen. It is asked for by another `question`, where there is one."""

    label: str
    bindings: Bindings
    detail: str = ""
    question: str | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """What else could be meant where an answer took something: the table or column that was `taken`, a relationship by
    its name, or a period by its words, which is called `assumed` among the `choices`. `assumption` is the sentence that
    says so to whoever asked, where there is one."""

    about: About
    taken: str | ColumnRef
    assumed: str
    choices: tuple[Choice, ...]
    assumption: str | None = None


@dataclass(frozen=True, slots=True)
class Translation:
    """SQL over the model, in the data source's dialect, with the probability (0–1) that it is right for a business
    user.

    `tables` are the models it reads; `ordered` says whether row order is part of the answer. Where only the first few
    rows are shown, `ranking` is SQL that gives what they are sorted by, a row for each of them and one for the next.
    `modes` are those in which it stands as an answer. It `follows` where it adds to what was asked before. `taught` are
    the words of the question that mean what somebody has taught. `times` are the columns of dates and of years that the
    question means. `alternatives` are what else could be meant; whether that leads to an answer nobody has tried.
    """

    sql: str
    probability: float
    assumptions: tuple[Assumption, ...]
    tables: tuple[str, ...]
    ordered: bool = False
    ranking: str | None = None
    modes: frozenset[RulesMode] = frozenset()
    follows: bool = False
    taught: tuple[str, ...] = ()
    times: frozenset[ColumnRef] = frozenset()
    alternatives: tuple[Alternative, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The assumptions in words, each once."""
        return tuple(dict.fromkeys(assumption.text for assumption in self.assumptions))

    def answers_in(self, mode: RulesMode) -> bool:
        """Whether it is sure enough to be the answer in this mode."""
        return mode in self.modes


@dataclass(frozen=True, slots=True)
class Abstention:
    """No answer. `reason` is a stable name, `words` are the words of the question that could not be placed (or, for an
    ambiguity, that have several readings), `message` says it to a person, `tables` are what was understood so far.
    `choices` are what the question could mean, where whoever asked it can say which."""

    reason: str
    message: str
    words: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()

    @property
    def asks_back(self) -> bool:
        """Whether there would be an answer, were it said which of several things is meant, or that the only reading is
        meant."""
        return len(self.choices) > 1 or (self.reason in (UNSURE, UNKNOWN_WORD) and bool(self.choices))


def leads_on(reading: Translation | Abstention, mode: RulesMode = RulesMode.BALANCED) -> bool:
    """Whether it answers in a mode, or asks back what would lead to an answer."""
    return reading.answers_in(mode) if isinstance(reading, Translation) else reading.asks_back


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question, and the statement that answered it."""

    question: str
    sql: str
