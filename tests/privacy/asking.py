"""The questions with their literals, and a model that writes their SQL with whatever literals it was given."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from tests.fakes.openai_server import Answer, ChatScript

_FOLDER = Path(__file__).parent
_SLOT = re.compile(r"\{([tndw]\d)\}")
_QUESTION = re.compile(r"<question>\n(.*?)\n</question>", re.DOTALL)
_TOKEN = re.compile(r"(?:TEXT|NUMBER|DATE)_\d+")
# Of a literal, what is looked for besides the whole of it.
_TELLING = re.compile(r"[^\W_]{4,}")
_MONTHS = frozenset(
    {"march", "april", "september", "lane", "example", "house", "bank", "leave", "gate", "ring", "twice"}
)


@dataclass(frozen=True)
class Asked:
    """One question: its template, its SQL, and its literals by slot."""

    template: str
    sql: str
    literals: tuple[str, ...]

    @property
    def slots(self) -> list[str]:
        return list(dict.fromkeys(_SLOT.findall(self.template)))

    @property
    def question(self) -> str:
        given = dict(zip(self.slots, self.literals, strict=True))
        return _SLOT.sub(lambda slot: given[slot[1]], self.template)

    @property
    def canaries(self) -> set[str]:
        """What nobody else may see: the literals, and the words of them that tell something."""
        found = {one for one in self.literals if len(one) >= 4}
        words = {word for one in self.literals for word in _TELLING.findall(one)}
        return found | {word for word in words if word.lower() not in _MONTHS}

    def sql_for(self, shown: str) -> str | None:
        """The SQL, for the question as a model was shown it; None where it is not to be recognised."""
        # At odd places stand the names of slots.
        pieces = _SLOT.split(self.template)
        pattern = "".join("(.+?)" if at % 2 else re.escape(piece) for at, piece in enumerate(pieces))
        found = re.fullmatch(pattern, shown.strip(), re.DOTALL)
        if found is None:
            return None
        given = dict(zip(pieces[1::2], found.groups(), strict=True))
        sql = re.sub(r"'([^']*)\{([tndw]\d)\}([^']*)'", lambda one: f"'{one[1]}{_in(given[one[2]])}{one[3]}'", self.sql)
        return _SLOT.sub(lambda slot: _literal(slot[1], given[slot[1]]), sql)


def _in(literal: str) -> str:
    return literal.replace("'", "''")


def _literal(slot: str, literal: str) -> str:
    if slot[0] == "n":
        return literal if _TOKEN.fullmatch(literal) else _number(literal)
    if slot[0] == "w" and not _TOKEN.search(literal):
        for form in ("%B %d, %Y", "%d %B %Y"):
            try:
                return f"'{datetime.strptime(literal, form).date().isoformat()}'"  # noqa: DTZ007 - a day
            except ValueError:
                continue
    return f"'{_in(literal)}'"


def _number(text: str) -> str:
    plain = text.replace(",", "")
    return f"{float(plain[:-1]) * 1000:g}" if plain.endswith("k") else plain


def all_asked(file: str = "questions.yaml") -> list[Asked]:
    entries: list[dict[str, Any]] = yaml.load((_FOLDER / file).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return [Asked(one["q"], one["sql"], tuple(literals)) for one in entries for literals in one["with"]]


@dataclass
class Writer(ChatScript):
    """Writes the SQL of whichever question it is shown."""

    asked: Sequence[Asked] = field(default_factory=tuple)

    def next_answer(self, stage: str, user: str) -> Answer:
        if stage != "sql_generation":
            return super().next_answer(stage, user)
        shown = _QUESTION.findall(user)[-1]
        sql = next(self._written(shown), "SELECT 'not recognised' AS problem")
        return Answer(json={"sql": sql})

    def _written(self, shown: str) -> Iterator[str]:
        for one in self.asked:
            if (sql := one.sql_for(shown)) is not None:
                yield sql


def found_in(sent: str, canaries: set[str]) -> set[str]:
    """Those of the canaries that are in what was sent, in any letter case, as JSON writes them or not."""
    lower = sent.lower()
    return {one for one in canaries if one.lower() in lower or json.dumps(one)[1:-1].lower() in lower}
