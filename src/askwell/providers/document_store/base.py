"""The interface of a document store: a shadow of the record in which a project's documents are searched.

Every operation names one project, through its `Section` or by its id; there is no operation over all of them. A store
gives scores and ranks nothing: that is retrieval's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from askwell.providers.embedder.base import Vectors

Scores = NDArray[np.float32]

# Editions of one shelf that a store keeps: the current one, and the one before it for asks that are under way. It
# may be told to keep more of models.
KEPT_EDITIONS = 2


class Kind(StrEnum):
    """What a document stands for."""

    TABLE = "table"
    COLUMN = "column"
    SQL_PAIR = "sql_pair"
    INSTRUCTION = "instruction"
    QUESTION = "question"
    PASSAGE = "passage"
    SENTENCE = "sentence"


# A store finds at least the best of each kind by each signal, so many; ranking tells no two of the others apart. On
# the 795 tables and 4,062 columns of Spider's training set, ranking these found as many of the wanted tables as
# ranking all (82.1% and 82.3% in the first ten, of which 97% were the same); twice as many of each found no more,
# and cost twice the time.
CANDIDATES = {kind: 300 if kind is Kind.COLUMN else 100 for kind in Kind}


@dataclass(frozen=True, slots=True)
class Document:
    """A text to be found, and what it leads to.

    `owner` is what it is about and may be shared: the table of a column, the pair or instruction of a question, the
    passage of a part or a sentence of it.
    """

    kind: Kind
    owner: str
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a project's documents that is swapped as a whole: those of its model, of its knowledge, or what
    people wrote in documents.

    `edition` says what it was built from, content and embedder both: two editions are never mixed.
    """

    project_id: str
    shelf: Literal["model", "knowledge", "documents"]
    edition: str


@dataclass(frozen=True)
class Hits:
    """Candidates with their scores, a row each: BM25 in `words`, cosine in `cosines`. NaN where a signal does not know
    the candidate (or there is no such signal); a store may leave out candidates that no signal knows.

    `owners` are the distinct owners; `owner_rows` has, for each candidate, the position of its owner in them.
    """

    documents: Sequence[Document]
    owners: tuple[str, ...]
    owner_rows: NDArray[np.intp]
    words: Scores
    cosines: Scores

    def best(self, scores: Scores) -> Scores:
        """The best of `scores` (a row for each candidate) for each owner; NaN where it has none."""
        best = np.full(len(self.owners), np.nan, np.float32)
        np.fmax.at(best, self.owner_rows, scores)
        return best


# What is found where nothing is.
NO_HITS = Hits((), (), np.zeros(0, np.intp), np.zeros(0, np.float32), np.zeros(0, np.float32))


def kept_editions(section: Section, kept_models: int) -> int:
    """How many editions of a section's shelf a store keeps that keeps so many models of a project."""
    if section.shelf == "documents":
        return 1  # what was deleted is nowhere any more
    return kept_models if section.shelf == "model" else KEPT_EDITIONS


def grouped_by_owner(documents: Sequence[Document]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """`owners` and `owner_rows` of `Hits` for documents."""
    places: dict[str, int] = {}
    rows = [places.setdefault(document.owner, len(places)) for document in documents]
    return tuple(places), np.array(rows, np.intp)


class DocumentStore(Protocol):
    """Raises `Unavailable` when the store cannot be used."""

    async def replace(self, section: Section, documents: Sequence[Document], vectors: Vectors) -> None:
        """Make these documents the whole section, in one step: a search sees the old ones or the new ones. `vectors`
        has a row for each document, of length 1 each, or no columns where there is no embedder."""
        ...

    async def holds(self, section: Section) -> bool:
        """Whether that very edition is there to be searched."""
        ...

    async def search(self, section: Section, kind: Kind, words: str, vector: Vectors | None) -> Hits:
        """The candidates of a kind for a question's words and its vector. None for an edition that is not held."""
        ...

    async def delete(self, project_id: str) -> None:
        """Forget everything of a project."""
        ...

    async def check(self) -> None:
        """Return when the store answers, at the cost of one small request."""
        ...

    async def close(self) -> None:
        """Let go of memory and connections. Safe to call twice."""
        ...
