"""What whoever asked can do where rules have no answer and no language model is there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from askwell.asks.overview import columns_in_words, without_keys
from askwell.mdl.semantic_model import Column, SemanticModel, Table
from askwell.mdl.types import TypeFamily, type_family
from askwell.question.akin import akin
from askwell.question.lexicon import english
from askwell.question.stems import stem_set, stems
from askwell.resources import words_file
from askwell.semantic_parsing.translation import Abstention

# Of these words people teach what they mean.
_TEACHABLE = frozenset({"unplaced_words", "unknown_word"})


def advice(given: Abstention | None, question: str, model: SemanticModel, *, may_curate: bool = True) -> str:
    """First what can be said otherwise, with the table that is nearest, and last what only an administrator can do. Who
    may not curate is told what they can do themselves."""
    said = words_file("askwell.asks", "advice.yaml")
    sentences = [said["words"]]
    if given is not None:
        if (near := _nearest_table(given, question, model)) is not None:
            sentences.append(said["nearest"].format(columns_in_words(near, model)))
        strange = [word for word in given.words if word.lower() not in english().everywhere]
        if may_curate and given.reason in _TEACHABLE and strange:
            sentences.append(said["teach"].format(strange[0]))
    if may_curate:
        sentences.append(said["model"])
    return " ".join(sentences)


def _nearest_table(given: Abstention, question: str, model: SemanticModel) -> Table | None:
    """The table with columns for the words that were not understood; otherwise one that was, as far as the question
    names it or its columns."""
    understood = [table for name in given.tables if (table := model.table(name)) is not None]
    if not given.words:
        return next(iter(understood), None)
    for word in given.words:
        hits = [(_columns_for(word, table, model), table) for table in (*understood, *model)]
        most, nearest = max(hits, key=lambda hit: hit[0], default=(0, None))
        if most:
            return nearest
    asked = frozenset(stems(question))
    named = (table for table in understood if asked & _stems_of((table.name, *_names(table.columns))))
    return next(named, None)


def _columns_for(word: str, table: Table, model: SemanticModel) -> int:
    """How many columns a word could mean; of a word for money only numbers are columns."""
    low = word.lower()
    money = [meaning for kind, meaning in english().phrases.get((low,), ()) if kind in english().nameable]
    wanted = stem_set(_akin((low, *(part for hints in money for part in hints.split()))))
    columns = [one for one in without_keys(table, model) if not money or type_family(one.type) is TypeFamily.NUMBER]
    return sum(bool(wanted & _stems_of(_names([one]))) for one in columns)


def _akin(words: Sequence[str]) -> frozenset[str]:
    """The words, and those that people use for them."""
    groups = (group for group in akin().alike if group & set(words))
    return frozenset(words).union(*groups, *(akin().said_for.get(word, ()) for word in words))


def _names(columns: Iterable[Column]) -> list[str]:
    return [name for one in columns for name in (one.name, one.display_name or "", *one.synonyms)]


def _stems_of(names: Iterable[str]) -> frozenset[str]:
    return frozenset(stem for name in names for stem in stems(name))
