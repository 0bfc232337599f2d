"""What must be equal before two questions count as alike, whatever their vectors say.

An embedder finds "shipped late" and "not shipped late" 0.96 alike. So two questions are alike only if their numbers (in
their order), values, negations, comparisons, aggregates, times and units are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from askwell.resources import words_file

_DATA = words_file("askwell.question", "same_questions.yaml")
NUMBER_WORDS: Mapping[str, str] = _DATA["numbers"]
_PHRASES = tuple((re.compile(pattern), meaning) for pattern, meaning in _DATA["phrases"])
_MEANING_OF = {word: meaning for meaning, words in _DATA["meanings"].items() for word in words.split()} | {
    word: f"date_{word[:3]}" for word in _DATA["calendar"].split()
}

QUOTED = re.compile(r"'([^']*)'(?!\w)|\"([^\"]*)\"|“([^“”]*)”")
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:(?:st|nd|rd|th)(?!\w))?")
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class QuestionFacts:
    """Equal facts do not make two questions the same; different ones make them different."""

    numbers: tuple[str, ...]
    values: frozenset[str]
    meanings: tuple[str, ...]


def question_facts(question: str, values: Iterable[str] = ()) -> QuestionFacts:
    """The facts of a question. `values` are the cell values found in it; quoted texts are added."""
    quoted = {next(filter(None, groups), "").casefold() for groups in QUOTED.findall(question)}
    text = question.casefold()
    for pattern, meaning in _PHRASES:
        text = pattern.sub(meaning, text)
    words = _WORD.findall(text)
    numbers = [plain_number(found) for found in _NUMBER.findall(text)]
    # "Q3" and "covid19" are numbers of a kind.
    numbers += [NUMBER_WORDS.get(word, word) for word in words if word in NUMBER_WORDS or word[-1].isdigit()]
    meanings = {_MEANING_OF[word] for word in words if word in _MEANING_OF}
    negations = sum(_MEANING_OF.get(word) == "not" for word in words)
    return QuestionFacts(
        numbers=tuple(sorted(numbers)),
        values=frozenset(value.casefold() for value in values) | quoted,
        meanings=(*sorted(meanings), str(negations)),
    )


def plain_number(text: str) -> str:
    """Digits without separators of thousands and zeros that say nothing: `1,000.50` → `1000.5`."""
    plain = text.replace(",", "")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
