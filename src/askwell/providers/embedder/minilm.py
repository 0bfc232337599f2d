"""The default embedder: all-MiniLM-L6-v2 in this process, by onnxruntime, on one thread of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
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
# Texts in one go on the thread. A question that arrives while documents are embedded waits for one chunk, not for all.
CHUNK = 8


class MinilmEmbedder:
    """Loads on first use (about 0.1 s, 45 MB), then takes about 1 ms for a question.

    Every text is run alone: a batch is no faster on one thread, and with 8-bit weights a text's vector would depend on
    what else is in its batch.
    """

    identity = "all-MiniLM-L6-v2/int8-channels/384"
    dimension = WIDTH

    def __init__(self, files: MinilmFiles) -> None:
        self._files = files
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embedder")
        self._model: _Model | None = None

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        if not texts:
            return np.zeros((0, WIDTH), np.float32)
        loop = asyncio.get_running_loop()
        chunks = [texts[start : start + CHUNK] for start in range(0, len(texts), CHUNK)]
        # One after the other, so that a cancelled caller leaves no queue behind.
        return np.concatenate([await loop.run_in_executor(self._thread, self._run, chunk) for chunk in chunks])

    async def close(self) -> None:
        """Let the thread end. Safe to call twice."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _run(self, texts: Sequence[str]) -> Vectors:
        if self._model is None:
            self._model = _Model(self._files)
        return np.stack([self._model.embed(text) for text in texts])


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
