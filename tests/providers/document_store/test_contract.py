"""What every document store has to do; a second implementation is added to `STORES`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.providers.document_store.base import Document, DocumentStore, Hits, Kind, Section
from askwell.providers.document_store.memory import MemoryDocumentStore
from askwell.providers.embedder.base import Vectors

STORES: list[Callable[[], DocumentStore]] = [MemoryDocumentStore]

ORDERS = Document(Kind.TABLE, "orders", "orders. One row for each order placed. Has status, amount.")
CUSTOMERS = Document(Kind.TABLE, "customers", "customers. People who buy. Has name, country.")
STATUS = Document(Kind.COLUMN, "orders", "status of orders", "status")
COUNTRY = Document(Kind.COLUMN, "customers", "country of customers", "country")
PAIR = Document(Kind.SQL_PAIR, "1", "How many orders are open?")
ALL = [ORDERS, CUSTOMERS, STATUS, COUNTRY, PAIR]


def unit(*numbers: float) -> Vectors:
    vector = np.array(numbers, np.float32)
    return vector / np.linalg.norm(vector)


VECTORS = np.stack([unit(1, 0, 0), unit(0, 1, 0), unit(1, 0, 1), unit(0, 1, 1), unit(1, 1, 1)])
HERE = Section("p", "model", "1")


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest) -> AsyncIterator[DocumentStore]:
    made: DocumentStore = request.param()
    yield made
    await made.close()


def scores(hits: Hits) -> dict[str, tuple[float, float]]:
    return {
        document.text: (float(words), float(cosine))
        for document, words, cosine in zip(hits.documents, hits.words, hits.cosines, strict=True)
    }


async def test_every_candidate_of_a_kind_has_a_score_for_each_signal(store: DocumentStore) -> None:
    await store.replace(HERE, ALL, VECTORS)
    hits = await store.search(HERE, Kind.TABLE, "order status", unit(1, 0, 0))
    found = scores(hits)
    assert found.keys() == {ORDERS.text, CUSTOMERS.text}
    assert found[ORDERS.text][0] > found[CUSTOMERS.text][0] == 0
    assert found[ORDERS.text][1] == pytest.approx(1)
    assert found[CUSTOMERS.text][1] == pytest.approx(0)


async def test_words_match_in_other_forms_and_inside_identifiers(store: DocumentStore) -> None:
    await store.replace(HERE, ALL, VECTORS)
    for words in ("ordering", "orderStatus", "ORDERS_2024"):
        found = scores(await store.search(HERE, Kind.TABLE, words, None))
        assert found[ORDERS.text][0] > 0, words
        assert found[CUSTOMERS.text][0] == 0, words


async def test_without_a_vector_or_vectors_cosines_are_unknown(store: DocumentStore) -> None:
    await store.replace(HERE, ALL, VECTORS)
    assert np.isnan((await store.search(HERE, Kind.TABLE, "orders", None)).cosines).all()
    assert np.isnan((await store.search(HERE, Kind.TABLE, "orders", unit(1, 0))).cosines).all()
    await store.replace(HERE, ALL, np.zeros((5, 0), np.float32))
    hits = await store.search(HERE, Kind.TABLE, "orders", unit(1, 0, 0))
    assert np.isnan(hits.cosines).all()
    assert hits.words.max() > 0


async def test_the_best_of_an_owner_is_told(store: DocumentStore) -> None:
    wide = [Document(Kind.COLUMN, "orders", "amount"), STATUS, COUNTRY]
    await store.replace(HERE, wide, np.stack([unit(0, 0, 1), unit(1, 0, 0), unit(0, 1, 0)]))
    hits = await store.search(HERE, Kind.COLUMN, "status", unit(1, 0, 0))
    assert dict(zip(hits.owners, hits.best(hits.cosines).tolist(), strict=True)) == {"orders": 1.0, "customers": 0.0}


async def test_a_project_edition_or_shelf_never_sees_another(store: DocumentStore) -> None:
    await store.replace(HERE, ALL, VECTORS)
    others = [
        Section("q", "model", "1"),
        Section("p", "model", "2"),
        Section("p", "knowledge", "1"),
        Section("", "model", "1"),
    ]
    for other in others:
        assert not await store.holds(other)
        assert len((await store.search(other, Kind.TABLE, "orders", unit(1, 0, 0))).documents) == 0
    await store.replace(Section("q", "model", "1"), [CUSTOMERS], VECTORS[1:2])
    assert len((await store.search(HERE, Kind.TABLE, "orders", None)).documents) == 2
    await store.delete("q")
    assert await store.holds(HERE)
    await store.delete("p")
    assert not await store.holds(HERE)


async def test_a_new_edition_leaves_the_one_before_to_asks_under_way(store: DocumentStore) -> None:
    for edition in ("1", "2", "3"):
        await store.replace(Section("p", "model", edition), ALL, VECTORS)
    held = [await store.holds(Section("p", "model", edition)) for edition in ("1", "2", "3")]
    assert held[1:] == [True, True]


async def test_a_search_sees_the_old_section_whole_or_the_new_one_whole(store: DocumentStore) -> None:
    def generation(n: int) -> list[Document]:
        return [Document(Kind.TABLE, f"{n}", f"orders of generation {n} part {part}") for part in range(40)]

    vectors = np.tile(unit(1, 0, 0), (40, 1))
    await store.replace(HERE, generation(0), vectors)
    done = False
    seen: set[str] = set()

    async def read() -> None:
        while not done:
            hits = await store.search(HERE, Kind.TABLE, "orders", unit(1, 0, 0))
            owners = {document.owner for document in hits.documents}
            assert len(hits.documents) == 40
            assert len(owners) == 1
            seen.update(owners)
            await asyncio.sleep(0)

    async def write() -> None:
        nonlocal done
        for n in range(1, 30):
            await store.replace(HERE, generation(n), vectors)
        done = True

    await asyncio.gather(write(), *(read() for _ in range(4)))
    assert len(seen) > 2


async def test_empty_sections_and_texts_without_words_are_fine(store: DocumentStore) -> None:
    await store.replace(HERE, [], np.zeros((0, 3), np.float32))
    assert await store.holds(HERE)
    assert len((await store.search(HERE, Kind.TABLE, "orders", unit(1, 0, 0))).documents) == 0
    await store.replace(HERE, [Document(Kind.TABLE, "t", "the of !!!")], VECTORS[:1])
    hits = await store.search(HERE, Kind.TABLE, "the orders", unit(1, 0, 0))
    assert (hits.words.tolist(), hits.cosines.tolist()) == ([0.0], [1.0])


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text(max_size=30), max_size=6), question=st.text(max_size=40))
async def test_any_text_can_be_stored_and_asked_for(texts: list[str], question: str) -> None:
    for make in STORES:
        store = make()
        documents = [Document(Kind.TABLE, str(n), text) for n, text in enumerate(texts)]
        await store.replace(HERE, documents, np.tile(unit(1, 0, 0), (len(texts), 1)))
        hits = await store.search(HERE, Kind.TABLE, question, unit(1, 0, 0))
        assert len(hits.documents) == len(texts)
        assert np.isfinite(hits.words).all()


async def test_the_memory_store_drops_the_project_that_nobody_searched_for_longest() -> None:
    store = MemoryDocumentStore(kept_projects=2)
    sections = [Section(project, "model", "1") for project in ("a", "b", "c")]
    for section in sections[:2]:
        await store.replace(section, ALL, VECTORS)
    await store.search(sections[0], Kind.TABLE, "orders", None)
    await store.replace(sections[2], ALL, VECTORS)
    assert [await store.holds(section) for section in sections] == [True, False, True]
