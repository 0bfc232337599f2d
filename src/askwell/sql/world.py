"""Facts of the world that questions and data write differently: countries and their adjectives, states of the United
States and their codes, months, days and sexes. Everything is in lower case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from askwell.resources import words_file

_FACTS = words_file("askwell.sql", "world.yaml")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word stands for: other `names` of it, and `codes`, which mean it only in a column whose own or table's
    name has one of the words `told_by`."""

    names: tuple[str, ...]
    codes: tuple[str, ...] = ()
    told_by: frozenset[str] = frozenset()


def _meanings() -> tuple[dict[str, tuple[Meaning, ...]], dict[str, tuple[Meaning, ...]]]:
    by_name: dict[str, tuple[Meaning, ...]] = {}
    by_code: dict[str, tuple[Meaning, ...]] = {}

    def add(names: tuple[str, ...], codes: tuple[str, ...], others: tuple[str, ...], told_by: str) -> None:
        words = frozenset(told_by.split())
        for word in (*names, *others):
            if word.startswith("the "):  # found without it
                continue
            rest = tuple(name for name in names if name != word)
            by_name[word] = (*by_name.get(word, ()), Meaning(rest, codes, words))
        for code in codes:
            rest = tuple(other for other in codes if other != code)
            by_code[code] = (*by_code.get(code, ()), Meaning(names, rest, words))

    for names, adjectives, codes in _countries():
        add(names, codes, adjectives, "country nation nationality citizenship origin")
    for state in _FACTS["states"].split(","):
        name, code = state.strip().rsplit(" ", 1)
        add((name,), (code,), (), "state province region")
    for name in (*_FACTS["months"].split(), *_FACTS["days"].split()):
        add((name,), (name[:3],), (), "month day weekday")
    for sexes, letter, others in _FACTS["sexes"]:
        add(tuple(sexes), (letter,), tuple(others), "sex gender")
    return by_name, by_code


def _countries() -> list[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    """Names, adjectives and codes of each."""
    rows = (line.split("|") for line in _FACTS["countries"].splitlines())
    return [
        (
            tuple(name.strip() for name in names.split(",")),
            tuple(word.replace("+", " ") for word in adjectives.split()),
            tuple(codes.split()),
        )
        for names, adjectives, codes in rows
    ]


# What else means the same: by a name or an adjective ("german"), and by a code ("de"), which only counts where it is
# written as one.
BY_NAME: Mapping[str, tuple[Meaning, ...]]
BY_CODE: Mapping[str, tuple[Meaning, ...]]
BY_NAME, BY_CODE = _meanings()
