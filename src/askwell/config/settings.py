"""What stands under `settings`: how asks are answered, tables ranked, values sampled, and conversations bounded."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from askwell.config.values import (
    ChosenRulesMode,
    Count,
    Flag,
    Number,
    Section,
    Share,
    TokenBudget,
)

# How many statements are written for a question; `auto`: more than one where the first is in doubt.
Candidates = Annotated[Count, Field(ge=1, le=7)] | Literal["auto"]

# What a signal counts; 0 leaves it out.
Weight = Annotated[Number, Field(ge=0, le=100)]


class RankingConfig(Section):
    """How tables are ranked for a question: `weighted` adds up signals, each times its weight, and `rank_fusion` the
    reciprocals of ranks, which takes no weights. What each signal is stands in `pipelines.retrieval.ranking`; their
    weights were learned by `askwell_evaluation.fit_ranking`. `values` is what a value that the question names adds,
    shared by the tables that have it, by either method."""

    method: Literal["weighted", "rank_fusion"] = "weighted"
    words: Weight = 0.5
    table_vector: Weight = 1.5
    column_vector: Weight = 1.6
    coverage: Weight = 4.8
    name_coverage: Weight = 2.0
    joined_coverage: Weight = 3.6
    joined_twice_coverage: Weight = 1.7
    schema_coverage: Weight = 4.4
    schema_vector: Weight = 1.3
    # With 1, 4, 7, 10 and 15, and weights fitted before these, all tables of 95.3, 95.8, 95.6, 95.6 and 95.1% of 450
    # questions were among the first ten.
    values: Weight = 2.5


class ValueSamplingConfig(Section):
    """Which values of text columns are looked at when a model is prepared. `time_limit` in seconds; values older than
    `max_age` seconds are looked at anew when their model is prepared again."""

    enabled: Flag = True
    values_per_column: Count = Field(5_000, ge=1, le=100_000)
    values_in_all: Count = Field(50_000, ge=1, le=1_000_000)
    time_limit: Number = Field(20.0, gt=0, le=3_600)
    max_age: Number = Field(86_400.0, ge=0, le=315_360_000)


class IntentRoute(Section):
    """A kind of message, as a language model knows it, and how it is answered: `sql` by the data alone, `answer`
    and `refuse` with the `message`, `agent` by the agent with its tools."""

    id: str = Field(min_length=1, max_length=64)
    description: str = Field(min_length=1, max_length=1_000)
    route: Literal["sql", "answer", "agent", "refuse"] = "agent"
    message: str = Field("", max_length=4_000)

    @model_validator(mode="after")
    def _has_a_message(self) -> IntentRoute:
        if self.route in ("answer", "refuse") and not self.message.strip():
            raise ValueError(f"the route {self.route} needs a message")
        return self


class AgentSettings(Section):
    """Bounds of a conversation's runs: `max_steps` calls of the model, `tools_at_once` at a time and `max_tool_calls`
    in all, `result_tokens` of a tool's result, `deadline` in seconds, `concurrency` runs at a time. Where there are
    `intents`, a message is first sorted by them, with a reason (`standard`) or without (`fast`)."""

    max_steps: Count = Field(8, ge=1, le=50)
    tools_at_once: Count = Field(4, ge=1, le=16)
    max_tool_calls: Count = Field(24, ge=1, le=200)
    result_tokens: Count = Field(4_000, ge=200, le=100_000)
    deadline: Number = Field(180.0, gt=0, le=86_400)
    concurrency: Count = Field(16, ge=1, le=1_000)
    history_messages: Count = Field(20, ge=0, le=200)
    intent_mode: Literal["standard", "fast"] = "standard"
    intents: tuple[IntentRoute, ...] = ()

    @model_validator(mode="after")
    def _ids_differ(self) -> AgentSettings:
        ids = [one.id.casefold() for one in self.intents]
        if len(set(ids)) < len(ids):
            raise ValueError("two intents have the same id")
        return self


class Settings(Section):
    """How asks are answered. Times are in seconds. `model_versions` is how many models of a project stay in the index.
    With `compatibility: wren_ui` the routes follow what that web client takes for granted."""

    allow_intent_classification: Flag = True
    intent_mode: Literal["standard", "fast"] = "standard"
    prompt_style: Literal["auto", "full", "lean"] = "auto"
    ranking_style: Literal["limit", "dense_rank"] = "limit"
    allow_sql_generation_reasoning: Flag = True
    allow_sql_functions_retrieval: Flag = True
    allow_sql_diagnosis: Flag = True
    allow_join_inference: Flag = False
    allow_session_properties: Flag = False
    enable_column_pruning: Flag = False
    table_selection: Literal["retrieval", "three_phase"] = "retrieval"
    three_phase_candidates: Count = Field(50, ge=1, le=200)
    selection_concurrency: Count = Field(8, ge=1, le=100)
    max_tokens_per_call: Count = Field(4_000, ge=200, le=1_000_000)
    column_indexing_batch_size: Count = Field(50, ge=1, le=1_000)
    table_retrieval_size: Count = Field(10, ge=1, le=100)
    ranking: RankingConfig = RankingConfig()
    value_sampling: ValueSamplingConfig = ValueSamplingConfig()
    context_token_budget: TokenBudget = "auto"
    history_match: Literal["exact", "similar"] = "exact"
    historical_question_similarity: Share = 0.95
    sql_pairs_similarity: Share = 0.7
    sql_pairs_retrieval_max_size: Count = Field(10, ge=0, le=100)
    instructions_similarity: Share = 0.7
    instructions_top_k: Count = Field(10, ge=0, le=100)
    max_histories: Count = Field(5, ge=0, le=50)
    candidates: Candidates = 1
    max_sql_correction_retries: Count = Field(3, ge=0, le=10)
    confidence_threshold: Share = 0.75
    engine_timeout: Number = Field(30.0, gt=0, le=3_600)
    row_limit: Count = Field(1_000, ge=1, le=100_000)
    export_row_limit: Count = Field(1_000_000, ge=1, le=10_000_000)
    ask_deadline: Number = Field(180.0, gt=0, le=86_400)
    ask_ttl: Number = Field(3_600.0, ge=1, le=2_592_000)
    history_days: Count = Field(30, ge=0, le=3_650)
    clarification_ttl: Number = Field(86_400.0, ge=1, le=2_592_000)
    apply_lessons: Flag = True
    passages: Flag = False
    max_correction_attempts: Count = Field(3, ge=1, le=10)
    queue_size: Count = Field(1_000, ge=0, le=1_000_000)
    concurrency: Count = Field(32, ge=1, le=1_000)
    scope_gate: Flag = True
    agent: AgentSettings = AgentSettings()
    rules_mode: ChosenRulesMode = "auto"
    model_versions: Count = Field(3, ge=2, le=10)
    compatibility: Literal["none", "wren_ui"] = "none"
