"""An ask as accepted: what it asks for, what it asks back and what has been answered to that, and how far a language
model has come in choosing tables for it. The record keeps `to_json`."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import PlainSerializer, PlainValidator, TypeAdapter

from askwell.knowledge.saved import AskedParameter
from askwell.pipelines.generation.question import QueryRequirements, TableVerdict
from askwell.pipelines.generation.reading import JoinSaid
from askwell.providers.llm.base import Usage
from askwell.question.choosing import is_no
from askwell.question.slots import Value
from askwell.semantic_parsing.translation import UNKNOWN_WORD, Abstention, Choice, Turn
from askwell.sql.bindings import FREE, Bindings


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


ClarificationKind = Literal["table_selection", "join", "choice", "fields"]
_KINDS: Mapping[str, ClarificationKind] = {"ambiguous_table": "table_selection", "ambiguous_path": "join"}
# Nobody reads a longer list.
_MOST_OPTIONS = 4
NONE_ID, _NONE = "none", "None of these"
# Those that say of which words the meaning is asked for.
_OF_WORDS = frozenset({"ambiguous_column", "ambiguous_table", UNKNOWN_WORD})


# In the form that the record keeps.
KeptBindings = Annotated[Bindings, PlainSerializer(Bindings.to_json), PlainValidator(Bindings.from_json)]


@dataclass(frozen=True, slots=True)
class Option:
    """One of the answers that are offered; `bindings` hold where it is chosen."""

    id: str
    label: str
    detail: str
    bindings: KeptBindings

    def rendered(self) -> dict[str, Any]:
        """As clients see it."""
        found: dict[str, Any] = {"id": self.id, "label": self.label}
        if self.detail:
            found["detail"] = self.detail
        if self.bindings.tables:
            found["tables"] = list(self.bindings.tables)
        if self.bindings.columns:
            found["columns"] = [str(ref) for ref in self.bindings.columns]
        if self.bindings.relationships:
            found["condition"] = self.detail
        return found


@dataclass(frozen=True, slots=True)
class Clarification:
    """`attempt` counts from 1 how often this was asked, of `max_attempts`; `not_understood` is what was said to it the
    last time. `said` are the words of the question that an option gives the meaning of, where it does. The kind
    `fields` has `fields` in place of options, and what was said of them by now as `filling`. What is not awaited any
    more has no `expires_at`."""

    id: str
    kind: ClarificationKind
    question: str
    options: tuple[Option, ...]
    attempt: int
    max_attempts: int
    said: str | None = None
    not_understood: str | None = None
    expires_at: datetime | None = None
    fields: tuple[AskedParameter, ...] = ()
    filling: Filling | None = None

    @classmethod
    def of(cls, abstention: Abstention, max_attempts: int) -> Self | None:
        """What rules ask back; None where they have nothing to choose from."""
        if not abstention.asks_back:
            return None
        options = tuple(_option(place, choice) for place, choice in enumerate(abstention.choices[:_MOST_OPTIONS], 1))
        kind = _KINDS.get(abstention.reason, "choice")
        said = abstention.words[0] if abstention.words and abstention.reason in _OF_WORDS else None
        return cls(uuid.uuid4().hex, kind, abstention.message, options, 1, max_attempts, said)

    @classmethod
    def of_fields(cls, question: str, fields: tuple[AskedParameter, ...], filling: Filling, max_attempts: int) -> Self:
        """What a saved question with parameters needs."""
        attempt = min(filling.fruitless + 1, max_attempts)
        return cls(uuid.uuid4().hex, "fields", question, (), attempt, max_attempts, fields=fields, filling=filling)

    def awaited(self, expires_at: datetime) -> Self:
        """The same, to be answered until a moment."""
        return replace(self, expires_at=expires_at)

    def not_awaited(self) -> Self:
        """The same, where nobody waits for an answer."""
        return replace(self, not_understood=None, expires_at=None)

    def again(self, said: str) -> Self | None:
        """Asked once more, because what was said is none of the options; None after the last attempt."""
        if self.attempt >= self.max_attempts:
            return None
        return replace(self, id=uuid.uuid4().hex, not_understood=said, attempt=self.attempt + 1)

    def is_declined_by(self, said: str) -> bool:
        """Whether an answer, in words or as the id of an option, is that none of the options is meant."""
        number = said.strip("#(). ") == str(len(self.options) + 1)
        return bool(self.options) and (is_no(said) or said == NONE_ID or number)

    def may_be_matched(self, said: str) -> bool:
        """Whether words may mean one of the options, though they name none."""
        return bool(self.options) and not is_no(said) and any(letter.isalpha() for letter in said)

    def rendered(self) -> dict[str, Any]:
        """As clients see it, with “none of these” as the last option. Where nobody waits for an answer, without what
        an answer would need."""
        asked: dict[str, Any] = {
            "kind": self.kind,
            "question": self._asked,
            "options": [option.rendered() for option in self.options],
        }
        if self.fields:
            asked["fields"] = [one.model_dump(exclude_none=True) for one in self.fields]
        if self.expires_at is None:
            return asked
        said = {"said": self.said} if self.said is not None else {}
        if self.options:
            asked["options"].append({"id": NONE_ID, "label": _NONE})
        return (
            asked
            | said
            | {
                "id": self.id,
                "allow_text": True,
                "attempt": self.attempt,
                "max_attempts": self.max_attempts,
                "expires_at": self.expires_at.isoformat(),
            }
        )

    @property
    def _asked(self) -> str:
        if self.not_understood is None:
            return self.question
        return f"“{self.not_understood}” is none of these. Give a number or a name.\n{self.question}"


def _option(place: int, choice: Choice) -> Option:
    return Option(str(place), choice.label, choice.detail, choice.bindings)


@dataclass(frozen=True, slots=True)
class TableSelection:
    """`reasoning` and `rephrased` are what was made of the question before. `verdicts` has the tables that were judged;
    `tables` are those that are needed, None until all are judged and seen together; `requirements` are None until they
    are known, and `joins` are what was said of how sure their joins are, or those of an ask that asked back. `usage`
    is what the ask has cost by then."""

    reasoning: str | None = None
    rephrased: str | None = None
    verdicts: Mapping[str, TableVerdict] = field(default_factory=dict)
    tables: tuple[str, ...] | None = None
    requirements: QueryRequirements | None = None
    joins: tuple[JoinSaid, ...] = ()
    usage: Usage = field(default_factory=Usage)


# Questions that one ask may ask back, one after the other.
MOST_ASKED_BACK = 8


@dataclass(frozen=True, slots=True)
class AskRequest:
    """One question with its options, as accepted. `timezone` is an IANA name; `histories` are oldest first. What is
    said of it `teaches` the project, unless a language model says it. `meant` is what the question means, as whoever
    asks it said with it. Where it is `interactive` it may be asked back: `bindings` is `meant` and what was answered by
    now, and `asked_back` how often; `selection` is how far a language model has come in choosing tables, `filling` what
    was said of the parameters of a saved question, and `asked` what was asked back where the words that were
    said to it are still to be matched with it. `passages` says whether documents are searched too; None leaves it to
    the configuration."""

    query: str
    project_id: str = "default"
    mdl_hash: str | None = None
    histories: tuple[Turn, ...] = ()
    thread_id: str | None = None
    request_from: Literal["ui", "api"] = "ui"
    language: str = "English"
    timezone: str = "UTC"
    ignore_sql_generation_reasoning: bool = False
    enable_column_pruning: bool = False
    use_dry_plan: bool = False
    allow_dry_plan_fallback: bool = True
    allow_data_preview: bool = False
    execute: bool = False
    suggest: bool = False
    custom_instruction: str | None = None
    session_properties: Mapping[str, str] = field(default_factory=dict)
    interactive: bool = False
    teaches: bool = True
    passages: bool | None = None
    meant: KeptBindings = FREE
    bindings: KeptBindings = FREE
    asked_back: int = 0
    selection: TableSelection | None = None
    filling: Filling | None = None
    asked: Clarification | None = None

    def to_json(self) -> dict[str, Any]:
        """The request as the record keeps it."""
        kept: dict[str, Any] = _adapter().dump_python(self, mode="json")
        return kept

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AskRequest:
        """The request back from the record. Fields of another version are left out."""
        return _adapter().validate_python(data)


@cache
def _adapter() -> TypeAdapter[AskRequest]:
    return TypeAdapter(AskRequest)


def asked_for(kept: Mapping[str, Any]) -> dict[str, Any]:
    """What a person asked for, of a request as the record keeps it: without what was answered since, and without what
    earlier versions did not know where nobody asked for it."""
    without = {"bindings", "asked_back", "selection", "filling", "asked"}
    without |= {"interactive"} if not kept.get("interactive") else set()
    without |= {"teaches"} if kept.get("teaches", True) else set()
    without |= {"passages"} if kept.get("passages") is None else set()
    without |= {"meant"} if not kept.get("meant") else set()
    return {name: value for name, value in kept.items() if name not in without}
