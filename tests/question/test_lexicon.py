"""The lexicon as it is read: no phrase lost or glued together by the notation of the file."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from askwell.question.lexicon import english
from tests.support.tables import case_rows

_CLASSES = re.compile(r"^  ([A-Z_]+):", re.MULTILINE)
_TEXT = resources.files("askwell.question").joinpath("lexicon.yaml").read_text("utf-8")


def test_every_class_has_phrases() -> None:
    written = set(_CLASSES.findall(_TEXT))
    read = {category for meanings in english().phrases.values() for category, _ in meanings}
    assert written == read


def test_phrases_are_words() -> None:
    words = {word for phrase in english().phrases for word in phrase}
    odd = {word for word in words if not re.fullmatch(r"[a-z0-9'%]+|[.,;:!?&(-]", word)}
    assert odd == set()


@pytest.mark.parametrize(
    ("phrase", "category", "meaning"),
    case_rows(__file__, "a_phrase_means_what_the_file_says", "phrase", "category", "meaning"),
)
def test_a_phrase_means_what_the_file_says(phrase: str, category: str, meaning: str) -> None:
    assert (category, meaning) in english().phrases[tuple(phrase.split())]


def test_synonyms_and_events_are_stems() -> None:
    lexicon = english()
    assert "custom" in lexicon.synonyms["client"]
    assert "prescript" in lexicon.events["prescrib"]
