"""The Qdrant store scores and ranks as the memory store does, also where it gives only the best of many documents."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from askwell.config import RankingConfig
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.retrieval.ranking import Neighbourhoods, TableWords, rank_tables, signals_of_tables
from askwell.providers.document_store.base import Document, DocumentStore, Kind, Section
from askwell.providers.document_store.memory import MemoryDocumentStore
from askwell.providers.embedder.base import Vectors
from tests.providers.document_store.test_contract import qdrant, scores
from tests.support.models import semantic_model

THINGS = ["order", "customer", "product", "invoice", "supplier", "shipment", "payment", "store", "employee", "return"]
ASPECTS = ["item", "note", "history", "status", "region", "archive", "summary", "contact", "price", "review", "budget"]
COLUMNS = ["amount", "created", "country", "name", "quantity", "due", "city"]
SECTION = Section("shop", "model", "1")
QUESTIONS = [f"{column} of {thing} {aspect}s" for column, thing, aspect in zip(COLUMNS, THINGS, ASPECTS, strict=False)]


def catalogue(tables: int) -> list[Document]:
    """Tables such as `supplier payment`, each with two columns; some say more of themselves than others."""
    pairs = [
        *itertools.product(THINGS, ASPECTS),
        *itertools.permutations(THINGS, 2),
        *itertools.permutations(ASPECTS, 2),
    ]
    documents = []
    for n, (one, other) in enumerate(pairs[:tables]):
        name, columns = f"{one} {other}", [COLUMNS[n % 7], COLUMNS[(3 * n + 1) % 7]]
        documents.append(Document(Kind.TABLE, name, f"{name}. {'Kept by hand. ' * (n % 4)}Has {', '.join(columns)}."))
        documents += [Document(Kind.COLUMN, name, f"{column} of {name}", column) for column in columns]
    return documents


def directions(many: int) -> Vectors:
    """As many directions, no two of them equally far from a third."""
    vectors = np.random.default_rng(many).standard_normal((many, 8)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def described(documents: Sequence[Document]) -> SemanticModel:
    """The model that the documents are of."""
    columns = [(document.owner, document.name) for document in documents if document.kind is Kind.COLUMN]
    return semantic_model({table: [name for owner, name in columns if owner == table] for table, _ in columns})


async def best(store: DocumentStore, model: SemanticModel, question: str, vector: Vectors) -> Sequence[str]:
    tables = await store.search(SECTION, Kind.TABLE, question, vector)
    columns = await store.search(SECTION, Kind.COLUMN, question, vector)
    signals = signals_of_tables(question, tables, columns, TableWords(model), Neighbourhoods(model))
    return [table.name for table in rank_tables(signals, {}, RankingConfig())[:10]]


@pytest.mark.deep
async def test_of_a_small_catalogue_all_scores_are_the_same() -> None:
    memory, documents = MemoryDocumentStore(), catalogue(40)
    model = described(documents)
    async with qdrant() as store:
        for one in (memory, store):
            await one.replace(SECTION, documents, directions(len(documents)))
        for question, vector in zip(QUESTIONS, directions(len(QUESTIONS)), strict=True):
            for kind, using in itertools.product((Kind.TABLE, Kind.COLUMN), (vector, None)):
                ours = await memory.search(SECTION, kind, question, using)
                theirs = await store.search(SECTION, kind, question, using)
                assert list(theirs.documents) == list(ours.documents)
                np.testing.assert_allclose(theirs.words, ours.words, atol=1e-4)
                np.testing.assert_allclose(theirs.cosines, ours.cosines, atol=1e-4)
            assert await best(store, model, question, vector) == await best(memory, model, question, vector)


@pytest.mark.deep
async def test_of_a_large_catalogue_the_best_tables_are_the_same() -> None:
    memory, documents = MemoryDocumentStore(), catalogue(170)
    model = described(documents)
    same = 0
    async with qdrant() as store:
        for one in (memory, store):
            await one.replace(SECTION, documents, directions(len(documents)))
        for question, vector in zip(QUESTIONS, directions(len(QUESTIONS)), strict=True):
            hits = await store.search(SECTION, Kind.TABLE, question, vector)
            assert 100 <= len(hits.documents) < 170
            known = scores(await memory.search(SECTION, Kind.TABLE, question, vector))
            for text, both in scores(hits).items():
                assert both == pytest.approx(known[text], abs=1e-4), (question, text)
            same += len({*await best(store, model, question, vector)} & {*await best(memory, model, question, vector)})
    assert same >= 0.95 * 10 * len(QUESTIONS)
