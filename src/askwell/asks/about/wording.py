"""Whether a question's wording is that of one about the service or the data. `wording.yaml` has the words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from itertools import product
from typing import Any

from askwell.resources import words_file

# Longer openers and tails than this are not looked for; neither are longer questions, whatever they say.
_LONGEST_PHRASE = 6
_MOST_WORDS = 1_000
# With how many tails left the question is tried, besides with none.
_TAILS_LEFT = 4
_MOST_NAME_WORDS = 6
# Misspelt words are at least so long, and so much of them is right (difflib's ratio).
_SHORTEST_MISSPELT = 4
_ALMOST_THE_SAME = 0.8


class AboutKind(StrEnum):
    """What is asked for; the names of the groups in `wording.yaml`."""

    SERVICE = "service"
    COURTESY = "courtesy"
    TABLES = "tables"
    TABLES_BY_NAME = "tables_by_name"
    TABLES_OF_DATABASE = "tables_of_database"
    LINKS = "links"
    LINK = "link"
    COLUMN_COUNT = "column_count"
    KEY = "key"
    COLUMNS = "columns"
    CONTENT = "content"
    WHAT_IS_A = "what_is_a"
    WHAT_IS = "what_is"
    MEANING = "meaning"
    DIFFERENCE = "difference"
    WHERE = "where"


WHOLE = frozenset(
    {
        AboutKind.SERVICE,
        AboutKind.COURTESY,
        AboutKind.TABLES,
        AboutKind.TABLES_BY_NAME,
        AboutKind.TABLES_OF_DATABASE,
        AboutKind.LINKS,
    }
)
# Wording that questions for data may have too is left to rules first; that of all others is sure.
_MAY_BE_FOR_DATA = {AboutKind.SERVICE, AboutKind.TABLES, AboutKind.TABLES_BY_NAME, AboutKind.CONTENT, AboutKind.WHAT_IS}
SURE = frozenset(AboutKind) - _MAY_BE_FOR_DATA


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to read a question as one about the data: `names` are the words that have to be names of something.
    `generic` are words such as “tables”, which mean something else where the data has tables of its own."""

    kind: AboutKind
    names: tuple[str, ...] = ()
    generic: frozenset[str] = frozenset()


def wordings(question: str) -> Iterator[Wording]:
    """The ways in which a question reads as one about the service or the data, the likeliest first."""
    book = _book()
    tokens = book.tokens(question)
    if not 0 < len(tokens) <= _MOST_WORDS:
        return
    seen = set()
    cores = (core for spelled in dict.fromkeys((tokens, book.respelled(tokens))) for core in book.cores(spelled))
    for core in dict.fromkeys(cores):
        for kind, pattern in book.patterns:
            if (found := pattern.fullmatch(core)) is not None:
                names = tuple(words.strip() for words in found.groups())
                around = Counter(core.split()) - Counter(" ".join(names).split())
                wording = Wording(kind, names, book.generic.intersection(around))
                if wording not in seen:
                    seen.add(wording)
                    yield wording


def asks_about_the_service(question: str) -> bool:
    """True for questions about the service or the data as a whole, which need not name anything in the model."""
    return any(wording.kind in WHOLE for wording in wordings(question))


@dataclass(frozen=True, slots=True)
class NameWords:
    """Words beside a name: its `articles`, the `definite` ones of these, `nouns` for kinds of things, and what stands
    `between` a column and its table."""

    articles: frozenset[str]
    definite: frozenset[str]
    nouns: frozenset[str]
    between: frozenset[str]


def name_words() -> NameWords:
    """The words beside names."""
    return _book().name_words


class _Book:
    def __init__(self, data: Mapping[str, Any]) -> None:
        self._contractions: dict[str, str] = data["contractions"]
        self._classes: dict[str, str] = data["classes"]
        self._openers = self._phrases(data["openers"])
        self._tails = self._phrases(data["tails"])
        self.generic = frozenset(data["generic"])
        self.name_words = NameWords(*(frozenset(data[role.name]) for role in fields(NameWords)))
        self._misspelt: list[str] = data["misspelt"]
        self.patterns = [(kind, self._pattern(line)) for kind in AboutKind for line in data[kind].split("\n") if line]

    def tokens(self, question: str) -> tuple[str, ...]:
        spelled = re.findall(r"[^\W_][\w'-]*", question.lower().replace("’", "'"))
        return tuple(word for one in spelled for word in self._contractions.get(one, one.rstrip("'-")).split())

    def respelled(self, tokens: tuple[str, ...]) -> tuple[str, ...]:
        """The tokens with words that are nearly one of those often misspelt written as that."""
        return tuple(
            word
            if len(word) < _SHORTEST_MISSPELT
            else next(iter(get_close_matches(word, self._misspelt, 1, _ALMOST_THE_SAME)), word)
            for word in tokens
        )

    def cores(self, tokens: tuple[str, ...]) -> Iterator[str]:
        """What is left of a question without its openers and tails, as much as can be first."""
        for begin in self._openings(tokens):
            ends = self._endings(tokens, begin)
            for end in dict.fromkeys((*ends[:_TAILS_LEFT], ends[-1])):
                yield "".join(f"{word} " for word in tokens[begin:end])

    def _openings(self, tokens: tuple[str, ...]) -> list[int]:
        found, sizes = [0], range(_LONGEST_PHRASE, 0, -1)
        while taken := next((n for n in sizes if tokens[found[-1] : found[-1] + n] in self._openers), 0):
            found.append(found[-1] + taken)
        return [begin for begin in found if begin < len(tokens)]

    def _endings(self, tokens: tuple[str, ...], begin: int) -> list[int]:
        found, sizes = [len(tokens)], range(_LONGEST_PHRASE, 0, -1)
        while taken := next((n for n in sizes if tokens[max(found[-1] - n, 0) : found[-1]] in self._tails), 0):
            found.append(found[-1] - taken)
        return [end for end in found if end > begin]

    def _phrases(self, lines: str) -> frozenset[tuple[str, ...]]:
        return frozenset(phrase for line in lines.split("\n") if line for phrase in _expanded(self._filled(line)))

    def _filled(self, line: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda found: f"({self._classes[found[1]]})", line)

    def _pattern(self, line: str) -> re.Pattern[str]:
        pattern = "".join(map(_compiled, re.findall(r"<\w+>|[\[\]()|]|[^\s\[\]()|<>]+", self._filled(line))))
        return re.compile(pattern)


def _compiled(part: str) -> str:
    if part.startswith("<"):
        return rf"((?:\S+ ){{1,{_MOST_NAME_WORDS}}}?)"
    marks = {"[": "(?:", "(": "(?:", "]": ")?", ")": ")", "|": "|"}
    return marks.get(part) or f"{re.escape(part)} "


def _expanded(line: str) -> Iterator[tuple[str, ...]]:
    """All that a line without names may say."""
    parts = re.findall(r"\(([^()]*)\)|\[([^\[\]]*)\]|([^\s()\[\]]+)", line)
    # An optional class is written [(…)].
    choices = [
        ["", *optional.strip("()").split("|")] if optional else (one.split("|") if one else [word])
        for one, optional, word in parts
    ]
    for chosen in product(*choices):
        yield tuple(" ".join(chosen).split())


@cache
def _book() -> _Book:
    return _Book(words_file("askwell.asks.about", "wording.yaml"))
