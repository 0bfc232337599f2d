"""Marks in texts that come in pieces, and passages as prompts have room for them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.asks.citations import MarkedText, cited, unmarked
from askwell.asks.project_knowledge import fitted
from askwell.knowledge.documents import Passage
from askwell.pipelines.generation.question import PromptPassage
from askwell.pipelines.passages import FoundPassage
from tests.support.tables import case_rows

PASSAGES = tuple(PromptPassage(n, f"d-{n}", f"Title {n}", "page 1", "text", "quote", 0.5) for n in (1, 2, 12))


@pytest.mark.parametrize(
    ("written", "shown", "numbers"),
    case_rows(__file__, "marks_that_name_a_passage_stay", "written", "shown", "numbers"),
)
def test_marks_that_name_a_passage_stay(written: str, shown: str, numbers: list[int]) -> None:
    text, citations = cited(written, PASSAGES)
    assert text == shown
    assert [one.n for one in citations] == numbers
    assert [text[one.start : one.end] for one in citations] == [f"[{n}]" for n in numbers]
    assert "[1]" not in unmarked(text, citations)


def test_without_passages_nothing_is_a_mark() -> None:
    assert cited("a [1] [99] [", ()) == ("a [1] [99] [", ())


_PIECES = st.lists(st.sampled_from(["[", "]", "1", "2", "12", "9", ",", " ", "\n", "a", "[1]", " [9]", "[1, 2]"]))


@given(_PIECES, st.integers(0, 50))
def test_however_a_text_is_cut_into_pieces_it_reads_the_same(pieces: list[str], position: int) -> None:
    """And every mark in it that stays stands where its citation says."""
    whole, citations = cited("".join(pieces), PASSAGES)
    marked = MarkedText(PASSAGES, position)
    given_out = ""
    for piece in pieces:
        given_out += marked.add(piece)
        assert whole.startswith(given_out)
    assert given_out + marked.rest() == whole
    assert [(one.n, one.start - position) for one in marked.citations] == [(one.n, one.start) for one in citations]
    assert all(whole[one.start : one.end] == f"[{one.n}]" for one in citations)


def test_no_more_is_held_back_than_may_become_a_mark() -> None:
    marked = MarkedText(PASSAGES)
    assert [marked.add(piece) for piece in ("days", " ", "[", "1", "2", "] or", " [1 of", "[", "1" * 70)] == [
        "days",
        "",
        "",
        "",
        "",
        " [12] or",
        " [1 of",
        "",
        "[" + "1" * 70,
    ]


def found(*texts: str) -> list[FoundPassage]:
    return [FoundPassage(Passage("d", place, "page 1", "", text), "T", 0.5) for place, text in enumerate(texts)]


def sizes(passages: Sequence[PromptPassage]) -> list[tuple[int, int]]:
    return [(one.number, len(one.text)) for one in passages]


def test_passages_stay_within_their_room() -> None:
    """What has no room is left out for what has, and numbers have no gaps."""
    assert sizes(fitted(found("a" * 4_000, "b" * 4_000, "c" * 2_000), "?")) == [(1, 4_000), (2, 2_000)]
    assert sizes(fitted(found("a" * 40_000, "b"), "?")) == [(1, 6_000)]
    assert sizes(fitted(found("a" * 4_000, "b"), "?", 500)) == [(1, 2_000)]
    assert fitted([], "?") == ()


def test_a_quote_is_the_sentence_nearest_to_the_question_in_200_characters() -> None:
    one, long = fitted(
        found("Vans are blue. Goods may be sent back. Vans go on Tuesdays.", f"word {'very ' * 60}long"),
        "When may goods go back?",
    )
    assert one.quote == "Goods may be sent back."
    assert len(long.quote) <= 200
    assert long.quote.endswith("…")
