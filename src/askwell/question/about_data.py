"""What the wording of a question says about whether it is one about data, from `about_data.yaml`."""

from __future__ import annotations

import re
from functools import cache

from askwell.providers.document_store.words import is_empty
from askwell.resources import words_file

_MOST_NOTED = 4
_MOST_MEASURING = 5
_QUOTED = re.compile(r"\"[^\"]*\"|“[^“”]*”|(?<!\w)'[^']*'(?!\w)")
_WORDS = re.compile(r"[^\W\d_]+")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(words_file("askwell.question", "about_data.yaml")[name], re.IGNORECASE | re.VERBOSE)


@cache
def _list(name: str) -> frozenset[str]:
    return frozenset(words_file("askwell.question", "about_data.yaml")[name].split())


def general_words() -> frozenset[str]:
    """Lower-case words that questions about any data use."""
    return _list("general")


def asks_an_assistant(question: str) -> bool:
    """True for wording that asks for help, an explanation or a text rather than for data."""
    return _pattern("asks_an_assistant").match(question) is not None


def speaks_of_our_own(question: str) -> bool:
    """True for "we", "our" and "us": what people say about the business that their data is of."""
    return not _list("our_own").isdisjoint(_words(question))


def notes_down(question: str) -> bool:
    """True for a few words that are no sentence, such as "slow movers" or "revenue june"."""
    words = _words(question)
    few = len(set(words)) == len(words) <= _MOST_NOTED
    return bool(words) and few and _pattern("begins_a_sentence").match(question) is None


def measures_in_few_words(question: str) -> bool:
    """True for a short question that says what is measured or compared: "late orders by month"."""
    return len(_words(question)) <= _MOST_MEASURING and _pattern("measures").search(question) is not None


def without_names(question: str) -> str:
    """The question without what may be a value: quotations, words in capitals after the first one, and numbers."""
    first, *others = _QUOTED.sub(" ", question).split() or [""]
    plain = (word for word in others if not any(map(str.isdigit, word)) and not _is_capital(word))
    return " ".join((first, *plain))


def is_in_another_language(question: str) -> bool:
    """True where little of a question is English: its words are then no measure of what it is about."""
    words = _words(question)
    foreign = sum(word in _list("other_languages") for word in words)
    english = sum(is_empty(word) for word in words)
    if foreign == english == 0:
        return 2 * sum(not word.isascii() for word in words) > len(words)
    return foreign >= english


def _words(question: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(question)]


def _is_capital(word: str) -> bool:
    letters = _WORDS.search(word)
    return letters is not None and letters[0] != "I" and letters[0][0].isupper()
