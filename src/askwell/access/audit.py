"""Who asked what: a line of JSON for each ask, statement, change and refused sign-in. Never a row, never a key.

Lines are written on a thread of their own; what takes longer, as finding the tables of a statement, is done there too.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from logging.handlers import QueueListener, TimedRotatingFileHandler
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from cachetools import LRUCache
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.access.caller import Caller
from askwell.config.sign_in import AuditConfig
from askwell.errors import ConfigurationError
from askwell.jobs.engine import EndedJob
from askwell.knowledge.engines import make_folder, make_private
from askwell.messages import say
from askwell.principal import Person, Principal
from askwell.sql.guard.tables import named_tables

logger = logging.getLogger(__name__)

FILE_NAME = "audit.jsonl"
# A line that cannot be written is tried again so often; so many wait, some tens of megabytes.
_AGAIN_SECONDS, _MOST_WAITING = 0.5, 100_000
_LOST = "a line of the audit log is lost"
_WORDS = ("query", "question", "message")
# Nobody reads more of a question, and a line stays a line.
_MOST_CHARACTERS = 2_000
_LONGEST_PARSED = 20_000
_KEPT_NAMES = 10_000
# How a statement may be written, for all that is wanted of it: one that does not fit is read as the next.
_DIALECTS = (None, "duckdb", "mysql")
# How CTEs are told from tables: names fold as in PostgreSQL. Where a dialect folds more, a CTE may be listed as a
# table, which is better than a table that is left out.
_SCOPES = "postgres"


class AuditLog:
    """Where the lines go."""

    def __init__(self, config: AuditConfig, home: Path) -> None:
        self._config = config
        self._path = config.path or home / "audit" / FILE_NAME
        self._names: LRUCache[str, str] = LRUCache(_KEPT_NAMES)
        self._listener: QueueListener | None = None
        self._file: _PrivateFile | None = None
        self._waiting: SimpleQueue[Any] = SimpleQueue()

    def open(self) -> None:
        """Begin to write. Raises `ConfigurationError` where the file cannot be written."""
        handler = self._handler()
        if handler is None:
            return
        handler.setFormatter(_Line())
        self._file = handler if isinstance(handler, _PrivateFile) else None
        self._listener = QueueListener(self._waiting, handler)
        self._listener.start()

    def close(self) -> None:
        """Write what can be written, and end. Safe to call twice."""
        listener, self._listener = self._listener, None
        if listener is not None:
            if self._file is not None:
                self._file.is_closing = True
            listener.stop()
            for handler in listener.handlers:
                handler.close()

    def problem(self) -> str:
        """Why what is done cannot be written down; empty where it can."""
        if self._file is None or not self._file.problem:
            return ""
        return f"The audit log cannot be written ({self._file.problem}); {self._waiting.qsize() + 1} lines wait."

    def met(self, principal: Principal) -> None:
        """Remember what a person is called: jobs know their ids only."""
        self._names[principal.id] = principal.name

    def ended(self, job: EndedJob) -> None:
        """A job has ended: who asked what of which project, which tables were read, how many rows came."""
        self._write(
            "job",
            job.person,
            project=job.project_id,
            kind=job.kind,
            job_id=job.id,
            question=self._question(job.asked),
            sql=_statement(job.result) or job.asked.get("sql"),
            rows=_rows(job.result),
            status=job.status,
            seconds=round(job.seconds, 3),
        )

    def called(self, person: Person, project_id: str, tool: str, said: Mapping[str, Any], rows: int | None) -> None:
        """A tool was called that is no job of its own."""
        sql = said.get("sql")
        self._write("tool", person, project=project_id, kind=tool, sql=sql if isinstance(sql, str) else None, rows=rows)

    def handled(self, caller: Caller, route: str, status: int, request_id: str) -> None:
        """A request that changes something, or may, was answered."""
        about = {"projects": sorted(caller.projects), "request_id": request_id}
        self._write("request", caller.person, route=route, status=status, **about)

    def refused(self, address: str, reason: str) -> None:
        """Someone was not let in."""
        self._write("refused", Person(), address=address, reason=reason)

    def _write(self, what: str, person: Person, **facts: Any) -> None:
        if self._waiting.qsize() >= _MOST_WAITING:
            logger.error(_LOST)
        elif self._listener is not None:
            at = datetime.now(UTC).isoformat(timespec="milliseconds")
            who = {"principal": person.id, "name": self._names.get(person.id)}
            self._waiting.put(logging.makeLogRecord({"line": {"at": at, "event": what, **who, **facts}}))

    def _question(self, asked: Mapping[str, str]) -> str | None:
        if not self._config.questions:
            return None
        return next((asked[name][:_MOST_CHARACTERS] for name in _WORDS if name in asked), None)

    def _handler(self) -> logging.Handler | None:
        match self._config.to:
            case "off":
                return None
            case "stdout":
                return logging.StreamHandler(sys.stdout)
        try:
            make_folder(self._path.parent)
            return _PrivateFile(self._path, when="midnight", backupCount=self._config.days, encoding="utf-8", utc=True)
        except OSError as error:
            raise ConfigurationError(
                *say("sign_in.audit_not_writable", path=self._path, strerror=error.strerror)
            ) from None


class _PrivateFile(TimedRotatingFileHandler):
    """Each file is for the service's own user. `problem` says why lines wait to be written; once the log `is_closing`,
    none is tried again."""

    problem, is_closing = "", False

    def _open(self) -> Any:
        make_private(Path(self.baseFilename))
        # Without a buffer, which would forget what it cannot write.
        return open(self.baseFilename, "ab", buffering=0)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, and wait until there is room for it."""
        left = f"{self.format(record)}\n".encode()
        while left:
            try:
                if self.shouldRollover(record):
                    self.doRollover()
                self.stream = self.stream or self._open()
                left = left[self.stream.write(left) :]  # type: ignore[arg-type] # it takes bytes
                self.problem = ""
            except OSError as error:
                if self.is_closing:
                    logger.error(_LOST)
                    return
                if not self.problem:
                    logger.error("the audit log cannot be written", extra={"error": error.strerror})
                self.problem = error.strerror or type(error).__name__
                time.sleep(_AGAIN_SECONDS)


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        facts: dict[str, Any] = dict(record.__dict__["line"])
        sql = facts.pop("sql", None)
        if sql:
            facts["tables"] = tables_of(sql)
        return json.dumps({name: value for name, value in facts.items() if value is not None}, ensure_ascii=False)


def tables_of(sql: str) -> list[str] | None:
    """The tables that a statement names; None where it cannot be read."""
    if len(sql) > _LONGEST_PARSED:
        return None
    tree = _parsed(sql)
    if tree is None:
        return None
    return sorted({".".join(part.name for part in table.parts) for table in named_tables(tree, _SCOPES)})


def _parsed(sql: str) -> exp.Expr | None:
    for dialect in _DIALECTS:
        try:
            return parse_one(sql, dialect=dialect)
        except (SqlglotError, RecursionError):
            continue
    return None


def _statement(result: Mapping[str, Any]) -> str | None:
    response = result.get("response")
    first = response[0] if isinstance(response, list) and response else None
    sql = first.get("sql") if isinstance(first, Mapping) else None
    return sql if isinstance(sql, str) else None


def _rows(result: Mapping[str, Any]) -> int | None:
    """How many rows came with a result, of whatever kind it is."""
    found: list[Callable[[], Any]] = [
        lambda: result["data"]["row_count"],
        lambda: result["num_rows_used_in_llm"],
        lambda: len(result["response"]["chart_schema"]["data"]["values"]),
    ]
    for look in found:
        try:
            count = look()
        except (KeyError, TypeError, IndexError):
            continue
        if isinstance(count, int):
            return count
    return None
