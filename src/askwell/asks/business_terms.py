"""Whether a question names something that businesses measure, which a semantic model may have under another name."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import yaml

from askwell.question.about_data import asks_an_assistant

# ARR, P&L, DAU/MAU, OTIF2: letters in capitals, and what stands between them.
_ABBREVIATION = re.compile(r"(?<![\w&/])(?=[A-Z0-9&/]*[A-Z][A-Z0-9&/]*[A-Z])[A-Z][A-Z0-9&/]{1,6}(?:s|\b)(?![\w&/])")
# A question of more words says more than what it wants measured.
_MOST_WORDS = 6


def names_a_business_term(question: str) -> bool:
    """True where one of `business_terms.yaml` stands in the question, and for a short request that is not put as to an
    assistant with an abbreviation in it, unless all of it is in capitals."""
    if _terms().search(question) is not None:
        return True
    short = len(question.split()) <= _MOST_WORDS and not question.isupper()
    return short and _ABBREVIATION.search(question) is not None and not asks_an_assistant(question)


@cache
def _terms() -> re.Pattern[str]:
    groups = yaml.safe_load(files("askwell.asks").joinpath("business_terms.yaml").read_text(encoding="utf-8"))
    terms = {term for group in groups.values() for term in re.split(r"\s{2,}|\n", group.strip())}
    told = "|".join(re.escape(term).replace(r"\ ", r"[\s-]+") for term in sorted(terms, key=len, reverse=True))
    return re.compile(rf"(?<![\w&/])(?:{told})(?![\w&/])", re.IGNORECASE)
