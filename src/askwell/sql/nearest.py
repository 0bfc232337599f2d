"""The valid names that come nearest to a wrong one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapidfuzz import fuzz
from rapidfuzz.distance import JaroWinkler

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_]+")


def nearest(name: str, candidates: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """At most `limit` of `candidates`, best first; empty when nothing is near.

    Compares spelling and, for names of several words, the words in any order: `customerId` is near `id_customer`. Of
    English compounds the last word says what they are: `room_capacity` is near `seat_capacity`.
    """
    wanted = _plain(name)
    by_plain: dict[str, list[str]] = {}
    for candidate in dict.fromkeys(candidates):
        by_plain.setdefault(_plain(candidate), []).append(candidate)
    scored: list[tuple[float, str]] = []
    for plain, spelled in by_plain.items():
        score = max(JaroWinkler.similarity(wanted, plain) * 100, fuzz.token_sort_ratio(wanted, plain))
        if plain.startswith(wanted) or set(wanted.split()) <= set(plain.split()):
            score = max(score, 85.0)
        elif set(plain.split()) < set(wanted.split()):
            score = max(score, 80.0)
        elif len(wanted.split()) > 1 and len(plain.split()) > 1 and wanted.split()[-1] == plain.split()[-1]:
            score = max(score, 78.0)
        scored += [(score, candidate) for candidate in spelled]
    scored.sort(key=lambda item: (-item[0], item[1]))
    good = [(score, candidate) for score, candidate in scored if score >= 72]
    # Beside a near certain one, distant ones only distract.
    best = good[0][0] if good else 0.0
    return tuple(candidate for score, candidate in good[:limit] if score >= best - 15)


def nearest_text(name: str, candidates: Iterable[str], limit: int = 3) -> str:
    """`; nearest: a, b` to end a sentence with, or nothing."""
    found = nearest(name, candidates, limit)
    return f"; nearest: {', '.join(found)}" if found else ""


def _plain(name: str) -> str:
    return " ".join(word.lower() for word in _WORDS.findall(name)) or name.lower()
