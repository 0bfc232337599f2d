"""Lessons that should not be there, to see which are refused and what the others change."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import count

import yaml

from askwell.evaluation.house_names import house_name
from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.model.catalog import Catalog, Target

KINDS = ("house", "common", "model", "instruction")


@dataclass(frozen=True, slots=True)
class Poison:
    """`said` is taught to mean `target`; `kind` is one of `KINDS`: words that other questions have for something else,
    words of every question, names of the model, or instructions in place of words."""

    kind: str
    said: str
    target: Target


def poisons(catalog: Catalog, learnt: Mapping[str, Target], rng: random.Random, *, first: int = 0) -> Iterator[Poison]:
    """Poisoned lessons about one model, of one kind after the other from the `first` on, without end; `learnt` are
    house names with what they mean. None where a model has nothing that could be mistaken."""
    targets: list[Target] = [*catalog.facts.tables, *catalog.facts.columns]
    names: dict[str, Target] = {catalog.table(name).readable: name for name in catalog.facts.tables}
    names |= {catalog.column(ref).readable: ref for ref in catalog.facts.columns}
    if len(targets) < 2 or len(catalog.facts.tables) < 1:
        return
    for number in count(first):
        kind = KINDS[number % len(KINDS)]
        table = rng.choice(list(catalog.facts.tables))
        match kind:
            case "house":
                said, meant = _one_of(learnt, rng) or (house_name(number, catalog, learnt, "poison"), None)
            case "model":
                said, meant = _one_of(names, rng) or (table, table)
            case _:
                said, meant = rng.choice(_words()[kind]).format(table=table), None
        if wrong := [one for one in targets if one != meant and not _is_called(one, said, catalog)]:
            yield Poison(kind, said, rng.choice(wrong))


def _one_of(named: Mapping[str, Target], rng: random.Random) -> tuple[str, Target | None] | None:
    return rng.choice(list(named.items())) if named else None


def _is_called(target: Target, said: str, catalog: Catalog) -> bool:
    facts = catalog.column(target) if isinstance(target, ColumnRef) else catalog.table(target)
    return facts.readable.lower() == said.lower()


@cache
def _words() -> Mapping[str, Sequence[str]]:
    data = yaml.safe_load(resources.files("askwell.evaluation").joinpath("poisoned_lessons.yaml").read_text("utf-8"))
    return {"common": data["common"], "instruction": data["instructions"]}
