"""Words to stems, so that "Orders", "order" and "ordering" meet."""

from __future__ import annotations

import re
import threading
from functools import cache, lru_cache
from typing import Any

from askwell.question.words import IRREGULAR, UNSTEMMED

Stems = tuple[str, ...]

_CAMEL = re.compile(r"([a-z])([A-Z])")
_WORD = re.compile(r"[a-z]+|\d+")
_lock = threading.Lock()


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=50_000)
def stems_of_word(word: str) -> Stems:
    """The stems of one lower-case word; two where the word stands for two ("surname" is "last name")."""
    if word in UNSTEMMED:
        return (UNSTEMMED[word],)
    plain = IRREGULAR.get(word, word)
    with _lock:  # the stemmer keeps its state in itself
        return tuple(_stemmer().stemWord(part) for part in plain.split())


@lru_cache(maxsize=50_000)
def stems(text: str) -> Stems:
    """The stems of a name or phrase, split at spaces, underscores, camel case and digits."""
    spaced = text if text.isupper() else _CAMEL.sub(r"\1 \2", text)
    return tuple(stem for word in _WORD.findall(spaced.lower()) for stem in stems_of_word(word))


def stem(word: str) -> str:
    """The stem of a single word that stands for one; of no word, none."""
    return next(iter(stems_of_word(word.lower())), "")


def plurals(word: str) -> tuple[str, ...]:
    """How the plural of a lower-case noun may be written, if it is a regular one."""
    if word.endswith("y"):
        return (f"{word[:-1]}ies", f"{word}s")
    return (f"{word}es",) if word.endswith(("s", "x", "ch")) else (f"{word}s",)


def singulars(word: str) -> tuple[str, ...]:
    """What a lower-case word may be the regular plural of; nothing for short ones."""
    return tuple(word.removesuffix(end) for end in ("s", "es") if len(word) > 3 and word.endswith(end))


@cache
def stem_set(words: frozenset[str]) -> frozenset[str]:
    """The stems of a word list."""
    return frozenset(stem(word) for word in words)
