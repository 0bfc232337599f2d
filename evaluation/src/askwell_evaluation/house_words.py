"""Questions in the words of a house: what names a table or a column gives way to a word that no model has. And lessons
that should not be there, to see which are refused and what the others change."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

import yaml

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.words import IRREGULAR, plurals, singulars, stems_of_word
from askwell.semantic_parsing.forms import Ref
from askwell.semantic_parsing.model.catalog import Catalog, Target
from askwell.semantic_parsing.parser import Candidate
from askwell.semantic_parsing.taught import key_of

# Kinds of poisoned lessons.
POISONS = ("house", "common", "model", "instruction")

_CONSONANTS, _VOWELS = "bdfgklmnprtvz", "aeiou"
# English nouns and verbs do not end so: the ending tells nothing.
_LAST_VOWELS, _LAST_CONSONANTS = "aou", "bdgkmp"
_WORD = re.compile(r"[^\W_]+")
# Words that are read as what happens, and name nothing.
_VERBS = frozenset({"table:event", "table:verb", "col:weak_verb", "col:also_aggregate"})


@dataclass(frozen=True, slots=True)
class Named:
    """Words of a question, and the table (by its name) or column that they name."""

    words: str
    target: Target


def named_in(candidate: Candidate) -> Iterator[Named]:
    """What a reading takes words of its question to name, where that is one thing."""
    for leaf in candidate.reading.leaves():
        if _VERBS.intersection(leaf.features):
            continue
        words = " ".join(token.text for token in candidate.lattice.tokens[leaf.start : leaf.end])
        if leaf.category == "TABLE" and isinstance(leaf.meaning, str):
            yield Named(words, leaf.meaning)
        elif leaf.category == "COL" and isinstance(leaf.meaning, Ref):
            options = {column for column, _ in leaf.meaning.options}
            read = {c for part, c in candidate.grounding.columns.items() if isinstance(part, Ref) and c in options}
            if len(read) == 1:
                yield Named(words, read.pop())


def house_name(seed: int, catalog: Catalog, taken: Collection[str], what: str) -> str:
    """An invented word, in the singular: the same for the same `seed` and `what` as long as `taken` does not have it,
    and none that the model or an English list has."""
    rng = random.Random(f"{seed} {what}")
    while True:
        first = rng.choice(_CONSONANTS) + rng.choice(_VOWELS)
        word = first + rng.choice(_CONSONANTS) + rng.choice(_LAST_VOWELS) + rng.choice(_LAST_CONSONANTS)
        if word not in taken and word not in catalog.spelled and key_of(word) not in catalog.words:
            return word


def in_house_words(question: str, named: Named, name: str) -> str | None:
    """The question with `name` wherever it has the words of `named`, in the plural where they are. None where it does
    not have them as they are read."""
    key = key_of(named.words)
    words = list(_WORD.finditer(question))
    found, place = list[tuple[int, int, str]](), 0
    while place < len(words):
        end = next((e for e in range(place + 1, len(words) + 1) if _key(words[place:e]) == key), None)
        if end is None or len(words[place:end]) > len(key):
            place += 1
            continue
        first, last = words[place][0], words[end - 1][0].lower()
        word = plurals(name)[0] if _is_plural(last) else name
        found.append((words[place].start(), words[end - 1].end(), word.capitalize() if first[0].isupper() else word))
        place = end
    for start, stop, word in reversed(found):
        question = question[:start] + word + question[stop:]
    return question if found else None


def _key(words: list[re.Match[str]]) -> tuple[str, ...]:
    return tuple(stem for word in words for stem in stems_of_word(word[0].lower()))


def _is_plural(word: str) -> bool:
    return word in IRREGULAR or any(stems_of_word(one) == stems_of_word(word) for one in singulars(word))


# ---------------------------------------------------------------- poisoned lessons
@dataclass(frozen=True, slots=True)
class Poison:
    """`words` are taught to mean `target`; `kind` is one of `POISONS`: words that other questions have for something
    else, words of every question, names of the model, or instructions in place of words."""

    kind: str
    words: str
    target: Target


def poisons(catalog: Catalog, learnt: Mapping[str, Target], rng: random.Random, *, first: int = 0) -> Iterator[Poison]:
    """Poisoned lessons about one model, of one kind after the other from the `first` on, without end; `learnt` are
    house names with what they mean. None where a model has nothing that could be mistaken."""
    targets: list[Target] = [*catalog.facts.tables, *catalog.facts.columns]
    names: dict[str, Target] = {catalog.table(name).readable: name for name in catalog.facts.tables}
    names |= {catalog.column(ref).readable: ref for ref in catalog.facts.columns}
    if len(targets) < 2:
        return
    for number in count(first):
        kind = POISONS[number % len(POISONS)]
        table = rng.choice(list(catalog.facts.tables))
        match kind:
            case "house":
                words, meant = _one_of(learnt, rng) or (house_name(number, catalog, learnt, "poison"), None)
            case "model":
                words, meant = _one_of(names, rng) or (table, table)
            case _:
                words, meant = rng.choice(_poisoned_words()[kind]).format(table=table), None
        if wrong := [one for one in targets if one != meant and not _is_called(one, words, catalog)]:
            yield Poison(kind, words, rng.choice(wrong))


def _one_of(named: Mapping[str, Target], rng: random.Random) -> tuple[str, Target | None] | None:
    return rng.choice(list(named.items())) if named else None


def _is_called(target: Target, words: str, catalog: Catalog) -> bool:
    facts = catalog.column(target) if isinstance(target, ColumnRef) else catalog.table(target)
    return facts.readable.lower() == words.lower()


@cache
def _poisoned_words() -> Mapping[str, Sequence[str]]:
    data = yaml.safe_load((Path(__file__).parent / "poisoned_lessons.yaml").read_text("utf-8"))
    return {"common": data["common"], "instruction": data["instructions"]}
