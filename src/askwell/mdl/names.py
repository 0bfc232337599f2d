"""Names: their words, names a person can read, the nearest valid ones, and those that are reserved."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from rapidfuzz import fuzz, process

from askwell.resources import words_file
from askwell.spelling import spelled_words

# Catalogues of the databases: a model by such a name would hide, or be taken for, what the guard refuses.
_SYSTEM_PREFIXES = ("sqlite_", "pragma_", "duckdb_", "information_schema")
_SYSTEM_SCHEMAS = frozenset({"pg_catalog", "sys", "mysql", "performance_schema"})
_SYSTEM_NAMES = _SYSTEM_SCHEMAS | {"dual"}
# Schemas besides these: PostgreSQL's storage, DuckDB's own database.
_MORE_SCHEMAS = frozenset({"pg_toast", "system"})


@cache
def _pg_catalogue() -> re.Pattern[str]:
    """The names of PostgreSQL's catalogue."""
    return re.compile(f"pg_({'|'.join(words_file('askwell.mdl', 'words.yaml')['pg_catalogue'].split())})")


# Where DuckDB finds no table it looks for a file of that name.
_FILE = re.compile(
    r"[/\\]|\.(csv|tsv|txt|parquet|json|jsonl|ndjson|geojson|xlsx?|arrow|db|duckdb|sqlite3?)(\W|$)", re.I
)

MAX_NAME_CHARACTERS = 200


def is_reserved(name: str) -> bool:
    """Whether the name belongs to the databases' own catalogues."""
    lowered = name.lower()
    return lowered.startswith(_SYSTEM_PREFIXES) or lowered in _SYSTEM_NAMES


def is_system_place(table: str, qualifiers: Iterable[str] = ()) -> bool:
    """Whether a table of the database belongs to the system rather than to its owner.

    `qualifiers` are the schema and catalog before it, if any; a dot inside one of them counts as separating two.
    """
    before = [part for qualifier in qualifiers for part in qualifier.strip().lower().split(".") if part.strip()]
    name = table.strip().lower()
    if any(part.startswith(_SYSTEM_PREFIXES) or part in _SYSTEM_SCHEMAS | _MORE_SCHEMAS for part in before):
        return True
    return name.startswith(_SYSTEM_PREFIXES) or (not before and _pg_catalogue().fullmatch(name) is not None)


def is_file_place(table: str) -> bool:
    """Whether a table's name reads as that of a file, which some databases would open."""
    return _FILE.search(table.strip()) is not None


def unusable_characters(name: str) -> frozenset[str]:
    """The characters of a name that no quoting carries safely through every database: quotes and control characters."""
    return frozenset(character for character in name if character in "\"`[]'\\" or not character.isprintable())


# Below this, a "nearest" name is noise rather than help (rapidfuzz ratio, 0-100).
_NEAR = 60


def words(identifier: str) -> tuple[str, ...]:
    """The words of an identifier, in lower case: `orderItems_2` → order, items, 2."""
    return tuple(word.lower() for word in spelled_words(identifier))


def readable(identifier: str) -> str:
    """An identifier as a person would write it: `orderItems` → "Order items"."""
    spelled = " ".join(words(identifier))
    return spelled[:1].upper() + spelled[1:] if spelled else identifier


def singular(word: str) -> str:
    """The singular of a regular English plural; other words come back as they are."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


# Plurals that are not regular; the words that have none are their own.
_PLURALS = {"person": "people", "child": "children", "man": "men", "woman": "women"}
_PLURALS |= {word: word for word in ("people", "children", "staff", "news", "series", "species", "weather", "data")}


def plural(word: str) -> str:
    """The plural of an English noun; a regular plural comes back as it is."""
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "sh", "ch", "x", "z")) else f"{word}s"


def listed(names: Iterable[str], last: str = "and") -> str:
    """Names as a person lists them: "a", "a and b", "a, b and c"."""
    *first, end = list(names) or [""]
    return f"{', '.join(first)} {last} {end}" if first else end


def is_left_of(short: str, whole: str) -> bool:
    """Whether a word is what is left of a longer one, its first letter and others in order: `shpmt` of shipment."""
    letters = iter(whole)
    return len(short) < len(whole) and short[:1] == whole[:1] and all(letter in letters for letter in short)


def nearest(name: str, valid: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """The valid names that a misspelt one may have meant, best first; none where nothing is near."""
    candidates = sorted(set(valid))
    found = process.extract(
        name.lower(), candidates, scorer=fuzz.ratio, processor=str.lower, limit=limit, score_cutoff=_NEAR
    )
    return tuple(match for match, _, _ in found)


def nearest_hint(name: str, valid: Iterable[str]) -> str:
    """The nearest names as a sentence for a person, or the valid ones where they are few, or nothing."""
    candidates = sorted({name for name in valid if name.strip()})
    close = nearest(name, candidates)
    if close:
        return f"Nearest: {', '.join(close)}."
    return f"Valid: {', '.join(candidates)}." if 0 < len(candidates) <= 8 else ""
