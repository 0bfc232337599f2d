"""Nodes: the documents of a semantic model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.pipelines.indexing.texts import ModelTexts
from askwell.providers.document_store.base import Document, Kind


async def documents(model: SemanticModel, column_indexing_batch_size: int) -> list[Document]:
    """Tables (in several documents where they are wide: an embedder reads only so much), columns, and the questions
    that views answer."""
    # A thousand tables take more than a tenth of a second.
    return await asyncio.to_thread(_documents, model, column_indexing_batch_size)


def _documents(model: SemanticModel, column_indexing_batch_size: int) -> list[Document]:
    texts = ModelTexts(model)
    found: list[Document] = []
    for table in model:
        found += _table_documents(table, texts, column_indexing_batch_size)
        found += [
            Document(Kind.COLUMN, table.name, texts.column(table, column), column.name) for column in table.columns
        ]
        if table.question:
            found.append(Document(Kind.QUESTION, table.name, table.question))
    return found


def _table_documents(table: Table, texts: ModelTexts, batch_size: int) -> Iterator[Document]:
    for start in range(0, max(len(table.columns), 1), batch_size):
        text = texts.table(table, table.columns[start : start + batch_size], related=start == 0)
        yield Document(Kind.TABLE, table.name, text, str(start // batch_size))
