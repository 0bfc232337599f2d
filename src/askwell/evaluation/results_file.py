"""Files of results: a JSON object about the run, then one for each question, a line each.

A line is written as soon as its ask has ended, and the last line of a question counts: a run that was interrupted is
whole up to its last line, and one that is taken up again is written after it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from askwell.errors import InvalidRequest
from askwell.evaluation.ask_outcomes import AskOutcome, outcome_of
from askwell.evaluation.text2sql import unreadable

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
        self._write(outcome.as_json())

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
