"""How documents look in Qdrant: their points, the filters that find them, and hits made from what comes back."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from qdrant_client import models

from askwell.providers.document_store.base import Document, Hits, Kind, Scores, grouped_by_owner
from askwell.providers.document_store.bm25 import term_weights
from askwell.providers.document_store.words import terms
from askwell.providers.embedder.base import Vectors

DENSE = "dense"
WORDS = "words"

_KEYWORD = models.PayloadSchemaType.KEYWORD
# What filters look at: those of every collection, and those of documents.
TENANT: Mapping[str, Any] = {"project": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)}
INDEXED: Mapping[str, Any] = {
    **TENANT,
    "build": _KEYWORD,
    "kind": _KEYWORD,
    "started": models.PayloadSchemaType.INTEGER,
}
# The terms of a text that has none.
WORDLESS = models.SparseVector(indices=[0], values=[0.0])
_SHOWN = ["owner", "name", "text", "row"]


def collection_config(dimension: int) -> dict[str, Any]:
    """What a new collection is created with. A section has thousands of documents, which are compared one by one:
    exact, and no graph has to be built for them."""
    dense = models.VectorParams(
        size=max(dimension, 1), distance=models.Distance.COSINE, hnsw_config=models.HnswConfigDiff(m=0)
    )
    return {
        "vectors_config": {DENSE: dense} if dimension else {},
        "sparse_vectors_config": {WORDS: models.SparseVectorParams()},
    }


def of_project(
    project_id: str,
    *conditions: models.Condition,
    without: models.Condition | None = None,
    one_of: Sequence[models.Condition] = (),
) -> models.Filter:
    """The points of one project that meet all `conditions`, and one of `one_of` if there are any. Every filter is made
    here: none goes beyond its project."""
    own = models.FieldCondition(key="project", match=models.MatchValue(value=project_id))
    return models.Filter(must=[own, *conditions], must_not=[without] if without else None, should=list(one_of) or None)


def has(field: str, *values: str) -> models.FieldCondition:
    """That a field is one of some values."""
    return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))


def started_before(seconds: float) -> models.FieldCondition:
    """That writing the point's build began before a time, in seconds since 1970."""
    return models.FieldCondition(key="started", range=models.Range(lt=seconds))


def document_points(
    project_id: str, build: str, documents: Sequence[Document], vectors: Vectors
) -> Callable[[int], models.PointStruct]:
    """The point of each document, by its row. Weighs the terms of all documents, which takes up to a second for
    a thousand tables; making a point then takes a tenth of a millisecond."""
    weights = _weights(documents)
    started = int(time.time())

    def point(row: int) -> models.PointStruct:
        document = documents[row]
        vector: dict[str, Any] = {WORDS: _sparse(weights[row]) if weights[row] else WORDLESS}
        if vectors.shape[1]:
            vector[DENSE] = vectors[row].tolist()
        payload = {
            "project": project_id,
            "build": build,
            "started": started,
            "kind": document.kind.value,
            "owner": document.owner,
            "name": document.name,
            "text": document.text,
            "row": row,
        }
        return models.PointStruct(id=str(uuid.uuid4()), vector=vector, payload=payload)

    return point


def words_query(words: str) -> models.SparseVector | None:
    """The terms of a question, each as often as it occurs; None where it has none."""
    counts = Counter(terms(words))
    return _sparse({term: float(count) for term, count in counts.items()}) if counts else None


def request(
    query: models.SparseVector | list[float] | None, using: str | None, wanted: models.Filter, limit: int
) -> models.QueryRequest:
    """One search. Without a query it gives any points, in no order that means something."""
    return models.QueryRequest(
        query=query,
        using=using,
        filter=wanted,
        limit=limit,
        params=models.SearchParams(exact=True) if using == DENSE else None,
        with_payload=_SHOWN,
    )


def read_hits(kind: Kind, points: Sequence[models.ScoredPoint], scores: Mapping[str, Mapping[Any, float]]) -> Hits:
    """Hits in the order in which their documents were given, which ties are settled by. A document without a score in
    `WORDS` shares no word with the question; `DENSE` knows all of them or is not there."""
    rows = sorted(((point.payload or {}, point.id) for point in points), key=lambda one: one[0]["row"])
    documents = [Document(kind, payload["owner"], payload["text"], payload["name"]) for payload, _ in rows]

    def signal(name: str, otherwise: float) -> Scores:
        known = scores.get(name, {})
        return np.array([known.get(id, otherwise) for _, id in rows], np.float32)

    return Hits(documents, *grouped_by_owner(documents), signal(WORDS, 0.0), signal(DENSE, np.nan))


def _weights(documents: Sequence[Document]) -> list[dict[str, float]]:
    """Of each document, among those of its kind."""
    weights: list[dict[str, float]] = [{}] * len(documents)
    for kind in Kind:
        rows = [row for row, document in enumerate(documents) if document.kind is kind]
        for row, weight in zip(rows, term_weights([terms(documents[row].text) for row in rows]), strict=True):
            weights[row] = weight
    return weights


def _sparse(weights: Mapping[str, float]) -> models.SparseVector:
    by_number: Counter[int] = Counter()
    for term, weight in weights.items():
        by_number[_number(term)] += weight  # type: ignore[assignment]  # weights add up where two terms share a number
    return models.SparseVector(indices=list(by_number), values=list(by_number.values()))


@lru_cache(maxsize=50_000)
def _number(term: str) -> int:
    """Qdrant knows the terms of sparse vectors by numbers of 32 bits."""
    return int.from_bytes(hashlib.blake2b(term.encode(errors="surrogatepass"), digest_size=4).digest(), "big")
