"""Jobs around an answer: each file is one kind, with its request, its states and its work."""

from __future__ import annotations

from typing import Any

from askwell.job_kinds.charts import ChartAdjustments, Charts
from askwell.job_kinds.recommendations import (
    QuestionRecommendations,
    RelationshipRecommendations,
    SemanticsDescriptions,
)
from askwell.job_kinds.statements import AskDetails, AskFeedbacks, SqlAnswers, SqlCorrections, SqlQuestions
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
