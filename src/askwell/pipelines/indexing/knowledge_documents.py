"""Nodes: the documents of what people saved for a project."""

from __future__ import annotations

from askwell.knowledge.saved import SavedKnowledge
from askwell.providers.document_store.base import Document, Kind


def documents(saved: SavedKnowledge) -> list[Document]:
    """The question of each SQL pair, and the questions that each instruction is for (its own text where it has none).
    Default instructions are always in and need not be found."""
    found = [Document(Kind.SQL_PAIR, pair.id, pair.question) for pair in saved.pairs.values()]
    for instruction in saved.instructions.values():
        if not instruction.is_default:
            texts = instruction.questions or (instruction.instruction,)
            found += [Document(Kind.INSTRUCTION, instruction.id, text) for text in texts]
    return found
