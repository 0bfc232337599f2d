"""The English of questions, from `lexicon.yaml`: phrases with their class and meaning, fillers, verbs, synonyms."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from askwell.question.words import Stems, plurals, stem, stems, stems_of_word
from askwell.resources import words_file

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class English:
    """The lists of `lexicon.yaml`, which says what each is for: words as they are written, stems, or words in their
    order. `everywhere` are the words of all phrases and fillers; `phrases` gives for a row of lower-case words the
    (class, meaning) pairs that it may stand for, of which the `longest` has so many words; `function_words` only tie
    others together; `nouns` are those of synonyms and of what records events, as they are written."""

    everywhere: frozenset[str]
    phrases: Mapping[Words, tuple[tuple[str, str], ...]]
    longest: int
    fillers: frozenset[str]
    verbs: frozenset[str]
    common_values: frozenset[str]
    additive: frozenset[str]
    events: Mapping[str, Stems]
    doers: Mapping[str, Stems]
    synonyms: Mapping[str, Stems]
    nouns: frozenset[str]
    chat: frozenset[str]
    doubtful: Mapping[str, tuple[str, ...]]
    function_words: frozenset[str]
    auxiliaries: frozenset[str]
    universals: frozenset[str]
    durations: tuple[str, ...]
    spans: tuple[tuple[str, str], ...]
    dealing: frozenset[str]
    name_parts: frozenset[str]
    kinds: frozenset[str]
    stating: frozenset[str]
    negations: tuple[str, ...]
    support: frozenset[str]
    persons: frozenset[str]
    rows_asked: frozenset[str]
    nowadays: frozenset[str]
    ended_dates: frozenset[str]
    times_asked: frozenset[str]
    births: frozenset[str]
    superiors: frozenset[str]
    being: frozenset[str]
    of_any_data: frozenset[str]
    undone: frozenset[str]
    lasting: frozenset[str]
    quantities: frozenset[str]
    units: Mapping[str, str]
    extensive: frozenset[str]
    grades: frozenset[str]
    income: frozenset[str]
    personal: frozenset[str]
    first_dates: frozenset[str]
    later_dates: frozenset[str]
    reached_dates: frozenset[str]
    genders: Mapping[str, tuple[str, ...]]
    forecasts: frozenset[str]
    places: frozenset[str]
    directions: tuple[str, ...]
    listing: frozenset[str]
    joining: frozenset[str]
    listed: frozenset[str]
    excepting: frozenset[str]
    past_endings: tuple[str, ...]
    verb_endings: tuple[str, ...]
    figures: frozenset[str]
    nameable: frozenset[str]
    determiners: frozenset[str]
    numbering: frozenset[str]
    houses: frozenset[str]
    definite: frozenset[str]
    whatever: frozenset[str]
    unsaid: frozenset[str]


def _data() -> Mapping[str, Any]:
    return words_file("askwell.question", "lexicon.yaml")


def said_for() -> Mapping[str, frozenset[str]]:
    """The synonyms as they are written: for an everyday word the words of names that it is said for."""
    return {str(word): frozenset(others.split()) for word, others in _data()["synonyms"].items()}


def english() -> English:
    """The lexicon, read once, or the one that stands in for it."""
    return _stand_in.get() or _read()


def classes_of(word: str) -> set[str]:
    """The classes of phrases that a lower-case word is by itself."""
    return {category for category, _ in english().phrases.get((word,), ())}


@contextmanager
def standing_in(lexicon: English) -> Iterator[None]:
    """Within it another lexicon is read: to measure what one of its lists is worth."""
    token = _stand_in.set(lexicon)
    try:
        yield
    finally:
        _stand_in.reset(token)


@cache
def _read() -> English:
    data = _data()
    phrases: dict[Words, list[tuple[str, str]]] = {}
    for category, meanings in data["phrases"].items():
        for meaning, texts in meanings.items():
            for words in itertools.chain.from_iterable(map(_expanded, texts.split(" / "))):
                known = phrases.setdefault(words, [])
                if (category, meaning) not in known:
                    known.append((category, meaning))
    lists = {name: _list(name, text) for name, text in data.items() if isinstance(text, str)}
    return English(
        **lists,
        everywhere=frozenset(word for words in phrases for word in words) | lists["fillers"],
        phrases={words: tuple(known) for words, known in phrases.items()},
        longest=max(map(len, phrases)),
        doers={stem(verb): _stems(nouns.split()) for verb, nouns in data["doers"].items()},
        events={stem(verb): _stems(nouns.split()) for verb, nouns in data["events"].items()},
        synonyms={stem(str(word)): _stems(others.split()) for word, others in data["synonyms"].items()},
        doubtful={word: tuple(names) for word, names in data["doubtful"].items()},
        function_words=frozenset(words[0] for words in phrases if len(words) == 1 and _is_glue(phrases[words])),
        spans=tuple((stem(first), stem(last)) for first, last in data["spans"]),
        genders={word: tuple(written.split()) for said, written in data["genders"].items() for word in said.split()},
        units={word: unit for unit, words in data["units"].items() for word in words.split()},
        nouns=_nouns(data["synonyms"]) | frozenset(data["events"]),
    )


_stand_in: ContextVar[English | None] = ContextVar("stand_in", default=None)
# Lists of stems, and lists of which the order matters; the others are sets of words as they are written.
_STEMMED = frozenset(
    {
        *("additive", "births", "ended_dates", "figures", "first_dates", "grades", "income", "kinds", "lasting"),
        *("later_dates", "nowadays", "numbering", "of_any_data", "quantities", "reached_dates", "stating", "superiors"),
        *("times_asked", "undone"),
    }
)
_IN_ORDER = frozenset({"directions", "durations", "negations", "past_endings", "verb_endings"})
# Classes of words that only tie others together.
_GLUE = frozenset(
    {"OF", "IN", "TO", "BY", "WITH", "HAVE", "AND", "OR", "BE", "RELATIVE", "NOT", "EACH", "YEAR_IN", "ASK"}
)

# What a word may say beside: "on", "in"; how rows stand, where nothing of the model says so.
STANDING = frozenset({"ENDED_BY", "REACHED_BY"})


def _is_glue(meanings: Iterable[tuple[str, str]]) -> bool:
    categories = {category for category, _ in meanings} - STANDING
    return bool(categories) and categories <= _GLUE


def _list(name: str, text: str) -> Any:
    """A list of the file: its words as they are written, in their order where that matters, or their stems."""
    words = text.split()
    if name in _IN_ORDER:
        return tuple(words)
    return frozenset(map(stem, words) if name in _STEMMED else words)


def _nouns(synonyms: Mapping[str, str]) -> frozenset[str]:
    words = {word for said, others in synonyms.items() for word in (said, *others.split())}
    return frozenset(words | {plural for word in words for plural in plurals(word)})


def _stems(words: Iterable[str]) -> Stems:
    return tuple(part for word in words for part in stems_of_word(word)[-1:])


def _expanded(phrase: str) -> Iterable[Words]:
    """ "at|in the? end" stands for four rows of words."""
    slots = []
    for word in phrase.split():
        optional = len(word) > 1 and word.endswith("?")
        choices = word.removesuffix("?").split("|") if optional else word.split("|")
        slots.append([*choices, ""] if optional else choices)
    for chosen in itertools.product(*slots):
        if row := tuple(word for word in chosen if word):
            yield row


@dataclass(frozen=True, slots=True)
class Akin:
    """Groups of lower-case words. `alike` mean nearly the same; of `related` ones one leads to the other; `said_for`
    gives for a word what it is said for; `persons` are asked for as `people`."""

    alike: tuple[frozenset[str], ...]
    related: tuple[frozenset[str], ...]
    said_for: Mapping[str, frozenset[str]]
    persons: frozenset[str]
    people: frozenset[str]


@cache
def akin() -> Akin:
    """The groups, read once."""
    data = words_file("askwell.question", "akin.yaml")
    return Akin(
        alike=tuple(frozenset(group.split()) for group in data["alike"]),
        related=tuple(frozenset(group.split()) for group in data["related"]),
        said_for=said_for(),
        persons=frozenset(data["persons"].split()),
        people=frozenset(data["people"].split()),
    )


@cache
def stems_alike() -> tuple[frozenset[str], ...]:
    """The stems of each group of words that mean nearly the same."""
    return tuple(frozenset(stem for word in group for stem in stems(word)) for group in akin().alike)
