"""What the service counts, for Prometheus. docs/operations.md has a row for every metric.

Labels come from code and from the configuration, never from what clients send: their number is bounded, and nothing
that was asked shows in them. An event costs a few microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.exposition import choose_encoder

from askwell import __version__
from askwell.observability.operations import MODEL, OPERATION, PROVIDER, Operation
from askwell.resources import words_file

_KINDS: Mapping[str, type[Counter | Gauge | Histogram]] = {"counter": Counter, "gauge": Gauge, "histogram": Histogram}
# How an ask may end, and what its answer came from.
_ENDS = (
    *(("finished", source) for source in ("history", "view", "rules", "llm", "words")),
    ("failed", "none"),
    ("stopped", "none"),
)


class Metrics:
    """One registry with all of them; `exposition` is what a scrape gets."""

    def __init__(self) -> None:
        # A second series for each counter would only say when it began.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        described = words_file(__package__, "metrics.yaml")
        self._made = {name: self._metric(name, **one) for name, one in described.items()}
        self._of("build_info", __version__).set(1)
        for end in _ENDS:
            self._of("asks", *end)  # from zero on, so that the first one counts in a rate

    def _metric(
        self, our: str, kind: str, about: str, *, name: str = "", labels: Sequence[str] = (), **more: Any
    ) -> Any:
        return _KINDS[kind](name or f"askwell_{our}", about, labels, registry=self._registry, **more)

    def _of(self, name: str, *labels: str) -> Any:
        """The metric of that name, with these labels."""
        return self._made[name].labels(*labels) if labels else self._made[name]

    def watch_queue(self, waiting: Callable[[], int], running: Callable[[], int]) -> None:
        """Where a scrape finds how many asks wait and how many run."""
        self._of("queue_depth").set_function(waiting)
        self._of("asks_running").set_function(running)

    def watch_model(self, name: str, away: Callable[[], bool]) -> None:
        """Where a scrape finds whether the server of a model is away. `name` is the model's in the configuration."""
        self._of("model_server_away", name).set_function(away)

    def ask_ended(self, status: str, source: str, seconds: float, *, code: str | None = None, repairs: int = 0) -> None:
        """An ask ended, `seconds` after it was accepted. `code` is the error's where it failed."""
        self._of("asks", status, source).inc()
        self._of("ask_seconds").observe(seconds)
        if code is not None:
            self._of("ask_failures", code).inc()
        if repairs:
            self._of("repairs").inc(repairs)

    def job_ended(self, kind: str, status: str, seconds: float) -> None:
        """A job that is no ask ended, `seconds` after it was taken up."""
        self._of("jobs", kind, status).inc()
        self._of("job_seconds", kind).observe(seconds)

    def stage_ended(self, stage: str, seconds: float) -> None:
        self._of("stage_seconds", stage).observe(seconds)

    def statement_rejected(self, kind: str, rule: str | None) -> None:
        """A statement of an ask did not pass. `rule` is the guard's where it was the guard that refused it."""
        self._of("rejections", kind).inc()
        if rule is not None:
            self._of("guard_refusals", rule).inc()

    def rules_failed(self) -> None:
        """The rules raised an exception on a question; the ask went on without them."""
        self._of("rule_failures").inc()

    def statement_corrected(self) -> None:
        self._of("corrections").inc()

    def model_called(self, model: str, pipeline: str, outcome: str) -> None:
        self._of("model_calls", model, pipeline, outcome).inc()

    def values_caught(self, pipeline: str, count: int) -> None:
        self._of("values_caught", pipeline).inc(count)

    def model_charged(self, model: str, prompt_tokens: int, completion_tokens: int, cost_usd: float) -> None:
        self._of("tokens", model, "prompt").inc(prompt_tokens)
        self._of("tokens", model, "completion").inc(completion_tokens)
        if cost_usd:
            self._of("cost_usd", model).inc(cost_usd)

    def operation_ended(self, operation: Operation, seconds: float, error: str = "") -> None:
        """A call of a language model or an embedder ended; `error` is the code of what went wrong."""
        self._of("operation_seconds", *_called(operation), error).observe(seconds)

    def statement_sent(self, operation: str, outcome: str) -> None:
        """A database was given a statement to prove (`dry_run`) or to run (`execute`)."""
        self._of("engine_statements", operation, outcome).inc()

    def preparation_ended(self, status: str) -> None:
        self._of("preparations", status).inc()

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """Everything in the text format that fits the request's `Accept`, and that format's media type."""
        encode, media_type = choose_encoder(accept)
        return encode(self._registry), media_type


def _called(operation: Operation) -> list[str]:
    return [str(operation.attributes.get(name, "")) for name in (OPERATION, PROVIDER, MODEL)]
