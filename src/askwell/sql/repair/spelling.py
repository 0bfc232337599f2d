"""When one name is another one misspelt.

Three grades, the surest first: the same words in another style (case, underscores, plural), the same words in another
order, and a slip of the fingers. A slip never turns one real word into another (`height` into `weight`) and never
touches a number. Distances are Damerau-Levenshtein: a swap of neighbours counts as one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from functools import cache
from itertools import pairwise

from rapidfuzz.distance import DamerauLevenshtein

from askwell.mdl.names import singular
from askwell.mdl.semantic_model import SemanticModel
from askwell.resources import words_file
from askwell.sql.names import fold

PACKAGE, WORDS_FILE = "askwell.sql.repair", "repair_words.yaml"
_WORDS = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")
# No slip is seen in shorter words, and only one in words up to the other length.
_SHORTEST, _ONE_SLIP = 3, 9
_SLIPS_OF_ID = frozenset({"d", "i", "iid", "idd", "di"})


def repair_words(kind: str) -> frozenset[str]:
    """The words of one kind in `repair_words.yaml`."""
    return frozenset(str(words_file(PACKAGE, WORDS_FILE)[kind]).split())


def words(name: str) -> tuple[str, ...]:
    """The words and numbers of a name in lower case and singular: `OrderItems2` is order, item, 2."""
    return tuple(map(_singular, _parts(name)))


def vocabulary(model: SemanticModel) -> frozenset[str]:
    """The words that the model's own names are made of; whoever writes one of them means it."""
    found: set[str] = set()
    for table in model:
        found.update(words(table.name))
        for column in table.columns:
            found.update(words(column.name))
    return frozenset(found)


def same_words(name: str, other: str) -> bool:
    """Whether two names differ in style only."""
    return _plain(name) == _plain(other)


def closest(name: str, candidates: Iterable[str], known: Collection[str] = ()) -> str | None:
    """The one candidate that `name` is a misspelling of; None where there is none, or more than one.

    `known` are words that are no slips, because names here are made of them.
    """
    pool = list(dict.fromkeys(candidates))
    grades: tuple[Callable[[str], bool], ...] = (
        lambda other: fold(other) == fold(name),
        lambda other: same_words(other, name),
        lambda other: sorted(words(other)) == sorted(words(name)),
    )
    for is_same in grades:
        found = [other for other in pool if is_same(other)]
        if found:
            return found[0] if len(found) == 1 else None
    slips = sorted((distance, other) for other in pool if (distance := slip(name, other, known)) is not None)
    if slips and (len(slips) == 1 or slips[0][0] < slips[1][0]):
        return slips[0][1]
    return None


def slip(name: str, meant: str, known: Collection[str] = ()) -> int | None:
    """How many slips of the fingers make `name` of `meant`; None where they are different names."""
    wrong, right = _parts(name), _parts(meant)
    if len(name) == 1:
        return None  # any name may be meant
    if [word for word in wrong if word.isdigit()] != [word for word in right if word.isdigit()]:
        return None
    if len(wrong) != len(right):
        spare = Counter(words(name)) - Counter(words(meant)), Counter(words(meant)) - Counter(words(name))
        doubled = any(len(a) == 1 and b.startswith(a) for a, b in pairwise(wrong))
        if not all(spare) and not doubled:
            return None  # a word more or less is no slip, except where a capital was typed twice
        return _word_slip("".join(wrong), "".join(right), known)
    distances = [_word_slip(a, b, known) for a, b in zip(wrong, right, strict=True) if _singular(a) != _singular(b)]
    total = sum(distance for distance in distances if distance is not None)
    allowed = 2 if len("".join(right)) > _ONE_SLIP else 1
    return None if None in distances or not 0 < total <= allowed else total


def is_short_for(short: str, name: str) -> bool:
    """`oi` and `ord` for order_items; `c` for customers."""
    parts = words(name)
    key = fold(short)
    return key == "".join(part[0] for part in parts) or (len(key) < len(name) and fold(name).startswith(key))


def is_placeholder(name: str) -> bool:
    """A name such as `t1` that says nothing about its table."""
    parts = words(name)
    return len(parts[0]) == 1 if parts else False


def _word_slip(wrong: str, right: str, known: Collection[str]) -> int | None:
    if right == "id" and wrong in _SLIPS_OF_ID:
        return 1
    if _is_real(wrong, known):
        return None
    distance = DamerauLevenshtein.distance(wrong, right)
    shorter = min(len(wrong), len(right))
    if distance > (1 if max(len(wrong), len(right)) <= _ONE_SLIP else 2):
        return None
    if shorter < _SHORTEST and (shorter < _SHORTEST - 1 or len(wrong) == len(right) or wrong[0] != right[0]):
        return None
    if len(wrong) == len(right) and sorted(wrong) != sorted(right):
        # Another letter in the place of one makes a different word more often than a slip does.
        if len(wrong) <= _SHORTEST + 1 or wrong[0] != right[0]:
            return None
    # A letter before a word that stands on its own is a prefix: `pname` is no slip of `name`.
    return None if wrong[1:] == right and wrong[0] != right[0] and _is_real(right, ()) else distance


@cache
def _common() -> frozenset[str]:
    return repair_words("common")


def _is_real(word: str, known: Collection[str]) -> bool:
    return any(form in known or form in _common() for form in (word, _singular(word)))


def _parts(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


def _plain(name: str) -> str:
    return "".join(words(name)) or fold(name)


def _singular(word: str) -> str:
    # `movies` becomes movy by the rule for cities: so movie does too.
    return word[:-2] + "y" if len(word) > 4 and word.endswith("ie") else singular(word)
