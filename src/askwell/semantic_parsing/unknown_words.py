"""What words that the model does not have could mean: tables and columns that are near to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, takewhile

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.akin import stems_alike
from askwell.question.lexicon import english
from askwell.question.misspelling import mended
from askwell.question.plain_english import plain_english
from askwell.question.stems import stems
from askwell.question.tokens import tokenize
from askwell.semantic_parsing.abstentions import abstention
from askwell.semantic_parsing.choices import MOST
from askwell.semantic_parsing.model.catalog import KEY, Catalog, Target
from askwell.semantic_parsing.taught import key_of, why_not_taught
from askwell.semantic_parsing.translation import UNKNOWN_WORD, Abstention, Choice, RulesMode, Translation
from askwell.sql.bindings import Bindings, Meaning

# A shorter beginning or end of a word says nothing of it.
_SHORTEST_PART = 4
# Each is one reading of a question, of some five milliseconds.
_MOST_TRIED = 12

Read = Callable[[Bindings], Translation | Abstention]
Ask = Callable[[str], Translation | Abstention]


def with_meanings_of_unknown_words(
    question: str, given: Abstention, catalog: Catalog, read: Read, near: Sequence[Target], ask: Ask
) -> Abstention:
    """An abstention over words that nothing in the model is called, as the question what they mean: `choices` are the
    tables and columns that are near to the words, or else those of `near`, with which `read` answers or gets further,
    likeliest first. Without such choices it names the words, with a question that `ask` answers `instead`. As `given`
    where there are no such words."""
    said = _unknown(question, given, catalog)
    if not said:
        return given
    found: list[tuple[float, Choice]] = []
    for target in _near(said, candidates(given, catalog), catalog) or near:
        if why_not_taught(said, target, catalog) is None:
            choice = _choice(said, target, catalog)
            found.append((-_likelihood(read(choice.bindings), given), choice))
    choices = tuple(choice for worth, choice in sorted(found, key=lambda one: one[0])[:MOST] if worth < 0)
    if choices:
        return abstention(UNKNOWN_WORD, (said,), given.tables, choices)
    instead = _answered_instead(question, said, given, catalog, ask)
    return replace(abstention("unplaced_words", (said,), given.tables), reason=UNKNOWN_WORD, instead=instead)


def _answered_instead(question: str, said: str, given: Abstention, catalog: Catalog, ask: Ask) -> str:
    """The question with a column of the tables that were understood in the place of the words, of the first ones the
    one that is answered most surely; empty where none is, and where things are counted, which no column stands for."""
    before = [token.low for token in tokenize(question.partition(said)[0])]
    asked = (meant for size in (1, 2) for meant in english().phrases.get(tuple(before[-size:]), ()))
    if any(category == "COUNT" for category, _ in asked):
        return ""
    columns = (one for one in candidates(given, catalog) if isinstance(one, ColumnRef) and one.table in given.tables)
    found = [
        (reading.probability, text)
        for one in islice(columns, _MOST_TRIED)
        if (text := question.replace(said, catalog.readable(one).lower())) != question
        and isinstance(reading := ask(text), Translation)
        and reading.answers_in(RulesMode.BALANCED)
    ]
    return max(found, default=(0.0, ""))[1]


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
    """The first words, next to each other, that nothing is called; none where others are in the way, where they are
    everyday English, and where the question says nothing else."""
    if given.reason != "unplaced_words":
        return ""
    texts = [token.text for token in mended(tokenize(question), catalog.spelled)[0]]
    left = {word for word in given.words if key_of(word) not in catalog.words and word.lower() not in _phrased()}
    start = next((place for place, text in enumerate(texts) if text in left), len(texts))
    run = list(takewhile(left.__contains__, texts[start:]))
    others = [text.lower() for place, text in enumerate(texts) if not start <= place < start + len(run)]
    says_more = any(word in _phrased() or key_of(word) in catalog.words for word in others)
    is_name = any(text[:1].isupper() for text in (run if start else run[1:]))  # of a row: no table is called so
    is_part_of_value = any(text.lower() in catalog.value_parts for text in run)
    is_plain = any(text.lower() in plain_english() for text in run)
    return "" if is_name or is_plain or is_part_of_value or not says_more else " ".join(run)


@cache
def _phrased() -> frozenset[str]:
    """Words that questions are made of."""
    return frozenset(word for phrase in english().phrases for word in phrase)


def _choice(said: str, target: Target, catalog: Catalog) -> Choice:
    tables, columns = ((target,), ()) if isinstance(target, str) else ((), (target,))
    bindings = Bindings(tables, columns=columns, meanings=(Meaning(said, target),))
    return Choice(catalog.full_name(target), bindings, catalog.description_of(target))


def _likelihood(read: Translation | Abstention, given: Abstention) -> float:
    """How likely it is that this was meant (0 to 1): by what the reading says, and a little where other unknown words
    are left."""
    if isinstance(read, Translation):
        return read.probability if read.answers_in(RulesMode.BALANCED) else 0.0
    further = read.reason == "unplaced_words" and 0 < len(read.words) < len(given.words)
    further = further and not any(word.lower() in plain_english() for word in read.words)
    return 0.01 if further or read.asks_back else 0.0
