"""How often the search finds the passage that answers a question, and how often it finds none where there is none
(`askwell eval passages`): the service's own reading, cutting, indexing and search."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell.config import Config
from askwell.documents.extraction import Extraction
from askwell.documents.formats import format_of
from askwell.evaluation.offline_retrieval import opened_parts
from askwell.knowledge.documents import DocumentShelf, Passage, Upload, new_document
from askwell.pipelines.passages import PassageSearch
from askwell.services.document_kind import passages_of
from askwell.services.documents import title_of

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
            tuple(AskedPassage(**row) for row in _rows(folder / "questions.jsonl")),
            tuple(row["question"] for row in _rows(folder / "unrelated.jsonl")),
        )


@dataclass(frozen=True, slots=True)
class PassagesReport:
    """`found` has, for each question, the place (from 0) of the right passage among those that are found; None where it
    is not among the first five. `kept_out` counts the unrelated questions for which nothing was found."""

    asked: tuple[AskedPassage, ...]
    found: tuple[int | None, ...]
    unrelated: int
    kept_out: int
    documents: int
    passages: int
    read_s: float
    index_s: float

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready. Shares are from 0 to 1."""
        count = len(self.found)
        return {
            "documents": self.documents,
            "passages": self.passages,
            "questions": count,
            "first": _share(sum(place == 0 for place in self.found), count),
            "among_five": _share(sum(place is not None for place in self.found), count),
            "unrelated": self.unrelated,
            "none_found": _share(self.kept_out, self.unrelated),
            "read_s": round(self.read_s, 2),
            "index_s": round(self.index_s, 2),
            "missed": [one.question for one, place in zip(self.asked, self.found, strict=True) if place is None],
        }

    def as_table(self) -> str:
        """Lines for people."""
        told = self.as_json()
        lines = [
            f"{told['documents']} documents in {told['passages']} passages, read in {told['read_s']} s and indexed in "
            f"{told['index_s']} s",
            f"{told['questions']} questions: the right passage first {told['first']:.1%}, among five "
            f"{told['among_five']:.1%}",
            f"{told['unrelated']} unrelated questions: no passage {told['none_found']:.1%}",
        ]
        return "\n".join([*lines, *(f"  not found: {question}" for question in told["missed"])])


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


def run_passages(folder: Path, config: Config, *, progress: Callable[[str], None]) -> PassagesReport:
    """Read and index the documents of a folder, and search for each question. Raises what the embedder raises, and
    `ValueError` for a question whose words stand in no passage."""
    return asyncio.run(_run(PassageSet.read(folder), config, progress))


async def _run(given: PassageSet, config: Config, progress: Callable[[str], None]) -> PassagesReport:
    async with opened_library(given.files, config, progress) as library:
        found: list[int | None] = []
        for one in given.asked:
            right = library.answers(one)
            if not right:
                raise ValueError(f"no passage of {one.document} holds “{one.quote}”")
            shown = [hit.passage.id for hit in await library.search.run(_PROJECT, one.question, top_k=_TOP)]
            found.append(next((place for place, passage in enumerate(shown) if passage in right), None))
        nothing = [not await library.search.run(_PROJECT, question, top_k=_TOP) for question in given.unrelated]
    return PassagesReport(
        given.asked,
        tuple(found),
        len(nothing),
        sum(nothing),
        len(library.names),
        len(library.passages),
        library.read_s,
        library.index_s,
    )


@asynccontextmanager
async def opened_library(
    files: Sequence[Path], config: Config, progress: Callable[[str], None]
) -> AsyncIterator[PassageLibrary]:
    """The documents of files, read and indexed in a record of their own that is thrown away."""
    async with opened_parts(config) as here:
        extraction, shelf = Extraction(), here.record.documents
        names: dict[str, str] = {}
        started = time.perf_counter()
        try:
            for number, file in enumerate(files):
                progress(f"reading {file.name} ...")
                content = await asyncio.to_thread(file.read_bytes)
                names[str(number)] = file.name
                await _read(shelf, extraction, str(number), file.name, content)
        finally:
            await extraction.close()
        read_s = time.perf_counter() - started
        progress("indexing ...")
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


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def _plain(text: str) -> str:
    """Letters and digits alone: what stands between them differs by format."""
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.casefold()).split())


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
