"""Misspelt words are put right where exactly one known word is near."""

from __future__ import annotations

import pytest

from askwell.question.misspelling import Fix, mended
from askwell.question.tokens import tokenize

KNOWN = frozenset({"customer", "customers", "order", "orders", "reservation", "station", "many", "how"})


@pytest.mark.parametrize(
    ("written", "meant"),
    [("custmers", "customers"), ("ordres", "orders"), ("reservaton", "reservation"), ("staton", "station")],
)
def test_one_near_word(written: str, meant: str) -> None:
    tokens, fixes = mended(tokenize(f"how many {written}"), KNOWN)
    assert tokens[-1].low == meant
    assert fixes == (Fix(written, meant),)


@pytest.mark.parametrize("word", ["customers", "oder", "quorum", "statx", "“custmers”", "123"])
def test_what_stays_as_it_is(word: str) -> None:
    tokens = tokenize(f"how many {word}")
    assert mended(tokens, KNOWN) == (tokens, ())


@pytest.mark.parametrize(
    ("written", "meant"), [("teh", "the"), ("mnay", "many"), ("writen", "written"), ("anythng", "anything")]
)
def test_a_slip_in_a_word_that_says_little(written: str, meant: str) -> None:
    tokens, fixes = mended(tokenize(written), {*KNOWN, "the", "written", "anything"})
    assert (tokens[0].low, fixes) == (meant, (Fix(written, meant),))


@pytest.mark.parametrize("word", ["paying", "cat", "writers", "complete", "dad"])
def test_another_word_is_no_slip(word: str) -> None:
    """Of a word that would only be left out."""
    tokens = tokenize(word)
    assert mended(tokens, {"playing", "act", "writes", "compete", "add"}) == (tokens, ())


def test_two_near_words_are_none() -> None:
    known = {"parts", "party", "partner"}
    tokens = tokenize("partz")
    assert mended(tokens, known) == (tokens, ())
