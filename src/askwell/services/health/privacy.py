"""What language models may be told, and whether the words by which values are found are there."""

from __future__ import annotations

import asyncio

from askwell.config import Config
from askwell.config.values import Privacy
from askwell.services.health.finding import Finding, ok
from askwell.services.private_values import everyday_vocabulary

_MEANS: dict[Privacy, str] = {
    "full": "language models may be told values, rows and literals",
    "values_stay": "no values, rows or literals are in prompts",
    "schema_only": "names, types and descriptions are in prompts, and questions without values",
}


async def what_models_are_told(config: Config) -> Finding:
    """The setting, and what differs from it by data source. Raises `ConfigurationError` where the words are missing."""
    if config.keeps_values:
        await asyncio.to_thread(everyday_vocabulary)
    own = [
        f"{name} {source.privacy}"
        for name, source in config.data_sources.items()
        if source.privacy not in (None, config.privacy)
    ]
    told = f"; {', '.join(own)}" if own else ""
    return ok(f"{config.privacy}: {_MEANS[config.privacy]}{told}")
