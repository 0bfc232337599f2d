"""From configuration to an embedder."""

from __future__ import annotations

import asyncio
import logging
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from askwell.config import EmbedderConfig
from askwell.providers import azure
from askwell.providers.embedder.base import Embedder, NoEmbedder
from askwell.providers.embedder.minilm_files import MinilmFiles
from askwell.providers.model_server import ModelServer, openai_address

logger = logging.getLogger(__name__)


async def create_embedder(chosen: EmbedderConfig, home: Path) -> Embedder:
    """The embedder that the configuration names. `minilm` takes its files from `home`, writes them where they are
    missing or damaged, and otherwise steps down to words only, loudly. Loads nothing big. Raises
    `ConfigurationError`."""
    model, dimensions, base = chosen.model or "", chosen.dimensions or 0, chosen.api_base
    key = chosen.api_key.get_secret_value() if chosen.api_key else ""
    match chosen.provider:
        case "none":
            return NoEmbedder()
        case "minilm":
            return await _minilm(home)
        case "component":
            from askwell.providers.embedder.component import component_embedder

            return component_embedder(chosen.component or "", chosen.init, model, dimensions, chosen.timeout)
        case "openai":
            address = openai_address(base, key)
            # The server is not part of it: the same model elsewhere gives the same vectors.
            identity, hints = model, {}
        case "azure_openai":
            address = azure.address(base or "", model, chosen.api_version, key)
            # A deployment's name says nothing beyond its resource.
            identity = f"{model}@{urlsplit(azure.endpoint(base or '')).hostname}"
            hints = {"unknown_hint": azure.UNKNOWN_DEPLOYMENT}
    from askwell.providers.embedder.openai import MOST_BYTES, OpenAIEmbedder

    http = ModelServer(address, chosen.timeout, MOST_BYTES)
    return OpenAIEmbedder(http, model=model, dimension=dimensions, identity=f"{identity}/{dimensions}", **hints)


async def installed_minilm(home: Path) -> Embedder | None:
    """The default embedder where its files, and the packages that run it, are there; it makes none."""
    files = await asyncio.to_thread(MinilmFiles.of_home, home)
    if not all(map(find_spec, ("onnxruntime", "tokenizers"))) or not await asyncio.to_thread(files.valid):
        return None
    from askwell.providers.embedder.minilm import MinilmEmbedder

    return MinilmEmbedder(files)


async def _minilm(home: Path) -> Embedder:
    from askwell.providers.embedder.minilm import MinilmEmbedder

    files = await asyncio.to_thread(MinilmFiles.of_home, home)  # it may look through installed ones
    if not await asyncio.to_thread(files.valid):
        from askwell.providers.embedder.minilm_export import missing_for_export
        from askwell.providers.embedder.minilm_files import export_for_home

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
