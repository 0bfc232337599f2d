"""Kinds of jobs for tests that need their states, and no service behind them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from askwell.asks.kind import AskKind
from askwell.config import Settings
from askwell.observability.metrics import Metrics


def ask_kind() -> AskKind:
    """Asks, of which none can be started."""
    nothing: Any = None
    tools = cast(Any, SimpleNamespace(settings=Settings(), projects=nothing, metrics=Metrics()))
    return AskKind(nothing, tools)
