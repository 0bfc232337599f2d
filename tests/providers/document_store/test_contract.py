"""What every document store has to do; another implementation is added to `STORES`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal

import numpy as np
import pytest

from askwell.providers.document_store.base import Document, DocumentStore, Hits, Kind, Section
from askwell.providers.document_store.memory import MemoryDocumentStore
from askwell.providers.embedder.base import Vectors

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
SHELVES: tuple[Literal["model", "knowledge"], ...] = ("model", "knowledge")


@asynccontextmanager
async def memory(**options: int) -> AsyncIterator[DocumentStore]:
    store = MemoryDocumentStore(**options)
    yield store
    await store.close()


@asynccontextmanager
async def qdrant(**options: int) -> AsyncIterator[DocumentStore]:
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed, so the Qdrant store is not tested")
    from askwell.providers.document_store.qdrant import QdrantDocumentStore
    from askwell.providers.document_store.qdrant_server import QdrantServer
    from tests.fakes.qdrant_server import FakeQdrantServer

    async with FakeQdrantServer() as server:
        store = QdrantDocumentStore(QdrantServer(server.location), **options)
        yield store
        await store.close()


FIELDS = ["meta.project", "meta.shelf", "meta.edition", "meta.kind"]
COMPONENTS = {
    "memory": "haystack.document_stores.in_memory.InMemoryDocumentStore",
    "qdrant": "haystack_integrations.document_stores.qdrant.QdrantDocumentStore",
}


@asynccontextmanager
async def haystack_memory(**options: int) -> AsyncIterator[DocumentStore]:
    from askwell.providers.document_store.component import ComponentDocumentStore
    from askwell.providers.haystack_components import create_component

    made = create_component("document_store", COMPONENTS["memory"], {})
    store = ComponentDocumentStore(made, 10, **options)
    yield store
    await store.close()


@asynccontextmanager
async def haystack_qdrant(**options: int) -> AsyncIterator[DocumentStore]:
    pytest.importorskip(
        "haystack_integrations.document_stores.qdrant", reason="qdrant-haystack is not installed, so it is not tested"
    )
    from askwell.providers.document_store.component import ComponentDocumentStore
    from askwell.providers.haystack_components import create_component
    from tests.fakes.qdrant_server import FakeQdrantServer

    async with FakeQdrantServer() as server:
        indexes = [{"field_name": field, "field_schema": "keyword"} for field in FIELDS]
        init = {"url": server.location, "embedding_dim": 3, "payload_fields_to_index": indexes}
        store = ComponentDocumentStore(create_component("document_store", COMPONENTS["qdrant"], init), 10, **options)
        yield store
        await store.close()


STORES: list[Callable[..., AbstractAsyncContextManager[DocumentStore]]] = [
    memory,
    qdrant,
    haystack_memory,
    haystack_qdrant,
]
# That one has vectors of one dimension, which its configuration names.
OF_ANY_DIMENSION = [memory, qdrant, haystack_memory]


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest) -> AsyncIterator[DocumentStore]:
    async with request.param() as made:
        yield made


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


async def test_documents_come_back_as_they_were_given(store: DocumentStore) -> None:
    await store.replace(HERE, ALL, VECTORS)
    found = [(await store.search(HERE, kind, "orders", unit(1, 0, 0))).documents for kind in Kind]
    assert [document for documents in found for document in documents] == ALL


async def test_words_match_in_other_forms_and_inside_identifiers(store: DocumentStore) -> None:
    await store.replace(HERE, ALL, VECTORS)
    for words in ("ordering", "orderStatus", "ORDERS_2024"):
        found = scores(await store.search(HERE, Kind.TABLE, words, None))
        assert found[ORDERS.text][0] > 0, words
        assert found[CUSTOMERS.text][0] == 0, words


async def test_a_word_that_is_repeated_counts_each_time(store: DocumentStore) -> None:
    await store.replace(HERE, ALL, VECTORS)
    once = (await store.search(HERE, Kind.TABLE, "status", None)).words
    twice = (await store.search(HERE, Kind.TABLE, "status of the status", None)).words
    np.testing.assert_allclose(twice, 2 * once, rtol=1e-6)


async def test_without_a_vector_or_vectors_cosines_are_unknown(store: DocumentStore) -> None:
    await store.replace(HERE, ALL, VECTORS)
    assert np.isnan((await store.search(HERE, Kind.TABLE, "orders", None)).cosines).all()
    assert np.isnan((await store.search(HERE, Kind.TABLE, "orders", unit(1, 0))).cosines).all()
    await store.replace(HERE, ALL, np.zeros((5, 0), np.float32))
    assert await store.holds(HERE)
    hits = await store.search(HERE, Kind.TABLE, "orders", unit(1, 0, 0))
    assert np.isnan(hits.cosines).all()
    assert hits.words.max() > 0


async def test_a_small_model_is_given_whole_for_words_that_it_does_not_have(store: DocumentStore) -> None:
    await store.replace(HERE, ALL, VECTORS)
    for words in ("unheard", "", "the of !!!"):
        found = scores(await store.search(HERE, Kind.TABLE, words, None))
        assert found.keys() == {ORDERS.text, CUSTOMERS.text}
        assert {score for score, _ in found.values()} == {0.0}


async def test_the_best_of_an_owner_is_told(store: DocumentStore) -> None:
    wide = [Document(Kind.COLUMN, "orders", "amount"), STATUS, COUNTRY]
    await store.replace(HERE, wide, np.stack([unit(0, 0, 1), unit(1, 0, 0), unit(0, 1, 0)]))
    hits = await store.search(HERE, Kind.COLUMN, "status", unit(1, 0, 0))
    assert dict(zip(hits.owners, hits.best(hits.cosines).tolist(), strict=True)) == {"orders": 1.0, "customers": 0.0}


async def test_documents_that_score_the_same_keep_the_order_in_which_they_came(store: DocumentStore) -> None:
    twins = [Document(Kind.TABLE, f"copy {n}", "the same orders") for n in range(30)]
    await store.replace(HERE, twins, np.tile(unit(1, 0, 0), (30, 1)))
    hits = await store.search(HERE, Kind.TABLE, "orders", unit(1, 0, 0))
    assert list(hits.documents) == twins
    assert len(set(hits.words.tolist())) == len(set(hits.cosines.tolist())) == 1


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


async def test_what_another_project_has_changes_no_score(store: DocumentStore) -> None:
    await store.replace(HERE, ALL, VECTORS)
    alone = scores(await store.search(HERE, Kind.TABLE, "order status", unit(1, 1, 0)))
    crowd = [Document(Kind.TABLE, str(n), "order status order status") for n in range(50)]
    await store.replace(Section("q", "model", "1"), crowd, np.tile(unit(1, 0, 0), (50, 1)))
    assert scores(await store.search(HERE, Kind.TABLE, "order status", unit(1, 1, 0))) == alone


async def test_projects_with_strange_names_are_kept_apart(store: DocumentStore) -> None:
    names = ["p", "P", "p ", "p/q", "p.q", 'p","shelf', "p'; drop", "пример", "p\u0301", "*", "p\\", "例", ""]
    sections = [Section(name, "model", "1") for name in names]
    for n, section in enumerate(sections):
        await store.replace(section, [Document(Kind.TABLE, str(n), "orders")], VECTORS[:1])
    for n, section in enumerate(sections):
        hits = await store.search(section, Kind.TABLE, "orders", unit(1, 0, 0))
        assert hits.owners == (str(n),), section
    await store.delete(names[1])
    held = [await store.holds(section) for section in sections]
    assert held == [n != 1 for n in range(len(names))]


async def test_deleting_takes_all_of_a_project_and_what_is_not_there_is_fine(store: DocumentStore) -> None:
    await store.delete("p")
    sections = [HERE, Section("p", "model", "2"), Section("p", "knowledge", "1")]
    for section in sections:
        await store.replace(section, ALL, VECTORS)
    await store.replace(Section("p", "knowledge", "2"), ALL, np.zeros((5, 0), np.float32))
    await store.delete("p")
    assert not any([await store.holds(section) for section in sections])
    assert len((await store.search(HERE, Kind.TABLE, "orders", unit(1, 0, 0))).documents) == 0
    await store.replace(HERE, ALL, VECTORS)
    assert len((await store.search(HERE, Kind.TABLE, "orders", unit(1, 0, 0))).documents) == 2


async def test_a_new_edition_leaves_the_one_before_to_asks_under_way(store: DocumentStore) -> None:
    editions = [Section("p", "model", edition) for edition in ("1", "2", "3")]
    await store.replace(Section("p", "knowledge", "1"), ALL, VECTORS)
    for section in editions:
        await store.replace(section, ALL, VECTORS)
    assert [await store.holds(section) for section in editions] == [False, True, True]
    assert await store.holds(Section("p", "knowledge", "1"))
    await store.replace(editions[0], ALL, VECTORS)
    assert [await store.holds(section) for section in editions] == [True, False, True]


@pytest.mark.parametrize("make", STORES)
async def test_it_may_keep_more_editions_of_models_but_not_of_knowledge(
    make: Callable[..., AbstractAsyncContextManager[DocumentStore]],
) -> None:
    async with make(kept_models=3) as store:
        for edition in "12345":
            await store.replace(Section("p", "model", edition), ALL, VECTORS)
            await store.replace(Section("p", "knowledge", edition), ALL, VECTORS)
        held = {shelf: [await store.holds(Section("p", shelf, edition)) for edition in "12345"] for shelf in SHELVES}
    assert held == {"model": [False, False, True, True, True], "knowledge": [False, False, False, True, True]}


@pytest.mark.parametrize("store", OF_ANY_DIMENSION, indirect=True)
async def test_editions_of_different_dimensions_are_beside_each_other(store: DocumentStore) -> None:
    other = Section("p", "model", "2")
    await store.replace(HERE, ALL, VECTORS)
    await store.replace(other, ALL[:2], np.stack([unit(1, 0), unit(0, 1)]))
    assert (await store.search(HERE, Kind.TABLE, "x", unit(0, 1, 0))).cosines.tolist() == pytest.approx([0, 1])
    assert (await store.search(other, Kind.TABLE, "x", unit(1, 0))).cosines.tolist() == pytest.approx([1, 0])


@pytest.mark.deep
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
        for n in range(1, 10):
            await store.replace(HERE, generation(n), vectors)
        done = True

    await asyncio.gather(write(), *(read() for _ in range(3)))
    assert len(seen) > 2


@pytest.mark.parametrize("store", OF_ANY_DIMENSION, indirect=True)
async def test_among_thousands_of_documents_the_nearest_is_found_by_each_signal(store: DocumentStore) -> None:
    many = [Document(Kind.TABLE, f"t{n}", f"orders of branch {n}") for n in range(2_000)]
    vectors = np.random.default_rng(3).standard_normal((2_000, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    await store.replace(HERE, many, vectors)
    for wanted, near in ((0, 1_999), (1_234, 7)):
        hits = await store.search(HERE, Kind.TABLE, f"branch {wanted}", vectors[near])
        assert hits.documents[int(hits.words.argmax())].owner == f"t{wanted}"
        assert hits.documents[int(np.nanargmax(hits.cosines))].owner == f"t{near}"
        assert hits.cosines.max() == pytest.approx(1, abs=1e-5)
    await store.replace(HERE, many[:1], vectors[:1])
    assert (await store.search(HERE, Kind.TABLE, "branch 1234", vectors[7])).owners == ("t0",)


async def test_empty_sections_and_texts_without_words_are_fine(store: DocumentStore) -> None:
    await store.replace(HERE, [], np.zeros((0, 3), np.float32))
    assert await store.holds(HERE)
    assert len((await store.search(HERE, Kind.TABLE, "orders", unit(1, 0, 0))).documents) == 0
    await store.replace(HERE, [Document(Kind.TABLE, "t", "the of !!!")], VECTORS[:1])
    hits = await store.search(HERE, Kind.TABLE, "the orders", unit(1, 0, 0))
    assert (hits.words.tolist(), hits.cosines.tolist()) == ([0.0], [1.0])


async def test_any_text_can_be_stored_and_asked_for(store: DocumentStore) -> None:
    texts = [
        "",
        " ",
        "\x00",
        "Kunden größe",
        "注文 数",
        "🛒🛒",
        "a\u0301\u202e",
        "'; --",
        '{"a": 1}',
        "x" * 20_000,
        "1e309",
    ]
    documents = [Document(Kind.TABLE, str(n), text, text) for n, text in enumerate(texts)]
    await store.replace(HERE, documents, np.tile(unit(1, 0, 0), (len(texts), 1)))
    for question in [*texts, "\ud800 half of a pair"]:
        hits = await store.search(HERE, Kind.TABLE, question, unit(1, 0, 0))
        assert list(hits.documents) == documents
        assert np.isfinite(hits.words).all()


async def test_more_documents_than_vectors_are_refused(store: DocumentStore) -> None:
    with pytest.raises(ValueError, match="5 documents came with 4 vectors"):
        await store.replace(HERE, ALL, VECTORS[:4])
    assert not await store.holds(HERE)


async def test_it_says_that_it_answers_and_closes_twice(store: DocumentStore) -> None:
    await store.check()
    await store.close()
    await store.close()


async def test_the_memory_store_drops_the_project_that_nobody_searched_for_longest() -> None:
    store = MemoryDocumentStore(kept_projects=2)
    sections = [Section(project, "model", "1") for project in ("a", "b", "c")]
    for section in sections[:2]:
        await store.replace(section, ALL, VECTORS)
    await store.search(sections[0], Kind.TABLE, "orders", None)
    await store.replace(sections[2], ALL, VECTORS)
    assert [await store.holds(section) for section in sections] == [True, False, True]
