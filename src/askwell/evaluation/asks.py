"""How many questions whole asks answer, and how many of the answers are right (`askwell eval asks`): by execution
accuracy, through the service as it is configured, on SQLite files whose models are introspected."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TextIO

from askwell.asks.request import AskRequest
from askwell.config import Config, DataSourceConfig
from askwell.container import Container
from askwell.errors import AskwellError, InvalidRequest
from askwell.evaluation.asks_report import AskOutcome, AsksReport
from askwell.evaluation.scoring import QueryBroke, SqliteReader, same_result
from askwell.evaluation.text2sql import (
    Question,
    by_database,
    introspected_manifest,
    read_questions,
    read_spider_tables,
)

_LABEL = "evaluation"
_LOOK_SECONDS = 0.02
_PROGRESS_EVERY = 50


def run_asks(
    questions: Path,
    databases: Path,
    config: Config,
    *,
    limit: int | None,
    seed: int,
    progress: Callable[[str], None],
    out: Path | None = None,
) -> AsksReport:
    """Ask and score every scorable question.

    `questions` is a `questions.jsonl` (with `tables.json` beside it, where there is one), `databases` the folder of
    `<db_id>.sqlite`. Of `config` everything counts but its databases and its record: that one is made anew and thrown
    away. `out` gets a JSON object a line as each ask ends. Raises `InvalidRequest` for files that cannot be read or
    written, and what `Container` raises for a configuration that cannot be used.
    """
    rows = [row for row in read_questions(questions, limit=limit, seed=seed) if row.scorable]
    found = by_database(rows, databases)
    with tempfile.TemporaryDirectory(prefix="askwell-eval-") as folder, _opened(out) as lines:
        _share_embedder(config, Path(folder))
        here = _on_these(config, Path(folder), {mine[0].db_id: path for path, mine in found.items()})
        ordered = [row for mine in found.values() for row in mine]
        evaluation = _Evaluation(here, found, read_spider_tables(questions.parent), progress, lines)
        return AsksReport(tuple(asyncio.run(evaluation.run(ordered))))


@contextmanager
def _opened(out: Path | None) -> Iterator[TextIO | None]:
    try:
        opened = nullcontext() if out is None else out.open("w", encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(
            f"{out} cannot be written: {error.strerror}.", "Name a file in a folder that is there."
        ) from error
    with opened as lines:
        yield lines


def _share_embedder(config: Config, home: Path) -> None:
    """The embedder's files are made once and kept in the configured home."""
    if config.embedder.default.provider == "minilm":
        models = config.home / "models"
        models.mkdir(parents=True, exist_ok=True)
        (home / "models").symlink_to(models.resolve())


def _on_these(config: Config, home: Path, databases: Mapping[str, Path]) -> Config:
    """The configuration with a project for each database, and with a record and an index of its own."""
    sources = {
        db_id: DataSourceConfig.model_validate({"engine": "sqlite", "path": path.resolve()})
        for db_id, path in databases.items()
    }
    return config.apart(home, sources)


class _Evaluation:
    """One run over a container: models are prepared when their first question comes, and as many asks are on their way
    as the configuration lets run at once."""

    def __init__(
        self,
        config: Config,
        found: Mapping[Path, Sequence[Question]],
        spider: Mapping[str, Any],
        progress: Callable[[str], None],
        lines: TextIO | None,
    ) -> None:
        self._at_once = config.settings.concurrency
        self._container = Container.build(config)
        self._paths = {mine[0].db_id: path for path, mine in found.items()}
        self._spider = spider
        self._progress = progress
        self._lines = lines
        self._tasks = asyncio.TaskGroup()
        self._preparations: dict[str, asyncio.Task[str]] = {}
        self._outcomes: list[AskOutcome] = []

    async def run(self, rows: Sequence[Question]) -> list[AskOutcome]:
        """Every outcome, in the order in which the asks ended."""
        await self._container.start()
        try:
            await self._require_models()
            waiting = iter(rows)
            async with self._tasks:
                for _ in range(min(self._at_once, len(rows))):
                    self._tasks.create_task(self._work(waiting, len(rows)))
        finally:
            await self._container.stop()
        return self._outcomes

    async def _require_models(self) -> None:
        """A model that cannot be reached would fail every ask, one by one."""
        state = (await self._container.readiness())["language_model"]
        if not state["ok"]:
            raise AskwellError(
                str(state["message"]), "`askwell doctor` says more of it; --llm none measures the rules alone."
            )

    async def _work(self, waiting: Iterator[Question], total: int) -> None:
        for row in waiting:
            outcome = await self._outcome(row)
            self._outcomes.append(outcome)
            if self._lines is not None:
                self._lines.write(json.dumps(outcome.as_json(), ensure_ascii=False) + "\n")
                self._lines.flush()
            if (done := len(self._outcomes)) % _PROGRESS_EVERY == 0 or done == total:
                correct = sum(one.verdict == "correct" for one in self._outcomes)
                self._progress(f"{done} of {total} asks, {correct} right")

    async def _outcome(self, row: Question) -> AskOutcome:
        if problem := await self._prepared(row.db_id):
            return AskOutcome(row, "failed", 0.0, {}, "MODEL", problem)
        started = time.perf_counter()
        result = await self._asked(row)
        ms = (time.perf_counter() - started) * 1000
        if result["status"] != "finished":
            error = result.get("error", {})
            return AskOutcome(row, "failed", ms, result, error.get("code", "STOPPED"), error.get("message", ""))
        if result["type"] != "TEXT_TO_SQL":
            return AskOutcome(row, "failed", ms, result, result["general_type"], "Answered in words, without SQL.")
        why = await asyncio.to_thread(_difference, self._paths[row.db_id], row, result["planned_sql"])
        return AskOutcome(row, "wrong" if why else "correct", ms, result, why=why)

    async def _asked(self, row: Question) -> Mapping[str, Any]:
        asks = self._container.asks
        ask_id = await asks.start(
            AskRequest(query=row.question, project_id=row.db_id, mdl_hash=_LABEL, request_from="api")
        )
        result: Mapping[str, Any] = {}
        async for event in await asks.events(ask_id):
            if event.kind in ("done", "error"):
                result = event.data
        return result

    def _prepared(self, db_id: str) -> Awaitable[str]:
        """What is wrong with a database's model; "" when it can be asked about. Each is prepared once."""
        if db_id not in self._preparations:
            self._preparations[db_id] = self._tasks.create_task(self._prepare(db_id), name=f"prepare {db_id}")
        return self._preparations[db_id]

    async def _prepare(self, db_id: str) -> str:
        preparation = self._container.preparation
        try:
            mdl = await asyncio.to_thread(_model_text, self._paths[db_id], self._spider.get(db_id))
            await preparation.start(db_id, mdl, _LABEL)
            status = await preparation.status(db_id, _LABEL)
            while status["status"] == "indexing":
                await asyncio.sleep(_LOOK_SECONDS)
                status = await preparation.status(db_id, _LABEL)
        except AskwellError as error:
            return error.message
        return "" if status["status"] == "finished" else str(status["error"]["message"])


def _model_text(path: Path, spider: Mapping[str, Any] | None) -> str:
    with closing(SqliteReader(path)) as reader:
        return json.dumps(introspected_manifest(reader.connection, spider).wire(), ensure_ascii=False)


def _difference(path: Path, row: Question, planned_sql: str) -> str:
    """Why the answer's rows are not a gold's; "" when they are those of one of them."""
    with closing(SqliteReader(path)) as reader:
        predicted = reader.run(planned_sql)
        if isinstance(predicted, QueryBroke):
            return f"the statement does not run: {predicted.message}"
        counts = []
        for gold_sql in row.golds:
            gold = reader.run(gold_sql)
            if isinstance(gold, QueryBroke):
                continue
            if same_result(gold, predicted, ordered=row.ordered):
                return ""
            counts.append(_shape(gold))
    return f"{_shape(predicted)}, gold has {' or '.join(counts) or 'no result today'}"


def _shape(rows: Sequence[tuple[Any, ...]]) -> str:
    return f"{len(rows)} rows of {len(rows[0])} columns" if rows else "no rows"
