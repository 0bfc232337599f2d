"""What came of whole asks: of each as a value and as a line of a results file.

A results file holds a JSON object about the run, then one for each question, a line each. A line is written as soon as
its ask has ended, and the last line of a question counts: a run that was interrupted is whole up to its last line, and
one that is taken up again is written after it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import IO, Any, Literal

from askwell.errors import InvalidRequest
from askwell_evaluation.questions import unreadable

# `outage`: something that the ask depends on was away, so its answer says nothing about how good answers are.
Verdict = Literal["correct", "wrong", "failed", "outage"]
_VERDICTS = ("correct", "wrong", "failed", "outage")


@dataclass(frozen=True, slots=True)
class AskOutcome:
    """One question and what came of it; every field is JSON-ready.

    `contained`: the answer has the gold's rows and, among its columns, the gold's. `failure` is the kind of a failed
    one: an error code, an intent, `MODEL` where its database has no model, `LATE` after the ask's deadline; of an
    outage what was away: `language_model`, `embedder`, `record`, `data_source.NAME`, or `MODEL` where what its
    preparation needs was. `why` is a sentence about what is
    wrong, else empty. `source` is where the SQL came from: history, view, rules or llm; "" without SQL. `ms` are
    milliseconds from acceptance to the end, `timings` those of each stage; `usage` counts the ask's calls, tokens and
    dollars; `waits` are model calls that followed one another, and `calls` all of them with their prompts; replies
    that were in the reply cache are counted in `from_cache`, and failed calls in `failed_calls`. `answer_rows` and
    `gold_rows` are the first rows of both results.
    """

    id: str
    db_id: str
    question: str
    verdict: Verdict
    contained: bool = False
    failure: str = ""
    why: str = ""
    source: str = ""
    golds: tuple[str, ...] = ()
    sql: str = ""
    planned_sql: str = ""
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    ms: float = 0.0
    timings: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, float] = field(default_factory=dict)
    waits: int = 0
    from_cache: int = 0
    failed_calls: int = 0
    answer_rows: Mapping[str, Any] | None = None
    gold_rows: Mapping[str, Any] | None = None
    calls: Sequence[Mapping[str, Any]] = ()

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from the others of its file."""
        return self.db_id, self.id

    @property
    def is_scored(self) -> bool:
        """Whether it says how good answers are."""
        return self.verdict != "outage"

    @property
    def is_timed(self) -> bool:
        """Whether its times are those of an ask: replies from a cache come at once."""
        return self.is_scored and not self.from_cache

    def used(self, key: str) -> float:
        """A count of its usage: `llm_calls`, `prompt_tokens`, `cached_tokens`, `completion_tokens` or `cost_usd`; 0 of
        what was not counted."""
        return self.usage.get(key, 0)


_FIELDS = frozenset(field.name for field in fields(AskOutcome))


def outcome_of(line: Mapping[str, Any]) -> AskOutcome:
    """The outcome that a line of a results file holds. Raises `ValueError`, `KeyError` or `TypeError` where it does
    not; keys of another version are passed over."""
    known = {key: value for key, value in line.items() if key in _FIELDS}
    if known["verdict"] not in _VERDICTS:
        raise ValueError("has a verdict that is not known")
    lists = {key: tuple(known.get(key) or ()) for key in ("golds", "assumptions", "warnings", "calls")}
    return AskOutcome(**{**known, **lists})


# ---------------------------------------------------------------- the file
_RUN = "run"
_HINT = "Name a file that `askwell eval asks --out` wrote."


@dataclass(frozen=True, slots=True)
class Results:
    """`run` says what was asked of what: `language_models`, `settings`, `questions` and more. `outcomes` are in the
    order of the file, one a question."""

    run: Mapping[str, Any]
    outcomes: tuple[AskOutcome, ...]


def read_results(path: Path) -> Results:
    """What a file holds. A last line that was cut off is passed over. Raises `InvalidRequest`."""
    try:
        *lines, _ = path.read_bytes().split(b"\n")
    except OSError as broke:
        raise InvalidRequest(f"{path} cannot be read: {broke.strerror}.", _HINT) from broke
    rows = [_row(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not rows or not isinstance(rows[0], dict) or not isinstance(rows[0].get(_RUN), dict):
        raise InvalidRequest(f"{path} does not begin with what was run.", _HINT)
    found: dict[tuple[str, str], AskOutcome] = {}
    for number, row in enumerate(rows[1:], 2):
        try:
            outcome = outcome_of(row)
        except (ValueError, KeyError, TypeError, AttributeError) as broke:
            raise InvalidRequest(f"{path} cannot be used: line {number} holds no result.", _HINT) from broke
        found[outcome.key] = outcome
    return Results(rows[0][_RUN], tuple(found.values()))


def _row(path: Path, number: int, line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError as broke:
        raise InvalidRequest(f"{path} cannot be used: line {number} {unreadable(broke)}.", _HINT) from broke


class ResultsWriter:
    """Adds results to a file, each at once."""

    def __init__(self, lines: IO[bytes]) -> None:
        self._lines = lines

    @property
    def holds_run(self) -> bool:
        """Whether the file says already what was run."""
        return self._lines.tell() > 0

    def begin(self, run: Mapping[str, Any]) -> None:
        """What the results are of."""
        self._write({_RUN: run})

    def add(self, outcome: AskOutcome) -> None:
        """What came of a question."""
        self._write(asdict(outcome))

    def _write(self, line: Mapping[str, Any]) -> None:
        self._lines.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        self._lines.flush()


@contextmanager
def writing(path: Path, *, resume: bool) -> Iterator[ResultsWriter]:
    """A writer to a new file, or to the end of one that is there. Raises `InvalidRequest` for one that cannot be
    written, and for one that holds something where nothing is to be resumed: results may have cost money."""
    try:
        if not resume and path.exists() and path.stat().st_size:
            raise InvalidRequest(
                f"{path} is there already.", "Go on with it by --resume, name another file, or delete it."
            )
        lines = path.open("r+b" if path.exists() else "x+b")
        _drop_cut_line(lines)
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be written: {error.strerror}.", "Name a file in a folder that is there."
        ) from error
    with lines:
        yield ResultsWriter(lines)


def _drop_cut_line(lines: IO[bytes]) -> None:
    """And go to the end."""
    lines.truncate(lines.read().rfind(b"\n") + 1)
    lines.seek(0, io.SEEK_END)
