"""An embedder on a server that is sent no values."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from askwell.privacy import Vault, current_vault, is_decided, leaves_as_it_is
from askwell.providers.embedder.base import Embedder, Vectors

# Numbered tokens would mean something else in every text.
_VALUE = "something"


class PrivateEmbedder:
    """An `Embedder` that is sent texts with a word in the place of each value: questions, saved questions, instructions
    and passages. Names and descriptions of models go as they are, and so does what is for a project whose values may
    leave. `anybody` masks that of which nobody has said whose it is."""

    def __init__(self, embedder: Embedder, anybody: Vault) -> None:
        self._embedder = embedder
        self._anybody = anybody

    @property
    def identity(self) -> str:
        return self._embedder.identity

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        if leaves_as_it_is():
            return await self._embedder.embed(texts)
        vault = current_vault() if is_decided() else self._anybody
        if vault is None:
            return await self._embedder.embed(texts)
        # Passages come in batches that take a while.
        return await self._embedder.embed(await asyncio.to_thread(_blanked, texts, vault))

    async def close(self) -> None:
        """See `Embedder.close`."""
        await self._embedder.close()


def _blanked(texts: Sequence[str], vault: Vault) -> list[str]:
    return [vault.blanked(text, _VALUE) for text in texts]
