"""What the rest of the service assumes about rows, whatever their source: looked at before any is written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from askwell.agent.definition import AgentDefinition
from askwell.asks.request import AskRequest
from askwell.errors import InvalidRequest
from askwell.field_types import Identifier, PathId
from askwell.jobs.request import MdlHash
from askwell.knowledge.keywords import Keyword, check_pattern
from askwell.knowledge.lessons import Lesson
from askwell.knowledge.saved import Instruction, SqlPair
from askwell.mdl.json_source import crowded
from askwell.mdl.manifest import hash_of
from askwell.mdl.semantic_model import LinkCandidate
from askwell.principal import Person
from askwell.services.lessons.checking import read_form

Row = Mapping[str, Any]


class Fields(BaseModel):
    """Some columns of a row that no type of the record has; the others are of their type, and that is enough."""

    model_config = ConfigDict(extra="ignore", hide_input_in_errors=True)


class _Model(Fields):
    sampled_values: list[tuple[str, str, list[str]]] | None
    warnings: list[str] | None
    link_candidates: list[LinkCandidate] | None


class _Label(Fields):
    label: MdlHash


class _Trouble(Fields):
    code: str
    message: str
    hint: str = ""


class _Document(Fields):
    id: PathId
    title: Annotated[str, Field(max_length=1_000)]
    tags: list[Identifier]
    bytes: Annotated[int, Field(ge=0)]
    status: Literal["indexed", "failed"]
    error: _Trouble | None


class _Agent(Fields):
    id: PathId
    definition: AgentDefinition


class _Thread(Fields):
    id: PathId
    variables: dict[str, str]


class _Message(Fields):
    thread_id: PathId
    id: Identifier
    role: Literal["user", "assistant", "tool"]
    parts: list[dict[str, Any]]


class _Kept(Fields):
    result: dict[str, Any]
    text: str


class _Ask(Fields):
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,128}$")]
    request: dict[str, Any]
    attempts: Annotated[int, Field(ge=0)]
    status: Literal["finished", "failed", "stopped"]
    result: _Kept
    finished_at: Any = Field(...)
    person: Person | None


# What a part of a message has to have, by its type.
_PARTS: Mapping[str, Mapping[str, type]] = {
    "text": {"text": str},
    "tool_call": {"id": str, "tool": str, "arguments": dict},
    "tool_result": {"id": str, "content": str},
    "sql": {"sql": str},
    "data": {},
    "chart": {},
    "citation": {},
}

_FIELDS: Mapping[str, TypeAdapter[Any]] = {
    name: TypeAdapter(form)
    for name, form in {
        "models": _Model,
        "labels": _Label,
        "current_model": _Label,
        "sql_pairs": SqlPair,
        "instructions": Instruction,
        "keywords": Keyword,
        "lessons": Lesson,
        "documents": _Document,
        "agents": _Agent,
        "threads": _Thread,
        "messages": _Message,
        "asks": _Ask,
    }.items()
}


@dataclass
class Checks:
    """Row after row of an archive, in its order; keeps what later rows refer to. `project_id` is what it was written
    of."""

    project_id: str
    _models: set[str] = field(default_factory=set)
    _labels: set[tuple[str, str]] = field(default_factory=set)
    _passages: Counter[str] = field(default_factory=Counter)
    _documents: dict[str, int] = field(default_factory=dict)
    _threads: set[str] = field(default_factory=set)

    def check(self, part: str, row: Row) -> None:
        """Raises `ValueError`, with half a sentence, for a row that does not hold what the service counts on."""
        if (form := _FIELDS.get(part)) is not None:
            try:
                form.validate_python({**row, "is_default": row["is_default"] == 1} if part == "instructions" else row)
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False, include_context=False)[0]
                where = ".".join(str(one) for one in first["loc"])
                raise ValueError(f"its {where}: {first['msg']}") from None
        more: Callable[[Row], None] | None = getattr(self, f"_check_{part}", None)
        if more is not None:
            more(row)

    def end(self) -> None:
        """Raises `ValueError` where what was told of all rows together does not fit."""
        for document, count in self._documents.items():
            if self._passages[document] != count:
                raise ValueError(f"the document {document[:64]} has not the {count} passages that it should have")

    def _check_models(self, row: Row) -> None:
        manifest = row["manifest"]
        if crowded(manifest) is not None:
            raise ValueError("its manifest has more in it than a semantic model may have")
        try:
            is_object = isinstance(json.loads(manifest), dict)
            digest = hash_of(manifest)
        except (ValueError, RecursionError):
            raise ValueError("its manifest is not a valid semantic model") from None
        if not is_object or digest != row["content_hash"]:
            raise ValueError("its manifest is not what its content_hash says")
        self._models.add(digest)

    def _check_labels(self, row: Row) -> None:
        self._require_model(row)
        self._labels.add((row["label"], row["content_hash"]))

    def _check_current_model(self, row: Row) -> None:
        self._require_model(row)

    def _require_model(self, row: Row) -> None:
        if row["content_hash"] not in self._models:
            raise ValueError("the archive has no such model")

    def _check_instructions(self, row: Row) -> None:
        if row["is_default"] not in (0, 1):
            raise ValueError("its is_default is neither 0 nor 1")

    def _check_keywords(self, row: Row) -> None:
        try:
            check_pattern(row["pattern"])
        except ValueError as error:
            raise ValueError(f"its pattern {error}") from None

    def _check_lessons(self, row: Row) -> None:
        try:
            read_form({"kind": row["kind"], "body": row["body"]})
        except InvalidRequest as error:
            raise ValueError(f"its body: {error.message.rstrip('.')}") from None

    def _check_documents(self, row: Row) -> None:
        self._documents[row["id"]] = row["chunks"]

    def _check_passages(self, row: Row) -> None:
        if row["document_id"] not in self._documents:
            raise ValueError("the archive has no such document")
        self._passages[row["document_id"]] += 1

    def _check_threads(self, row: Row) -> None:
        self._threads.add(row["id"])

    def _check_messages(self, row: Row) -> None:
        if row["thread_id"] not in self._threads:
            raise ValueError("the archive has no such thread")
        for number, part in enumerate(row["parts"]):
            if (wanted := _PARTS.get(str(part.get("type")))) is None:
                raise ValueError(f"its parts.{number}.type is none of a message")
            if wrong := [name for name, kind in wanted.items() if not isinstance(part.get(name), kind)]:
                raise ValueError(f"its parts.{number}.{wrong[0]} is missing, or of another type")

    def _check_asks(self, row: Row) -> None:
        request = row["request"]
        if request.get("project_id", self.project_id) != self.project_id:
            raise ValueError("it is of another project than the archive")
        if row["finished_at"] is None:
            raise ValueError("it has not ended")
        if row["person"] is not None and row["person"].get("id") != row["owner"]:
            raise ValueError("its person is not its owner")
        try:
            AskRequest.from_json(request)
        except (TypeError, KeyError, ValueError, AttributeError):
            raise ValueError("its request is none that this Askwell reads") from None
