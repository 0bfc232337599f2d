"""From configuration to an embedder."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from askwell.errors import ConfigurationError
from askwell.providers.embedder.base import Embedder
from askwell.providers.embedder.minilm_files import MinilmFiles
from askwell.providers.embedder.none import NoEmbedder

logger = logging.getLogger(__name__)


async def create_embedder(
    provider: str,
    home: Path,
    *,
    model: str | None = None,
    dimensions: int | None = None,
    api_key: str | None = None,
    api_base: str | None = None,
    request_timeout: float = 30.0,
) -> Embedder:
    """The embedder that the configuration names. `minilm` takes its files from `home`, writes them where they are
    missing or damaged, and otherwise steps down to words only, loudly. Loads nothing big."""
    match provider:
        case "none":
            return NoEmbedder()
        case "minilm":
            return await _minilm(home)
        case "openai":
            if not model or not dimensions:
                raise ConfigurationError(
                    "embedder.default: the provider openai needs a model and its dimensions.",
                    "For example model: text-embedding-3-small, dimensions: 1536.",
                )
            from askwell.providers.embedder.openai import OpenAIEmbedder

            return OpenAIEmbedder(
                model=model,
                dimensions=dimensions,
                api_key=api_key or "none",
                api_base=api_base,
                timeout=request_timeout,
            )
        case _:
            raise ConfigurationError(
                f"embedder.default.provider: there is no {provider}.", "Use minilm, openai or none."
            )


async def _minilm(home: Path) -> Embedder:
    from askwell.providers.embedder.minilm import MinilmEmbedder

    files = MinilmFiles.of_home(home)
    if not await asyncio.to_thread(files.valid):
        from askwell.providers.embedder.minilm_child import export_for_home
        from askwell.providers.embedder.minilm_export import missing_for_export

        if missing := missing_for_export():
            logger.warning(
                "Searching by WORDS ONLY: the embedder's files in %s are missing or damaged, and cannot be made: "
                "%s not installed. Run `make install`, or pip install 'askwell[minilm]' and "
                "`python -m askwell.providers.embedder.minilm_export`.",
                files.folder,
                ", ".join(missing),
            )
            return NoEmbedder()
        if reason := await export_for_home(home):
            logger.warning("Searching by WORDS ONLY: %s", reason)
            return NoEmbedder()
    return MinilmEmbedder(files)
