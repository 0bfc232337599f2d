"""Where a question is searched for."""

from __future__ import annotations

from dataclasses import dataclass

from askwell.providers.document_store.base import Section


@dataclass(frozen=True, slots=True)
class Sections:
    """The project's model and its saved knowledge, in the editions that the ask is about."""

    model: Section
    knowledge: Section
