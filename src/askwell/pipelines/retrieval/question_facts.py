"""What must be equal before two questions count as alike, whatever their vectors say.

An embedder finds "shipped late" and "not shipped late" 0.96 alike. So two questions are alike only if their numbers,
values, negations, comparisons, aggregates and times are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_NUMBER_WORDS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split())} | {
    "first": "1st",
    "second": "2nd",
    "third": "3rd",
    "fourth": "4th",
    "fifth": "5th",
    "dozen": "12",
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
}

# Phrases first: `at least` is no superlative, `number of` no number.
_PHRASES = (
    (re.compile(r"\b(?:at least|no less than|no fewer than|or more|minimum of)\b"), " cmp_ge "),
    (re.compile(r"\b(?:at most|no more than|or less|or fewer|up to|maximum of)\b"), " cmp_le "),
    (re.compile(r"\b(?:total )?(?:number|count|amount) of\b|\bhow many\b"), " agg_count "),
    (re.compile(r"\bhow much\b"), " agg_sum "),
    (re.compile(r"\bother than\b"), " not "),
    (re.compile(r"n[’']t\b"), " not "),
)

_MEANINGS = {
    "not": "not no never without except excluding exclude excludes neither nor none non lacking lack missing unless",
    "cmp_gt": "more over above greater exceeding exceed exceeds larger higher bigger longer older",
    "cmp_lt": "less under below fewer lower smaller shorter younger",
    "cmp_eq": "exactly equal equals",
    "cmp_ge": "cmp_ge",
    "cmp_le": "cmp_le",
    "cmp_between": "between",
    "max": "most top highest largest biggest greatest maximum max best latest newest longest oldest",
    "min": "least bottom lowest smallest fewest minimum min worst earliest shortest youngest",
    "agg_avg": "average avg mean",
    "agg_median": "median",
    "agg_sum": "sum total totals agg_sum",
    "agg_count": "count counts agg_count",
    "agg_share": "percent percentage share ratio proportion rate",
    "distinct": "distinct unique different",
    "group": "by per each every",
    "only": "only",
    "either": "or either",
    "both": "both",
    "ascending": "ascending asc increasing alphabetical alphabetically",
    "descending": "descending desc decreasing",
    "before": "before until till prior",
    "after": "after since",
    "last": "last past previous",
    "this": "current",
    "next": "next upcoming",
    "ago": "ago",
    "today": "today",
    "yesterday": "yesterday",
    "tomorrow": "tomorrow",
    "day": "day days daily",
    "week": "week weeks weekly",
    "month": "month months monthly",
    "quarter": "quarter quarters quarterly",
    "year": "year years yearly annual annually",
    "hour": "hour hours hourly",
}
_CALENDAR = """
    january february march april june july august september october november december jan feb mar apr jun jul aug sep
    sept oct nov dec monday tuesday wednesday thursday friday saturday sunday
"""
_MEANING_OF = {word: meaning for meaning, words in _MEANINGS.items() for word in words.split()} | {
    word: f"date_{word[:3]}" for word in _CALENDAR.split()
}

_QUOTED = re.compile(r"'([^']*)'(?!\w)|\"([^\"]*)\"|“([^”]*)”")
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:st|nd|rd|th)?(?!\w)")
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class QuestionFacts:
    """Equal facts do not make two questions the same; different ones make them different."""

    numbers: tuple[str, ...]
    values: frozenset[str]
    meanings: tuple[str, ...]


def question_facts(question: str, values: Iterable[str] = ()) -> QuestionFacts:
    """The facts of a question. `values` are the cell values found in it; quoted texts are added."""
    quoted = {next(filter(None, groups), "").casefold() for groups in _QUOTED.findall(question)}
    text = question.casefold()
    for pattern, meaning in _PHRASES:
        text = pattern.sub(meaning, text)
    words = _WORD.findall(text)
    numbers = [_number(found) for found in _NUMBER.findall(text)] + [
        _NUMBERS[word] for word in words if word in _NUMBERS
    ]
    meanings = {_MEANING_OF[word] for word in words if word in _MEANING_OF}
    negations = sum(_MEANING_OF.get(word) == "not" for word in words)
    return QuestionFacts(
        numbers=tuple(sorted(numbers)),
        values=frozenset(value.casefold() for value in values) | quoted,
        meanings=(*sorted(meanings), str(negations)),
    )


def _number(text: str) -> str:
    plain = text.replace(",", "")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
