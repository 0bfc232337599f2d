"""Bodies of the ask routes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, Field

from askwell.asks.request import AskRequest
from askwell.pipelines.generation.question import HistoryTurn
from askwell.web.schemas.common import Body, Identifier, Lenient, MdlHash, Question, Sql, Text


class HistoryItem(Lenient):
    """An earlier question and the SQL that answered it."""

    question: Question
    sql: Sql


class AskBody(Body):
    """A question with its options."""

    query: Question
    mdl_hash: MdlHash | None = Field(default=None, validation_alias=AliasChoices("mdl_hash", "id"))
    histories: Annotated[list[HistoryItem], Field(max_length=100)] = []
    ignore_sql_generation_reasoning: bool = False
    enable_column_pruning: bool = Field(
        default=False, description="Let the language model choose the columns that the prompts after it show."
    )
    use_dry_plan: bool = False
    allow_dry_plan_fallback: bool = True
    custom_instruction: Text | None = None
    execute: bool = Field(default=False, description="Run the SQL and return rows.")
    suggest: bool = Field(default=False, description="Taken for compatibility; no effect yet.")
    allow_data_preview: bool = False
    session_properties: Annotated[
        dict[Identifier, Text],
        Field(max_length=50, description="For row and column rules; only where the configuration allows them."),
    ] = {}

    def to_request(self) -> AskRequest:
        """The question as the ask service takes it."""
        return AskRequest(
            query=self.query,
            project_id=self.project_id,
            mdl_hash=self.mdl_hash,
            histories=tuple(HistoryTurn(turn.question, turn.sql) for turn in self.histories),
            thread_id=self.thread_id,
            request_from=self.request_from,
            language=self.configurations.language,
            timezone=self.configurations.timezone.name,
            ignore_sql_generation_reasoning=self.ignore_sql_generation_reasoning,
            enable_column_pruning=self.enable_column_pruning,
            use_dry_plan=self.use_dry_plan,
            allow_dry_plan_fallback=self.allow_dry_plan_fallback,
            allow_data_preview=self.allow_data_preview,
            execute=self.execute,
            suggest=self.suggest,
            custom_instruction=self.custom_instruction,
            session_properties=self.session_properties,
        )


class StopBody(Lenient):
    """Stops an ask."""

    status: Literal["stopped"]


class AskStarted(BaseModel):
    query_id: str
