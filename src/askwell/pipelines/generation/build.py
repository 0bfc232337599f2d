"""The table of the generation pipelines, each built once with the model that it uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ParamSpec, TypeVar

from askwell.pipelines.generation import answering, charting, recommending, sql_writing, table_selection, understanding
from askwell.pipelines.generation.pipeline import Pipeline, PipelineSpec, linear_graph
from askwell.pipelines.generation.understanding import FAST_INTENT, IntentMode
from askwell.prompts.loader import OURS, PromptSet
from askwell.providers.llm.base import LanguageModel

P = ParamSpec("P")
T = TypeVar("T")


class GenerationPipelines:
    """What a language model writes, by what it is for. `assistance` has the three intents answered in words.

    Each pipeline has the model that `llm_for` and the prompts that `prompts_for` give for its name. `adapters` are
    lifecycle adapters for the graph (see `pipelines.dag`). Loads and checks every prompt: raises `ConfigurationError`
    for a template that cannot be used."""

    def __init__(
        self,
        llm_for: Callable[[str], LanguageModel],
        *,
        prompts_for: Callable[[str], PromptSet] = lambda _: OURS,
        intent_mode: IntentMode = "standard",
        adapters: Sequence[Any] = (),
    ) -> None:
        dag = linear_graph(adapters)

        def build(spec: PipelineSpec[P, T], name: str = "", prompt: str = "") -> Pipeline[P, T]:
            called = name or spec.name
            return spec.build(llm_for(called), prompts=prompts_for(called), dag=dag, name=called, prompt=prompt)

        self.pruning = build(table_selection.column_pruning)
        self.relevance = build(table_selection.table_relevance)
        self.refinement = build(table_selection.table_refinement)
        self.requirements = build(table_selection.query_requirements)
        self.joins = build(table_selection.join_inference)
        fast = FAST_INTENT if intent_mode == "fast" else ""
        self.intent = build(understanding.intent_classification, prompt=fast)
        self.reformulation = build(understanding.question_reformulation)
        self.extraction = build(understanding.field_extraction)
        self.matching = build(understanding.choice_matching)
        self.generation = build(sql_writing.sql_generation)
        self.diagnosis = build(sql_writing.sql_diagnosis)
        self.correction = build(sql_writing.sql_correction)
        self.regeneration = build(sql_writing.sql_regeneration)
        self.summaries = build(answering.sql_summaries)
        self.question = build(answering.sql_question)
        self.answer = build(answering.sql_answer)
        self.rows_for_answer = partial(answering.rows_for_answer, self.answer.asking)
        self.assistance = {
            intent: build(answering.assistance, name) for intent, name in answering.ASSISTANCE_NAMES.items()
        }
        self.charts = build(charting.chart_generation)
        self.chart_adjustment = build(charting.chart_adjustment)
        self.recommendation = build(recommending.question_recommendation)
        self.suggestion = build(recommending.question_suggestion)
        self.relationships = build(recommending.relationship_recommendation)
        self.description = build(recommending.semantics_description)
