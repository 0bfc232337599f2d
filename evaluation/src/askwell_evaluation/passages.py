"""How often the search finds the passage that answers a question, and how often it finds none where there is none
(`askwell eval passages`): the service's own reading, cutting, indexing and search."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell.config import Config
from askwell.documents.extraction import Extraction, format_of
from askwell.knowledge.documents import DocumentShelf, Passage, Upload, new_document
from askwell.pipelines.passages.search import PassageSearch
from askwell.services.documents import passages_of, title_of
from askwell_evaluation.offline_retrieval import opened_parts
from askwell_evaluation.questions import read_rows
from askwell_evaluation.report import Report, ratio, say

_PROJECT = "passages"
_TOP = 5


@dataclass(frozen=True, slots=True)
class AskedPassage:
    """A question, and words of the passage that answers it, in one of the documents (`document` is a file's name)."""

    question: str
    document: str
    quote: str


@dataclass(frozen=True, slots=True)
class PassageSet:
    """Files of documents, questions that they answer, and questions that they do not."""

    files: tuple[Path, ...]
    asked: tuple[AskedPassage, ...]
    unrelated: tuple[str, ...]

    @classmethod
    def read(cls, folder: Path) -> PassageSet:
        """From `docs/`, `questions.jsonl` and `unrelated.jsonl` of a folder."""
        return cls(
            tuple(sorted((folder / "docs").iterdir())),
            tuple(read_rows(folder / "questions.jsonl", _asked, "question, document, quote")),
            tuple(read_rows(folder / "unrelated.jsonl", lambda row: str(row["question"]), "question")),
        )


def _asked(row: Mapping[str, str]) -> AskedPassage:
    return AskedPassage(row["question"], row["document"], row["quote"])


@dataclass(frozen=True)
class PassageLibrary:
    """A set of documents that can be searched."""

    project_id: str
    search: PassageSearch
    passages: Mapping[str, Passage]
    names: Mapping[str, str]
    read_s: float
    index_s: float

    def answers(self, asked: AskedPassage) -> frozenset[str]:
        """The ids of the passages that hold the words that answer a question."""
        words = _plain(asked.quote)
        own = (one for one in self.passages.values() if self.names[one.document_id] == asked.document)
        return frozenset(one.id for one in own if words in _plain(one.text))


def run_passages(folder: Path, config: Config) -> Report:
    """Read and index the documents of a folder, and search for each question: `first` counts those whose passage is
    the first that is found, `none_found` the unrelated questions for which nothing is found. Raises what the embedder
    raises, and `ValueError` for a question whose words stand in no passage."""
    figures = asyncio.run(_figures(PassageSet.read(folder), config))
    lines = [
        f"{figures['documents']} documents in {figures['passages']} passages, read in {figures['read_s']} s and "
        f"indexed in {figures['index_s']} s",
        f"{figures['questions']} questions: the right passage first {figures['first']:.1%}, among five "
        f"{figures['among_five']:.1%}",
        f"{figures['unrelated']} unrelated questions: no passage {figures['none_found']:.1%}",
        *(f"  not found: {question}" for question in figures["missed"]),
    ]
    return Report(figures, lines)


async def _figures(given: PassageSet, config: Config) -> dict[str, Any]:
    """Shares are from 0 to 1."""
    async with opened_library(given.files, config) as library:
        places: list[int | None] = []
        for one in given.asked:
            right = library.answers(one)
            if not right:
                raise ValueError(f"no passage of {one.document} holds “{one.quote}”")
            shown = [hit.passage.id for hit in await library.search.run(_PROJECT, one.question, top_k=_TOP)]
            places.append(next((place for place, passage in enumerate(shown) if passage in right), None))
        nothing = [not await library.search.run(_PROJECT, question, top_k=_TOP) for question in given.unrelated]
    return {
        "documents": len(library.names),
        "passages": len(library.passages),
        "questions": len(places),
        "first": ratio(places.count(0), len(places)),
        "among_five": ratio(len(places) - places.count(None), len(places)),
        "unrelated": len(nothing),
        "none_found": ratio(sum(nothing), len(nothing)),
        "read_s": round(library.read_s, 2),
        "index_s": round(library.index_s, 2),
        "missed": [one.question for one, place in zip(given.asked, places, strict=True) if place is None],
    }


@asynccontextmanager
async def opened_library(files: Sequence[Path], config: Config) -> AsyncIterator[PassageLibrary]:
    """The documents of files, read and indexed in a record of their own that is thrown away."""
    async with opened_parts(config) as here:
        extraction, shelf = Extraction(), here.record.documents
        names: dict[str, str] = {}
        started = time.perf_counter()
        try:
            for number, file in enumerate(files):
                say(f"reading {file.name} ...")
                content = await asyncio.to_thread(file.read_bytes)
                names[str(number)] = file.name
                await _read(shelf, extraction, str(number), file.name, content)
        finally:
            await extraction.close()
        read_s = time.perf_counter() - started
        say("indexing ...")
        started = time.perf_counter()
        await here.indexing.passage_section(_PROJECT, shelf)
        index_s = time.perf_counter() - started
        passages = {one.id: one for one in await shelf.all_passages(_PROJECT)}
        yield PassageLibrary(_PROJECT, PassageSearch(here.indexing, shelf), passages, names, read_s, index_s)


async def _read(shelf: DocumentShelf, extraction: Extraction, document_id: str, name: str, content: bytes) -> None:
    document_format = format_of(name, content)
    title = title_of(name)
    document = new_document(id=document_id, title=title, source=name, format=document_format, tags=(), content=content)
    upload = Upload(document_id, document_format, document.content_hash or "", content)
    await shelf.store(_PROJECT, document, content)
    await shelf.keep(_PROJECT, upload, passages_of(document_id, await extraction.read(content, document_format)))


def _plain(text: str) -> str:
    """Letters and digits alone: what stands between them differs by format."""
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.casefold()).split())
