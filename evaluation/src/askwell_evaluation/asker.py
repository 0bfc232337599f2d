"""One question through the whole service, and what came of it.

What BIRD says of its columns: `database_description/<table>.csv` beside a database, put into its semantic model.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
import time
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from askwell.asks.request import AskRequest
from askwell.config import Config
from askwell.container import Container
from askwell.errors import AskwellError, EngineUnavailable, InvalidRequest
from askwell.knowledge.saved import EventKind
from askwell.mdl.manifest import Manifest, Model, ModelColumn
from askwell.providers.engine.base import Engine, PhysicalSchema
from askwell.services.model_drafting import draft_model
from askwell_evaluation.asks_options import OwnKnowledge
from askwell_evaluation.asks_results import AskOutcome, Verdict
from askwell_evaluation.databases import Spider, readable_names, with_spider_keys
from askwell_evaluation.gold_scores import Score, score
from askwell_evaluation.model_calls import CallLog, ReplyCache, recorded, recorder, waits
from askwell_evaluation.questions import Question

_FOLDER = "database_description"
_NAME, _PARTS = "original_column_name", ("column_description", "value_description")
_LONGEST = 400

_LABEL = "evaluation"
_LOOK_SECONDS = 0.02
# The result code of an ask that ran out of time, beside the error code of everything that is not the question's fault.
_LATE_CODE, _BROKEN = "3002", "OTHERS"
_IN_WORDS = "Answered in words, without SQL."

# By table and column, both in lower case.
Descriptions = Mapping[tuple[str, str], str]


def read_descriptions(database: Path) -> Descriptions:
    """Those beside a database's file; none where there is no such folder. Files that are no CSV are passed over."""
    found: dict[tuple[str, str], str] = {}
    for path in sorted((database.parent / _FOLDER).glob("*.csv")):
        for column, description in _rows(path):
            found[path.stem.strip().lower(), column] = description
    return found


def with_descriptions(manifest: Manifest, descriptions: Descriptions) -> Manifest:
    """The model, with a description at every column that has one there and none yet."""
    models = (
        model.model_copy(update={"columns": tuple(_described(model, column, descriptions) for column in model.columns)})
        for model in manifest.models
    )
    return manifest.model_copy(update={"models": tuple(models)}) if descriptions else manifest


def _described(model: Model, column: ModelColumn, descriptions: Descriptions) -> ModelColumn:
    table = model.table_reference.table if model.table_reference else model.name
    # The expression of an introspected column is its physical name, quoted.
    physical = column.expression[1:-1].replace('""', '"') if column.expression else column.name
    description = descriptions.get((table.lower(), physical.lower()))
    if description is None or column.properties.get("description"):
        return column
    return column.model_copy(update={"properties": {**column.properties, "description": description}})


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except ValueError:
        text = raw.decode("cp1252", "replace")
    for row in csv.DictReader(io.StringIO(text, newline="")):
        name = (row.get(_NAME) or "").strip().lower()
        parts = (" ".join((row.get(key) or "").split()) for key in _PARTS)
        description = "; ".join(dict.fromkeys(filter(None, parts)))
        if name and description:
            yield name, description[:_LONGEST]


@dataclass(frozen=True, slots=True)
class _Judgement:
    """See `AskOutcome` for `verdict`, `failure` and `why`."""

    verdict: Verdict
    failure: str = ""
    why: str = ""
    score: Score | None = None


# What becomes of a question that has no answer.
_TURNED_AWAY = Score(strict=True, contained=True)


class Asker:
    """A service of its own over `config`, to be used as a context. The model of a database is prepared when its first
    question comes; `spider` has what `tables.json` says of each, and `cache` the replies from before."""

    def __init__(
        self, config: Config, knowledge: OwnKnowledge, spider: Mapping[str, Spider], cache: ReplyCache | None
    ) -> None:
        moment = None if cache is None else cache.moment
        self._container = Container(
            config,
            now=lambda: moment or datetime.now(UTC),
            watch_model=recorder(config, cache),
        )
        self._paths = {name: source.path for name, source in config.data_sources.items() if source.path is not None}
        self._knowledge = knowledge
        self._spider = spider
        self._may_be_away = cache is not None
        self._preparations: dict[str, asyncio.Task[_Judgement | None]] = {}
        self._closing = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._container.start()
        self._closing.push_async_callback(self._container.stop)
        return self

    async def __aexit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is not None:  # the asks that still run are of no use any more
            self._container.drain()
            self._container.hurry()
        for task in self._preparations.values():
            task.cancel()
        await asyncio.gather(*self._preparations.values(), return_exceptions=True)
        await self._closing.aclose()

    def engine(self, db_id: str) -> Engine:
        """The database itself."""
        return self._container.database_for(db_id).engine

    async def require_models(self) -> None:
        """Raises `AskwellError` where a language model cannot be reached: every ask would fail, one by one. Kept
        replies need none."""
        state = (await self._container.readiness())["language_model"]
        if not state["ok"] and not self._may_be_away:
            raise AskwellError(
                str(state["message"]), "`askwell doctor` says more of it; --llm none measures the rules alone."
            )

    async def require_given(self, db_ids: Iterable[str]) -> None:
        """Raises `InvalidRequest` where a model, or the knowledge, that was given for one of these databases cannot be
        used: it would fail all of its questions."""
        for db_id in dict.fromkeys(db_ids):
            if db_id not in self._knowledge.models and db_id not in self._knowledge.pairs:
                continue
            problem = await self._prepared(db_id)
            if problem is not None and problem.verdict != "outage":
                raise InvalidRequest(
                    f"What is given for {db_id} cannot be used: {problem.why}",
                    "Correct the file of --mdl (`askwell model check` lists every problem) or of --sql-pairs.",
                )

    async def outcome(self, question: Question) -> tuple[AskOutcome, float]:
        """What came of it, and the US dollars that it cost now. When it is cancelled, so is the ask."""
        if problem := await self._prepared(question.db_id):
            return _outcome(question, CallLog(), {}, problem), 0.0
        started = time.perf_counter()
        with recorded() as log:
            result = await self._asked(question)
        ms = round((time.perf_counter() - started) * 1000, 1)
        return _outcome(question, log, result, await self._judged(question, log, result), ms), log.spent

    async def _asked(self, question: Question) -> Mapping[str, Any]:
        asks = self._container.asks
        request = AskRequest(
            query=question.question,
            project_id=question.db_id,
            mdl_hash=_LABEL,
            request_from="api",
            execute=True,
            custom_instruction=question.hint or None,
        )
        ask_id = await asks.start(request)
        result: Mapping[str, Any] = {}
        try:
            async for event in await asks.events(ask_id):
                if event.kind in ("done", "error"):
                    result = event.data
        except asyncio.CancelledError:
            await asks.stop(ask_id)
            raise
        return result

    async def _judged(self, question: Question, log: CallLog, result: Mapping[str, Any]) -> _Judgement:
        if result.get("status") != "finished":
            error = result.get("error", {})
            code, message = error.get("code", "STOPPED"), error.get("message", "")
            if away := await self._away(question.db_id, log, code, message):
                return _Judgement("outage", away, message)
            if code == _BROKEN and result.get("nl2sql_code") == _LATE_CODE:
                code = "LATE"
            elif not question.has_answer and code != _BROKEN:
                return _Judgement("correct", why=message, score=_TURNED_AWAY)
            return _Judgement("failed", code, message)
        in_words = result["type"] != "TEXT_TO_SQL"
        if not question.has_answer:
            if in_words:
                return _Judgement("correct", why=_IN_WORDS, score=_TURNED_AWAY)
            return _Judgement("wrong", why="Answered, and the data does not hold it.")
        if in_words:
            return _Judgement("failed", result["general_type"], _IN_WORDS)
        try:
            scored = await score(self.engine(question.db_id), question, result["planned_sql"])
        except EngineUnavailable as error:
            return _Judgement("outage", f"data_source.{question.db_id}", error.message)
        if scored.broken_gold:
            return _Judgement("outage", "GOLD", f"the gold fails now: {scored.broken_gold}")
        return _Judgement("correct" if scored.strict else "wrong", why=scored.why, score=scored)

    async def _away(self, db_id: str, log: CallLog, code: str, message: str) -> str:
        """Which dependency an ask that failed so has missed; "" where none was away."""
        if code != _BROKEN:
            return ""
        if log.met_outage(message):
            return "language_model"
        state = await self._container.readiness()
        needed = ("embedder", "document_store", "record", f"data_source.{db_id}")
        return next((name for name in needed if not state[name]["ok"]), "")

    # -- models -----------------------------------------------------------------------------------------------------

    def _prepared(self, db_id: str) -> Awaitable[_Judgement | None]:
        """What becomes of all questions about a database that cannot be asked about; None where it can. Each is
        prepared once."""
        if db_id not in self._preparations:
            self._preparations[db_id] = asyncio.create_task(self._prepare(db_id), name=f"prepare {db_id}")
        return asyncio.shield(self._preparations[db_id])

    async def _prepare(self, db_id: str) -> _Judgement | None:
        preparation = self._container.preparation
        try:
            model = self._knowledge.models.get(db_id) or await self._drafted(db_id)
            await preparation.start(db_id, model, _LABEL)
            status = await preparation.status(db_id, _LABEL)
            while status["status"] == "indexing":
                await asyncio.sleep(_LOOK_SECONDS)
                status = await preparation.status(db_id, _LABEL)
            if status["status"] != "finished":
                error = status["error"]
                return _Judgement("outage" if error["code"] == _BROKEN else "failed", "MODEL", str(error["message"]))
            problem = await self._teach(db_id)
        except AskwellError as error:
            problem = error.message
        return _Judgement("failed", "MODEL", problem) if problem else None

    async def _drafted(self, db_id: str) -> str:
        """The model that `askwell ask --database` would make of it, with the keys and names of `tables.json` and the
        descriptions of BIRD."""
        database, spider = self._container.database_for(db_id), self._spider.get(db_id)
        schema = database.visible(await database.engine.introspect())
        if spider is not None:
            schema = PhysicalSchema(tuple(with_spider_keys(schema.tables, spider)))
        manifest = await draft_model(schema, database.engine, readable_names(spider) or None)
        path = self._paths.get(db_id)
        if path is not None:
            manifest = with_descriptions(manifest, await asyncio.to_thread(read_descriptions, path))
        return json.dumps(manifest.wire(), ensure_ascii=False)

    async def _teach(self, db_id: str) -> str:
        """Save what is given beside the model; what is wrong with it, or ""."""
        knowledge, events = self._container.knowledge, dict[EventKind, str]()
        if instructions := self._knowledge.instructions_of(db_id):
            events["instruction"] = await knowledge.save_instructions(db_id, instructions)
        if pairs := self._knowledge.pairs.get(db_id):
            events["sql_pair"] = await knowledge.save_sql_pairs(db_id, pairs)
        for kind, event_id in events.items():
            event = await knowledge.event(event_id, kind)
            while event["status"] not in ("finished", "failed"):
                await asyncio.sleep(_LOOK_SECONDS)
                event = await knowledge.event(event_id, kind)
            if event["status"] == "failed":
                return str(event["error"]["message"])
        return ""


def _outcome(
    question: Question, log: CallLog, result: Mapping[str, Any], judged: _Judgement, ms: float = 0.0
) -> AskOutcome:
    answers = result.get("response") or [{}]
    scored = judged.score
    return AskOutcome(
        id=question.id,
        db_id=question.db_id,
        question=question.question,
        verdict=judged.verdict,
        contained=scored is not None and scored.contained,
        failure=judged.failure,
        why=judged.why,
        source=str(result.get("sql_source", "")),
        golds=question.golds,
        sql=answers[0].get("sql", result.get("invalid_sql", "")),
        planned_sql=result.get("planned_sql", ""),
        assumptions=tuple(result.get("assumptions", ())),
        warnings=tuple(result.get("warnings", ())),
        ms=ms,
        timings={one["stage"]: one["ms"] for one in result.get("timings", ())},
        usage=dict(result.get("usage", {})),
        waits=waits(log.calls),
        from_cache=sum(call.is_kept for call in log.calls),
        failed_calls=sum(bool(call.failure) for call in log.calls),
        answer_rows=scored.answer if scored else None,
        gold_rows=scored.gold if scored else None,
        calls=tuple(call.as_json() for call in log.calls),
    )
