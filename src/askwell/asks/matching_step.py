"""What an answer in free words means, where it names none of the options: as a language model says, or else by how like
an option it is."""

from __future__ import annotations

from dataclasses import replace

from askwell.asks.answer_words import with_meaning
from askwell.asks.ask import Ask
from askwell.asks.clarification import Clarification, Option
from askwell.asks.failures import unanswered
from askwell.asks.model_names import TOLD_CHARACTERS
from askwell.asks.optional_stage import attempted, optional_seconds
from askwell.asks.states import AwaitingCorrection, EndState


async def match_answer(ask: Ask) -> EndState | AwaitingCorrection | None:
    """None where there is nothing to match, or the ask goes on with the option that is meant; else it asks once more,
    or fails after the last attempt."""
    request, asked = ask.request, ask.request.asked
    if asked is None or (said := asked.not_understood) is None:
        return None
    ask.searching()
    option = await _meant(ask, asked, said)
    if option is not None:
        # What is taken for somebody's word is not their word: it teaches nothing.
        bindings = request.bindings.merged(with_meaning(asked, option.bindings), ask.project.model)
        await ask.answered_back(replace(request, bindings=bindings, asked=None, teaches=False))
        ask.ledger.warn(f"“{_short(said)}” was taken to mean “{option.label}”.")
        return None
    found = replace(ask.found, requirements=request.selection.requirements) if request.selection else ask.found
    again = asked.again(_short(said))
    if again is None:
        return unanswered(AwaitingCorrection(asked, ask.understood, found))
    return AwaitingCorrection(again, ask.understood, found)


async def _meant(ask: Ask, asked: Clarification, said: str) -> Option | None:
    generation = ask.tools.generation
    if generation is None:
        texts = [f"{option.label}. {option.detail}".strip(". ") for option in asked.options]
        like = await ask.tools.retrieval.near_to(said, texts, chosen=True)
        return asked.options[like[0]] if like else None
    asking = generation.matching.run(
        ask.question,
        asked=asked.question,
        options=[{"id": one.id, "label": one.label, "detail": one.detail} for one in asked.options],
        said=said,
        timeout=optional_seconds(ask.tools.settings),
    )
    matched = await attempted("choice_matching", ask.ledger, asking)
    if matched is None:
        return None
    ask.ledger.add(matched.usage)
    return next((option for option in asked.options if option.id == matched.option_id), None)


def _short(said: str) -> str:
    return " ".join(said.split())[:TOLD_CHARACTERS]
