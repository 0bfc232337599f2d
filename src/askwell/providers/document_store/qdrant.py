"""Documents in a Qdrant server, for services whose index is to outlive them or to be shared by several of them.

One collection holds the documents of all projects whose vectors have the same dimension, as Qdrant advises; a filter
by project is part of every search, count and deletion. A section is written as a *build* beside the one in use, then
counted, and then switched to by one small point in a collection of its own, its *card*. Readers look at the card before
and after a search, so they see one build whole, whoever writes. What a crash leaves behind has no card, and is swept up
later.

Scores of words are BM25 as in the memory store: each term of a document comes with its weight among the documents of
its section and kind, so that a sparse vector's dot product is the score. No other project has a part in it, as it would
have with Qdrant's own IDF, which counts a whole collection.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np
from cachetools import LRUCache, TTLCache
from qdrant_client import models

from askwell.errors import Unavailable
from askwell.providers.document_store.base import (
    CANDIDATES,
    KEPT_EDITIONS,
    NO_HITS,
    Document,
    Hits,
    Kind,
    Scores,
    Section,
    grouped_by_owner,
    kept_editions,
)
from askwell.providers.document_store.qdrant_server import CollectionMissing, QdrantServer
from askwell.providers.document_store.words import term_weights, terms
from askwell.providers.embedder.base import Vectors

logger = logging.getLogger(__name__)

# Cards that are remembered from the last look at them.
_REMEMBERED = 10_000
# Of one project there are two for each shelf, and what other services are switching to right now.
_MOST_OF_A_PROJECT = 1_000


@dataclass(frozen=True, slots=True)
class Card:
    """Where the documents of an edition are: the build that they carry, and the dimension of their vectors. `documents`
    says how many there are of each kind. `switched` is when the card was made, in nanoseconds since 1970."""

    id: str
    shelf: str
    build: str
    dimension: int
    documents: Mapping[str, int]
    switched: int


class Cards:
    """The cards in one collection. What was seen last is remembered, for those who look again later."""

    def __init__(self, server: QdrantServer, collection: str) -> None:
        self.collection = collection
        self._server = server
        self._remembered: LRUCache[Section, Card] = LRUCache(_REMEMBERED)

    async def create(self) -> None:
        """See that the collection is there."""
        config = {"vectors_config": {}, "sparse_vectors_config": {WORDS: models.SparseVectorParams()}}
        await self._server.create(self.collection, config, TENANT)

    def remembered(self, section: Section) -> Card | None:
        """The card of an edition as it was when it was last looked at."""
        return self._remembered.get(section)

    async def look(self, section: Section) -> Card | None:
        """The card of an edition, or None."""
        try:
            found = await self._server.ask(self._server.client.retrieve(self.collection, [_id(section)]))
        except CollectionMissing:
            found = []
        if not found:
            self._remembered.pop(section, None)
            return None
        card = self._remembered[section] = _read(found[0])
        return card

    async def put(self, section: Section, card: Card) -> None:
        """From here on the section is what this card says."""
        payload = {"project": section.project_id, "edition": section.edition, **asdict(card)}
        del payload["id"]  # the point's own
        # A point with a vector that says nothing is surer to be taken than one without.
        point = models.PointStruct(id=card.id, vector={WORDS: WORDLESS}, payload=payload)
        await self._server.ask(self._server.client.upsert(self.collection, [point]))
        self._remembered[section] = card

    async def of_project(self, project_id: str) -> list[Card]:
        """All cards of a project."""
        wanted = self._server.client.scroll(self.collection, of_project(project_id), limit=_MOST_OF_A_PROJECT)
        found, _ = await self._server.ask(wanted)
        return [_read(record) for record in found]

    async def drop(self, cards: Sequence[Card]) -> None:
        """Forget these."""
        if cards:
            await self._server.ask(self._server.client.delete(self.collection, [card.id for card in cards]))


def new_card(section: Section, documents: Sequence[Document], dimension: int) -> Card:
    """A card for a build of its own."""
    counts = dict(Counter(document.kind.value for document in documents))
    return Card(_id(section), section.shelf, uuid.uuid4().hex, dimension, counts, time.time_ns())


def _id(section: Section) -> str:
    """The same for the same edition, whoever writes it."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([section.project_id, section.shelf, section.edition])))


def _read(record: models.Record) -> Card:
    said = {**(record.payload or {}), "id": str(record.id)}
    return Card(**{one.name: said[one.name] for one in fields(Card)})


# Documents in one request: about half a megabyte with 384 dimensions, made in some milliseconds.
_BATCH = 64
# A build without a card is being written, or was when its writer went away; after this long nobody writes it any more.
_LEFT_OVER_SECONDS = 3_600
# Builds that were counted and found whole are believed for so long.
_BELIEVED_SECONDS = 60.0
_BELIEVED_BUILDS = 10_000
# A search whose build is replaced meanwhile begins again, so many times in all.
_ATTEMPTS = 3
# A search that gives points without scores.
_UNSCORED = "unscored"


class QdrantDocumentStore:
    """Implements `DocumentStore`. `prefix` begins the names of its collections: two services with records of their own
    need prefixes of their own. Keeps nothing of an index in memory."""

    def __init__(self, server: QdrantServer, prefix: str = "askwell", *, kept_models: int = KEPT_EDITIONS) -> None:
        self._kept_models = kept_models
        self._server = server
        self._client = server.client
        self._cards = Cards(server, f"{prefix}_editions")
        self._documents = f"{prefix}_documents_"
        self._whole: TTLCache[str, bool] = TTLCache(_BELIEVED_BUILDS, _BELIEVED_SECONDS)

    async def replace(self, section: Section, documents: Sequence[Document], vectors: Vectors) -> None:
        """See `DocumentStore.replace`."""
        if len(documents) != len(vectors):
            raise ValueError(f"{len(documents)} documents came with {len(vectors)} vectors")
        dimension = vectors.shape[1]
        card = new_card(section, documents, dimension)
        try:
            await self._cards.create()
            await self._server.create(self._collection(dimension), collection_config(dimension), INDEXED)
            before = await self._cards.look(section)
            await self._write(section, card, documents, vectors)
            if not await self._is_whole(section, card):
                raise self._disturbed()
            await self._cards.put(section, card)
        except CollectionMissing as error:
            raise self._disturbed() from error
        try:
            await self._sweep(section, card, before)
        except (Unavailable, CollectionMissing) as error:
            logger.warning("old documents could not be removed; the next change does it", extra={"error": str(error)})

    async def holds(self, section: Section) -> bool:
        """See `DocumentStore.holds`. An edition that has lost documents, or its collection, is not there."""
        card = await self._cards.look(section)
        if card is None:
            return False
        try:
            return card.build in self._whole or await self._is_whole(section, card)
        except CollectionMissing:
            return False

    async def search(self, section: Section, kind: Kind, words: str, vector: Vectors | None) -> Hits:
        """See `DocumentStore.search`. The best `CANDIDATES` of a kind by each signal, with both scores of each."""
        card = self._cards.remembered(section) or await self._cards.look(section)
        for _ in range(_ATTEMPTS):
            if card is None or not card.documents.get(kind.value):
                return NO_HITS
            try:
                hits = await self._search(section, card, kind, words, vector)
            except CollectionMissing:
                hits = None
            now = await self._cards.look(section)
            if now is not None and now.build == card.build:
                if hits is None:
                    self._whole.pop(card.build, None)
                    break
                return hits
            card = now
        raise self._disturbed()

    async def delete(self, project_id: str) -> None:
        """See `DocumentStore.delete`."""
        everything = models.FilterSelector(filter=of_project(project_id))
        # Cards first: what has none is not found any more.
        for collection in (self._cards.collection, *await self._collections()):
            try:
                await self._server.ask(self._client.delete(collection, everything))
            except CollectionMissing:
                continue

    async def check(self) -> None:
        """See `DocumentStore.check`."""
        await self._server.check(self._cards.collection)

    async def close(self) -> None:
        """See `DocumentStore.close`."""
        await self._server.close()

    def _collection(self, dimension: int) -> str:
        return f"{self._documents}{dimension}"

    async def _collections(self) -> list[str]:
        """The collections of documents that there are, of all dimensions."""
        known = (await self._server.ask(self._client.get_collections())).collections
        ours = re.compile(re.escape(self._documents) + r"\d+")
        return [one.name for one in known if ours.fullmatch(one.name)]

    async def _write(self, section: Section, card: Card, documents: Sequence[Document], vectors: Vectors) -> None:
        points = await asyncio.to_thread(document_points, section.project_id, card.build, documents, vectors)
        for start in range(0, len(documents), _BATCH):
            batch = [points(row) for row in range(start, min(start + _BATCH, len(documents)))]
            await self._server.ask(self._client.upsert(self._collection(card.dimension), batch))

    async def _is_whole(self, section: Section, card: Card) -> bool:
        """Whether all documents of a build are there; believed for a while."""
        own = of_project(section.project_id, has("build", card.build))
        found = await self._server.ask(self._client.count(self._collection(card.dimension), own))
        if found.count != sum(card.documents.values()):
            return False
        self._whole[card.build] = True
        return True

    async def _search(self, section: Section, card: Card, kind: Kind, words: str, vector: Vectors | None) -> Hits:
        own = of_project(section.project_id, has("build", card.build), has("kind", kind.value))
        limit = CANDIDATES[kind]
        requests = {}
        if (query := words_query(words)) is not None:
            requests[WORDS] = request(query, WORDS, own, limit)
        if vector is not None and card.dimension and vector.shape[-1] == card.dimension:
            requests[DENSE] = request(vector.tolist(), DENSE, own, limit)
        else:
            # Without vectors a small model is given whole all the same.
            requests[_UNSCORED] = request(None, None, own, limit)
        found = await self._ask_all(card, requests)
        points = {point.id: point for some in found.values() for point in some}
        scores = {name: {point.id: point.score for point in some} for name, some in found.items()}
        # A signal that gave as many as it may does not know what the other one found.
        again = {}
        for name in (WORDS, DENSE):
            unknown = [id for id in points if id not in scores.get(name, {})]
            if unknown and len(found.get(name, ())) == limit:
                these = of_project(section.project_id, models.HasIdCondition(has_id=unknown))
                again[name] = requests[name].model_copy(update={"filter": these, "limit": len(unknown)})
        for name, some in (await self._ask_all(card, again)).items():
            scores[name] |= {point.id: point.score for point in some}
        return read_hits(kind, list(points.values()), scores)

    async def _ask_all(
        self, card: Card, requests: Mapping[str, models.QueryRequest]
    ) -> dict[str, list[models.ScoredPoint]]:
        if not requests:
            return {}
        asked = self._client.query_batch_points(self._collection(card.dimension), list(requests.values()))
        return {name: reply.points for name, reply in zip(requests, await self._server.ask(asked), strict=True)}

    async def _sweep(self, section: Section, card: Card, before: Card | None) -> None:
        """Remove the build that this one replaces, older editions of its shelf, and what writers of this project that
        were interrupted left behind. Others may be writing builds that have no card yet: those stay."""
        known = await self._cards.of_project(section.project_id)
        cards = sorted(known, key=lambda one: (one.id == card.id, one.switched), reverse=True)
        dropped = [one for one in cards if one.shelf == section.shelf][kept_editions(section, self._kept_models) :]
        await self._cards.drop(dropped)
        in_use = [one.build for one in cards if one not in dropped]
        replaced = [one.build for one in (before, *dropped) if one is not None]
        gone = [started_before(time.time() - _LEFT_OVER_SECONDS)] + ([has("build", *replaced)] if replaced else [])
        rest = of_project(section.project_id, without=has("build", *in_use), one_of=gone)
        for collection in await self._collections():
            await self._server.ask(self._client.delete(collection, models.FilterSelector(filter=rest)))

    def _disturbed(self) -> Unavailable:
        return self._server.unavailable("disturbed")


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
