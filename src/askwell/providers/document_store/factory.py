"""From configuration to a document store."""

from __future__ import annotations

from askwell.config import DocumentStoreConfig
from askwell.errors import ConfigurationError
from askwell.messages import say
from askwell.providers.document_store.base import KEPT_EDITIONS, DocumentStore
from askwell.providers.document_store.memory import MemoryDocumentStore


def create_document_store(chosen: DocumentStoreConfig, kept_models: int = KEPT_EDITIONS) -> DocumentStore:
    """The store that the configuration names; it connects when it is first used. `kept_models` is how many models of a
    project stay in the index. Raises `ConfigurationError`."""
    match chosen.provider:
        case "memory":
            return MemoryDocumentStore(kept_models=kept_models)
        case "component":
            from askwell.providers.document_store.component import ComponentDocumentStore
            from askwell.providers.haystack_components import create_component

            made = create_component("document_store", chosen.component or "", chosen.init)
            return ComponentDocumentStore(made, chosen.timeout, kept_models)
        case "qdrant":
            try:
                from askwell.providers.document_store.qdrant import QdrantDocumentStore
                from askwell.providers.document_store.qdrant_server import QdrantServer
            except ImportError as error:
                raise ConfigurationError(*say("store.not_installed", package=error.name or "qdrant-client")) from None
            key = chosen.api_key.get_secret_value() if chosen.api_key else None
            of = {"api_key": key, "api_key_env": chosen.api_key_env}
            server = QdrantServer(chosen.location or "", timeout=chosen.timeout, **of)
            return QdrantDocumentStore(server, chosen.collection_prefix, kept_models=kept_models)
