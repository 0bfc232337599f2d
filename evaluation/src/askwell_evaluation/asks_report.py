"""What came of whole asks in figures, in lines for people, and as a page."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from askwell.errors import InvalidRequest
from askwell_evaluation.asks_results import AskOutcome
from askwell_evaluation.report import Report, percentile, ratio, share_of

_MOST_OUTAGES_TOLD = 3
_COUNTED = ("llm_calls", "prompt_tokens", "cached_tokens", "completion_tokens")


def asks_report(
    outcomes: Sequence[AskOutcome],
    left_out: Mapping[str, int] | None = None,
    *,
    not_asked: int = 0,
    stopped_because: str = "",
    spent_usd: float = 0.0,
    cut_by_outages: bool = False,
) -> Report:
    """Figures of one run. `left_out` counts questions whose gold is unfit by why, `not_asked` those that a run which
    ended early did not come to; `stopped_because` is why, else empty, and `cut_by_outages` whether it had to.
    `spent_usd` is what this run cost, in US dollars: not what is known from before, and not replies of the cache. The
    report is passed where something was measured, and outages did not end the run."""
    left_out = left_out or {}
    scored = [one for one in outcomes if one.is_scored]
    timed = [one for one in outcomes if one.is_timed]
    verdicts = Counter(one.verdict for one in outcomes)
    strict = share_of(verdicts["correct"], len(scored))
    contained = share_of(sum(one.contained for one in scored), len(scored))
    figures: dict[str, Any] = {
        "questions": len(outcomes),
        "correct": verdicts["correct"],
        "wrong": verdicts["wrong"],
        "failed": verdicts["failed"],
        "outages": verdicts["outage"],
        "not_asked": not_asked,
        "left_out": left_out,
        "accuracy": strict.share,
        "strict": asdict(strict),
        "contained": asdict(contained),
        "by_source": _by_source(scored),
        "failures": dict(Counter(one.failure for one in outcomes if one.failure).most_common()),
        **{key: int(sum(one.used(key) for one in outcomes)) for key in _COUNTED},
        "cost_usd": round(sum(one.used("cost_usd") for one in outcomes), 6),
        "spent_usd": round(spent_usd, 6),
        "replies_from_cache": sum(one.from_cache for one in outcomes),
        "with_failed_calls": sum(one.failed_calls > 0 for one in scored),
        "timed": len(timed),
        "p50_ms": _percentile((one.ms for one in timed), 50),
        "p95_ms": _percentile((one.ms for one in timed), 95),
        "waits_mean": ratio(sum(one.waits for one in timed), len(timed), 2),
        "waits_p95": int(_percentile((one.waits for one in timed), 95)),
        "stages": _stages(timed),
    }
    answered = figures["correct"] + figures["wrong"]
    precision = f"{figures['correct'] / answered:.1%}" if answered else "-"
    lines = [
        f"questions          {figures['questions']}",
        f"right              {figures['correct']}  ({precision} of the answered)",
        f"wrong              {figures['wrong']}",
        f"failed             {figures['failed']}",
        *_unless_zero(figures["outages"], "outages", "not scored; --resume asks them again"),
        *_unless_zero(not_asked, "not asked", "--resume asks them"),
        *_unless_zero(sum(left_out.values()), "left out", "their gold fails, is empty or is marked so"),
        "",
        f"strict match       {strict}",
        f"columns contained  {contained}",
        "",
        *_time_lines(figures, len(scored)),
        *_model_lines(figures),
        *_source_and_stage_lines(figures),
        *_failure_lines(outcomes, figures["failures"]),
        *(["", f"Stopped early: {stopped_because}"] if stopped_because else []),
    ]
    return Report(figures, lines, passed=bool(scored) and not cut_by_outages)


def _source_and_stage_lines(figures: Mapping[str, Any]) -> Iterator[str]:
    sources, stages = figures["by_source"], figures["stages"]
    yield from ("", "right  wrong  answered by") if sources else ()
    yield from (f"{one['correct']:>5}  {one['wrong']:>5}  {name}" for name, one in sources.items())
    yield from ("", "p50 ms  p95 ms   asks  stage") if stages else ()
    for name, one in stages.items():
        yield f"{one['p50_ms']:>6.0f}  {one['p95_ms']:>6.0f}  {one['asks']:>5}  {name}"


def _failure_lines(outcomes: Sequence[AskOutcome], failures: Mapping[str, int]) -> Iterator[str]:
    yield from ("", "failed because") if failures else ()
    yield from (f"{count:>6}  {kind}" for kind, count in failures.items())
    unmodelled = {one.db_id: one.why for one in outcomes if one.failure == "MODEL"}
    yield from (f"        {db_id}: {why}" for db_id, why in unmodelled.items())
    outages = Counter(one.why for one in outcomes if not one.is_scored)
    yield from (f"        {count} × {why}" for why, count in outages.most_common(_MOST_OUTAGES_TOLD))


def _by_source(scored: Sequence[AskOutcome]) -> dict[str, dict[str, int]]:
    counts = Counter((one.source, one.verdict) for one in scored if one.verdict != "failed")
    sources = sorted({source for source, _ in counts})
    return {name: {"correct": counts[name, "correct"], "wrong": counts[name, "wrong"]} for name in sources}


def _unless_zero(count: int, name: str, what: str) -> list[str]:
    return [f"{name:<19}{count}  ({what})"] if count else []


def _time_lines(figures: dict[str, Any], scored: int) -> list[str]:
    timed = figures["timed"]
    if not timed:
        return ["time an ask        not measured: replies came from the cache"] if scored else []
    of = f"of {timed} asks without kept replies" if timed < scored else "beside the others"
    lines = [f"time an ask        p50 {figures['p50_ms']:.0f} ms, p95 {figures['p95_ms']:.0f} ms, {of}"]
    if figures["llm_calls"]:
        lines.append(f"model waits        {figures['waits_mean']:.2f} an ask, p95 {figures['waits_p95']}")
    return lines


def _model_lines(figures: dict[str, Any]) -> list[str]:
    if not figures["llm_calls"]:
        return []
    return [
        f"model calls        {figures['llm_calls']}, {figures['replies_from_cache']} of them from the reply cache",
        f"tokens             {figures['prompt_tokens']} in prompts ({figures['cached_tokens']} of them from the "
        f"server's cache), {figures['completion_tokens']} in replies",
        f"cost               ${figures['cost_usd']:.4f}, ${figures['spent_usd']:.4f} of it now",
        *_unless_zero(figures["with_failed_calls"], "failed calls", "asks that had one and ended all the same"),
    ]


def _stages(timed: Iterable[AskOutcome]) -> dict[str, dict[str, float]]:
    """By stage, in the order in which they were first met: how many asks had it, and its time in these."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    for outcome in timed:
        for stage, ms in outcome.timings.items():
            times[stage].append(ms)
    return {
        stage: {"asks": len(found), "p50_ms": _percentile(found, 50), "p95_ms": _percentile(found, 95)}
        for stage, found in times.items()
    }


def _percentile(values: Iterable[float], percent: float) -> float:
    return round(percentile(list(values), percent), 1)


# ---------------------------------------------------------------- the page
_TEMPLATE = "asks_page.html.jinja"


def write_page(path: Path, outcomes: Sequence[AskOutcome], report: Report, run: Mapping[str, Any]) -> None:
    """Write a page about one run for reading: figures, and of every question its prompts, SQL and both results; `run`
    is what a results file says of its run. Raises `InvalidRequest` where that fails.

    The page is one file that loads nothing. Everything from outside is escaped, and the page's own policy forbids
    scripts and styles other than its own."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shared = _shared_texts(outcomes)
    page = environment.get_template(_TEMPLATE).stream(
        run=run,
        settings=json.dumps(run, indent=2, ensure_ascii=False),
        table=report.table,
        outcomes=outcomes,
        numbers={text: number for number, text in enumerate(shared, 1)},
    )
    try:
        with path.open("wb") as file:
            page.dump(file, encoding="utf-8", errors="replace")
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be written: {error.strerror}.", "Name a file in a folder that is there."
        ) from error


def _shared_texts(outcomes: Sequence[AskOutcome]) -> list[str]:
    """The system texts of more than one call, the most frequent first: the page has each of them once."""
    counts = Counter(call["system"] for outcome in outcomes for call in outcome.calls)
    return [text for text, count in counts.most_common() if count > 1]
