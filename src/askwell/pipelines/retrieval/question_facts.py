"""What must be equal before two questions count as alike, whatever their vectors say.

An embedder finds "shipped late" and "not shipped late" 0.96 alike. So two questions are alike only if their numbers (in
their order), values, negations, comparisons, aggregates, times and units are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_SMALL_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
NUMBER_WORDS = {word: str(number) for number, word in enumerate(_SMALL_NUMBERS.split())} | {
    "first": "1st",
    "second": "2nd",
    "third": "3rd",
    "fourth": "4th",
    "fifth": "5th",
    "dozen": "12",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
    "half": "1/2",
    "once": "1x",
    "twice": "2x",
}

# Phrases first: `at least` is no superlative, `number of` no number.
_PHRASES = (
    (re.compile(r"\b(?:at least|(?:no|not) (?:less|fewer) than|or more|minimum of)\b|>="), " cmp_ge "),
    (re.compile(r"\b(?:greater|more|higher) than or equal to\b"), " cmp_ge "),
    (re.compile(r"\b(?:at most|(?:no|not) more than|or less|or fewer|up to|maximum of)\b|<="), " cmp_le "),
    (re.compile(r"\b(?:less|lower|smaller) than or equal to\b"), " cmp_le "),
    (re.compile(r"\b(?:total )?(?:number|count|amount) of\b|\bhow many\b"), " agg_count "),
    (re.compile(r"\bhow much\b"), " agg_sum "),
    (re.compile(r"\bother than\b|\byet to\b|n[’']t\b|!=|<>"), " not "),
    (re.compile(r"\bmost recent\b"), " newest "),
    (re.compile(r">"), " over "),
    (re.compile(r"<"), " under "),
    (re.compile(r"="), " equals "),
    (re.compile(r"%"), " percent "),
    (re.compile(r"€"), " euro "),
    (re.compile(r"\$"), " dollar "),
    (re.compile(r"£"), " gbp "),
)

_MEANINGS = {
    "not": """
        not no never without except excluding exclude excludes neither nor none non lacking lack missing unless cannot
        nothing nobody outside fail failed inactive incomplete invalid unanswered unassigned unavailable unconfirmed
        undelivered unfinished unknown unlisted unpaid unpublished unread unresolved unshipped unsold unsuccessful
        unused
    """,
    "cmp_gt": "more over above greater exceeding exceed exceeds larger higher bigger longer older",
    "cmp_lt": "less under below fewer lower smaller shorter younger",
    "cmp_eq": "exactly equal equals",
    "cmp_ge": "cmp_ge",
    "cmp_le": "cmp_le",
    "cmp_between": "between",
    "max": "most top highest largest biggest greatest maximum max best longest dearest",
    "min": "least bottom lowest smallest fewest minimum min worst shortest cheapest",
    "newest": "latest newest youngest recent recently",
    "oldest": "earliest oldest",
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
    "minute": "minute minutes",
    "weekday": "weekday weekdays",
    "weekend": "weekend weekends",
    "unit_kilogram": "kg kilo kilos kilogram kilograms",
    "unit_gram": "g gram grams",
    "unit_kilometre": "km kilometre kilometres kilometer kilometers",
    "unit_metre": "m metre metres meter meters",
    "unit_mile": "mi mile miles",
    "unit_euro": "eur euro euros",
    "unit_dollar": "usd dollar dollars",
    "unit_pound": "gbp pound pounds",
    "unit_celsius": "celsius",
    "unit_fahrenheit": "fahrenheit",
    "unit_gigabyte": "gb gigabyte gigabytes",
    "unit_megabyte": "mb megabyte megabytes",
}
_CALENDAR = """
    january february march april june july august september october november december jan feb mar apr jun jul aug sep
    sept oct nov dec monday tuesday wednesday thursday friday saturday sunday
"""
_MEANING_OF = {word: meaning for meaning, words in _MEANINGS.items() for word in words.split()} | {
    word: f"date_{word[:3]}" for word in _CALENDAR.split()
}

QUOTED = re.compile(r"'([^']*)'(?!\w)|\"([^\"]*)\"|“([^“”]*)”")
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:(?:st|nd|rd|th)(?!\w))?")
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class QuestionFacts:
    """Equal facts do not make two questions the same; different ones make them different."""

    numbers: tuple[str, ...]
    values: frozenset[str]
    meanings: tuple[str, ...]


def question_facts(question: str, values: Iterable[str] = ()) -> QuestionFacts:
    """The facts of a question. `values` are the cell values found in it; quoted texts are added."""
    quoted = {next(filter(None, groups), "").casefold() for groups in QUOTED.findall(question)}
    text = question.casefold()
    for pattern, meaning in _PHRASES:
        text = pattern.sub(meaning, text)
    words = _WORD.findall(text)
    numbers = [plain_number(found) for found in _NUMBER.findall(text)]
    # "Q3" and "covid19" are numbers of a kind.
    numbers += [NUMBER_WORDS.get(word, word) for word in words if word in NUMBER_WORDS or word[-1].isdigit()]
    meanings = {_MEANING_OF[word] for word in words if word in _MEANING_OF}
    negations = sum(_MEANING_OF.get(word) == "not" for word in words)
    return QuestionFacts(
        numbers=tuple(sorted(numbers)),
        values=frozenset(value.casefold() for value in values) | quoted,
        meanings=(*sorted(meanings), str(negations)),
    )


def plain_number(text: str) -> str:
    """Digits without separators of thousands and zeros that say nothing: `1,000.50` → `1000.5`."""
    plain = text.replace(",", "")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
