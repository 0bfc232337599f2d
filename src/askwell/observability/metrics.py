"""What the service counts, for Prometheus. docs/operations.md has a row for every metric.

Labels come from code and from the configuration, never from what clients send: their number is bounded, and nothing
that was asked shows in them. An event costs a few microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.exposition import choose_encoder

from askwell import __version__
from askwell.observability.operations import MODEL, OPERATION, PROVIDER, Operation

# Rules answer in milliseconds, models in seconds, and an ask may take as long as its deadline says.
_STAGE_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_ASK_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 180)
# The buckets of the conventions for generative AI.
_OPERATION_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_CALLED = ("gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model")
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
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)

        def counter(name: str, about: str, *labels: str) -> Counter:
            return Counter(f"askwell_{name}", about, labels, registry=registry)

        def gauge(name: str, about: str, *labels: str) -> Gauge:
            return Gauge(f"askwell_{name}", about, labels, registry=registry)

        def histogram(name: str, about: str, buckets: Sequence[float], *labels: str) -> Histogram:
            return Histogram(name, about, labels, registry=registry, buckets=buckets)

        self._asks = counter("asks", "Asks that ended, by how and by what answered them.", "status", "source")
        self._ask_failures = counter("ask_failures", "Asks without an answer, by the code of the error.", "code")
        self._repairs = counter("repairs", "Slips put right in statements that were answered with.")
        self._rule_failures = counter("rule_failures", "Questions on which the rules failed, which is a defect.")
        self._corrections = counter("corrections", "Statements that a model was asked to write again.")
        self._rejections = counter("rejections", "Statements of asks that did not pass, by the step.", "kind")
        self._refusals = counter("guard_refusals", "Statements of asks that the guard refused, by the rule.", "rule")
        self._model_calls = counter("model_calls", "Language model calls.", "model", "pipeline", "outcome")
        self._caught = counter("values_caught", "Values taken out of prompts at last, which is a defect.", "pipeline")
        self._tokens = counter("tokens", "Tokens, as the model servers count them.", "model", "kind")
        self._cost = counter("cost_usd", "Cost of model calls in US dollars, by the configured prices.", "model")
        self._operation_seconds = histogram(
            "gen_ai_client_operation_duration_seconds",
            "Calls of language models and embedders.",
            _OPERATION_SECONDS,
            *(*_CALLED, "error_type"),
        )
        self._statements = counter("engine_statements", "Statements sent to databases.", "operation", "outcome")
        self._jobs = counter("jobs", "Jobs besides asks that ended, by kind and how.", "kind", "status")
        self._job_seconds = histogram(
            "askwell_job_seconds", "From the acceptance of a job to its end.", _ASK_SECONDS, "kind"
        )
        self._preparations = counter("preparations", "Preparations of semantic models that ended.", "status")
        self._stage_seconds = histogram(
            "askwell_stage_seconds", "Time in each stage of an ask.", _STAGE_SECONDS, "stage"
        )
        self._ask_seconds = histogram("askwell_ask_seconds", "From acceptance to the end.", _ASK_SECONDS)
        self._queued = gauge("queue_depth", "Asks accepted and waiting for their turn.")
        self._running = gauge("asks_running", "Asks being worked on.")
        self._away = gauge(
            "model_server_away", "1 while the model's server cannot be reached and is not asked, else 0.", "llm"
        )
        about = gauge("build_info", "Always 1; its label says which version runs.", "version")
        about.labels(__version__).set(1)
        for end in _ENDS:
            self._asks.labels(*end)  # from zero on, so that the first one counts in a rate

    def watch_queue(self, waiting: Callable[[], int], running: Callable[[], int]) -> None:
        """Where a scrape finds how many asks wait and how many run."""
        self._queued.set_function(waiting)
        self._running.set_function(running)

    def watch_model(self, name: str, away: Callable[[], bool]) -> None:
        """Where a scrape finds whether the server of a model is away. `name` is the model's in the configuration."""
        self._away.labels(name).set_function(away)

    def ask_ended(self, status: str, source: str, seconds: float, *, code: str | None = None, repairs: int = 0) -> None:
        """An ask ended, `seconds` after it was accepted. `code` is the error's where it failed."""
        self._asks.labels(status, source).inc()
        self._ask_seconds.observe(seconds)
        if code is not None:
            self._ask_failures.labels(code).inc()
        if repairs:
            self._repairs.inc(repairs)

    def job_ended(self, kind: str, status: str, seconds: float) -> None:
        """A job that is no ask ended, `seconds` after it was taken up."""
        self._jobs.labels(kind, status).inc()
        self._job_seconds.labels(kind).observe(seconds)

    def stage_ended(self, stage: str, seconds: float) -> None:
        self._stage_seconds.labels(stage).observe(seconds)

    def statement_rejected(self, kind: str, rule: str | None) -> None:
        """A statement of an ask did not pass. `rule` is the guard's where it was the guard that refused it."""
        self._rejections.labels(kind).inc()
        if rule is not None:
            self._refusals.labels(rule).inc()

    def rules_failed(self) -> None:
        """The rules raised an exception on a question; the ask went on without them."""
        self._rule_failures.inc()

    def statement_corrected(self) -> None:
        self._corrections.inc()

    def model_called(self, model: str, pipeline: str, outcome: str) -> None:
        self._model_calls.labels(model, pipeline, outcome).inc()

    def values_caught(self, pipeline: str, count: int) -> None:
        self._caught.labels(pipeline).inc(count)

    def model_charged(self, model: str, prompt_tokens: int, completion_tokens: int, cost_usd: float) -> None:
        self._tokens.labels(model, "prompt").inc(prompt_tokens)
        self._tokens.labels(model, "completion").inc(completion_tokens)
        if cost_usd:
            self._cost.labels(model).inc(cost_usd)

    def operation_ended(self, operation: Operation, seconds: float, error: str = "") -> None:
        """A call of a language model or an embedder ended; `error` is the code of what went wrong."""
        self._operation_seconds.labels(*_called(operation), error).observe(seconds)

    def statement_sent(self, operation: str, outcome: str) -> None:
        """A database was given a statement to prove (`dry_run`) or to run (`execute`)."""
        self._statements.labels(operation, outcome).inc()

    def preparation_ended(self, status: str) -> None:
        self._preparations.labels(status).inc()

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """Everything in the text format that fits the request's `Accept`, and that format's media type."""
        encode, media_type = choose_encoder(accept)
        return encode(self._registry), media_type


def _called(operation: Operation) -> list[str]:
    return [str(operation.attributes.get(name, "")) for name in (OPERATION, PROVIDER, MODEL)]
