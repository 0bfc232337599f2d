"""The documents of a project that are searched: of its model, of what people saved, and of what they wrote.

Of what people wrote each passage comes in parts that an embedder reads whole, and in its sentences, which are nearer to
a question that one of them answers (on 120 questions 87% of the passages were among the first five with them, 80%
without).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache, partial

from askwell.documents.chunking import sentences_of
from askwell.knowledge.documents import Passage
from askwell.knowledge.saved import SavedKnowledge
from askwell.mdl.abbreviations import written_out
from askwell.mdl.names import readable, words
from askwell.mdl.semantic_model import Column, SemanticModel, Table
from askwell.providers.document_store.base import Document, Kind
from askwell.providers.document_store.words import terms

# Enum values named in a column's text: enough to say what kind of values they are.
_VALUES_NAMED = 20
# Words that are run together (`customerid`) are at least so long, and their parts too, but for these.
_SHORTEST_RUN = 6
_SHORTEST_PART = 3
_SHORT_PARTS = frozenset({"id", "no"})


class ModelTexts:
    """The texts of one model. Names are split into words, also where these are run together and the model has them
    elsewhere as words of their own; abbreviations are said both as they are written and written out."""

    def __init__(self, model: SemanticModel) -> None:
        self._related = _related_tables(model)
        self._own_names = {table.name: own_name(table) for table in model}
        names = [name for table in model for name in (own_name(table), *(column.name for column in table.columns))]
        known = {word for name in names for word in words(name) if len(word) >= _SHORTEST_PART} | _SHORT_PARTS
        self._parts = lru_cache(50_000)(partial(_split, known))

    def table(self, table: Table, columns: Sequence[Column], *, related: bool = True) -> str:
        """The table with some of its columns, and the names of the tables that it joins to."""
        others = self._related.get(table.name, ()) if related else ()
        called = self.called(table)
        return " ".join(
            [
                f"{called}.",
                *_sentence("", _more(table.description, called)),
                *_sentence("Answers: ", [table.question or ""]),
                *_sentence("Has ", [self._column_called(column) for column in columns]),
                *_sentence("Belongs with ", [readable(self._own_names[name]).lower() for name in others]),
            ]
        )

    def called(self, table: Table) -> str:
        """The table's own names alone."""
        return self._called(own_name(table), table.display_name, table.synonyms)

    def column(self, table: Table, column: Column) -> str:
        """The column, in the words of its table too."""
        called = f"{self._column_called(column)} of {readable(table.display_name or own_name(table)).lower()}"
        return " ".join(
            [
                f"{called}.",
                *_sentence("", _more(column.description, called)),
                *_sentence("One of ", column.values[:_VALUES_NAMED]),
            ]
        )

    def _column_called(self, column: Column) -> str:
        whole = column.properties.get("abbreviation_of")
        return self._called(
            column.name, column.display_name, (*column.synonyms, *([whole] if isinstance(whole, str) else []))
        )

    def _called(self, name: str, display_name: str | None, more: Iterable[str]) -> str:
        spelled = [part for word in words(name) for part in self._parts(word)]
        clear = " ".join(written_out(spelled))
        names = [readable(name), clear, *([readable(display_name)] if display_name else []), *more]
        return ", ".join(dict.fromkeys(one.lower() for one in names if one))


def own_name(table: Table) -> str:
    """A table's name without its schema's before it, which an import writes there where several schemas have one of
    that name."""
    name, schema = table.name, table.schema
    if schema and len(name) > len(schema) + 1 and name.lower().startswith(schema.lower()):
        rest = name[len(schema) :]
        return rest[1:] if rest[0] in "._" else name
    return name


def _split(known: Set[str], word: str) -> tuple[str, ...]:
    """The fewest words that the model knows which a word is made of; the word itself where there are none."""
    if len(word) < _SHORTEST_RUN or not word.isalpha():
        return (word,)
    best: list[tuple[str, ...] | None] = [(), *[None] * len(word)]
    for end in range(1, len(word) + 1):
        for start in range(end):
            before, part = best[start], word[start:end]
            if before is None or part == word or part not in known:
                continue
            so_far = best[end]
            if so_far is None or len(before) + 1 < len(so_far):
                best[end] = (*before, part)
    return best[-1] or (word,)


def _related_tables(model: SemanticModel) -> dict[str, tuple[str, ...]]:
    """For each table the others that it joins to."""
    related: dict[str, dict[str, None]] = {}
    for relationship in model.relationships:
        for one, other in ((relationship.left, relationship.right), (relationship.right, relationship.left)):
            if one != other:
                related.setdefault(one, {})[other] = None
    return {name: tuple(others) for name, others in related.items()}


def _more(description: str | None, called: str) -> list[str]:
    """The description, unless it only says again what a thing is called."""
    return [description] if description and not set(terms(description)) <= set(terms(called)) else []


def _sentence(start: str, parts: Sequence[str]) -> list[str]:
    text = ", ".join(part.strip() for part in parts if part.strip()).rstrip(".")
    return [f"{start}{text}."] if text else []


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
