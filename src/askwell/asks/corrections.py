"""Answers to what an ask asked back: understood, checked against the model, and the ask goes on with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.asks.clarification import Clarification
from askwell.asks.failures import unanswered
from askwell.asks.request import AskRequest
from askwell.asks.states import AskState, AwaitingCorrection, Searching
from askwell.errors import Conflict, InvalidRequest
from askwell.jobs.service import JobService
from askwell.mdl.semantic_model import Relationship, SemanticModel
from askwell.question.choosing import chosen
from askwell.services.projects import ProjectModels
from askwell.sql.bindings import Bindings
from askwell.sql.names import fold
from askwell.sql.nearest import nearest_text

CorrectionType = Literal["text", "table_selection", "join", "choice", "skip"]
_TOLD_CHARACTERS = 80
# Of the columns that two tables are joined by; parsing takes a frame for each parenthesis.
_LONGEST_CONDITION = 400


@dataclass(frozen=True, slots=True)
class Correction:
    """An answer. `said` is the words, the condition, the id of the option or the table; `rejected` are tables that are
    not meant. `clarification_id` says to which question, where several may have been asked."""

    type: CorrectionType
    said: str = ""
    rejected: tuple[str, ...] = ()
    clarification_id: str | None = None


class AskCorrections:
    """Takes answers to what asks asked back."""

    def __init__(self, asks: JobService[AskRequest, AskState], projects: ProjectModels) -> None:
        self._asks = asks
        self._projects = projects

    async def give(self, ask_id: str, correction: Correction) -> None:
        """Go on with the ask. Words that are none of the options are asked for again, and count as an attempt. Raises
        `NotFound`; `Conflict` for an ask that waits for nothing, or for the answer to another question; and
        `InvalidRequest` for what the model or the options do not have, which counts as no attempt."""
        request, _ = await self._asks.request_and_result(ask_id)
        state = self._asks.waiting.state(ask_id)
        if not isinstance(state, AwaitingCorrection):
            raise Conflict("This ask waits for no answer.", "Look at its result.")
        asked = state.clarification
        if correction.clarification_id not in (None, asked.id):
            raise Conflict("Another question was asked since.", "Look at the result and answer that one.")
        project = await self._projects.get(request.project_id, request.mdl_hash)
        if project is None:
            raise Conflict("The model that was asked is not there any more.", "Stop this ask, and ask anew.")
        bindings = understood(asked, correction, project.model)
        if bindings is not None:
            bound = replace(request, bindings=request.bindings.merged(bindings), asked_back=request.asked_back + 1)
            await self._asks.waiting.go_on(ask_id, state, bound, Searching(state.understood))
        elif (again := asked.again(" ".join(correction.said.split())[:_TOLD_CHARACTERS])) is not None:
            await self._asks.waiting.wait_on(ask_id, state, replace(state, clarification=again))
        else:
            await self._asks.waiting.give_up(ask_id, state, unanswered(state))


def understood(asked: Clarification, correction: Correction, model: SemanticModel) -> Bindings | None:
    """What holds from now on; None for words that are none of the options. Raises `InvalidRequest` for what there is
    not."""
    match correction.type:
        case "skip":
            return asked.options[0].bindings
        case "choice":
            return _option(asked, correction.said)
        case "table_selection":
            tables = tuple(_table(name, model) for name in (correction.said, *correction.rejected))
            if tables[0] in tables[1:]:
                raise InvalidRequest(
                    f"{tables[0]} cannot be meant and not be meant.", "Leave it out of one of the two."
                )
            return Bindings(tables=tables[:1], not_tables=tables[1:])
        case "join":
            return Bindings(relationships=(_relationship(correction.said, model).name,))
    return _in_words(asked, correction.said, model)


def _option(asked: Clarification, option_id: str) -> Bindings:
    found = next((option for option in asked.options if option.id == option_id), None)
    if found is None:
        ids = ", ".join(option.id for option in asked.options)
        raise InvalidRequest(f"There is no option {option_id[:_TOLD_CHARACTERS]}.", f"The options are {ids}.")
    return found.bindings


def _table(name: str, model: SemanticModel) -> str:
    found = model.table(name)
    if found is None:
        near = nearest_text(name[:_TOLD_CHARACTERS], [table.name for table in model])
        raise InvalidRequest(f"The model has no table “{name[:_TOLD_CHARACTERS]}”{near}.", "Name a table of the model.")
    return found.name


def _relationship(condition: str, model: SemanticModel) -> Relationship:
    """The one whose columns the condition sets equal, in any order and case."""
    pairs = _pairs(condition)
    fitting = [one for one in model.relationships if pairs and pairs == _declared(one)]
    if not fitting:
        raise InvalidRequest(
            f"No relationship of the model is “{condition[:_TOLD_CHARACTERS]}”.",
            "Write it as a.id = b.a_id, with the columns of one of the options.",
        )
    return fitting[0]


Place = tuple[str, str]


def _pairs(condition: str) -> frozenset[frozenset[Place]]:
    """The columns that are set equal, by the folded names of their tables and their own; empty for anything else."""
    if len(condition) > _LONGEST_CONDITION:
        return frozenset()
    try:
        tree = sqlglot.parse_one(condition)
    except (SqlglotError, RecursionError):
        return frozenset()
    equations = tree.flatten() if isinstance(tree, exp.And) else [tree]
    found = set()
    for equation in equations:
        sides = [equation.this, equation.expression] if isinstance(equation, exp.EQ) else []
        if len(sides) != 2 or not all(isinstance(side, exp.Column) and side.table for side in sides):
            return frozenset()
        found.add(frozenset((fold(side.table), fold(side.name)) for side in sides))
    return frozenset(found)


def _declared(one: Relationship) -> frozenset[frozenset[Place]]:
    left, right = fold(one.left), fold(one.right)
    return frozenset(frozenset(((left, fold(a)), (right, fold(b)))) for a, b in one.pairs)


def _in_words(asked: Clarification, said: str, model: SemanticModel) -> Bindings | None:
    place = chosen(said, [option.label for option in asked.options])
    if place is not None:
        return asked.options[place].bindings
    if asked.kind == "join" and _pairs(said):
        return Bindings(relationships=(_relationship(said, model).name,))
    if asked.kind == "table_selection":
        tables = [table.name for table in model]
        place = chosen(said, [table.display_name or table.name for table in model], numbered=False)
        place = place if place is not None else chosen(said, tables, numbered=False)
        if place is not None:
            others = {name for option in asked.options for name in option.bindings.tables} - {tables[place]}
            return Bindings(tables=(tables[place],), not_tables=tuple(sorted(others)))
    return None
