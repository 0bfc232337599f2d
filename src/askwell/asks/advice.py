"""What somebody can do where rules have no answer and no language model is there."""

from __future__ import annotations

from collections.abc import Mapping

from askwell.question.lexicon import english
from askwell.resources import words_file
from askwell.semantic_parsing.translation import UNKNOWN_WORD, Abstention

# Of these words people teach what they mean.
_TEACHABLE = frozenset({"unplaced_words", UNKNOWN_WORD})


def advice(given: Abstention | None, example: str, *, may_curate: bool = True) -> str:
    """To say which of several things is meant; else to ask the example, where there is one, or to say what a word
    means, for who `may_curate`."""
    if given is not None and given.asks_back:
        return "Ask again, and say in the question which one you mean."
    said: Mapping[str, str] = words_file("askwell.asks", "advice.yaml")
    words = given.words if given is not None and given.reason in _TEACHABLE and may_curate else ()
    strange = [word for word in words if word.lower() not in english().everywhere]
    way = ("example_or_" if example else "") + ("teach" if strange else "words")
    return said[way].format(*strange[:1] or ("",), example)
