"""Answers by saved questions: the same question, and those with parameters."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from askwell.asks.failures import AMBIGUOUS
from askwell.asks.proof import Proved
from askwell.asks.request import Clarification, Filling
from askwell.asks.stages import attempted
from askwell.asks.states import AskError, AwaitingCorrection, EndState, Known
from askwell.asks.writing_step import never_valid
from askwell.checking.sureness import Origin
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.saved import AskedParameter
from askwell.mdl.semantic_model import SampledValues
from askwell.messages import say
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.question.filling import is_skip, values_said
from askwell.question.slots import Edge, Slot, Value, contradiction
from askwell.question.templates import Match
from askwell.services.knowledge import Knowledge
from askwell.services.pair_parameters import SavedForm, filled, parameter_names
from askwell.sql.nearest import nearest
from askwell.sql.outcome import RejectedSql, RejectionKind

if TYPE_CHECKING:
    from askwell.asks.ask import Ask


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    """What was saved for a question, as it does today; `view_id` where that is a view, else the `pair_id`."""

    proved: Proved
    view_id: str | None
    pair_id: str | None


async def saved_answer(question: str, ask: Ask, knowledge: Knowledge) -> SavedAnswer | RejectedSql | None:
    """What is saved for the question, whatever its case, blanks and punctuation, and may be used for the caller; the
    rejection of SQL that works no longer, and None where nothing is saved."""
    accepted = await knowledge.find_accepted(ask.project, normalise_question(question), ask.person)
    if accepted is None:
        return None
    proved = await ask.prover(ask.ledger).prove(accepted.sql, vouched=True)
    return proved if isinstance(proved, RejectedSql) else SavedAnswer(proved, accepted.view_id, accepted.pair_id)


def same_in_other_words(retrieved: RetrievedContext, least: float) -> str | None:
    """The saved question, of those that were found, that asks the same and is at least so similar (0 to 1)."""
    same = (one.question for one in retrieved.samples if one.nearness == "the same" and one.similarity >= least)
    return next(same, None)


def works_no_longer(rejected: RejectedSql) -> AskError:
    """The error of a question whose saved answer nobody is there to write anew."""
    return AskError("NO_RELEVANT_SQL", *say("ask.saved_answer_broken", error=rejected.error))


_TOLD_CHARACTERS = 80
# Values of an answer that are told; a list may have many.
_TOLD_VALUE = 200

Outcome = EndState | AwaitingCorrection


class FieldsStep:
    """Answers `ask` by a saved question with parameters, where it is one."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._today = ask.question.now.date()
        self._found: tuple[SavedForm, Match] | None = None
        self._elsewhere: frozenset[str] = frozenset()
        self._next_question = ""

    async def answer(self) -> Outcome | None:
        """Where the question is a saved one, word for word but for the values, or someone was asked for these. None
        where it is not, or may be another question: see `answer_in_part`."""
        ask = self._ask
        if ask.request.filling is not None:
            return await self._go_on(ask.request.filling)
        with ask.ledger.stage("history"):
            forms = await ask.tools.knowledge.forms(ask.project.project_id)
            find = forms.find if forms.pairs else None
            question, project, today = ask.question.question, ask.project, self._today
            self._found = await asyncio.to_thread(find, question, project, today) if find else None
        if self._found is None or not self._found[1].is_said:
            return None
        form, said = self._found
        strange = frozenset(text.casefold() for _, text in _strange(form, said.values))
        is_elsewhere = bool(strange) and await asyncio.to_thread(_are_held, strange, ask.project.values)
        if is_elsewhere:
            self._elsewhere = strange  # “in London”, where a country was asked for, is another question
            return None
        return await self._decide(form, Filling(form.pair.id, said.values))

    async def answer_in_part(self, *, hinted: bool) -> Outcome | None:
        """Where words of a saved question are not there, and nothing else has answered: "revenue between" (`hinted`:
        something in it leads to a value), or "revenue" alone. A language model may do better where nobody can be
        asked."""
        if self._found is None or self._found[1].hints is not hinted:
            return None
        form, said = self._found
        has_model = self._ask.tools.generation is not None
        if has_model and not (hinted and self._ask.request.interactive):
            return None
        strange = [(slot, text) for slot, text in _strange(form, said.values) if text.casefold() in self._elsewhere]
        values = {name: value for name, value in said.values.items() if name not in {slot.name for slot, _ in strange}}
        return await self._decide(form, Filling(form.pair.id, values), _strangers(strange))

    # -- what a person said -----------------------------------------------------------------------------------------

    async def _go_on(self, filling: Filling) -> Outcome | None:
        ask = self._ask
        pair = await ask.tools.knowledge.sql_pair(ask.project.project_id, filling.pair_id)
        form = await asyncio.to_thread(SavedForm.of, pair, ask.project) if pair is not None else None
        if form is None:
            return ask.fail(AskError("NO_RELEVANT_SQL", *say("ask.saved_question_lost")))
        names = {slot.name for slot in form.slots}
        filling = replace(filling, values={name: value for name, value in filling.values.items() if name in names})
        if filling.reply is None:
            return await self._decide(form, filling)
        read, why = await self._read(form, filling, filling.reply)
        if read.fruitless >= ask.tools.settings.max_correction_attempts:
            if _left_open(form, read.values):
                return self._unanswered(form, read)
            read = replace(read, is_skipped=True)
        return await self._decide(form, read, why)

    async def _is_elsewhere(self, text: str) -> bool:
        """Whether it is a value of another column."""
        return await asyncio.to_thread(_are_held, frozenset({text.casefold()}), self._ask.project.values)

    async def _read(self, form: SavedForm, filling: Filling, said: str) -> tuple[Filling, str]:
        """What the words give, and what is to be said of them where that is nothing."""
        unread = replace(filling, reply=None)
        left = [slot for slot in form.slots if slot.name not in filling.values]
        if is_skip(said) and not _left_open(form, filling.values):
            return replace(unread, is_skipped=True), ""
        values: dict[str, Value] = {} if is_skip(said) else values_said(said, left, self._today)
        if not values and not is_skip(said):
            values = await self._extracted(form, filling, said)
        foreign = [(slot, text) for slot, text in _strange(form, values) if await self._is_elsewhere(text)]
        if foreign:
            return replace(unread, fruitless=filling.fruitless + 1), _strangers(foreign)
        merged = {**filling.values, **values}
        if (ends := contradiction(form.slots, merged)) is not None:
            return replace(unread, fruitless=filling.fruitless + 1), _contradicts(ends)
        if values:
            return replace(unread, values=merged), ""
        plain = " ".join(said.split())[:_TOLD_CHARACTERS]
        why = "" if self._next_question else f"“{plain}” gives none of them.{_near(said, left)}"
        return replace(unread, fruitless=filling.fruitless + 1), why

    async def _extracted(self, form: SavedForm, filling: Filling, said: str) -> dict[str, Value]:
        """What a language model finds in the words, where there is one; it may say what is to be asked next."""
        ask, generation = self._ask, self._ask.tools.generation
        if generation is None:
            return {}
        left = [slot for slot in form.slots if slot.name not in filling.values]
        asking = generation.extraction.run(
            ask.question,
            said=said,
            fields=[
                field.model_dump(exclude_none=True) | {"is_excluded": slot.edge is Edge.END}
                for slot, field in zip(left, _fields(form, left), strict=True)
            ],
            known=filling.values,
        )
        extracted = await attempted("field_extraction", ask.ledger, ask.tools.settings, asking)
        if extracted is None:
            return {}
        values, self._next_question = extracted.value
        found: dict[str, Value] = {}
        for slot in left:
            if slot.name in values:
                try:
                    found[slot.name] = slot.typed(values[slot.name])
                except ValueError:
                    continue  # asked for again
        return found

    # -- ask for more, or answer ------------------------------------------------------------------------------------

    async def _decide(self, form: SavedForm, filling: Filling, why: str = "") -> Outcome | None:
        ask, values = self._ask, filling.values
        if (ends := contradiction(form.slots, values)) is not None:
            gone = {slot.name for slot in ends}
            values = {name: value for name, value in values.items() if name not in gone}
            filling, why = replace(filling, values=values), _contradicts(ends)
        if ask.request.interactive and not filling.is_skipped:
            if asked := self._to_ask(form, filling):
                return self._parked(form, filling, asked, why)
        elif _left_open(form, values):
            return self._unanswered(form, filling, why)
        return await self._answered(form, values)

    def _to_ask(self, form: SavedForm, filling: Filling) -> list[Slot]:
        left = [slot for slot in form.slots if slot.name not in filling.values]
        required = [slot for slot in left if slot.required]
        if required:
            return left if self._ask.request.filling is None else required
        return [] if filling.is_asked and not filling.fruitless else left

    def _parked(self, form: SavedForm, filling: Filling, asked: Sequence[Slot], why: str) -> AwaitingCorrection:
        ask = self._ask
        ask.searching()
        filling = replace(filling, is_asked=not any(slot.required for slot in asked))
        until = ask.question.now + timedelta(seconds=ask.tools.settings.clarification_ttl)
        known = Known(ask.known.is_followup, ask.known.rephrased)
        return AwaitingCorrection(self._clarification(form, filling, asked, why).awaited(until), known)

    def _clarification(self, form: SavedForm, filling: Filling, asked: Sequence[Slot], why: str = "") -> Clarification:
        most = self._ask.tools.settings.max_correction_attempts
        question = "" if why else self._next_question
        question = question or "\n".join(filter(None, (why, _question(form, asked))))
        return Clarification.of_fields(question, _fields(form, asked), filling, most)

    def _unanswered(self, form: SavedForm, filling: Filling, why: str = "") -> EndState:
        left = [slot for slot in form.slots if slot.name not in filling.values]
        asked = self._clarification(form, filling, left)
        message = " ".join(filter(None, (why, asked.question)))
        error = AskError("NO_RELEVANT_SQL", *say("ask.values_left_open", message=message), AMBIGUOUS)
        return self._ask.fail(error, clarification=asked)

    async def _answered(self, form: SavedForm, values: Mapping[str, Value]) -> EndState | None:
        ask = self._ask
        taken: dict[str, Value | None] = {slot.name: values.get(slot.name, slot.default) for slot in form.slots}
        asked = " ".join((ask.question.question, *(_told(value) for value in taken.values() if value is not None)))
        sql = filled(form.pair, taken, ask.project.engine.dialect)
        proved = await ask.prover(ask.ledger).prove(sql, asked=asked, vouched=True)
        if isinstance(proved, RejectedSql):
            if proved.kind is RejectionKind.TIME_OUT:
                return ask.fail(never_valid(proved, 0), proved)
            if ask.request.filling is not None:
                return ask.fail(works_no_longer(proved), proved)
            ask.stale = proved
            return None
        if strange := _strange(form, values):
            ask.ledger.warn(_strangers(strange))
        for slot in form.slots:
            if slot.name not in values and slot.default is not None:
                ask.ledger.warn(f"No value was said for “{slot.name}”: its default, {_told(slot.default)}, was taken.")
        used = ", ".join(f"{name} = {_told(value)}" for name, value in taken.items() if value is not None)
        note = f"This was answered as the saved question “{form.pair.question}”" + (f" with {used}." if used else ".")
        ask.learn(tables=proved.valid.tables)
        return ask.finish(proved, Origin("history"), (note,), pair_id=form.pair.id)


def _left_open(form: SavedForm, values: Mapping[str, Value]) -> list[Slot]:
    """Those without which there is no answer."""
    return [slot for slot in form.slots if slot.name not in values and not slot.may_be_left_out]


def _fields(form: SavedForm, slots: Sequence[Slot]) -> tuple[AskedParameter, ...]:
    said = {one.name: one for one in form.pair.parameters}
    return tuple(AskedParameter(**(said[slot.name].model_dump() | {"default": slot.default})) for slot in slots)


def _question(form: SavedForm, slots: Sequence[Slot]) -> str:
    kinds = {slot.name: slot.kind for slot in slots}
    required, others = ([slot for slot in slots if slot.required is wanted] for wanted in (True, False))
    said = ", ".join(f"“{slot.name}” ({kinds[slot.name]})" for slot in required or others)
    wants = f"The saved question “{form.pair.question}” "
    if not required:
        return f"{wants}also takes {said}, which may be left out."
    return f"{wants}needs {said}." + (f" You may leave out {parameter_names(others)}." if others else "")


def _contradicts(ends: tuple[Slot, Slot]) -> str:
    return f"“{ends[0].name}” comes after “{ends[1].name}”."


def _strange(form: SavedForm, values: Mapping[str, Value]) -> list[tuple[Slot, str]]:
    """Texts that the columns are not known to hold, with the parameters that they were said for."""
    said = [(slot, values[slot.name]) for slot in form.slots if slot.name in values]
    return [(slot, text) for slot, value in said for text in slot.strange(value)]


def _are_held(texts: frozenset[str], values: SampledValues) -> bool:
    """Whether any column is known to hold one of these, in lower case."""
    return any(one.casefold() in texts for held in values.values() for one in held)


def _strangers(strange: Sequence[tuple[Slot, str]]) -> str:
    return " ".join(
        f"{_told(text)} is not among the known values of “{slot.name}”.{_near(text, [slot])}" for slot, text in strange
    )


def _near(said: str, slots: Sequence[Slot]) -> str:
    found = [value for slot in slots for value in nearest(said[:_TOLD_CHARACTERS], filter(None, slot.known.values()))]
    return f" Nearest: {', '.join(found)}." if found else ""


def _told(value: Value) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"“{' '.join(text.split())[:_TOLD_VALUE]}”" if not isinstance(value, int | float) else text
