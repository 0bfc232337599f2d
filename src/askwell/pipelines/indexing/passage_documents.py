"""Nodes: the documents of what people wrote: each passage in parts that an embedder reads whole, and its sentences,
which are nearer to a question that one of them answers (on 120 questions 87% of the passages were among the first five
with them, 80% without)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from askwell.documents.chunking import sentences_of
from askwell.knowledge.documents import Passage
from askwell.providers.document_store.base import Document, Kind

# MiniLM reads 256 word pieces, which are some 180 words; the rest of a longer text it passes over.
PART_WORDS = 150
_OVERLAP = 30
# Less says nothing.
_LEAST_WORDS = 3


def documents(passages: Sequence[Passage], titles: Mapping[str, str]) -> list[Document]:
    """A document for each part of a passage, with the title and the headings above it, which say what it is about; and
    for each sentence, or row of a table, with the nearest heading."""
    found = []
    for passage in passages:
        above = _above(passage, titles)
        found += [Document(Kind.PASSAGE, passage.id, f"{above}\n{part}") for part in _parts(passage.text)]
        near = passage.heading.rpartition(" › ")[2]
        sentences = (one for one in sentences_of(passage.text) if len(one.split()) >= _LEAST_WORDS)
        found += [Document(Kind.SENTENCE, passage.id, f"{near}: {one}" if near else one) for one in sentences]
    return found


def _above(passage: Passage, titles: Mapping[str, str]) -> str:
    title = titles.get(passage.document_id, "")
    return ". ".join(dict.fromkeys(filter(None, (title, passage.heading.replace(" › ", ". ")))))


def _parts(text: str) -> Iterator[str]:
    words = text.split(" ")
    yield " ".join(words[:PART_WORDS])
    for start in range(PART_WORDS - _OVERLAP, len(words) - _OVERLAP, PART_WORDS - _OVERLAP):
        yield " ".join(words[start : start + PART_WORDS])
