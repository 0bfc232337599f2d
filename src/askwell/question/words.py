"""The words of `words.yaml`: irregular forms, contractions, numbers and time. Read once, never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askwell.mdl.abbreviations import ABBREVIATIONS
from askwell.resources import words_file

_DATA = words_file("askwell.question", "words.yaml")

# Lower-case word -> what it stands for, in one word or two, before stemming.
IRREGULAR: Mapping[str, str] = {short: " ".join(whole) for short, whole in ABBREVIATIONS.items()} | _DATA["irregular"]
UNSTEMMED: Mapping[str, str] = _DATA["unstemmed"]
CONTRACTIONS: Mapping[str, str] = _DATA["contractions"] | _DATA["mistyped"]
# Pattern, and what stands for what it finds.
REWORDINGS: tuple[tuple[str, str], ...] = tuple((said, meant) for said, meant in _DATA["rewordings"])
NUMBER_WORDS: Mapping[str, int] = _DATA["numbers"]
SCALES: Mapping[str, int] = _DATA["scales"]
CURRENCIES, ONES = frozenset(_DATA["currencies"].split()), frozenset(_DATA["ones"].split())
# Word -> day, week, month, quarter or year.
PERIODS: Mapping[str, str] = _DATA["periods"]
# Word -> how many days, or periods of the unit that follows, from the current one.
DAYS: Mapping[str, int] = _DATA["days"]
SHIFTS: Mapping[str, int] = _DATA["shifts"]
# Word -> 1 to 4.
ORDINALS: Mapping[str, int] = _DATA["ordinals"]
ORDINAL_ENDINGS: tuple[str, ...] = tuple(_DATA["ordinal_endings"])
FROM, UNTIL = frozenset(_DATA["from"]), frozenset(_DATA["until"])
UNTIL_BOTH = UNTIL | frozenset(_DATA["until_both"])
LISTING = frozenset(_DATA["listing"])
# day, month or part -> what stands between it and what it is of.
OF_A_PERIOD: Mapping[str, Sequence[str]] = _DATA["of_a_period"]
# Word -> its months.
PARTS_OF_A_YEAR: Mapping[str, int] = _DATA["parts_of_a_year"]
# Name or its first three letters -> 1 to 12.
MONTHS: Mapping[str, int] = {
    name: number for number, month in enumerate(_DATA["months"], 1) for name in (month, month[:3])
} | {"sept": 9}
COMMON: frozenset[str] = frozenset(_DATA["common"].split())
# All of these, as they are written: none is a misspelt word of a model.
EVERYDAY: frozenset[str] = frozenset({*_DATA["irregular"], *UNSTEMMED, *CONTRACTIONS, *NUMBER_WORDS, *PERIODS, *MONTHS})
