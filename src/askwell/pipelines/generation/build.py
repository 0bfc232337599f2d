"""Every generation pipeline, built once with the model that it uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from askwell.pipelines.generation.assistance import ASSISTANCE_NAMES, Assistance
from askwell.pipelines.generation.chart_adjustment import ChartAdjustment
from askwell.pipelines.generation.chart_generation import ChartGeneration
from askwell.pipelines.generation.choice_matching import ChoiceMatching
from askwell.pipelines.generation.column_pruning import ColumnPruning
from askwell.pipelines.generation.field_extraction import FieldExtraction
from askwell.pipelines.generation.intent_classification import IntentClassification, IntentLabel, IntentMode
from askwell.pipelines.generation.join_inference import JoinInference
from askwell.pipelines.generation.query_requirements import RequirementsAnalysis
from askwell.pipelines.generation.question import Intent
from askwell.pipelines.generation.question_recommendation import QuestionRecommendation
from askwell.pipelines.generation.question_reformulation import QuestionReformulation
from askwell.pipelines.generation.question_suggestion import QuestionSuggestion
from askwell.pipelines.generation.relationship_recommendation import RelationshipRecommendation
from askwell.pipelines.generation.semantics_description import SemanticsDescription
from askwell.pipelines.generation.single_generation import SingleGeneration
from askwell.pipelines.generation.sql_answer import SqlAnswer
from askwell.pipelines.generation.sql_correction import SqlCorrection
from askwell.pipelines.generation.sql_diagnosis import SqlDiagnosis
from askwell.pipelines.generation.sql_generation import SqlGeneration
from askwell.pipelines.generation.sql_question import SqlQuestion
from askwell.pipelines.generation.sql_reasoning import SqlReasoning
from askwell.pipelines.generation.sql_regeneration import SqlRegeneration
from askwell.pipelines.generation.sql_summaries import SqlSummaries
from askwell.pipelines.generation.table_refinement import TableRefinement
from askwell.pipelines.generation.table_relevance import TableRelevance
from askwell.prompts import OURS, PromptSet
from askwell.providers.llm.base import LanguageModel

P = TypeVar("P")


@dataclass(frozen=True)
class GenerationPipelines:
    """What a language model writes, by what it is for. `assistance` has the three intents answered in words."""

    pruning: ColumnPruning
    relevance: TableRelevance
    refinement: TableRefinement
    requirements: RequirementsAnalysis
    intent: IntentClassification
    reformulation: QuestionReformulation
    joins: JoinInference
    extraction: FieldExtraction
    matching: ChoiceMatching
    reasoning: SqlReasoning
    generation: SqlGeneration
    single: SingleGeneration
    diagnosis: SqlDiagnosis
    correction: SqlCorrection
    regeneration: SqlRegeneration
    summaries: SqlSummaries
    question: SqlQuestion
    answer: SqlAnswer
    charts: ChartGeneration
    chart_adjustment: ChartAdjustment
    assistance: Mapping[Intent, Assistance]
    recommendation: QuestionRecommendation
    suggestion: QuestionSuggestion
    relationships: RelationshipRecommendation
    description: SemanticsDescription


def build_generation(
    llm_for: Callable[[str], LanguageModel],
    *,
    prompts_for: Callable[[str], PromptSet] = lambda _: OURS,
    intent_mode: IntentMode = "standard",
    intent_labels: Sequence[IntentLabel] = (),
    adapters: Sequence[Any] = (),
) -> GenerationPipelines:
    """The pipelines, each with the model that `llm_for` and the prompts that `prompts_for` give for its name:
    column_pruning, table_relevance, table_refinement, query_requirements, intent_classification,
    question_reformulation, join_inference, field_extraction, choice_matching, sql_reasoning, sql_generation,
    single_generation,
    sql_diagnosis, sql_correction, sql_regeneration, sql_summaries, sql_question, sql_answer, chart_generation,
    chart_adjustment, data_assistance, misleading_assistance, user_guide, question_recommendation,
    question_suggestion, relationship_recommendation, semantics_description. `adapters` are lifecycle adapters for
    every DAG (see `pipelines.dag`).

    Loads and checks every prompt: raises `ConfigurationError` for a template that cannot be used.
    """

    def build(pipeline: Callable[..., P], name: str, **more: Any) -> P:
        return pipeline(llm_for(name), prompts=prompts_for(name), adapters=adapters, **more)

    return GenerationPipelines(
        pruning=build(ColumnPruning, "column_pruning"),
        relevance=build(TableRelevance, "table_relevance"),
        refinement=build(TableRefinement, "table_refinement"),
        requirements=build(RequirementsAnalysis, "query_requirements"),
        intent=build(IntentClassification, "intent_classification", mode=intent_mode, labels=intent_labels),
        reformulation=build(QuestionReformulation, "question_reformulation"),
        joins=build(JoinInference, "join_inference"),
        extraction=build(FieldExtraction, "field_extraction"),
        matching=build(ChoiceMatching, "choice_matching"),
        reasoning=build(SqlReasoning, "sql_reasoning"),
        generation=build(SqlGeneration, "sql_generation"),
        single=build(SingleGeneration, "single_generation"),
        diagnosis=build(SqlDiagnosis, "sql_diagnosis"),
        correction=build(SqlCorrection, "sql_correction"),
        regeneration=build(SqlRegeneration, "sql_regeneration"),
        summaries=build(SqlSummaries, "sql_summaries"),
        question=build(SqlQuestion, "sql_question"),
        answer=build(SqlAnswer, "sql_answer"),
        charts=build(ChartGeneration, "chart_generation"),
        chart_adjustment=build(ChartAdjustment, "chart_adjustment"),
        assistance={kind: build(Assistance, name, kind=kind) for kind, name in ASSISTANCE_NAMES.items()},
        recommendation=build(QuestionRecommendation, "question_recommendation"),
        suggestion=build(QuestionSuggestion, "question_suggestion"),
        relationships=build(RelationshipRecommendation, "relationship_recommendation"),
        description=build(SemanticsDescription, "semantics_description"),
    )
