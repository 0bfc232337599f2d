"""The default embedder: all-MiniLM-L6-v2 in this process, by onnxruntime, on threads of its own."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from askwell.errors import EmbedderUnavailable
from askwell.messages import say
from askwell.providers import telemetry
from askwell.providers.embedder.base import TokenVectors, Vectors
from askwell.providers.embedder.minilm_files import MinilmFiles
from askwell.providers.embedder.minilm_graph import EMBEDDING, TOKEN_STATES, WIDTH

logger = logging.getLogger(__name__)
T = TypeVar("T")

# What the model was trained to read; the rest of a longer text is not seen.
MAX_TOKENS = 256
# Texts in one go on a thread: what a caller who is cancelled leaves to be done.
CHUNK = 8
# The same for texts of which the tokens are wanted: those of one question, so that threads end at the same time.
_TOKEN_CHUNK = 3
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
        return np.concatenate(await self._spread(texts, CHUNK, self._run))

    async def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """See `TokenEmbedder.embed_tokens`. Takes some 12 ms for a hundred tokens."""
        return [one for some in await self._spread(texts, _TOKEN_CHUNK, self._run_tokens) for one in some]

    async def close(self) -> None:
        """Let the threads end. Safe to call twice."""
        for threads in (self._questions, self._documents):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _spread(self, texts: Sequence[str], size: int, run: Callable[[Sequence[str]], T]) -> list[T]:
        """What `run` gives for each chunk of so many texts, in their order, by the threads of documents."""
        chunks = enumerate([texts[start : start + size] for start in range(0, len(texts), size)])
        found: dict[int, T] = {}
        # Each hands in one chunk after the other, so that a cancelled caller leaves no queue behind.
        await _all(self._work(chunks, found, run) for _ in range(self._many))
        return [found[place] for place in sorted(found)]

    async def _work(
        self,
        chunks: Iterator[tuple[int, Sequence[str]]],
        found: dict[int, T],
        run: Callable[[Sequence[str]], T],
    ) -> None:
        loop = asyncio.get_running_loop()
        for place, chunk in chunks:
            found[place] = await loop.run_in_executor(self._documents, run, chunk)

    def _run(self, texts: Sequence[str]) -> Vectors:
        model = self._loaded()
        return np.stack([model.embed(text) for text in texts])

    def _run_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        model = self._loaded()
        return [model.embed_tokens(text) for text in texts]

    def _loaded(self) -> _Model:
        with self._loading:
            if self._model is None:
                self._model = _Model(self._files)
            return self._model


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
            raise EmbedderUnavailable(*say("embedder.files_missing"))
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
        vector: Vectors = self._output(EMBEDDING, self._tokenizer.encode(text).ids)
        return vector

    def embed_tokens(self, text: str) -> TokenVectors:
        encoded = self._tokenizer.encode(text)
        real = zip(encoded.tokens, encoded.special_tokens_mask, strict=True)
        kept = [place for place, (piece, special) in enumerate(real) if not special and any(map(str.isalnum, piece))]
        states = self._output(TOKEN_STATES, encoded.ids)[kept]
        lengths = np.linalg.norm(states, axis=1, keepdims=True)
        return TokenVectors(tuple(encoded.tokens[place] for place in kept), states / lengths)

    def _output(self, name: str, ids: Sequence[int]) -> Any:
        batch = np.array([ids], np.int64)
        return self._session.run([name], {"ids": batch, "mask": np.ones_like(batch)})[0][0]
