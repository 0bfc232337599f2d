"""Jobs around an answer: each file is one kind, with its request, its states and its work."""

from __future__ import annotations

from typing import Any

from askwell.job_kinds.ask_details import AskDetails
from askwell.job_kinds.ask_feedbacks import AskFeedbacks
from askwell.job_kinds.charts import ChartAdjustments, Charts
from askwell.job_kinds.question_recommendations import QuestionRecommendations
from askwell.job_kinds.relationship_recommendations import RelationshipRecommendations
from askwell.job_kinds.semantics_descriptions import SemanticsDescriptions
from askwell.job_kinds.sql_answers import SqlAnswers
from askwell.job_kinds.sql_corrections import SqlCorrections
from askwell.job_kinds.sql_questions import SqlQuestions
from askwell.job_kinds.tools import ToolsKind

# Every kind, in the order of the OpenAPI page.
KINDS: tuple[type[ToolsKind[Any]], ...] = (
    AskFeedbacks,
    AskDetails,
    SqlAnswers,
    SqlQuestions,
    SqlCorrections,
    Charts,
    ChartAdjustments,
    QuestionRecommendations,
    RelationshipRecommendations,
    SemanticsDescriptions,
)
