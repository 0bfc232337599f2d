"""Reranking candidates by their word pieces, with vectors that are easily reckoned with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from askwell.pipelines.passages.nodes import evidence, ranking
from askwell.pipelines.passages.reranking import (
    RERANKED,
    RERANKED_CHARACTERS,
    Evidence,
    Signals,
    evidence_of,
    reranked,
    within_bounds,
)
from askwell.providers.embedder.base import TokenVectors
from tests.support.counting_embedder import CountingEmbedder

WORDS = ["leave", "days", "sick", "pension", "bring", "dog", "the"]


def tokens(text: str) -> TokenVectors:
    """Each word has an axis of its own."""
    pieces = tuple(text.split())
    rows = np.array([WORDS.index(piece) for piece in pieces], np.intp)
    return TokenVectors(pieces, np.eye(len(WORDS), dtype=np.float32)[rows])


def candidate(owner: str, sentence: float = 0.5, text: str = "the") -> Signals:
    return Signals(owner, text, 0.5, sentence, 0.5, 1.0)


def evidence_for(question: str, **texts: str) -> Evidence:
    found = evidence_of(
        [candidate(owner) for owner in texts], tokens(question), [tokens(one) for one in texts.values()]
    )
    assert found is not None
    return found


class TokenCounting(CountingEmbedder):
    """Implements `TokenEmbedder`."""

    async def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        await self.embed(texts)
        return [tokens(text) for text in texts]


def test_the_passage_that_has_the_words_is_the_first() -> None:
    found = reranked(evidence_for("sick leave", a="the dog", b="leave the dog", c="sick leave days"))
    assert [one.owner for one in found] == ["c", "b", "a"]
    assert found[0].score > found[1].score > found[2].score


def test_a_word_weighs_as_much_as_it_is_rare_among_the_candidates() -> None:
    found = evidence_for("leave dog", a="leave the", b="leave days", c="leave dog")
    assert found.weights[1] > found.weights[0]
    assert found.weights.sum() == pytest.approx(1)


def test_of_equal_passages_the_shorter_one_is_the_first() -> None:
    found = reranked(evidence_for("leave", long="leave days the dog", short="leave days"))
    assert [one.owner for one in found] == ["short", "long"]


def test_a_question_with_a_word_that_no_passage_has_is_less_probably_answered() -> None:
    texts = {"a": "leave days", "b": "the dog"}
    assert (
        reranked(evidence_for("leave days", **texts))[0].score
        > reranked(evidence_for("leave pension", **texts))[0].score
    )


def test_a_question_whose_words_are_scattered_is_less_probably_answered() -> None:
    question = "sick dog"
    together = reranked(evidence_for(question, a="sick dog", b="leave days"))[0].score
    assert together > reranked(evidence_for(question, a="sick days", b="leave dog"))[0].score


def test_one_candidate_is_ranked_too() -> None:
    (only,) = reranked(evidence_for("leave", a="leave days"))
    assert 0 < only.score < 1


def test_without_words_there_is_no_evidence() -> None:
    assert evidence_of([candidate("a")], tokens(""), [tokens("leave")]) is None
    assert evidence_of([candidate("a")], tokens("leave"), [tokens("")]) is None
    assert evidence_of([], tokens("leave"), []) is None


async def test_only_the_best_candidates_are_read_again_and_the_others_stay_behind_them() -> None:
    embedder = TokenCounting()
    candidates = tuple(candidate(str(n), 0.9 - n / 100, "leave days" if n == 3 else "the dog") for n in range(30))
    vector = (await embedder.embed(["leave"]))[0]
    embedder.texts.clear()
    found = ranking(candidates, await evidence("leave", candidates, vector, embedder, 1.0))
    assert len(embedder.texts) == 1 + RERANKED
    assert found.passages[0].owner == "3"
    assert [one.owner for one in found.passages[RERANKED:]] == [str(n) for n in range(RERANKED, 30)]
    scores = [one.score for one in found.passages]
    assert scores == sorted(scores, reverse=True)


def test_long_candidates_are_fewer_and_one_at_least() -> None:
    long = tuple(candidate(str(n), text="leave " * (RERANKED_CHARACTERS // 24)) for n in range(9))
    assert len(within_bounds(long)) == 4
    assert len(within_bounds([candidate("a", text="leave " * (RERANKED_CHARACTERS + 1))])) == 1


@pytest.mark.parametrize("embedder", [CountingEmbedder(), TokenCounting(delay=1.0)], ids=["no tokens", "slow"])
async def test_where_there_are_no_tokens_candidates_stay_in_their_order(embedder: CountingEmbedder) -> None:
    candidates = (candidate("a", 0.9), candidate("b", 0.5))
    found = await evidence("leave", candidates, np.ones(64, np.float32), embedder, 0.01)
    assert found is None
    assert [(one.owner, one.score) for one in ranking(candidates, found).passages] == [
        (one.owner, one.score) for one in candidates
    ]
