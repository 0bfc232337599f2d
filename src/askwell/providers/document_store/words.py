"""From a text to the terms that BM25 compares: split, lower case, stemmed, without the words that carry no content."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from askwell.spelling import spelled_words

# Words of English questions that say nothing about which data is meant.
_EMPTY_WORDS = """
    a about all also an and any are as at be been being but by can could did do does each every find for from get
    give had has have how i in into is it its just let list many me much my need of on or our per please see show so
    some tell than that the their them then there these they this those to us was we were what when where which while
    who whom whose why will with would you your
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())

_NOTHING = ""


def terms(text: str) -> list[str]:
    """The terms of a text, in order, repeated as often as they occur. An accent may be a character of its own."""
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    return [term for word in spelled_words(composed) if (term := _term(word))]


def is_empty(word: str) -> bool:
    """Whether a lower-case word says nothing about which data is meant."""
    return word in _EMPTY


@lru_cache(maxsize=50_000)
def _term(word: str) -> str:
    lowered = word.lower()
    if lowered in _EMPTY:
        return _NOTHING
    return _stem(lowered) if lowered.isascii() and lowered.isalpha() else lowered


def _stem(word: str) -> str:
    from snowballstemmer import stemmer

    stem: str = stemmer("english").stemWord(word)
    return stem
