"""An embedder as Haystack components."""

from __future__ import annotations

import pytest
from haystack import Document, Pipeline

from askwell.providers.embedder.components import DocumentEmbedder, TextEmbedder
from tests.support.counting_embedder import CountingEmbedder


async def test_a_haystack_pipeline_embeds_with_ours() -> None:
    embedder = CountingEmbedder()
    pipeline = Pipeline()
    pipeline.add_component("question", TextEmbedder(embedder))
    pipeline.add_component("documents", DocumentEmbedder(embedder))
    documents = [Document(content="orders of customers"), Document(content=None)]
    given = {"question": {"text": "orders"}, "documents": {"documents": documents}}
    result = await pipeline.run_async(given)
    assert result["question"]["embedding"] == pytest.approx((await embedder.embed(["orders"]))[0].tolist())
    assert [len(document.embedding or ()) for document in result["documents"]["documents"]] == [64, 64]
    assert documents[0].embedding is None
