"""What words that the model does not have could mean: tables and columns that are near to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile

from askwell.question.lexicon import english, stems_alike
from askwell.question.misspelling import mended
from askwell.question.tokens import tokenize
from askwell.question.words import plain_english, stems
from askwell.semantic_parsing.abstentions import abstention
from askwell.semantic_parsing.choices import MOST
from askwell.semantic_parsing.model.catalog import KEY, Catalog, Target
from askwell.semantic_parsing.taught import key_of, why_not_taught
from askwell.semantic_parsing.translation import UNKNOWN_WORD, Abstention, Choice, Translation, leads_on
from askwell.sql.bindings import Bindings, Meaning

# A shorter beginning or end of a word says nothing of it.
_SHORTEST_PART = 4

Read = Callable[[Bindings], Translation | Abstention]


def with_meanings_of_unknown_words(
    question: str, given: Abstention, catalog: Catalog, read: Read, near: Sequence[Target] = ()
) -> Abstention:
    """An abstention over words that nothing in the model is called, as the question what they mean: `choices` are the
    tables and columns that are near to the words, or else those of `near`, with which `read` answers,
    likeliest first. Without such choices it names the words; it is as `given` where there are none."""
    said = _unknown(question, given, catalog)
    if not said:
        return given
    found: list[tuple[float, Choice]] = []
    for target in _near(said, candidates(given, catalog), catalog) or near:
        choice = _choice(said, target, catalog)
        if why_not_taught(said, target, catalog) is None and leads_on(reading := read(choice.bindings)):
            found.append((reading.probability if isinstance(reading, Translation) else 0.0, choice))
    choices = tuple(choice for _, choice in sorted(found, key=lambda one: -one[0])[:MOST])
    if choices:
        return abstention(UNKNOWN_WORD, (said,), given.tables, choices)
    return replace(abstention("unplaced_words", (said,), given.tables), reason=UNKNOWN_WORD)


def candidates(given: Abstention, catalog: Catalog) -> list[Target]:
    """What words may stand for: the columns of the tables that were understood, the tables, and the other columns; no
    keys."""
    columns = [
        ref for ref, facts in catalog.facts.columns.items() if facts.formula is None and catalog.kind(ref) != KEY
    ]
    understood = [ref for ref in columns if ref.table in given.tables]
    return [*understood, *catalog.facts.tables, *(ref for ref in columns if ref not in understood)]


def _near(said: str, among: Sequence[Target], catalog: Catalog) -> list[Target]:
    """Those that have a word of the same stem in their names, or else one of nearly the same meaning, or else one of
    the same stem in their descriptions."""
    own = frozenset(key_of(said))
    groups = (group for group in stems_alike() if any(_is_of(group, one) for one in own))
    money = (
        hints
        for word in said.lower().split()
        for kind, hints in english().phrases.get((word,), ())
        if kind in english().nameable
    )
    akin = own.union(*groups, *map(stems, money))
    for found in (
        [one for one in among if own & catalog.words_of(one)],
        [one for one in among if akin & catalog.words_of(one)],
        [one for one in among if own & set(stems(catalog.description_of(one)))],
    ):
        if found:
            return found
    return []


def _is_of(group: frozenset[str], word: str) -> bool:
    """Whether a group has a word, or one that it begins or ends with: "hometown" is of those with "town"."""
    return word in group or any(len(one) >= _SHORTEST_PART and word.endswith(one) for one in group)


def _unknown(question: str, given: Abstention, catalog: Catalog) -> str:
    """The first words, next to each other, that nothing is called; none where they are everyday English, a name, or
    part of a value."""
    if given.reason != "unplaced_words":
        return ""
    texts = [token.text for token in mended(tokenize(question), catalog.spelled, catalog.short)[0]]
    known = english().everywhere
    left = {word for word in given.words if key_of(word) not in catalog.words and word.lower() not in known}
    start = next((place for place, text in enumerate(texts) if text in left), len(texts))
    run = list(takewhile(left.__contains__, texts[start:]))
    is_name = any(text[:1].isupper() for text in (run if start else run[1:]))  # of a row: no table is called so
    others = catalog.value_parts | plain_english()
    return "" if is_name or any(text.lower() in others for text in run) else " ".join(run)


def _choice(said: str, target: Target, catalog: Catalog) -> Choice:
    tables, columns = ((target,), ()) if isinstance(target, str) else ((), (target,))
    bindings = Bindings(tables, columns=columns, meanings=(Meaning(said, target),))
    return Choice(catalog.full_name(target), bindings, catalog.description_of(target))
