"""The documents of a project that are searched: of its model, of what people saved, and of what they wrote.

Of what people wrote each passage comes in parts that an embedder reads whole, and in its sentences, which are nearer to
a question that one of them answers (on 120 questions 87% of the passages were among the first five with them, 80%
without).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from askwell.documents.chunking import sentences_of
from askwell.knowledge.documents import Passage
from askwell.knowledge.saved import SavedKnowledge
from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.pipelines.indexing.texts import ModelTexts
from askwell.providers.document_store.base import Document, Kind

# MiniLM reads 256 word pieces, which are some 180 words; the rest of a longer text it passes over.
PART_WORDS = 150
_OVERLAP = 30
# Less says nothing.
_LEAST_WORDS = 3


def model_documents(model: SemanticModel, column_indexing_batch_size: int) -> list[Document]:
    """Tables (in several documents where they are wide: an embedder reads only so much), columns, and the questions
    that views answer."""
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


def knowledge_documents(saved: SavedKnowledge) -> list[Document]:
    """The question of each SQL pair, and the questions that each instruction is for (its own text where it has none).
    Default instructions are always in and need not be found."""
    found = [Document(Kind.SQL_PAIR, pair.id, pair.question) for pair in saved.pairs.values()]
    for instruction in saved.instructions.values():
        if not instruction.is_default:
            texts = instruction.questions or (instruction.instruction,)
            found += [Document(Kind.INSTRUCTION, instruction.id, text) for text in texts]
    return found


def passage_documents(passages: Sequence[Passage], titles: Mapping[str, str]) -> list[Document]:
    """A document for each part of a passage, with the title and the headings above it, which say what it is about; and
    for each sentence, or row of a table, with the nearest heading."""
    found = []
    for passage in passages:
        above = _above(passage, titles)
        found += [Document(Kind.PASSAGE, passage.id, f"{above}\n{part}") for part in _parts(passage.text)]
        near = passage.heading.rpartition(" › ")[2]
        sentences = (one for one in sentences_of(passage.text) if len(one.split()) >= _LEAST_WORDS)
        found += [Document(Kind.SENTENCE, passage.id, f"{near}: {one}" if near else one) for one in sentences]
    return found


def _above(passage: Passage, titles: Mapping[str, str]) -> str:
    title = titles.get(passage.document_id, "")
    return ". ".join(dict.fromkeys(filter(None, (title, passage.heading.replace(" › ", ". ")))))


def _parts(text: str) -> Iterator[str]:
    words = text.split(" ")
    yield " ".join(words[:PART_WORDS])
    for start in range(PART_WORDS - _OVERLAP, len(words) - _OVERLAP, PART_WORDS - _OVERLAP):
        yield " ".join(words[start : start + PART_WORDS])
