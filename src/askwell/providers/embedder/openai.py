"""Embeddings from any server that speaks OpenAI's protocol, Azure's resources among them."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from askwell.errors import EmbedderUnavailable
from askwell.providers.breaker import Breaker
from askwell.providers.embedder.base import Vectors
from askwell.providers.failures import in_words
from askwell.providers.model_server import (
    CallFailed,
    ConnectTimedOut,
    Late,
    ModelServer,
    ServerRefused,
    TooMuch,
    retry_after,
)
from askwell.providers.redirects import sends_on

# Texts in one request to begin with: one round trip for a usual model. Servers take 16, 32, … 2,048.
BATCH = 128
# What servers answer to a field or a number of texts that they do not take.
_REFUSED = frozenset({400, 413, 415, 422})
_ENCODING = re.compile(r"encoding_format|base64", re.IGNORECASE)
# Seconds before each further attempt.
_BACKOFF = (0.5, 1.0)
_LONGEST_WAIT = 60.0
# Of one reply: vectors of thousands of plain numbers, where a server ignores the wish for base64.
MOST_BYTES = 64 * 2**20
_TRANSIENT = frozenset({408, 409, 429})
# Seconds for a look at a server that is away.
_LOOK_SECONDS = 2.0
_UNKNOWN_HINT = "Check embedder.default.model, and embedder.default.api_base: most addresses end in /v1."
# What is told of statuses that say more than that the server refuses.
_TOLD = {401: "key_refused", 403: "key_refused", 404: "unknown_model", 429: "busy"}


class OpenAIEmbedder:
    """`dimension` is what the model gives, `unknown_hint` what to do where the server does not know the model. Smaller
    batches and plain numbers are stepped down to where the server wants them, and remembered."""

    def __init__(
        self, http: ModelServer, *, model: str, dimension: int, identity: str, unknown_hint: str = _UNKNOWN_HINT
    ) -> None:
        self.dimension = dimension
        self.identity = identity
        self._http = http
        self._model = model
        self._unknown_hint = unknown_hint
        self._breaker = Breaker()
        self._batch = BATCH
        self._encoding: dict[str, str] = {"encoding_format": "base64"}

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        matrix = np.zeros((len(texts), self.dimension), np.float32)
        start, size = 0, self._batch
        while start < len(texts):
            batch = texts[start : start + size]
            vectors = await self._vectors(batch)
            if vectors is None:
                size = len(batch) // 2
                continue
            matrix[start : start + len(batch)] = vectors
            start += len(batch)
        # Only now: where nothing was taken in the end, it was a text that was refused and not their number.
        self._batch = min(self._batch, size)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        matrix /= lengths
        return matrix

    async def close(self) -> None:
        """Close connections. Safe to call twice."""
        await self._breaker.close()
        await self._http.close()

    async def _vectors(self, texts: Sequence[str]) -> Vectors | None:
        """A vector a text; None where the server may take fewer texts. Raises `EmbedderUnavailable`."""
        if self._breaker.away:
            raise self._failure("unreachable")
        try:
            reply = await self._post(texts)
            self._breaker.answered()
            return self._read(reply, len(texts))
        except ServerRefused as error:
            self._breaker.answered()
            if error.status in _REFUSED and len(texts) > 1:
                return None
            raise self._refusal(error) from None
        except ConnectTimedOut:
            raise self._failure("unreachable") from None
        except Late:
            raise self._failure("late") from None
        except CallFailed:
            self._breaker.failed(self._model, self._is_there, len(_BACKOFF) + 1)
            raise self._failure("unreachable") from None
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, TooMuch) and len(texts) > 1:
                return None
            raise self._failure("no_usable_reply") from None

    async def _is_there(self) -> bool:
        """Whether it answers at all."""
        return await self._http.knock(_LOOK_SECONDS) is not None

    async def _post(self, texts: Sequence[str]) -> Any:
        while True:
            encoding = self._encoding
            # An empty text is an error to some servers; a space is not.
            body = {"model": self._model, "input": [text or " " for text in texts], **encoding}
            try:
                return await self._with_patience(body)
            except ServerRefused as error:
                about_encoding = error.param == "encoding_format" or _ENCODING.search(error.words)
                if not encoding or error.status not in _REFUSED or not about_encoding:
                    raise
                self._encoding = {}

    async def _with_patience(self, body: Mapping[str, Any]) -> Any:
        """The reply to a request, which is made again after failures that may pass."""
        for pause in (*_BACKOFF, None):
            try:
                async with self._http.answer("/embeddings", body, is_call=True) as answer:
                    return json.loads(await answer.text())
            except CallFailed as error:
                passes = not isinstance(error, ServerRefused) or error.status in _TRANSIENT or error.status >= 500
                if pause is None or not passes:
                    raise
                asked = retry_after(error)
            await asyncio.sleep(pause * random.uniform(0.75, 1) if asked is None else min(asked, _LONGEST_WAIT))
        raise AssertionError("the last attempt returns or raises")

    def _read(self, reply: Any, expected: int) -> Vectors:
        items = sorted(reply["data"], key=lambda item: item["index"])
        rows = [_vector(item["embedding"]) for item in items]
        if len(rows) != expected:
            raise self._failure("other_number", found=len(rows), expected=expected)
        width = next((len(row) for row in rows if len(row) != self.dimension), None)
        if width is not None:
            raise self._failure("other_width", width=width, dimension=self.dimension)
        return np.stack(rows)

    def _refusal(self, error: ServerRefused) -> EmbedderUnavailable:
        status = error.status
        if did := sends_on(status, error.headers.get("Location")):
            return self._failure("sent_on", did=did)
        what = _TOLD.get(status) or ("failed" if status >= 500 else "refused")
        return self._failure(what, status=status, hint=self._unknown_hint)

    def _failure(self, what: str, **values: object) -> EmbedderUnavailable:
        """Without the error's cause: it holds the texts and the key."""
        return EmbedderUnavailable(*in_words(__package__, what, model=self._model, **values))


def _vector(encoded: str | list[float]) -> Vectors:
    """Little-endian float32 in base64 as asked for; plain numbers from servers that ignore the wish."""
    if isinstance(encoded, str):
        return np.frombuffer(base64.b64decode(encoded, validate=True), "<f4").astype(np.float32)
    return np.asarray(encoded, np.float32)
