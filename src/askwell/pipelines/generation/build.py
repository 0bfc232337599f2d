"""Every generation pipeline, built once with the model that it uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askwell.pipelines.generation.assistance import ASSISTANCE_NAMES, Assistance
from askwell.pipelines.generation.column_pruning import ColumnPruning
from askwell.pipelines.generation.intent_classification import IntentClassification, IntentLabel, IntentMode
from askwell.pipelines.generation.join_inference import JoinInference
from askwell.pipelines.generation.question import Intent
from askwell.pipelines.generation.question_reformulation import QuestionReformulation
from askwell.pipelines.generation.sql_correction import SqlCorrection
from askwell.pipelines.generation.sql_diagnosis import SqlDiagnosis
from askwell.pipelines.generation.sql_generation import SqlGeneration
from askwell.pipelines.generation.sql_reasoning import SqlReasoning
from askwell.providers.llm.base import LanguageModel


@dataclass(frozen=True)
class GenerationPipelines:
    """What a language model writes, by what it is for. `assistance` has the three intents answered in words."""

    pruning: ColumnPruning
    intent: IntentClassification
    reformulation: QuestionReformulation
    joins: JoinInference
    reasoning: SqlReasoning
    generation: SqlGeneration
    diagnosis: SqlDiagnosis
    correction: SqlCorrection
    assistance: Mapping[Intent, Assistance]


def build_generation(
    llm_for: Callable[[str], LanguageModel],
    *,
    intent_mode: IntentMode = "standard",
    intent_labels: Sequence[IntentLabel] = (),
    adapters: Sequence[Any] = (),
) -> GenerationPipelines:
    """The pipelines, each with the model that `llm_for` gives for its name: column_pruning,
    intent_classification, question_reformulation, join_inference, sql_reasoning, sql_generation, sql_diagnosis,
    sql_correction, data_assistance, misleading_assistance, user_guide. `adapters` are lifecycle adapters for every DAG
    (see `pipelines.dag`).

    Loads and checks every prompt: raises `ConfigurationError` for a template that does not fit its variables.
    """
    return GenerationPipelines(
        pruning=ColumnPruning(llm_for("column_pruning"), adapters=adapters),
        intent=IntentClassification(
            llm_for("intent_classification"), mode=intent_mode, labels=intent_labels, adapters=adapters
        ),
        reformulation=QuestionReformulation(llm_for("question_reformulation"), adapters=adapters),
        joins=JoinInference(llm_for("join_inference"), adapters=adapters),
        reasoning=SqlReasoning(llm_for("sql_reasoning"), adapters=adapters),
        generation=SqlGeneration(llm_for("sql_generation"), adapters=adapters),
        diagnosis=SqlDiagnosis(llm_for("sql_diagnosis"), adapters=adapters),
        correction=SqlCorrection(llm_for("sql_correction"), adapters=adapters),
        assistance={
            kind: Assistance(llm_for(name), kind, adapters=adapters) for kind, name in ASSISTANCE_NAMES.items()
        },
    )
