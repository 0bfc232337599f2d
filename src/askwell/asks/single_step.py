"""The kind of question, the plan and the SQL, all by one call of a language model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from askwell.asks.held_text import HeldText
from askwell.asks.stage_context import StageContext
from askwell.pipelines.generation.question import Intent
from askwell.providers.llm.base import NoTextReply, UnfinishedReply, Usage
from askwell.providers.llm.call_options import with_thoughts

if TYPE_CHECKING:
    from askwell.pipelines.generation.sql_writing import SingleAnswer


async def write_at_once(stage: StageContext, text: HeldText | None, on_plan: Callable[[], None]) -> SingleAnswer:
    """What the call gives. The words of the plan go to `text`, where there is one; `on_plan` is called before the first
    of them. A model that refuses, or calls a tool, has written no SQL. Raises `ModelUnavailable`."""
    from askwell.pipelines.generation.sql_writing import SingleAnswer

    begun = False

    def on_delta(piece: str) -> None:
        nonlocal begun
        if not begun:
            begun = True
            on_plan()
        assert text is not None
        text.append(piece)

    heard = (on_delta, text.think) if text is not None else (None, None)
    with stage.ledger.stage("generation"), with_thoughts(heard[1]):
        try:
            answer = await stage.fitted.ask(
                lambda found: stage.generation.single.run(stage.question, found, on_delta=heard[0])
            )
        except UnfinishedReply as error:
            stage.ledger.add(error.usage)
            raise
        except NoTextReply as error:
            answer = SingleAnswer(Intent.TEXT_TO_SQL, "", None, error.usage, error.message)
    if text is not None:
        text.end()
    stage.ledger.add(answer.usage)
    return SingleAnswer(answer.intent, answer.plan, answer.sql, Usage(), answer.problem)
