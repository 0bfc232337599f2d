"""Structured logs that say which job and which request, and never what was asked or found.

One JSON object a line, or readable lines on a terminal. Below debug a line holds no prompt, row, secret or traceback:
our own messages are constants with facts in `extra`, an exception is its class and place, and what a library has to say
is withheld, since its messages may quote what passed through it.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TextIO

from askwell.observability.trace_context import new_trace_id
from askwell.observability.tracing import current_span

Level = Literal["debug", "info", "warning", "error"]

_job_id: ContextVar[str | None] = ContextVar("askwell_job_id", default=None)
_request_id: ContextVar[str | None] = ContextVar("askwell_request_id", default=None)
_trace_id: ContextVar[str | None] = ContextVar("askwell_trace_id_of_lines", default=None)
# What programs find lines by, and people on a terminal have no use for.
_FOR_PROGRAMS = ("logger", "trace_id", "span_id")

# The one library whose messages are shown: they are about the server itself.
_SERVER = "uvicorn.error"
# What every LogRecord has; anything else on it came in as `extra`.
_STANDARD = frozenset(vars(logging.LogRecord("", 0, "", 0, "", (), None))) | {"message", "asctime", "taskName"}


def job_scope(job_id: str) -> AbstractContextManager[None]:
    """Every line logged inside carries `job_id`, which is the id of its trace too, in this task and the tasks it
    starts."""
    return _scope({_job_id: job_id, _trace_id: job_id})


def request_scope(request_id: str, trace_id: str | None = None) -> AbstractContextManager[None]:
    """Every line logged inside carries `request_id`, and the id of the trace that it is a part of, or of a new one."""
    return _scope({_request_id: request_id, _trace_id: trace_id or new_trace_id()})


@contextmanager
def _scope(values: Mapping[ContextVar[str | None], str]) -> Iterator[None]:
    tokens = [(variable, variable.set(value)) for variable, value in values.items()]
    try:
        yield
    finally:
        for variable, token in tokens:
            variable.reset(token)


def configure_logging(level: Level = "info", stream: TextIO | None = None, as_json: bool | None = None) -> None:
    """Send all logs to `stream` (standard error). `as_json` None means readable lines on a terminal, JSON elsewhere."""
    target = stream if stream is not None else sys.stderr
    structured = not target.isatty() if as_json is None else as_json
    verbose = level == "debug"
    # A line that cannot be written is lost quietly: logging would print it with a traceback and its arguments.
    logging.raiseExceptions = verbose
    handler = logging.StreamHandler(target)
    if not verbose:
        handler.addFilter(_worth_a_line)
    handler.setFormatter(_Lines(as_json=structured, verbose=verbose))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("askwell").setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING if level != "debug" else logging.INFO)


def facts(record: logging.LogRecord, verbose: bool) -> dict[str, Any]:
    """What a line says, in the order in which it says it."""
    line: dict[str, Any] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": _message(record, verbose),
        "job_id": _job_id.get(),
        "request_id": _request_id.get(),
        "trace_id": _trace_id.get(),
        "span_id": span.context.span_id if (span := current_span.get()) is not None else None,
    }
    line |= {name: value for name, value in vars(record).items() if name not in _STANDARD}
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        line["exception"] = type(error).__name__
        line["at"] = _place(error)
        if verbose:
            line["traceback"] = logging.Formatter().formatException(record.exc_info)  # type: ignore[arg-type]
    return {name: value for name, value in line.items() if value is not None}


class _Lines(logging.Formatter):
    """A line for each record: one JSON object, or `12:30:01 info  ask ended  status=finished job_id=…` for people at a
    terminal."""

    def __init__(self, *, as_json: bool, verbose: bool) -> None:
        super().__init__()
        self._as_json, self._verbose = as_json, verbose

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter.format`."""
        line = facts(record, self._verbose)
        if self._as_json:
            return json.dumps(line, default=lambda value: type(value).__name__)
        clock, level, message = line.pop("time")[11:19], line.pop("level"), line.pop("message")
        for name in _FOR_PROGRAMS:
            line.pop(name, None)
        traceback = line.pop("traceback", None)
        rest = " ".join(f"{name}={_one_line(value)}" for name, value in line.items())
        text = f"{clock} {level:<7} {_one_line(message)}" + (f"  {rest}" if rest else "")
        return f"{text}\n{traceback}" if traceback else text


def _worth_a_line(record: logging.LogRecord) -> bool:
    # Libraries speak up from warnings on, whatever level they have set for themselves.
    return record.levelno >= logging.WARNING or record.name.split(".", 1)[0] == "askwell"


def _message(record: logging.LogRecord, verbose: bool) -> str:
    if verbose or record.name.split(".", 1)[0] == "askwell":
        return record.getMessage()
    if record.name == _SERVER:
        # The server reports a failed start with the whole traceback as its message.
        message = record.getMessage()
        return "the application did not start" if message.startswith("Traceback") else message.strip()
    return f"{record.name} reported something (its words are shown with --log-level debug)"


def _place(error: BaseException) -> str | None:
    """The file and line where it broke: the innermost place in our own code, else the innermost of all."""
    place: str | None = None
    ours: str | None = None
    trace = error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        place = f"{file.name}:{trace.tb_lineno}"
        if "askwell" in file.parts:
            ours = place
        trace = trace.tb_next
    return ours or place


def _one_line(value: object) -> str:
    # A line break in a value must not look like another log line.
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in str(value))
