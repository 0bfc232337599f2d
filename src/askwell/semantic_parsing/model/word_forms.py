"""How names are shortened, lengthened and turned round by people who ask for them, from `word_forms.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from askwell.question.words import stem
from askwell.resources import words_file


@dataclass(frozen=True, slots=True)
class WordForms:
    """Stems but for tuples and the units of time, which are as they are written; the file says what each is for."""

    generic_endings: frozenset[str]
    turned_endings: frozenset[str]
    function_words: frozenset[str]
    text_endings: frozenset[str]
    number_endings: frozenset[str]
    numbered: frozenset[str]
    table_endings: frozenset[str]
    table_prefixes: frozenset[str]
    computed_prefixes: frozenset[str]
    head_words: frozenset[str]
    weak_words: frozenset[str]
    people: frozenset[str]
    amounts: frozenset[str]
    codes: frozenset[str]
    untotalled: frozenset[str]
    counting: frozenset[str]
    states: frozenset[str]
    moments: frozenset[str]
    running: frozenset[str]
    leaving: frozenset[str]
    groups: frozenset[str]
    describing: frozenset[str]
    first_names: frozenset[str]
    last_names: frozenset[str]
    part_names: frozenset[str]
    organizations: frozenset[str]
    key_words: frozenset[str]
    asking: frozenset[str]
    switches: frozenset[str]
    prices: frozenset[str]
    durations: tuple[str, ...]
    positions: tuple[str, ...]
    blanks: tuple[str, ...]
    milliseconds: Mapping[str, int]
    lasting: Mapping[str, int]


@cache
def word_forms() -> WordForms:
    """The forms, read once."""
    data: dict[str, Any] = dict(words_file("askwell.semantic_parsing.model", "word_forms.yaml"))
    read: dict[str, Any] = {name: tuple(words) for name, words in data.items() if isinstance(words, list)}
    stems = {name: frozenset(map(stem, words.split())) for name, words in data.items() if isinstance(words, str)}
    return WordForms(**{**data, **read, **stems})
