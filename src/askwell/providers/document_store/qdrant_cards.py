"""Cards: one small point for each edition of a section that is in a Qdrant server, in a collection of their own."""

from __future__ import annotations

import json
import time
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cachetools import LRUCache
from qdrant_client import models

from askwell.providers.document_store.base import Document, Section
from askwell.providers.document_store.qdrant_points import TENANT, WORDLESS, WORDS, of_project
from askwell.providers.document_store.qdrant_server import CollectionMissing, QdrantServer

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
    """The cards in one collection. What was seen last is remembered, for those who look again afterwards."""

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
        payload = {
            "project": section.project_id,
            "shelf": section.shelf,
            "edition": section.edition,
            "build": card.build,
            "dimension": card.dimension,
            "documents": dict(card.documents),
            "switched": card.switched,
        }
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
    counts = Counter(document.kind.value for document in documents)
    return Card(_id(section), section.shelf, uuid.uuid4().hex, dimension, counts, time.time_ns())


def _id(section: Section) -> str:
    """The same for the same edition, whoever writes it."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([section.project_id, section.shelf, section.edition])))


def _read(record: models.Record) -> Card:
    said = record.payload or {}
    return Card(str(record.id), said["shelf"], said["build"], said["dimension"], said["documents"], said["switched"])
