"""From configuration to a document store."""

from __future__ import annotations

from askwell.errors import ConfigurationError
from askwell.messages import say
from askwell.providers.document_store.base import KEPT_EDITIONS, DocumentStore
from askwell.providers.document_store.memory import MemoryDocumentStore


def create_document_store(
    provider: str,
    *,
    location: str | None = None,
    api_key: str | None = None,
    api_key_env: str | None = None,
    timeout: float = 10.0,
    collection_prefix: str = "askwell",
    kept_models: int = KEPT_EDITIONS,
) -> DocumentStore:
    """The store that the configuration names; it connects when it is first used. `timeout` is in seconds, for one
    request; `kept_models` is how many models of a project stay in the index. Raises `ConfigurationError`."""
    match provider:
        case "memory":
            return MemoryDocumentStore(kept_models=kept_models)
        case "qdrant":
            try:
                from askwell.providers.document_store.qdrant import QdrantDocumentStore
                from askwell.providers.document_store.qdrant_server import QdrantServer
            except ImportError as error:
                raise ConfigurationError(*say("store.not_installed", package=error.name or "qdrant-client")) from None
            server = QdrantServer(location or "", api_key=api_key, api_key_env=api_key_env, timeout=timeout)
            return QdrantDocumentStore(server, collection_prefix, kept_models=kept_models)
        case _:
            raise ConfigurationError(*say("store.unknown_provider", provider=provider))
