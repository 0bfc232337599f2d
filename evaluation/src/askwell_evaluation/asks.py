"""How many questions whole asks answer, and how many of the answers are right (`askwell eval asks`): by execution
accuracy, through the service as it is configured, on databases whose models are made as `askwell ask --database` makes
them, or are given.

Which questions can be scored: those whose gold gives rows on the database as it is now.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from askwell.config import Config
from askwell.errors import InvalidRequest
from askwell_evaluation.asker import Asker
from askwell_evaluation.asks_options import (
    AsksOptions,
    about_run,
    data_sources,
    differences,
    read_own_knowledge,
    require_bound,
)
from askwell_evaluation.asks_report import asks_report, write_page
from askwell_evaluation.asks_results import AskOutcome, ResultsWriter, read_results, writing
from askwell_evaluation.databases import read_spider_tables
from askwell_evaluation.gold_scores import EMPTY, what_is_wrong_with
from askwell_evaluation.model_calls import ReplyCache
from askwell_evaluation.questions import Question, read_questions
from askwell_evaluation.report import Report, say

_AT_ONCE = 8
_PROGRESS_EVERY = 200
_MOST_TOLD = 5
_MARKED = "marked"

# A question that is left out with why: its gold `fails: …`, `gives no rows`, or is `marked` so in the file.
Unscorable = tuple[Question, str]


_PROGRESS_SECONDS = 5.0
# Nothing is learned from asks of a server that is away or refuses the key.
_MOST_OUTAGES_IN_A_ROW = 20


def run_asks(options: AsksOptions, config: Config) -> Report:
    """Ask and score every scorable question, or a sample of them.

    Of `config` everything counts but its record, which is made anew and thrown away, and its databases unless
    `options.project` names one. Raises `InvalidRequest` for files that cannot be read
    or written, and what `Container` raises for a configuration that cannot be used.
    """
    if options.max_cost is not None:
        require_bound(options.max_cost, config)
    questions = read_questions(options.questions, only_database=options.only_database)
    _require_ids(options.questions, questions)
    sources = data_sources(options, config, [one.db_id for one in questions if one.is_scorable])
    knowledge = read_own_knowledge(
        list(sources), mdl=options.mdl, instructions=options.instructions, sql_pairs=options.sql_pairs
    )
    cache = ReplyCache(options.reply_cache) if options.reply_cache else None
    run = about_run(options, config)
    known = _known(options, run)
    models = ", ".join(run["language_models"])
    say(f"language model: {models}" if models else "no language model: rules answer alone")
    with tempfile.TemporaryDirectory(prefix="askwell-eval-") as folder:
        _share_embedder(config, Path(folder))
        asker = Asker(
            config.apart(Path(folder), sources), knowledge, read_spider_tables(options.questions.parent), cache
        )
        with writing(options.out, resume=options.resume) if options.out else nullcontext() as results:
            if results is not None and not results.holds_run:
                results.begin(run)
            evaluation = _Evaluation(asker, options, results, at_once=config.settings.concurrency)
            report = asyncio.run(evaluation.run(questions, known))
    if options.page is not None:
        write_page(options.page, evaluation.outcomes, report, run)
    return report


def _require_ids(path: Path, questions: Sequence[Question]) -> None:
    repeated = [key for key, count in Counter(one.id for one in questions).items() if count > 1]
    if repeated:
        raise InvalidRequest(
            f"{path} cannot be read: the id “{repeated[0]}” is there twice.",
            "Results are kept by id: give each question its own, or leave all ids out.",
        )


def _share_embedder(config: Config, home: Path) -> None:
    """The embedder's files are made once and kept in the configured home."""
    if config.embedder.default.provider == "minilm":
        models = config.home / "models"
        models.mkdir(parents=True, exist_ok=True)
        (home / "models").symlink_to(models.resolve())


def _known(options: AsksOptions, run: Mapping[str, Any]) -> Mapping[tuple[str, str], AskOutcome]:
    """What is known from before. Raises `InvalidRequest` for results of a run of another kind."""
    if not options.resume:
        return {}
    if options.out is None:
        raise InvalidRequest("--resume goes on with a results file.", "Name it by --out.")
    if not options.out.exists() or not options.out.stat().st_size:
        return {}
    results = read_results(options.out)
    if different := differences(results.run, run):
        more = f" (and {len(different) - 1} more)" if different[1:] else ""
        raise InvalidRequest(
            f"{options.out} was written by a run of another kind: {different[0]}{more}.",
            "Give the same options and configuration as then, or name another file.",
        )
    return {outcome.key: outcome for outcome in results.outcomes}


class _Evaluation:
    """One run: as many asks are on their way as are wanted at once."""

    def __init__(self, asker: Asker, options: AsksOptions, results: ResultsWriter | None, *, at_once: int) -> None:
        self._asker = asker
        self._options = options
        self._results = results
        self._at_once = at_once
        self.outcomes: list[AskOutcome] = []
        self._asked = 0
        self._spent = 0.0
        self._outages_in_a_row = 0
        self._stopped_because = ""
        self._began = self._said = time.monotonic()

    async def run(self, questions: Sequence[Question], known: Mapping[tuple[str, str], AskOutcome]) -> Report:
        """The report over what was asked now and what is known from before."""
        async with self._asker:
            chosen, unscorable = await self._scorable(questions)
            for line in _left_out(unscorable):
                say(line)
            if not chosen:
                raise InvalidRequest("No question can be scored.", "Each needs a gold that gives rows.")
            self.outcomes += _of_these(chosen, known, self._options.out)
            done = {outcome.key for outcome in self.outcomes}
            left = [one for one in chosen if one.key not in done]
            if known:
                say(f"{len(done)} of {len(chosen)} questions are done; {len(left)} are asked now")
            if left:
                await self._asker.require_models()
                await self._asker.require_given(one.db_id for one in left)
                await self._ask(left)
        order = {one.key: number for number, one in enumerate(chosen)}
        self.outcomes.sort(key=lambda one: order[one.key])
        return asks_report(
            self.outcomes,
            _counts(unscorable),
            not_asked=len(left) - self._asked,
            stopped_because=self._stopped_because,
            spent_usd=self._spent,
            cut_by_outages=self._outages_in_a_row >= _MOST_OUTAGES_IN_A_ROW,
        )

    async def _scorable(self, questions: Sequence[Question]) -> tuple[list[Question], list[Unscorable]]:
        """All questions that can be scored, in their order, or `limit` of them drawn with `seed`; and those that were
        met and left out. Golds of which it is not known what they give are run."""
        unscorable = [(one, _MARKED) for one in questions if not one.is_scorable]
        candidates = [one for one in questions if one.is_scorable]
        wanted = len(candidates) if self._options.limit is None else self._options.limit
        if self._options.limit is not None:
            random.Random(self._options.seed).shuffle(candidates)
        scorable: list[Question] = []
        to_be_run = any(not one.is_checked for one in candidates)
        for start in range(0, len(candidates), _AT_ONCE):
            if len(scorable) >= wanted:
                break
            batch = candidates[start : start + _AT_ONCE]
            found = await asyncio.gather(*(what_is_wrong_with(self._asker.engine(one.db_id), one) for one in batch))
            unscorable += [(one, why) for one, why in zip(batch, found, strict=True) if why]
            scorable += [one for one, why in zip(batch, found, strict=True) if not why]
            if to_be_run and (start + _AT_ONCE) % _PROGRESS_EVERY == 0:
                say(f"running golds: {start + _AT_ONCE} of {len(candidates)}")
        return scorable[:wanted], unscorable

    async def _ask(self, questions: Sequence[Question]) -> None:
        waiting = iter(questions)
        self._began = self._said = time.monotonic()

        async def work() -> None:
            for question in waiting:
                if self._stopped_because:
                    return
                outcome, spent = await self._asker.outcome(question)
                self._take(outcome, spent, len(questions))

        async with asyncio.TaskGroup() as tasks:
            for _ in range(min(self._at_once, len(questions))):
                tasks.create_task(work())

    def _take(self, outcome: AskOutcome, spent: float, total: int) -> None:
        self.outcomes.append(outcome)
        self._asked += 1
        self._spent += spent
        if self._results is not None:
            self._results.add(outcome)
        self._outages_in_a_row = 0 if outcome.is_scored else self._outages_in_a_row + 1
        if self._outages_in_a_row >= _MOST_OUTAGES_IN_A_ROW:
            self._stopped_because = f"the last {_MOST_OUTAGES_IN_A_ROW} asks met an outage: {outcome.why}"
        elif self._options.max_cost is not None and self._spent >= self._options.max_cost:
            self._stopped_because = f"${self._spent:.4f} are spent, of the ${self._options.max_cost:g} of --max-cost"
        now = time.monotonic()
        if now - self._said >= _PROGRESS_SECONDS or self._asked == total or self._stopped_because:
            self._said = now
            say(self._progress(total, now - self._began))

    def _progress(self, total: int, seconds: float) -> str:
        correct = sum(one.verdict == "correct" for one in self.outcomes)
        outages = sum(not one.is_scored for one in self.outcomes)
        parts = [f"{self._asked} of {total} asks, {correct} right"]
        if outages:
            parts.append(f"{outages} met an outage")
        if self._spent:
            parts.append(f"${self._spent:.4f}")
        left = seconds / self._asked * (total - self._asked)
        if left and not self._stopped_because:
            parts.append(f"about {_duration(left)} to go")
        return ", ".join(parts)


def _counts(unscorable: Sequence[Unscorable]) -> dict[str, int]:
    """How many are left out because their gold fails, is empty, or is marked as unfit for scoring."""
    kinds = Counter(why.partition(":")[0] for _, why in unscorable)
    return {"failing": kinds["fails"], "empty": kinds[EMPTY], "marked": kinds[_MARKED]}


def _left_out(unscorable: Sequence[Unscorable]) -> Iterator[str]:
    """Lines for people about what is left out."""
    if not unscorable:
        return
    counts = ", ".join(f"{count} {kind}" for kind, count in _counts(unscorable).items() if count)
    yield f"{len(unscorable)} questions are left out for their gold: {counts}"
    failing = [(question, why) for question, why in unscorable if why.startswith("fails: ")]
    for question, why in failing[:_MOST_TOLD]:
        yield f"  {question.id} ({question.db_id}): the gold {why}"
    if len(failing) > _MOST_TOLD:
        yield f"  and {len(failing) - _MOST_TOLD} more that fail"


def _of_these(
    questions: Sequence[Question], known: Mapping[tuple[str, str], AskOutcome], path: Path | None
) -> list[AskOutcome]:
    """What is known of the questions; outages are asked again. Raises `InvalidRequest` where other questions have their
    ids."""
    found = []
    for question in questions:
        outcome = known.get(question.key)
        if outcome is not None and outcome.question != question.question:
            raise InvalidRequest(
                f"{path} has another question under the id {question.id}.", "Name the file of these questions."
            )
        if outcome is not None and outcome.is_scored:
            found.append(outcome)
    return found


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
