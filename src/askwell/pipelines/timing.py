"""Where a pipeline's time goes, node by node: a Hamilton lifecycle adapter for benchmarks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from hamilton.lifecycle.base import BasePostNodeExecuteAsync, BasePreNodeExecuteAsync


@dataclass(slots=True)
class NodeTiming:
    """How often a node ran and how long that took, from the moment its inputs were there."""

    runs: int = 0
    wall_seconds: float = 0.0


class NodeTimings(BasePreNodeExecuteAsync, BasePostNodeExecuteAsync):  # type: ignore[misc]
    """Adds up each node's runs; read `by_node`. One instance may serve several pipelines whose node names differ."""

    def __init__(self) -> None:
        self.by_node: dict[str, NodeTiming] = {}
        self._started: dict[tuple[str, str], float] = {}

    async def pre_node_execute(
        self, *, run_id: str, node_: Any, kwargs: dict[str, Any], task_id: str | None = None
    ) -> None:
        self._started[run_id, node_.name] = time.perf_counter()

    async def post_node_execute(self, *, run_id: str, node_: Any, **outcome: Any) -> None:
        timing = self.by_node.setdefault(node_.name, NodeTiming())
        timing.runs += 1
        timing.wall_seconds += time.perf_counter() - self._started.pop((run_id, node_.name))
