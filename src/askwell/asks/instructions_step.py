"""Which saved instructions matter to an answer by rules, which cannot follow words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

import yaml

from askwell.asks.overview import without_keys
from askwell.mdl.semantic_model import Column, Table
from askwell.pipelines.retrieval.context import InstructionText
from askwell.pipelines.retrieval.prepared import PreparedModel

_NUMBER = re.compile(r"INT|DEC|NUM|DOUB|REAL|FLOAT|MONEY", re.IGNORECASE)
_YEAR = re.compile(r"\b(19|20)\d\d\b")


def instructions_that_matter(
    instructions: Iterable[InstructionText], question: str, sql: str, prepared: PreparedModel, *, has_model: bool = True
) -> tuple[str, ...]:
    """The texts of the instructions that say something about this answer: those that are saved for such questions
    (without a model, which could follow them, only where they or their questions share a word as below), and of those
    for all questions the ones that share a word with the question, or with the names of the tables and columns that
    `sql` reads, or are about times, figures or rows where the answer is. Takes a millisecond or two: call it on a
    thread."""
    chosen = list(instructions)
    if not chosen:
        return ()
    model, words = prepared.model, prepared.scope_words
    read = [
        (table, names) for name, names in (prepared.columns_of_sql(sql) or {}).items() if (table := model.table(name))
    ]
    columns = [column for table, names in read for name in names if (column := table.column(name))]
    figures = any(
        _NUMBER.search(column.type)
        for table, names in read
        for column in without_keys(table, model)
        if column.name in names
    )
    named: list[Table | Column] = [*columns, *(table for table, _ in read)]
    about = words.telling(question) | words.telling(" ".join(name for one in named for name in _names(one)))
    topics = _topics_of(question, figures=figures)

    def matters(one: InstructionText) -> bool:
        told, spelled = words.telling(one.text), _words(one.text)
        if not one.is_default:
            # Found by similarity alone, it may be about something else: whoever asks would be warned of nothing.
            return has_model or bool(words.telling(" ".join((one.text, *one.questions))) & about)
        if told & about or any(spelled & topic for topic in topics):
            return True
        return not told & words.names and bool(spelled & _topics()["rows"])

    return tuple(one.text for one in chosen if matters(one))


def _topics_of(question: str, *, figures: bool) -> list[frozenset[str]]:
    """The words of instructions that are about what this answer is about."""
    topics = _topics()
    found = [topics["figures"]] if figures else []
    if _words(question) & topics["times"] or _YEAR.search(question):
        found.append(topics["times"])
    return found


def _names(one: Table | Column) -> Iterable[str]:
    return (one.name, one.display_name or "", *one.synonyms)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", text.lower()))


@cache
def _topics() -> dict[str, frozenset[str]]:
    listed = yaml.safe_load(files("askwell.asks").joinpath("instructions.yaml").read_text(encoding="utf-8"))
    return {topic: frozenset(words.split()) for topic, words in listed.items()}
