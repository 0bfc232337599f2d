"""What words that nothing is called could stand for by where they stand: how rows are, how they are ranked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.question.tokens import TokenKind, tokenize
from askwell.question.words import is_superlative
from askwell.semantic_parsing.lattice import Lattice
from askwell.semantic_parsing.model.catalog import FLAG, NUMBER, TEXT, TRIMMED, Catalog, Target
from askwell.semantic_parsing.taught import key_of
from askwell.semantic_parsing.translation import Abstention
from askwell.sql.bindings import Meaning

# What stands before how rows are.
_BEFORE_STATES = frozenset({"BE", "NOT"})
# Words that may be one name, values of a column, and meanings that are tried, at most.
_LONGEST, _MOST_VALUES, _MOST = 2, 6, 24


def by_place(question: str, given: Abstention, catalog: Catalog) -> list[Meaning]:
    """The meanings that the only unknown words of an abstention may have, the likeliest kind first; none where others
    are unknown as well, or a name is."""
    lattice = Lattice(catalog, tokenize(question))
    left = [place for place in range(lattice.size) if _is_left(lattice, place, given, catalog)]
    lows = {lattice.tokens[place].low for place in left}
    if given.reason != "unplaced_words" or not left or len(lows) > _LONGEST:
        return []
    start, end = left[0], left[0] + len(lows)
    if len(lows) > 1 and left != list(range(start, end)):
        return []
    said = " ".join(_written(lattice, place).lower() for place in range(start, end))
    found = dict.fromkeys(_meanings(lattice, start, end, given, catalog))
    return [Meaning(one.said or said, one.target, value=one.value) for one in found][:_MOST]


def _meanings(lattice: Lattice, start: int, end: int, given: Abstention, catalog: Catalog) -> Iterator[Meaning]:
    place = start
    while place and lattice.tokens[place - 1].low in english().fillers | english().determiners:
        place -= 1
    before = {s.category for spans in lattice.spans[:place] for s in spans if s.end == place}
    following = [s for s in lattice.spans[end] if s.category == "COL" and s.evidence[0] in ("col:0", "col:1")]
    rows_follow = any(s.category == "TABLE" for s in lattice.spans[end])
    last = lattice.tokens[end - 1].low
    for span in following:  # "delivery route", where there are routes
        said = " ".join(token.low for token in lattice.tokens[start : span.end])
        yield from (Meaning(said, ref) for ref, level in span.meaning.options if level <= TRIMMED)
    if is_superlative(last):
        yield from (Meaning("", ref) for ref in _columns(given, catalog, NUMBER))
    elif not following and (rows_follow or before & _BEFORE_STATES):
        yield from _states(given, catalog)


def _is_left(lattice: Lattice, place: int, given: Abstention, catalog: Catalog) -> bool:
    """Whether nothing is called as the word there, which turns round no other one."""
    token = lattice.tokens[place]
    text = _written(lattice, place)
    is_word = token.kind is TokenKind.WORD and (text == text.lower() or not place)
    is_number = any(s.category == "NUM" for s in lattice.spans[place])
    is_turned = any(token.low.removeprefix(one) in catalog.spelled - {token.low} for one in english().negations)
    is_left = text in given.words and key_of(text) not in catalog.words
    return is_word and is_left and not (is_number or is_turned)


def _written(lattice: Lattice, place: int) -> str:
    """The word as it was written, which another one may have been read for."""
    text = lattice.tokens[place].text
    return next((fix.written for fix in lattice.fixes if fix.meant == text), text)


def _columns(given: Abstention, catalog: Catalog, kind: str) -> list[ColumnRef]:
    """The columns of this kind of the tables that were understood."""
    tables: Sequence[Target] = given.tables or tuple(catalog.facts.tables)
    refs = [ref for ref, facts in catalog.facts.columns.items() if ref.table in tables and facts.formula is None]
    own = [ref for ref in refs if catalog.kind(ref) == kind and ref not in catalog.labels(ref.table)]
    return own if kind != TEXT else [ref for ref in own if 1 < len(catalog.values_of(ref)) <= _MOST_VALUES]


def _states(given: Abstention, catalog: Catalog) -> Iterator[Meaning]:
    """Flags of the tables that were understood, and the values of columns that say how their rows stand."""
    yield from (Meaning("", ref) for ref in _columns(given, catalog, FLAG))
    stating = (ref for ref in _columns(given, catalog, TEXT) if english().stating & set(catalog.column(ref).words))
    yield from (Meaning("", ref, value=value) for ref in stating for value in catalog.values_of(ref))
