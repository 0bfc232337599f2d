"""Which of the values that a question seems to name a language model is told of: a wrong one misleads it more than a
right one helps."""

from __future__ import annotations

from collections.abc import Iterable

from askwell.mdl.semantic_model import ColumnRef
from askwell.pipelines.retrieval.context import ValueMatch
from askwell.pipelines.retrieval.value_words import plain_words, stem
from askwell.question.same_wording import NUMBER_WORDS

# Of the letters of a value, what a question has to name.
_LEAST_SHARE = 0.5
# Marked by quotation marks, whatever it says.
_QUOTED = 0.96
_UNIT_WORDS = """
    mg g gr gram grams kg kilo kilos lb lbs oz ton tons tonne tonnes ml cl l liter liters litre litres mm cm m km
    meter meters metre metres mile miles inch inches ft feet piece pieces pc pcs box boxes bottle bottles bag bags
    pack packs second seconds minute minutes hour hours day days week weeks month months year years percent euro
    euros dollar dollars usd eur gbp
"""
_UNITS = frozenset(_UNIT_WORDS.split())


def value_hints(matches: Iterable[ValueMatch]) -> tuple[ValueMatch, ...]:
    """The likely ones, in their order, each in one spelling; none of which the question names a part, unless it stands
    in quotation marks: of 16 such hints on strangers' databases none was meant, of 166 of whole values 127 were."""
    told: dict[tuple[str, ColumnRef, str], ValueMatch] = {}
    for match in likely_values(matches):
        if match.kind != "partial" or match.score >= _QUOTED:
            told.setdefault((match.words.lower(), match.column, " ".join(match.value.lower().split())), match)
    return tuple(told.values())


def likely_values(matches: Iterable[ValueMatch]) -> tuple[ValueMatch, ...]:
    """Those that may well be meant: none of which the question names less than half, and none that is a number, in
    digits or words, or a unit unless it stands in quotation marks."""
    return tuple(match for match in matches if match.score >= _QUOTED or _is_likely(match))


def _is_likely(match: ValueMatch) -> bool:
    named = plain_words(match.words)
    if all(word.isdigit() or word in _UNITS or word in NUMBER_WORDS for word in named):
        return False
    if match.kind != "partial":
        return True
    held = plain_words(match.value)
    known = set(map(stem, named))
    shared = sum(len(word) for word in held if stem(word) in known)
    return shared >= _LEAST_SHARE * sum(map(len, held))
