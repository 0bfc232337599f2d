"""What somebody can do where rules have no answer and no language model is there."""

from __future__ import annotations

from collections.abc import Mapping

from askwell.question.lexicon import english
from askwell.resources import words_file
from askwell.semantic_parsing.translation import UNKNOWN_WORD, Abstention

# Of these words people teach what they mean.
_TEACHABLE = frozenset({"unplaced_words", UNKNOWN_WORD})


def advice(given: Abstention | None, *, may_curate: bool = True) -> str:
    """A question that is answered instead, where one is known, or saying what a word means, for who `may_curate`."""
    said: Mapping[str, str] = words_file("askwell.asks", "advice.yaml")
    strange = [word for word in given.words if word.lower() not in english().everywhere] if given is not None else []
    teachable = given is not None and given.reason in _TEACHABLE and bool(strange)
    way = "teach" if teachable and may_curate else "words"
    if given is not None and given.instead:
        return said[f"instead_or_{way}"].format(given.instead, *strange[:1])
    return said[way].format(*strange[:1])
