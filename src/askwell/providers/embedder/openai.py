"""Embeddings from any server that speaks OpenAI's protocol."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from askwell.errors import EmbedderUnavailable
from askwell.providers.embedder.base import Vectors

# Texts in one request: what small servers take, and one round trip for a usual model.
BATCH = 128
MAX_RETRIES = 2


class OpenAIEmbedder:
    """`dimensions` is what the model gives; with `ask_for_dimensions`, what it is asked to give (not all models can).

    `timeout` in seconds, for one request. `api_key` may be any text for a server that wants none.
    """

    def __init__(
        self,
        *,
        model: str,
        dimensions: int,
        api_key: str,
        api_base: str | None = None,
        ask_for_dimensions: bool = False,
        timeout: float = 30.0,
    ) -> None:
        from openai import AsyncOpenAI

        self.dimension = dimensions
        # The server is not part of it: the same model elsewhere gives the same vectors.
        self.identity = f"{model}/{dimensions}"
        self._options: dict[str, Any] = {"model": model}
        if ask_for_dimensions:
            self._options["dimensions"] = dimensions
        self._client = AsyncOpenAI(api_key=api_key, base_url=api_base, timeout=timeout, max_retries=MAX_RETRIES)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        matrix = np.zeros((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            matrix[start : start + len(batch)] = await self._batch(batch)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        matrix /= lengths
        return matrix

    async def close(self) -> None:
        """Close connections. Safe to call twice."""
        await self._client.close()

    async def _batch(self, texts: Sequence[str]) -> Vectors:
        from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

        # An empty text is an error to some servers; a space is not.
        body = {**self._options, "input": [text or " " for text in texts], "encoding_format": "base64"}
        try:
            reply = await self._client.post("/embeddings", body=body, cast_to=dict[str, Any])
        except APITimeoutError as error:
            raise _unavailable("does not answer in time", "Raise its timeout, or look whether it is busy.") from error
        except APIConnectionError as error:
            raise _unavailable("cannot be reached", "Check embedder.default.api_base and that it runs.") from error
        except APIStatusError as error:
            hint = "Check its key, and the model's name." if error.status_code < 500 else "Look into that server's log."
            raise _unavailable(f"answered with HTTP {error.status_code}", hint) from error
        except OpenAIError as error:
            raise _unavailable("gave no usable reply", "Check that it speaks OpenAI's embeddings protocol.") from error
        return self._read(reply, len(texts))

    def _read(self, reply: Any, expected: int) -> Vectors:
        try:
            items = sorted(reply["data"], key=lambda item: item["index"])
            rows = [_vector(item["embedding"]) for item in items]
        except (KeyError, TypeError, ValueError) as error:
            raise _unavailable("gave no usable reply", "Check that it speaks OpenAI's embeddings protocol.") from error
        widths = {len(row) for row in rows}
        if len(rows) != expected or widths != {self.dimension}:
            raise _unavailable(
                f"gave {len(rows)} vectors of {sorted(widths)} dimensions, not {expected} of {self.dimension}",
                "Set embedder.default.dimensions to what the model gives.",
            )
        return np.stack(rows)


def _vector(encoded: str | list[float]) -> Vectors:
    """Little-endian float32 in base64 as asked for; plain numbers from servers that ignore the wish."""
    if isinstance(encoded, str):
        return np.frombuffer(base64.b64decode(encoded, validate=True), "<f4").astype(np.float32)
    return np.asarray(encoded, np.float32)


def _unavailable(what: str, hint: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(f"The embedding server {what}.", hint)
