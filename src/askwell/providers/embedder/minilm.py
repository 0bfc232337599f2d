"""The default embedder: all-MiniLM-L6-v2 in this process, by onnxruntime, on threads of its own."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from askwell.errors import EmbedderUnavailable
from askwell.providers import telemetry
from askwell.providers.embedder.base import Vectors
from askwell.providers.embedder.minilm_files import MinilmFiles
from askwell.providers.embedder.minilm_graph import WIDTH

logger = logging.getLogger(__name__)

# What the model was trained to read; the rest of a longer text is not seen.
MAX_TOKENS = 256
# Texts in one go on a thread: what a caller who is cancelled leaves to be done.
CHUNK = 8
# Threads that embed documents, where there are as many processors. More would leave nothing to other work on them.
_MOST_THREADS = 2


class MinilmEmbedder:
    """Loads on first use (about 0.1 s, 45 MB), then takes 1 to 4 ms for a question, by its length and the machine.

    Every text is run alone: a batch is no faster on one thread, and with 8-bit weights a text's vector would depend on
    what else is in its batch. A question has a thread of its own, and does not wait for documents.
    """

    identity = "all-MiniLM-L6-v2/int8-channels/384"
    dimension = WIDTH

    def __init__(self, files: MinilmFiles) -> None:
        self._files = files
        self._questions = ThreadPoolExecutor(1, thread_name_prefix="embedder-questions")
        self._many = max(1, min(_MOST_THREADS, os.cpu_count() or 1))
        self._documents = ThreadPoolExecutor(self._many, thread_name_prefix="embedder-documents")
        self._model: _Model | None = None
        self._loading = threading.Lock()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        if not texts:
            return np.zeros((0, WIDTH), np.float32)
        if len(texts) <= CHUNK:
            return await asyncio.get_running_loop().run_in_executor(self._questions, self._run, texts)
        chunks = enumerate([texts[start : start + CHUNK] for start in range(0, len(texts), CHUNK)])
        found: dict[int, Vectors] = {}
        # Each hands in one chunk after the other, so that a cancelled caller leaves no queue behind.
        await _all(self._work(chunks, found) for _ in range(self._many))
        return np.concatenate([found[place] for place in sorted(found)])

    async def close(self) -> None:
        """Let the threads end. Safe to call twice."""
        for threads in (self._questions, self._documents):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _work(self, chunks: Iterator[tuple[int, Sequence[str]]], found: dict[int, Vectors]) -> None:
        loop = asyncio.get_running_loop()
        for place, chunk in chunks:
            found[place] = await loop.run_in_executor(self._documents, self._run, chunk)

    def _run(self, texts: Sequence[str]) -> Vectors:
        with self._loading:
            if self._model is None:
                self._model = _Model(self._files)
        return np.stack([self._model.embed(text) for text in texts])


async def _all(works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Wait for all; the first that fails ends the others, and its error is raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


class _Model:
    """Graph and tokenizer, loaded and known to be the ones that were exported."""

    def __init__(self, files: MinilmFiles) -> None:
        if not files.valid():
            logger.error("the embedder's files are missing or damaged", extra={"folder": str(files.folder)})
            raise EmbedderUnavailable(
                "The embedder's files are missing or damaged.",
                "Run `python -m askwell.providers.embedder.minilm_export`, or set embedder.default.provider to none.",
            )
        telemetry.switch_off()
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # the arena keeps what the longest text ever needed
        self._session: Any = onnxruntime.InferenceSession(files.graph, options, providers=["CPUExecutionProvider"])
        self._tokenizer: Any = Tokenizer.from_file(str(files.tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def embed(self, text: str) -> Vectors:
        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        vector: Vectors = self._session.run(None, {"ids": ids, "mask": np.ones_like(ids)})[0][0]
        return vector
