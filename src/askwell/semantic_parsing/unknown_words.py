"""What words that the model does not have could mean, so that whoever said them can be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, islice, takewhile

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.question.misspelling import mended
from askwell.question.plain_english import plain_english
from askwell.question.tokens import tokenize
from askwell.semantic_parsing.abstentions import abstention
from askwell.semantic_parsing.choices import MOST
from askwell.semantic_parsing.model.catalog import Catalog, Target
from askwell.semantic_parsing.taught import key_of, why_not_taught
from askwell.semantic_parsing.translation import Abstention, Choice, RulesMode, Translation
from askwell.sql.bindings import Bindings, Meaning

# Each is one reading of the question, of some ten milliseconds.
_MOST_TRIED = 60

Read = Callable[[Bindings], Translation | Abstention]


def with_meanings_of_unknown_words(question: str, given: Abstention, catalog: Catalog, read: Read) -> Abstention:
    """An abstention over words that nothing in the model is called, as the question what they mean: `choices` are those
    with which `read` answers, or gets further, likeliest first. As `given` where there are none."""
    said = _unknown(question, given, catalog)
    if not said:
        return given
    found: list[tuple[float, int, Choice]] = []
    for place, target in enumerate(islice(_targets(given, catalog), _MOST_TRIED)):
        if why_not_taught(said, target, catalog) is None:
            choice = _choice(said, target, catalog)
            found.append((-_likelihood(read(choice.bindings), given), place, choice))
    choices = tuple(choice for worth, _, choice in sorted(found, key=lambda one: one[:2])[:MOST] if worth < 0)
    return abstention("unknown_word", (said,), given.tables, choices) if choices else given


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


def _targets(given: Abstention, catalog: Catalog) -> Iterator[Target]:
    """What could be meant: the columns of the tables that were understood, the tables, and the other columns."""
    columns = [ref for ref, facts in catalog.facts.columns.items() if facts.formula is None]
    tables = [name for name in catalog.facts.tables if name not in given.tables]
    near = (ref for ref in columns if ref.table in given.tables)
    return chain(near, tables, given.tables, (ref for ref in columns if ref.table not in given.tables))


def _choice(said: str, target: Target, catalog: Catalog) -> Choice:
    meanings = (Meaning(said, target),)
    if isinstance(target, ColumnRef):
        column, table = catalog.column(target), catalog.table(target.table)
        label = f"{table.readable} → {column.readable}"
        return Choice(label, Bindings(columns=(target,), meanings=meanings), column.column.description or "")
    table = catalog.table(target)
    return Choice(table.readable, Bindings(tables=(target,), meanings=meanings), table.table.description or "")


def _likelihood(read: Translation | Abstention, given: Abstention) -> float:
    """How likely it is that this was meant (0 to 1): by what the reading says, and a little where other unknown words
    are left."""
    if isinstance(read, Translation):
        return read.probability if read.answers_in(RulesMode.BALANCED) else 0.0
    further = read.reason == "unplaced_words" and 0 < len(read.words) < len(given.words)
    further = further and not any(word.lower() in plain_english() for word in read.words)
    return 0.01 if further or read.asks_back else 0.0
