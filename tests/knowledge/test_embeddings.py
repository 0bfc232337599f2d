"""Vectors that were paid for once."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from askwell.knowledge.record import Record


async def test_vectors_come_back_exactly_by_embedder_and_text(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    vectors = {f"text {n}": rng.normal(size=24).astype(np.float32) for n in range(900)}
    record = await Record.open("sqlite", tmp_path)
    await record.embeddings.keep("one", vectors)
    await record.embeddings.keep("one", {"text 1": np.zeros(24, np.float32)})  # the first stays
    await record.embeddings.keep("other", {"text 1": np.ones(3, np.float32)})
    await record.close()
    record = await Record.open("sqlite", tmp_path)
    found = await record.embeddings.find("one", [*vectors, "unknown"])
    assert found.keys() == vectors.keys()
    assert all(np.array_equal(found[text], vectors[text]) for text in vectors)
    assert (await record.embeddings.find("other", list(vectors)))["text 1"].shape == (3,)
    await record.close()
