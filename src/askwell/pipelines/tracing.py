"""Spans for pipelines and their nodes: a Hamilton lifecycle adapter, attached to every `Dag` where tracing is on."""

from __future__ import annotations

from typing import Any

from askwell.observability.tracing import Outcome, Span, current_span, error_code
from askwell.pipelines.dag import pipeline_name
from askwell.pipelines.hamilton_driver import lifecycle


class PipelineSpans(
    lifecycle.BasePreGraphExecuteAsync,  # type: ignore[misc]
    lifecycle.BasePostGraphExecuteAsync,  # type: ignore[misc]
    lifecycle.BasePreNodeExecuteAsync,  # type: ignore[misc]
    lifecycle.BasePostNodeExecuteAsync,  # type: ignore[misc]
):
    """Within a traced job, a run of a pipeline is a span, and each of its nodes a span in it, to which the calls that
    the node makes belong. Outside of one (a preparation, an ask that is left out) it does nothing. One instance serves
    every pipeline."""

    def __init__(self) -> None:
        self._pipelines: dict[str, Span] = {}
        self._nodes: dict[tuple[str, str], Span] = {}

    async def pre_graph_execute(self, *, run_id: str, **_: Any) -> None:
        """The pipeline begins."""
        ask = current_span.get()
        if ask is not None:
            self._pipelines[run_id] = ask.child(pipeline_name())

    async def post_graph_execute(self, *, run_id: str, success: bool, error: BaseException | None, **_: Any) -> None:
        """The pipeline ended, or was cancelled: then it has neither a result nor an error."""
        if (span := self._pipelines.pop(run_id, None)) is not None:
            span.end(Outcome(error=None if success else error_code(error)))

    async def pre_node_execute(self, *, run_id: str, node_: Any, **_: Any) -> None:
        """The node's inputs are there. It has a task of its own, which ends with it: so does the current span."""
        if (pipeline := self._pipelines.get(run_id)) is not None:
            span = self._nodes[run_id, node_.name] = pipeline.child(node_.name)
            current_span.set(span)

    async def post_node_execute(self, *, run_id: str, node_: Any, error: BaseException | None, **_: Any) -> None:
        """The node ended, however it did."""
        if (span := self._nodes.pop((run_id, node_.name), None)) is not None:
            span.end(Outcome(error=None if error is None else error_code(error)))
