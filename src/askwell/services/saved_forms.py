"""Saved questions with parameters: found by a question, and made statements by values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from askwell.errors import InvalidRequest
from askwell.knowledge.saved import SavedKnowledge, SqlPair
from askwell.principal import NOBODY
from askwell.question.slots import Slot
from askwell.question.templates import Match, Template, could_be, match
from askwell.services.pair_parameters import slots_of
from askwell.services.projects import ProjectModel


@dataclass(frozen=True, slots=True)
class SavedForm:
    """A saved question that has parameters."""

    pair: SqlPair
    slots: tuple[Slot, ...]

    @classmethod
    def of(cls, pair: SqlPair, project: ProjectModel) -> SavedForm | None:
        """None for a pair without parameters, for one that cannot be used any more, and for one that holds values which
        not everybody may know. Takes some milliseconds: call it on a thread."""
        try:
            if not project.may_use(NOBODY, pair):
                return None
            slots = slots_of(pair, project.engine.dialect, project.model, project.values)
        except InvalidRequest:
            return None
        return cls(pair, slots) if slots else None


@dataclass(frozen=True, slots=True)
class FormTemplates:
    """The saved questions of a project that have parameters, ready to be compared with questions; saved last at the
    end."""

    pairs: tuple[SqlPair, ...]
    templates: tuple[Template, ...]

    @classmethod
    def of(cls, saved: SavedKnowledge) -> FormTemplates:
        """Takes some 50 µs a pair: for thousands, call it on a thread."""
        pairs = tuple(pair for pair in saved.pairs.values() if pair.parameters)
        return cls(pairs, tuple(_template(pair) for pair in pairs))

    def find(self, question: str, project: ProjectModel, today: date) -> tuple[SavedForm, Match] | None:
        """The saved question that this one is; of several, one of which all parameters are said, then the one with the
        most words of its own, then the one saved last."""
        found: list[tuple[tuple[bool, bool, int, int], SavedForm, Match]] = []
        for place in could_be(question, self.templates):
            form = SavedForm.of(self.pairs[place], project)
            said = match(question, self.templates[place], form.slots, today) if form is not None else None
            if form is not None and said is not None:
                rank = (said.is_said, said.hints, len(self.templates[place].words), place)
                found.append((rank, form, said))
        return max(found, key=lambda one: one[0])[1:] if found else None


def _template(pair: SqlPair) -> Template:
    defaults = {str(one["name"]): one.get("default") for one in pair.parameters}
    return Template.of(pair.question, {name: None if value is None else str(value) for name, value in defaults.items()})


def parameter_names(slots: Sequence[Slot]) -> str:
    """`from`, `to` and `country` for people."""
    names = [f"“{slot.name}”" for slot in slots]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""
