"""The names of tables and columns as links are told by: without prefixes, abbreviations or words for a key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from askwell.mdl.abbreviations import written_out
from askwell.mdl.names import singular, words
from askwell.resources import words_file

# So many of a table's columns, or of the tables, share a first word before it counts as a prefix.
_SHARE_WITH_PREFIX = 0.6
_FEWEST_WITH_PREFIX = 3
_SHORTEST_SUBJECT = 2


@cache
def link_words(kind: str) -> frozenset[str]:
    """The words of one kind in `link_words.yaml`."""
    return frozenset(map(str, words_file("askwell.mdl", "link_words.yaml")[kind]))


@dataclass(frozen=True, slots=True)
class ColumnTokens:
    """A column's name: `subject` are its words but for the one that says it is a key, `word`; "" where there is none.
    Words are singular and in lower case, abbreviations among them written out. `own` says that the table's prefix was
    taken away, `several` that the name is a plural, and `name` is the whole in one."""

    name: str
    subject: tuple[str, ...]
    word: str
    own: bool = False
    several: bool = False


def table_tokens(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The words of each table's name, without a first one that most tables share or that says how the table came
    about."""
    parts = {name: words(name) for name in names}
    shared = _shared_first(list(parts.values()))
    return {name: _stems(_without_first(found, {shared} | link_words("tables"))) for name, found in parts.items()}


def column_prefix(columns: Sequence[str]) -> str:
    """The first word that most columns of a table share (`cu` of cuId, cuName, cuCity); "" where there is none."""
    return _shared_first([words(column) for column in columns])


def column_tokens(column: str, prefix: str = "") -> ColumnTokens:
    """What a column's name says; `prefix` is taken away where it is more than that."""
    parts = words(column)
    while len(parts) > 1 and parts[-1].isdecimal():  # club_id_1 and club_id_2
        parts = parts[:-1]
    if own := bool(prefix) and len(parts) > 1 and parts[0] == prefix:
        parts = parts[1:]
    name = "".join(parts)
    if parts and parts[-1] in link_words("key"):
        return ColumnTokens(name, _stems(parts[:-1]), parts[-1], own)
    for suffix in sorted(link_words("suffixes"), key=len, reverse=True) if parts else ():
        rest = parts[-1].removesuffix(suffix)
        if rest != parts[-1] and len(rest) >= _SHORTEST_SUBJECT:
            return ColumnTokens(name, _stems((*parts[:-1], rest)), suffix, own)
    stems = _stems(parts)
    return ColumnTokens(name, stems, "", own, several=bool(parts) and _singular(parts[-1]) != parts[-1])


def shortens(short: str, whole: str) -> bool:
    """Whether a word of three letters or more may stand for another one: its beginning (`empl`), or its first letter
    and some of the others in their order (`cstmr`)."""
    if not 2 < len(short) < len(whole) or short[0] != whole[0]:
        return False
    letters = iter(whole)
    return whole.startswith(short) or (all(letter in letters for letter in short) and not set("aeiou") & set(short[1:]))


def _stems(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(_singular, written_out(parts)))


def _singular(word: str) -> str:
    return word[:-2] if word.endswith("uses") and word[-5:-4] not in ("o", "a", "") else singular(word)


def _without_first(parts: tuple[str, ...], prefixes: set[str] | frozenset[str]) -> tuple[str, ...]:
    return parts[1:] if len(parts) > 1 and parts[0] in prefixes else parts


def _shared_first(names: Sequence[tuple[str, ...]]) -> str:
    counted = Counter(parts[0] for parts in names if len(parts) > 1)
    first, count = counted.most_common(1)[0] if counted else ("", 0)
    return first if count >= max(_FEWEST_WITH_PREFIX, _SHARE_WITH_PREFIX * len(names)) else ""
