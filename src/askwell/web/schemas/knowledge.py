"""Bodies of the knowledge routes: SQL pairs, instructions and keyword rules."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from askwell.jobs.request import Body, Flag, Identifier, Lenient, Question, Sql
from askwell.knowledge.keywords import MAX_KEYWORDS, MAX_PATTERN
from askwell.knowledge.saved import PairParameter

MAX_ITEMS = 5_000


class SqlPair(Lenient):
    """A question with the SQL that answers it; `:name` in it stands for the parameter of that name."""

    id: Identifier
    sql: Sql
    question: Question
    parameters: Annotated[list[PairParameter], Field(max_length=50)] = []


class SqlPairsBody(Body):
    sql_pairs: Annotated[list[SqlPair], Field(max_length=MAX_ITEMS)]
    strict: Annotated[
        Flag, Field(description="Refuse SQL that works only with repairs, and questions that another pair has.")
    ] = False


class SqlPairIdsBody(Body):
    sql_pair_ids: Annotated[list[Identifier], Field(max_length=MAX_ITEMS)]


class Instruction(Lenient):
    """A rule for questions like `questions`; a default one is for all."""

    id: Identifier
    instruction: Question
    questions: Annotated[list[Question], Field(max_length=100)] = []
    is_default: Flag = False
    scope: Literal["sql", "answer", "chart"] = "sql"


class InstructionsBody(Body):
    instructions: Annotated[list[Instruction], Field(max_length=MAX_ITEMS)]


class InstructionIdsBody(Body):
    instruction_ids: Annotated[list[Identifier], Field(max_length=MAX_ITEMS)]


class Keyword(Lenient):
    """Questions that match the regular expression `pattern` somewhere, in any letter case, are about `tables`."""

    id: Identifier
    pattern: Annotated[Question, Field(json_schema_extra={"maxLength": MAX_PATTERN})]
    tables: Annotated[list[Identifier], Field(min_length=1, max_length=20)]


class KeywordsBody(Body):
    keywords: Annotated[list[Keyword], Field(max_length=MAX_KEYWORDS)]


class KeywordIdsBody(Body):
    keyword_ids: Annotated[list[Identifier], Field(max_length=MAX_ITEMS)]


class KeywordsNow(BaseModel):
    """All rules of the project, after the change where there was one."""

    keywords: list[Keyword]
    warnings: list[str] = []


class SqlPairsNow(BaseModel):
    """A page of the project's pairs, in the order in which they were saved; `total` is how many it has."""

    sql_pairs: list[SqlPair]
    total: int


class InstructionsNow(BaseModel):
    """A page of the project's instructions, in the order in which they were saved; `total` is how many it has."""

    instructions: list[Instruction]
    total: int


class EventStarted(BaseModel):
    event_id: str


class PairRemark(BaseModel):
    """Of a pair: what has to be put right in its SQL when that is used, the SQL with that done (of one without
    parameters), and the id of another pair whose question asks the same."""

    id: str
    repairs: list[str] | None = None
    sql: str | None = None
    same_question: str | None = None


class EventStatus(BaseModel):
    event_id: str
    status: Literal["indexing", "deleting", "finished", "failed"]
    error: dict[str, Any] | None = None
    trace_id: str | None = None
    warnings: list[str] | None = None
    remarks: list[PairRemark] | None = None
