"""Which questions can be scored: those whose gold gives rows on the database as it is now."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from askwell.evaluation.gold_questions import GoldQuestion
from askwell.evaluation.gold_results import EMPTY, what_is_wrong_with
from askwell.providers.engine.base import Engine

_AT_ONCE = 8
_PROGRESS_EVERY = 200
_MOST_TOLD = 5
_MARKED = "marked"


@dataclass(frozen=True, slots=True)
class ScorableQuestions:
    """The `questions` to ask, and those that were met and left out, each with why: its gold `fails: …`, `gives no
    rows`, or is `marked` so in the file."""

    questions: tuple[GoldQuestion, ...]
    unscorable: tuple[tuple[GoldQuestion, str], ...]

    def counts(self) -> dict[str, int]:
        """How many were left out because their gold fails, is empty, or is marked as unfit for scoring."""
        kinds = Counter(why.partition(":")[0] for _, why in self.unscorable)
        return {"failing": kinds["fails"], "empty": kinds[EMPTY], "marked": kinds[_MARKED]}

    def left_out(self) -> Iterator[str]:
        """Lines for people about what is left out."""
        if not self.unscorable:
            return
        counts = ", ".join(f"{count} {kind}" for kind, count in self.counts().items() if count)
        yield f"{len(self.unscorable)} questions are left out for their gold: {counts}"
        failing = [(question, why) for question, why in self.unscorable if why.startswith("fails: ")]
        for question, why in failing[:_MOST_TOLD]:
            yield f"  {question.id} ({question.db_id}): the gold {why}"
        if len(failing) > _MOST_TOLD:
            yield f"  and {len(failing) - _MOST_TOLD} more that fail"


async def scorable_questions(
    questions: Sequence[GoldQuestion],
    engine_of: Callable[[str], Engine],
    *,
    limit: int | None,
    seed: int,
    progress: Callable[[str], None],
) -> ScorableQuestions:
    """All questions that can be scored, in their order, or `limit` of them drawn with `seed`. Golds of which it is not
    known what they give are run."""
    unscorable = [(one, _MARKED) for one in questions if not one.is_scorable]
    candidates = [one for one in questions if one.is_scorable]
    if limit is not None:
        random.Random(seed).shuffle(candidates)
    wanted = len(candidates) if limit is None else limit
    scorable: list[GoldQuestion] = []
    to_be_run = sum(not one.is_checked for one in candidates)
    for start in range(0, len(candidates), _AT_ONCE):
        if len(scorable) >= wanted:
            break
        batch = candidates[start : start + _AT_ONCE]
        found = await asyncio.gather(*(what_is_wrong_with(engine_of(one.db_id), one) for one in batch))
        for question, why in zip(batch, found, strict=True):
            if why:
                unscorable.append((question, why))
            elif len(scorable) < wanted:
                scorable.append(question)
        if to_be_run and (start + _AT_ONCE) % _PROGRESS_EVERY == 0:
            progress(f"running golds: {start + _AT_ONCE} of {len(candidates)}")
    return ScorableQuestions(tuple(scorable), tuple(unscorable))
