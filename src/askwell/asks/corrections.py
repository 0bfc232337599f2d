"""Answers to what an ask asked back: understood, checked against the model, and the ask goes on with them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from askwell.asks.answer_words import in_words, joined_over, with_meaning
from askwell.asks.failures import declined, unanswered
from askwell.asks.meant import TOLD_CHARACTERS, Meant, ModelNames, bindings_of, require_no_contradiction
from askwell.asks.request import MOST_ASKED_BACK, AskRequest, Clarification, Filling
from askwell.asks.states import AskState, AwaitingCorrection, Searching
from askwell.errors import Conflict, InvalidRequest
from askwell.jobs.service import JobService
from askwell.mdl.semantic_model import SemanticModel
from askwell.messages import say
from askwell.principal import NOBODY, Person
from askwell.question.slots import Value, contradiction
from askwell.services.knowledge import Knowledge
from askwell.services.pair_parameters import SavedForm, parameter_names
from askwell.services.projects import ProjectModels
from askwell.sql.bindings import Bindings
from askwell.sql.nearest import nearest_text

CorrectionType = Literal["text", "table_selection", "join", "choice", "fields", "skip"]


@dataclass(frozen=True, slots=True)
class Correction:
    """An answer. `said` is the words, the condition, the id of the option or the table; `rejected` are tables that are
    not meant, and `values` those of parameters by name. `clarification_id` says to which question, where several may
    have been asked. `remember`: words are to mean from now on what is said of them."""

    type: CorrectionType
    said: str = ""
    rejected: tuple[str, ...] = ()
    clarification_id: str | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    remember: bool = False


@dataclass(frozen=True)
class AskCorrections:
    """Takes answers to what asks asked back. `matches_words`: what free words mean can be found out; the ask does
    so. `has_model`: a language model answers where none of the options is meant."""

    asks: JobService[AskRequest, AskState]
    projects: ProjectModels
    knowledge: Knowledge
    matches_words: bool
    has_model: bool

    async def in_advance(self, request: AskRequest, meant: Meant, person: Person = NOBODY) -> AskRequest:
        """The request, which keeps to what this person says that it means before it is asked. Raises `InvalidRequest`
        for what the model does not have, and as `ProjectModels.get_for` does."""
        project = await self.projects.get_for(person, request.project_id, request.mdl_hash)
        if project is None:
            raise InvalidRequest(*say("ask.meant_without_model"))
        bindings = bindings_of(meant, project.model)
        return replace(request, meant=bindings, bindings=bindings)

    async def give(self, ask_id: str, correction: Correction) -> None:
        """Go on with the ask. Words that are none of the options are asked for again, and count as an attempt. Raises
        `NotFound`; `Conflict` for an ask that waits for nothing, or for the answer to another question; and
        `InvalidRequest` for what the model or the options do not have, which counts as no attempt."""
        state = await self.asks.waiting.state(ask_id)  # first: an answer is to this question, whatever comes meanwhile
        request = await self.asks.request(ask_id)
        if not isinstance(state, AwaitingCorrection):
            raise Conflict(*say("ask.waits_for_nothing"))
        asked = state.clarification
        if correction.clarification_id not in (None, asked.id):
            raise Conflict(*say("ask.other_question_open"))
        project = await self.projects.get(request.project_id, request.mdl_hash)
        if project is None:
            raise Conflict(*say("ask.model_gone"))
        if asked.filling is not None:
            pair = await self.knowledge.sql_pair(project.project_id, asked.filling.pair_id)
            form = await asyncio.to_thread(SavedForm.of, pair, project) if pair is not None else None
            if form is None:
                raise Conflict(*say("ask.saved_question_gone"))
            filled = replace(request, filling=answered(form, asked.filling, correction))
            await self.asks.waiting.go_on(ask_id, state, filled, Searching(state.known))
            return
        if correction.type in ("text", "choice") and asked.is_declined_by(correction.said):
            if self.has_model:
                onward = replace(request, asked_back=MOST_ASKED_BACK, asked=None)
                await self.asks.waiting.go_on(ask_id, state, onward, Searching(state.known))
            else:
                await self.asks.waiting.give_up(ask_id, state, declined(state))
        elif (bindings := understood(asked, correction, project.model)) is not None:
            meanings = tuple(replace(one, remembered=correction.remember) for one in bindings.meanings)
            said = request.bindings.merged(replace(bindings, meanings=meanings), project.model)
            # What is left to the service teaches nothing.
            teaches = request.teaches and not bindings.guessed
            bound = replace(request, bindings=said, asked_back=request.asked_back + 1, asked=None, teaches=teaches)
            await self.asks.waiting.go_on(ask_id, state, bound, Searching(state.known))
        elif self.matches_words and asked.may_be_matched(correction.said):
            unread = replace(request, asked=replace(asked, not_understood=correction.said))
            await self.asks.waiting.go_on(ask_id, state, unread, Searching(state.known))
        elif (again := asked.again(" ".join(correction.said.split())[:TOLD_CHARACTERS])) is not None:
            await self.asks.waiting.wait_on(ask_id, state, replace(state, clarification=again))
        else:
            await self.asks.waiting.give_up(ask_id, state, unanswered(state))


def understood(asked: Clarification, correction: Correction, model: SemanticModel) -> Bindings | None:
    """What holds from now on; None for words that are none of the options. Raises `InvalidRequest` for what there is
    not."""
    match correction.type:
        case "fields":
            raise InvalidRequest(*say("ask.no_values_wanted"))
        case "skip":
            return replace(asked.options[0].bindings, guessed=asked.options[0].label)
        case "choice":
            return with_meaning(asked, _option(asked, correction.said))
        case "table_selection":
            tables = tuple(map(ModelNames(model).table_called, (correction.said, *correction.rejected)))
            require_no_contradiction(tables[:1], tables[1:])
            return with_meaning(asked, Bindings(tables=tables[:1], not_tables=tables[1:]))
        case "join":
            return joined_over(asked, correction.said, ModelNames(model))
    bindings = in_words(asked, correction.said, ModelNames(model))
    return with_meaning(asked, bindings) if bindings is not None else None


def answered(form: SavedForm, filling: Filling, correction: Correction) -> Filling:
    """What is known of a saved question's parameters from now on. Raises `InvalidRequest` for unknown names, values of
    another type, and ends of a range that contradict each other."""
    known = replace(filling, reply=None)
    match correction.type:
        case "text":
            return replace(known, reply=correction.said)
        case "skip":
            needed = [slot for slot in form.slots if slot.name not in filling.values and not slot.may_be_left_out]
            if needed:
                raise InvalidRequest(*say("ask.value_required", needed=parameter_names(needed)))
            return replace(known, is_skipped=True)
        case "fields":
            return replace(known, values={**filling.values, **_values(form, filling, correction.values)})
    raise InvalidRequest(*say("ask.values_wanted"))


def _values(form: SavedForm, filling: Filling, said: Mapping[str, object]) -> dict[str, Value]:
    slots = {slot.name: slot for slot in form.slots}
    found: dict[str, Value] = {}
    for name, value in said.items():
        if name not in slots:
            near = nearest_text(name[:TOLD_CHARACTERS], slots)
            hint = f"They are {parameter_names(form.slots)}."
            raise InvalidRequest(f"There is no parameter “{name[:TOLD_CHARACTERS]}”{near}.", hint)
        if value is None:
            continue
        try:
            found[name] = slots[name].typed(value)
        except ValueError as error:
            raise InvalidRequest(str(error), "Correct it and send it again.") from None
    if not found:
        raise InvalidRequest(*say("ask.value_missing", slots=parameter_names(form.slots)))
    if (ends := contradiction(form.slots, {**filling.values, **found})) is not None:
        raise InvalidRequest(*say("ask.range_reversed", first=ends[0].name, last=ends[1].name))
    return found


def _option(asked: Clarification, option_id: str) -> Bindings:
    found = next((option for option in asked.options if option.id == option_id), None)
    if found is None:
        ids = ", ".join(option.id for option in asked.options)
        raise InvalidRequest(*say("ask.unknown_option", option_id=option_id[:TOLD_CHARACTERS], ids=ids))
    return found.bindings
