"""The words of a question that a statement has to answer to: what it demands, and which words name things; and the cues
by which that is seen, from `cues.yaml`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from askwell.mdl.names import is_left_of
from askwell.question.lexicon import english
from askwell.question.tokens import Token, TokenKind, tokenize
from askwell.question.words import MONTHS, NUMBER_WORDS, ORDINALS, PERIODS, SHIFTS, plain_english, stem, stems_of_word
from askwell.resources import words_file
from askwell.spelling import without_accents

_LONGEST_CODE, _SHORTEST_CLIPPED = 3, 3
_VOWELS = frozenset("aeiou")
# Dates, months as numbers, and years that run over two: 2026-11-28, 20261128, 202611, 2026/27.
_DAY = re.compile(
    r"\d{4}-\d\d?(-\d\d?.*)?|\d\d?[/.]\d\d?[/.]\d{2,4}|(19|20)\d\d(0[1-9]|1[0-2])([0-3]\d)?|(\d\d)?\d\d[-/](\d\d)?\d\d"
)

# What a superlative that is no phrase of the lexicon means: class and meaning in one.
UNLISTED = "ADJECTIVE either"
# A phrase of the lexicon: its class and its meaning.
Meaning = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase of the lexicon in a question, from token `start` to `end` (not included), with all that it may mean."""

    words: str
    meanings: tuple[Meaning, ...]
    start: int
    end: int

    def may_be(self, *classes: str) -> bool:
        """Whether one of these classes is among its meanings."""
        return any(category in classes for category, _ in self.meanings)

    def is_only(self, *classes: str) -> bool:
        """Whether it means nothing but these classes."""
        return all(category in classes for category, _ in self.meanings)


@dataclass(frozen=True, slots=True)
class AskedWords:
    """A question as a check sees it. `stems` are those of all its words; `numbers` are written in
    digits or words, as digits. These and `flat` also have what is known besides, such as instructions."""

    text: str
    tokens: tuple[Token, ...]
    cues: tuple[Cue, ...]
    stems: frozenset[str]
    numbers: frozenset[str]
    # The lower-case letters and digits alone, to find values in that are written otherwise.
    flat: str

    def cue(self, *classes: str) -> Cue | None:
        """The first phrase that may be of one of these classes."""
        return next((cue for cue in self.cues if cue.may_be(*classes)), None)

    def counts_periods(self, number: Token) -> bool:
        """Whether a number says how many days, months or the like."""
        place = self.tokens.index(number)
        return any(token.low in PERIODS for token in self.tokens[place + 1 : place + 3])

    def is_of_month(self, number: Token) -> bool:
        """Whether a number stands beside the name of a month."""
        place = self.tokens.index(number)
        return any(token.low in MONTHS for token in self.tokens[max(place - 1, 0) : place + 2])

    def is_short_for(self, code: str) -> bool:
        """Whether a short text abbreviates capitalised words of the question: CA for California, NY for New York."""
        names = [token.text.lower() for token in self.tokens if token.text[:1].isupper()]
        initials = "".join(name[0] for name in names)
        return 1 < len(code) <= _LONGEST_CODE and (code in initials or any(name.startswith(code) for name in names))

    def is_clipped(self, name: str) -> bool:
        """Whether a word of a name is what is left of a longer one of the question, letters in order, as shpmt of
        shipment."""
        if len(name) < _SHORTEST_CLIPPED and not (len(name) > 1 and _VOWELS.isdisjoint(name)):
            return False
        return any(is_left_of(name, token.low) for token in self.tokens)

    def is_part_of(self, name: str) -> bool:
        """Whether a name ends with a word of the question, or a word with the name: ptime, butterfat."""
        words = [token.low for token in self.tokens if token.low not in english().everywhere]
        ends = [(name, word) for word in words if min(len(name), len(word)) >= _SHORTEST_CLIPPED]
        return any(name.endswith(word) or word.endswith(name) for name, word in ends)


def read_question(question: str, background: str = "") -> AskedWords:
    """The question's words; of a long one, as many as `tokenize` takes. What `background` says nobody demands, and
    statements may do."""
    question = unicodedata.normalize("NFKC", question)  # fullwidth digits and marks
    tokens = tokenize(question)
    known = (*tokens, *tokenize(background))
    stems = frozenset(stem for token in known if token.kind is not TokenKind.MARK for stem in _stems(token))
    flat = flat_letters(f"{question} {background}")
    return AskedWords(question, tokens, tuple(_cues(tokens)), stems, frozenset(_numbers(known)), flat)


def is_a_day(text: str) -> bool:
    """Whether a text is a date or a period, which the words of periods stand for."""
    return bool(_DAY.fullmatch(text))


def flat_letters(text: str) -> str:
    """The letters and digits alone, in lower case and without accents."""
    return "".join(character for character in without_accents(text.lower()) if character.isalnum())


def _stems(token: Token) -> Iterator[str]:
    for word in token.low.replace("-", " ").split():
        yield from stems_of_word(word)


def _cues(tokens: Sequence[Token]) -> Iterator[Cue]:
    """The longest phrases, from left to right."""
    lexicon, start = english(), 0
    lows = tuple(token.low if token.kind is not TokenKind.QUOTED else '"' for token in tokens)
    while start < len(tokens):
        for end in range(min(start + lexicon.longest, len(tokens)), start, -1):
            meanings = lexicon.phrases.get(lows[start:end])
            if meanings is not None and not _is_part_of_more(meanings, lows[start:]):
                yield Cue(" ".join(lows[start:end]), meanings, start, end)
                start = end
                break
        else:
            if _is_superlative(lows[start]):
                yield Cue(lows[start], (("ADJECTIVE", "either"),), start, start + 1)
            start += 1


def _is_superlative(word: str) -> bool:
    """Whether a word is a plain adjective with "-est" that is no phrase of its own: strongest, soonest, busiest."""
    base = word.removesuffix("est")
    if base == word or len(base) < _SHORTEST_CLIPPED or word in cues().words["no_superlatives"]:
        return False
    bases = {base, f"{base}e", f"{base.removesuffix('i')}y"}
    return not plain_english().isdisjoint(bases | {base[:-1]} if base[-1] == base[-2] else bases)


def _is_part_of_more(meanings: Sequence[Meaning], lows: Sequence[str]) -> bool:
    """Whether a phrase that begins `lows` says something else with what follows: "or more than", "last 10 months",
    "first name"."""
    classes = {category for category, _ in meanings}
    if classes == {"OR_MORE"}:
        return "than" in lows[1:3]
    if cues().patterns["idiom"].match(" ".join(lows)):
        return True
    if lows[0] not in ORDINALS and lows[0] not in SHIFTS:
        return False
    after = [word for word in lows[1:3] if not (word.isdigit() or word in NUMBER_WORDS)][:1]
    return any(_makes_another(word) for word in after)


def _makes_another(word: str) -> bool:
    is_period = word in PERIODS or word.removesuffix("s") in cues().words["other_spans"]
    is_name = any(category == "FULL_NAME" for category, _ in english().phrases.get((word,), ()))
    return is_period or is_name or word in english().name_parts


def _numbers(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.kind is TokenKind.NUMBER:
            yield from (token.text, token.text.removesuffix(".0"), *filter(None, token.text.split("-")))
        elif token.low in NUMBER_WORDS:
            yield str(NUMBER_WORDS[token.low])
        elif token.low in ORDINALS:
            yield str(ORDINALS[token.low])
        else:  # in words such as 1990s, 3rd, A320
            yield from re.findall(r"\d+", token.text)


# The cues of checks as data


@dataclass(frozen=True, slots=True)
class Cues:
    """`patterns` are found in the words of a question; `stems` are of words in names, and `words` these as they are
    written; `date_shapes` match the beginnings of texts; `demands` are those of phrases, by the
    finding."""

    patterns: Mapping[str, re.Pattern[str]]
    stems: Mapping[str, frozenset[str]]
    words: Mapping[str, frozenset[str]]
    endings: Mapping[str, tuple[str, ...]]
    date_shapes: Mapping[str, re.Pattern[str]]
    demands: Mapping[str, Mapping[str, Any]]

    def first(self, asked: AskedWords, name: str) -> str:
        """The first words of a question that are of this kind; empty where there are none."""
        found = self.patterns[name].search(asked.text.lower())
        return found[0].strip() if found else ""

    def stated_limit(self, asked: AskedWords) -> tuple[str, str] | None:
        """The words that say how many rows are wanted, and their number in digits."""
        found = self.patterns["rows_wanted"].search(asked.text.lower())
        if found is None:
            return None
        said = next(part for part in found.groups() if part)
        return found[0], said if said.isdigit() else str(NUMBER_WORDS[said])


@cache
def cues() -> Cues:
    """The cues, read once."""
    data = words_file("askwell.checking", "cues.yaml")
    numbers = "|".join(word for word in NUMBER_WORDS if NUMBER_WORDS[word] > 1)
    patterns = {
        name: re.compile(rf"\b(?:{text.strip()})".replace("{number}", rf"\d+|{numbers}"))
        for name, text in data["patterns"].items()
    }
    words = {
        name: frozenset(said.split() if isinstance(said, str) else map(str, said))
        for name, said in data["stems"].items()
    }
    return Cues(
        patterns,
        {name: frozenset(map(stem, some)) for name, some in words.items()},
        words,
        {name: tuple(some) for name, some in data["endings"].items()},
        {name: re.compile(text) for name, text in data["date_shapes"].items()},
        data["demands"],
    )
