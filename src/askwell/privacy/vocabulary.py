"""Which words are no values: those of the model, everyday ones, and months and names by what stands beside them."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources

from rapidfuzz import process
from rapidfuzz.distance import OSA

from askwell.errors import ConfigurationError
from askwell.messages import say
from askwell.resources import words_file
from askwell.spelling import spelled_words

_WORDS = words_file("askwell.privacy", "words.yaml")
_DAYS_AND_MONTHS = frozenset(_WORDS["calendar"])
_CALENDAR_WORDS = "|".join(sorted(_DAYS_AND_MONTHS, key=len, reverse=True))
_NAMING, _BEFORE_PERIODS, _UNTIL = ("|".join(_WORDS[name].split()) for name in ("named", "before_periods", "until"))
_WORD = re.compile(rf"(?<![\w.'’-])(?:{_CALENDAR_WORDS})(?![\w-])", re.IGNORECASE)
# What says that a name follows, in the languages that are known here, and a column of names with its value.
_NAMED = re.compile(
    rf"(?:(?<!\w)(?:{_NAMING})"
    r"|names?[\"`]?(?:\s*(?:=|:|\b(?:is|was|are|equals|like)\b))?)\s*[\"'“‘]?\Z",
    re.IGNORECASE,
)
_PERIOD_BEFORE = re.compile(
    rf"(?:(?<!\w)(?:{_BEFORE_PERIODS})\s+(?:(?:{_CALENDAR_WORDS})(?:\s*(?:,|-|–|\band\b|\bor\b|\bto\b))+\s*)*"
    rf"|(?<!\w)from\s+(?:{_CALENDAR_WORDS})\s+(?:{_UNTIL})\s+"
    r"|(?<!\w)(?:\d{1,2}(?:st|nd|rd|th|\.)?|NUMBER_\d+)\s+(?:of\s+)?)\Z",
    re.IGNORECASE,
)
_PERIOD_AFTER = re.compile(
    r"\.?,?\s*(?:['’]?\d{1,4}(?:st|nd|rd|th)?(?!\w)|NUMBER_\d)"
    rf"|\s*(?:{_UNTIL}|-|–)\s*(?:{_CALENDAR_WORDS})(?!\w)"
    # The verb, which begins no text.
    r"|(?<=[\s\S]may)\s+(?:be|have|not)\b",
    re.IGNORECASE,
)
# How much of the text before a word is looked at.
_BEFORE = 60


def is_calendar(word: str) -> bool:
    return word.lower() in _DAYS_AND_MONTHS


def is_period(text: str, start: int, end: int) -> bool:
    """Whether the word is a month or a day where it stands: beside a year or a number of a day, or behind a word such
    as "in" or "since", unless it is said to be a name."""
    if not is_calendar(text[start:end]) or _is_named(text, start):
        return False
    before = text[max(start - _BEFORE, 0) : start]
    return _PERIOD_BEFORE.search(before) is not None or _PERIOD_AFTER.match(text, end) is not None


def calendar_names(text: str, known: Collection[str]) -> Iterator[tuple[int, int]]:
    """The months and days of a text that are names of someone: behind a word such as "named", and those that are
    among the `known` names, or named elsewhere in the text, wherever they are not clearly a period."""
    found = list(_WORD.finditer(text))
    names = {one[0].lower() for one in found if _is_named(text, one.start())}
    names |= {name.lower() for name in known}
    for one in found:
        if one[0].lower() in names and not is_period(text, *one.span()):
            yield one.span()


def _is_named(text: str, start: int) -> bool:
    return _NAMED.search(text[max(start - _BEFORE, 0) : start]) is not None


# Word lists of this many languages besides English; a question in another one keeps nothing but the model's words.
_OTHERS = ("de", "fr", "es", "it", "pt", "nl")
# Rarer words in these lists are mostly names of people and places.
_LEAST_FREQUENCY = 50
# A word that is one letter away from one of the model's is that word misspelt, from so many letters on.
_LEAST_LETTERS = 5
_APOSTROPHE = re.compile(r"['’].*\Z")


@dataclass(frozen=True, slots=True)
class Plain:
    """Everyday words by language, in lower case."""

    english: frozenset[str] = frozenset()
    others: Mapping[str, frozenset[str]] = field(default_factory=dict)
    nouns: frozenset[str] = frozenset()
    """Those of German, which are written like names."""
    common: frozenset[str] = frozenset()
    """Of English, what is no part of a name, whatever stands beside it."""

    def of(self, words: Sequence[str]) -> Collection[frozenset[str]]:
        """The lists that hold for a text of these words: English, and the one that knows more of them."""
        known = sum(word in self.english for word in words)
        best = max(self.others.values(), key=lambda one: sum(word in one for word in words), default=frozenset())
        return (self.english, best) if sum(word in best for word in words) > known else (self.english,)


@cache
def plain_words() -> Plain:
    """The lists. Takes half a second the first time: do it on a thread. Raises `ConfigurationError` where the package
    with them is not there."""
    try:
        lists = resources.files("spellchecker").joinpath("resources")
    except ImportError:
        raise ConfigurationError(*say("config.privacy_not_installed")) from None

    def words(language: str) -> frozenset[str]:
        # As its own class reads them, which takes five times as long.
        counted = json.loads(gzip.decompress(lists.joinpath(f"{language}.json.gz").read_bytes()))
        return frozenset(word for word, count in counted.items() if count > _LEAST_FREQUENCY)

    own = words_file(__package__, "words.yaml")
    others = {language: words(language) | frozenset(own["elsewhere"][language].split()) for language in _OTHERS}
    joining = frozenset(f"{own['joining']} {own['titles']}".split())
    units = {unit for unit in own["units"].split() if len(unit) > 1}
    said = {word for word in joining if word.endswith("name")} | frozenset(own["titles"].split())
    english = words("en") | frozenset(own["everyday"]) | said | units
    return Plain(english, others, frozenset(own["elsewhere"]["de"].split()), joining)


@dataclass(frozen=True)
class Vocabulary:
    """The words of a semantic model and of everyday speech. `names` are whole names of the model, in any letter case;
    `nobody` are everyday words that are names all the same, such as countries; `sql` are words of SQL, in lower case,
    which stay outside of quotation marks."""

    names: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    plain: Plain = field(default_factory=Plain)
    nobody: frozenset[str] = frozenset()
    sql: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, names: Collection[str], plain: Plain, everyday: Collection[str] = (), nobody: Collection[str] = ()
    ) -> Vocabulary:
        """The vocabulary of a model with these names and synonyms; `everyday` words are plain ones too."""
        whole = {name.casefold() for name in names}
        parts = {word.lower() for name in names for word in spelled_words(name)}
        words = {form for word in parts | whole if not word.isdigit() for form in _forms(word)}
        common = frozenset(word.lower() for word in everyday)
        plain = replace(plain, english=plain.english | common, common=common | plain.common)
        return cls(frozenset(whole), frozenset(words), plain, frozenset(nobody))

    def has_name(self, text: str) -> bool:
        """Whether it is the whole name of something in the model, or one of its words."""
        return text.casefold() in self.names or text.casefold() in self.words

    def has(self, word: str) -> bool:
        """Whether the model uses the word, in whatever number."""
        return not _forms(_APOSTROPHE.sub("", word.casefold())).isdisjoint(self.words)

    def nearly_has(self, word: str) -> bool:
        """Whether the word seems to be one of the model's, misspelt."""
        lower = word.casefold()
        if len(lower) < _LEAST_LETTERS or not lower.isalpha():
            return False
        near = process.extractOne(lower, self.words, scorer=OSA.distance, score_cutoff=1)
        return near is not None and len(near[0]) >= _LEAST_LETTERS

    def is_identifier(self, text: str) -> bool:
        """Whether it is a name that is made of known words alone, such as `total_revenue`."""
        parts = [word.lower() for word in spelled_words(text)]
        known = (part in self.words or part in self.plain.english or part in SAME_EVERYWHERE for part in parts)
        return bool(parts) and all(known)


def _forms(word: str) -> set[str]:
    """The word in singular and plural, roughly: what is kept by mistake is a word of the model in another form."""
    forms = {word, f"{word}s", f"{word}es"}
    if word.endswith("ies"):
        forms.add(f"{word[:-3]}y")
    if word.endswith("y"):
        forms.add(f"{word[:-1]}ies")
    if word.endswith("es"):
        forms.add(word[:-2])
    if word.endswith("s"):
        forms.add(word[:-1])
    return {form for form in forms if len(form) > 1}


SAME_EVERYWHERE: frozenset[str] = frozenset(words_file("askwell.privacy", "words.yaml")["same_everywhere"])


_TITLES = "|".join(re.escape(word) for word in _WORDS["titles"].split())
_GIVEN = frozenset(_WORDS["given_names"].split())
_CAPITAL = r"(?-i:[A-ZÀ-ÖØ-Þ])[^\W\d_]*(?:['’-][^\W\d_]+)*"
_AFTER_TITLE = re.compile(rf"(?<!\w)(?:{_TITLES})\.?[ \t]+({_CAPITAL}(?:[ \t]+{_CAPITAL})*)", re.IGNORECASE)
_PLACES = frozenset(one.replace("+", " ") for one in _WORDS["places"].split())
_CALENDAR = "|".join(word.capitalize() for word in _WORDS["calendar"])
_WITH_CALENDAR = re.compile(rf"(?<![\w.'’-])({_CAPITAL})[ -]({_CALENDAR})(?![\w-])(?![ ,]*\d)")
_BEFORE_SURNAME = re.compile(rf"(?<![\w.'’-])({_CAPITAL})[ -]\Z")
_SURNAME = re.compile(rf"[ -]({_CAPITAL})(?![\w'’])(?![ ,]*\d)")
_NUMBER_BEFORE = re.compile(r"\d(?:st|nd|rd|th|\.)?(?: of)? \Z")
# An item of a list of names.
_ITEM_BEGINS = re.compile(r"(?:(?:\A|\n)[ \t]*(?:[-*•]|\d{1,2}[.)])|[:;])[ \t]*\Z")
_ITEM_ENDS = re.compile(r"['’]?s?[ \t]*(?:[,;\n]|\Z)")
_MORE_FOLLOW = re.compile(r"[ \t]*(?:[,;]|(?:and|or|und|oder|et|ou|y|o|&)[ \t]+[A-ZÀ-ÖØ-Þ])")


def is_given(word: str) -> bool:
    """Whether it is an everyday word that people are called."""
    return word.lower() in _GIVEN


def sure_names(text: str, vocabulary: Vocabulary) -> Iterator[tuple[int, int]]:
    """After a title, countries in several words, and everyday names beside a month or a day."""
    for one in _AFTER_TITLE.finditer(text):
        yield one.span(1)
    for one in _places(vocabulary.nobody).finditer(text):
        if not vocabulary.has_name(one[0]):
            yield one.span()
    for one in _WITH_CALENDAR.finditer(text):
        lower = one[1].lower()
        is_everyday = lower in SAME_EVERYWHERE or lower in vocabulary.plain.common or vocabulary.has(one[1])
        may_be_called_so = is_calendar(lower) or is_given(lower) or not is_everyday
        if may_be_called_so and not _NUMBER_BEFORE.search(text[: one.start()][-12:]):
            yield one.span()


@cache
def _places(known: frozenset[str]) -> re.Pattern[str]:
    """Those of the `known` ones that one word would not tell, and ours."""
    names = sorted(_PLACES | {name for name in known if " " in name}, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)


def is_item(text: str, start: int, end: int) -> bool:
    """Whether a word that seems to begin a sentence is one of a list of names."""
    begins = _ITEM_BEGINS.search("x" * (start > 12) + text[max(start - 12, 0) : start]) is not None
    return _MORE_FOLLOW.match(text, end) is not None or (begins and _ITEM_ENDS.match(text, end) is not None)


def whole_name(text: str, span: tuple[int, int], free: tuple[int, int], kept: Set[str]) -> tuple[int, int]:
    """The words written like names beside a value that is written so: "Rose" and "Price" of "Rose Price". Words of
    `kept` are none; nothing outside of `free` is taken."""
    start, end = span
    if (before := _BEFORE_SURNAME.search(text, free[0], start)) is not None:
        is_dated = is_calendar(before[1]) and _NUMBER_BEFORE.search(text[: before.start()][-12:]) is not None
        if (is_calendar(before[1]) or is_given(before[1])) and not is_dated:
            start = before.start()
    after = _SURNAME.match(text, end, free[1])
    while after is not None and (is_calendar(after[1]) or after[1].lower() not in kept):
        end = after.end()
        after = _SURNAME.match(text, end, free[1])
    return start, end
