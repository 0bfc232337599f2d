"""What the kinds of jobs have in common that recommend something for a semantic model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from askwell.job_kinds.tools import ToolsKind
from askwell.jobs.request import Body
from askwell.services.projects import ProjectModel
from askwell.services.recommendations.writing import RecommendationWriter

BodyT = TypeVar("BodyT", bound=Body)


class RecommendingKind(ToolsKind[BodyT]):
    """A kind that recommends something for a model of the request's own, or the project's."""

    id_name: ClassVar[str] = "id"
    statuses: ClassVar[tuple[str, ...]] = ("generating",)
    codes: ClassVar[frozenset[str]] = frozenset({"MDL_PARSE_ERROR", "RESOURCE_NOT_FOUND", "OTHERS"})

    def writer(
        self, request: BodyT, project: ProjectModel, tables: Sequence[str] | None = None
    ) -> RecommendationWriter | None:
        """What has the language model write of these tables, in their order, or of all; None without one."""
        generation = self.tools.asks.generation
        if generation is None:
            return None
        shown = tuple(project.model.tables) if tables is None else tables
        return RecommendationWriter(generation, project.model, shown, language=request.configurations.language)
