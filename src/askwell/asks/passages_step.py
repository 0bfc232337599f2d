"""Passages of the project's documents that a question is answered with."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence

from askwell.asks.citations import Citation, citation_of
from askwell.asks.ledger import Ledger
from askwell.documents.chunking import sentences_of
from askwell.errors import AskwellError
from askwell.pipelines.generation.question import PromptPassage
from askwell.pipelines.passages import FoundPassage, PassageSearch
from askwell.pipelines.retrieval.model_text import estimated_tokens
from askwell.providers.document_store.words import terms

logger = logging.getLogger(__name__)

_MOST = 5
_MOST_TOKENS = 1_500
_CHARACTERS = 4  # of a token, as `estimated_tokens` counts
# Of the window of a language model, what passages take at most: the schema and the rules are more.
_SHARE_OF_WINDOW = 0.125
_SECONDS = 10.0
_LONGEST_QUOTE = 200
# Of a title or a place in a document: both are given by whoever wrote it.
_LONGEST_NAME = 200
# What is not seen and can stand inside of a tag: soft hyphens, spaces of no width, marks of direction, tag characters.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
# Without a language model nobody looks whether a passage answers: it has to be this probable. Of questions that no
# passage answered 74 and 80 of 100 found none then (docs/passages.md).
_SURE = 0.5


async def passages_for(
    project_id: str, question: str, search: PassageSearch, ledger: Ledger, *, seconds: float, window: int | None
) -> tuple[PromptPassage, ...]:
    """The passages that may answer the question, fit for prompts; none, with a warning, where they cannot be searched
    within `seconds`. `window` is how many tokens the language model reads at once, where there is one."""
    with ledger.stage("passages"):
        try:
            async with asyncio.timeout(min(seconds, _SECONDS)):
                found = await search.run(project_id, question, top_k=_MOST)
        except (AskwellError, TimeoutError) as error:
            logger.warning("documents were not searched", extra={"error": type(error).__name__})
            why = error.message if isinstance(error, AskwellError) else "The search took too long."
            ledger.warn(f"The documents of this project were not searched. {why}")
            return ()
    room = _MOST_TOKENS if window is None else min(_MOST_TOKENS, int(window * _SHARE_OF_WINDOW))
    return fitted(found, question, room)


def fitted(found: Sequence[FoundPassage], question: str, tokens: int = _MOST_TOKENS) -> tuple[PromptPassage, ...]:
    """Those of the passages that have room in so many tokens, numbered from 1; the first one in any case, cut."""
    shown: list[PromptPassage] = []
    for one in found:
        text = _INVISIBLE.sub("", one.passage.text)
        if not shown:
            text = text[: tokens * _CHARACTERS]
        size = estimated_tokens(text)
        if size > tokens:
            continue
        tokens -= size
        shown.append(
            PromptPassage(
                number=len(shown) + 1,
                document_id=one.passage.document_id,
                title=_in_one_line(one.title),
                locator=_in_one_line(one.passage.locator),
                text=text,
                quote=_quote(text, question),
                score=one.score,
            )
        )
    return tuple(shown)


def quoted(passages: Sequence[PromptPassage]) -> tuple[str, tuple[Citation, ...]]:
    """An answer that nobody wrote, in Markdown, with its citations: what the passages say that probably answer. ""
    where none does."""
    text = ""
    citations: list[Citation] = []
    for one in passages:
        if one.score < _SURE:
            continue
        text += "\n\n" if text else "No table answers this. These passages of your documents may:\n\n"
        text += f"> {_in_one_line(one.quote, _LONGEST_QUOTE)} "
        mark = f"[{one.number}]"
        citations.append(citation_of(one, len(text), len(text) + len(mark)))
        text += f"{mark}\n>\n> {', '.join(filter(None, (one.title, one.locator)))}"
    return text, tuple(citations)


def _quote(text: str, question: str) -> str:
    """The sentence that shares most words with the question, the first of several."""
    asked = set(terms(question))
    sentences = sentences_of(text) or [text]
    best = max(sentences, key=lambda sentence: len(asked.intersection(terms(sentence))))
    return best if len(best) <= _LONGEST_QUOTE else f"{best[: _LONGEST_QUOTE - 1].rstrip()}…"


def _in_one_line(text: str, longest: int = _LONGEST_NAME) -> str:
    return " ".join(_INVISIBLE.sub("", text).split())[:longest]
