"""English words: their stems, and everyday ones."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from askwell.mdl.abbreviations import ABBREVIATIONS
from askwell.resources import words_file
from askwell.spelling import one_word, without_accents

_DATA = words_file("askwell.question", "rewordings.yaml")

# Lower-case word -> what it stands for, in one word or two, before stemming.
IRREGULAR: Mapping[str, str] = {short: " ".join(whole) for short, whole in ABBREVIATIONS.items()} | _DATA["irregular"]
UNSTEMMED: Mapping[str, str] = _DATA["unstemmed"]
CONTRACTIONS: Mapping[str, str] = _DATA["contractions"] | _DATA["mistyped"]
# Pattern, and what stands for what it finds.
REWORDINGS: tuple[tuple[str, str], ...] = tuple((said, meant) for said, meant in _DATA["rewordings"])
NUMBER_WORDS: Mapping[str, int] = _DATA["numbers"]
SCALES: Mapping[str, int] = _DATA["scales"]
CURRENCIES, ONES = frozenset(_DATA["currencies"].split()), frozenset(_DATA["ones"].split())
# Word -> day, week, month, quarter or year.
PERIODS: Mapping[str, str] = _DATA["periods"]
# Word -> how many days, or periods of the unit that follows, from the current one.
DAYS: Mapping[str, int] = _DATA["days"]
SHIFTS: Mapping[str, int] = _DATA["shifts"]
# Words of SHIFTS that count from today, and what a period that has begun lasts until.
ROLLING, NOW, AGO = frozenset(_DATA["rolling"]), frozenset(_DATA["now"]), frozenset(_DATA["ago"])
# Word -> 1 to 4.
ORDINALS: Mapping[str, int] = _DATA["ordinals"]
ORDINAL_ENDINGS: tuple[str, ...] = tuple(_DATA["ordinal_endings"])
FROM, UNTIL = frozenset(_DATA["from"]), frozenset(_DATA["until"])
UNTIL_BOTH = UNTIL | frozenset(_DATA["until_both"])
LISTING = frozenset(_DATA["listing"])
# day, month or part -> what stands between it and what it is of.
OF_A_PERIOD: Mapping[str, Sequence[str]] = _DATA["of_a_period"]
# Word -> its months.
PARTS_OF_A_YEAR: Mapping[str, int] = _DATA["parts_of_a_year"]
# Name or its first three letters -> 1 to 12.
MONTHS: Mapping[str, int] = {
    name: number for number, month in enumerate(_DATA["months"], 1) for name in (month, month[:3])
} | {"sept": 9}
WEEKDAYS: Mapping[str, Sequence[int]] = _DATA["weekdays"]
ANY_OF_THEM = frozenset(_DATA["any_of_them"])
PARTS_OF_A_DAY: Mapping[str, Sequence[int]] = _DATA["parts_of_a_day"]
COMMON: frozenset[str] = frozenset(_DATA["common"].split())
# All of these, as they are written: none is a misspelt word of a model.
EVERYDAY: frozenset[str] = frozenset(
    {*_DATA["irregular"], *UNSTEMMED, *CONTRACTIONS, *NUMBER_WORDS, *PERIODS, *MONTHS, *(f"{day}s" for day in WEEKDAYS)}
)


Stems = tuple[str, ...]

_CAMEL = re.compile(r"([a-z])([A-Z])")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_lock = threading.Lock()


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=50_000)
def stems_of_word(word: str) -> Stems:
    """The stems of one lower-case word; two where the word stands for two ("surname" is "last name")."""
    word = without_accents(word)
    if word in UNSTEMMED:
        return (UNSTEMMED[word],)
    plain = IRREGULAR.get(word, word)
    with _lock:  # the stemmer keeps its state in itself
        return tuple(_stemmer().stemWord(part) for part in plain.split())


@lru_cache(maxsize=50_000)
def stems(text: str) -> Stems:
    """The stems of a name or phrase, split at spaces, underscores, camel case and digits."""
    plain = one_word(without_accents(text))
    spaced = plain if plain.isupper() else _CAMEL.sub(r"\1 \2", plain)
    return tuple(stem for word in _WORD.findall(spaced.lower()) for stem in stems_of_word(word))


def stem(word: str) -> str:
    """The stem of a single word that stands for one; of no word, none."""
    return next(iter(stems_of_word(word.lower())), "")


def plurals(word: str) -> tuple[str, ...]:
    """How the plural of a lower-case noun may be written, if it is a regular one."""
    if word.endswith("y"):
        return (f"{word[:-1]}ies", f"{word}s")
    return (f"{word}es",) if word.endswith(("s", "x", "ch")) else (f"{word}s",)


def singulars(word: str) -> tuple[str, ...]:
    """What a lower-case word may be the regular plural of; nothing for short ones."""
    return tuple(word.removesuffix(end) for end in ("s", "es") if len(word) > 3 and word.endswith(end))


@cache
def stem_set(words: frozenset[str]) -> frozenset[str]:
    """The stems of a word list."""
    return frozenset(stem(word) for word in words)


@cache
def plain_english() -> frozenset[str]:
    """The words as they are written, in lower case."""
    data = words_file("askwell.question", "plain_english.yaml")
    return frozenset(word for name in ("verbs", "adjectives", "adverbs", "others") for word in data[name].split())


@lru_cache(maxsize=10_000)
def is_superlative(word: str) -> bool:
    """Whether a lower-case word is the highest form of an everyday adjective: strongest, heaviest; no guest."""
    data = words_file("askwell.question", "plain_english.yaml")
    adjectives = data["adjectives"].split()
    return any(
        (found := re.fullmatch(form, word)) and found.expand(base) in adjectives for form, base in data["superlatives"]
    )


@cache
def changing_words() -> frozenset[str]:
    """What begins an order to change data."""
    return frozenset(words_file("askwell.question", "plain_english.yaml")["changing"])
