"""From a text to the terms that BM25 compares: split, lower case, stemmed, without the words that carry no content; and
BM25 as one number for each term of each document, so that a sum over a question's terms is the whole score.

It is Lucene's form (k1 1.5, b 0.75) of Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond" (2009): a term that occurs `tf` times in a document weighs `idf · tf / (tf + k1 · (1 - b + b · length / mean))`
there, and one that `df` of `n` documents have has an `idf` of `ln(1 + (n - df + 0.5) / (df + 0.5))`.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from askwell.resources import words_of
from askwell.spelling import spelled_words

_EMPTY = words_of(__package__, "words.yaml", "empty")

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


K1 = 1.5
B = 0.75


def term_weights(corpus: Sequence[Sequence[str]]) -> list[dict[str, float]]:
    """For each document of a corpus, given as its terms, the weight of each term in it."""
    holders = Counter(term for terms in corpus for term in set(terms))
    mean = sum(map(len, corpus)) / len(corpus) if corpus else 0.0
    idf = {term: math.log(1 + (len(corpus) - count + 0.5) / (count + 0.5)) for term, count in holders.items()}
    weights = []
    for terms in corpus:
        damping = K1 * (1 - B + B * len(terms) / mean) if mean else K1
        weights.append({term: idf[term] * count / (count + damping) for term, count in Counter(terms).items()})
    return weights
