"""Spans for pipelines and their nodes: a Hamilton lifecycle adapter, attached to every `Dag` where tracing is on."""

from __future__ import annotations

import asyncio
from typing import Any

from hamilton.lifecycle.base import (
    BasePostGraphExecuteAsync,
    BasePostNodeExecuteAsync,
    BasePreGraphExecuteAsync,
    BasePreNodeExecuteAsync,
)

from askwell.errors import AskwellError
from askwell.observability.tracing import Span, current_span
from askwell.pipelines.dag import pipeline_name
from askwell.pipelines.generation.model_call import ModelCall
from askwell.prompts import PromptText
from askwell.providers.llm.base import ModelReply


class PipelineSpans(
    BasePreGraphExecuteAsync,  # type: ignore[misc]
    BasePostGraphExecuteAsync,  # type: ignore[misc]
    BasePreNodeExecuteAsync,  # type: ignore[misc]
    BasePostNodeExecuteAsync,  # type: ignore[misc]
):
    """Within a traced ask, a run of a pipeline is a span, each of its nodes a span in it, and a node that calls a
    language model a generation. Outside of one (a preparation, an ask that is left out) it does nothing. One instance
    serves every pipeline."""

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
            span.end(error=None if success else _code(error))

    async def pre_node_execute(self, *, run_id: str, node_: Any, kwargs: dict[str, Any], **_: Any) -> None:
        """The node's inputs are there."""
        pipeline = self._pipelines.get(run_id)
        if pipeline is None:
            return
        call = kwargs.get("call")
        if isinstance(call, ModelCall):
            prompt = kwargs.get("prompt_text")
            given = _messages(prompt) if isinstance(prompt, PromptText) else None
            span = pipeline.child(node_.name, model=call.llm.name, given=given)
        else:
            span = pipeline.child(node_.name)
        self._nodes[run_id, node_.name] = span

    async def post_node_execute(
        self, *, run_id: str, node_: Any, error: BaseException | None, result: Any, **_: Any
    ) -> None:
        """The node ended, however it did."""
        span = self._nodes.pop((run_id, node_.name), None)
        if span is None:
            return
        if isinstance(result, ModelReply):
            usage = result.usage
            span.end(
                gave=result.text,
                facts={"requests": usage.llm_calls, "truncated": result.truncated},
                tokens={"input": usage.prompt_tokens, "output": usage.completion_tokens},
                cost_usd=usage.cost_usd,
            )
        else:
            span.end(error=None if error is None else _code(error))


def _messages(prompt: PromptText) -> list[dict[str, str]]:
    return [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]


def _code(error: BaseException | None) -> str:
    if error is None or isinstance(error, asyncio.CancelledError):
        return "CANCELLED"
    return error.code if isinstance(error, AskwellError) else type(error).__name__
