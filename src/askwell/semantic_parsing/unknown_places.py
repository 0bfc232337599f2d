"""What words that nothing is called could stand for by where they stand: rows, a figure, a group, how rows are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.question.tokens import TokenKind, tokenize
from askwell.semantic_parsing.lattice import Lattice
from askwell.semantic_parsing.model.catalog import DATE, FLAG, NUMBER, TEXT, TRIMMED, Catalog, Target
from askwell.semantic_parsing.taught import key_of
from askwell.semantic_parsing.translation import Abstention
from askwell.sql.bindings import Meaning

# What stands before rows, before an amount, before what is grouped by, and before how rows are.
_BEFORE_ROWS = frozenset({"COUNT", "ASK", "SOME", "SHARE", "NEVER", "HAVE", "SUPERLATIVE", "COMPARE", "NUM", "FEW"})
_BEFORE_AMOUNTS = frozenset({"AGGREGATE", "SUPERLATIVE"})
_BEFORE_GROUPS = frozenset({"EACH", "BY", "BUCKET"})
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
    said = " ".join(token.low for token in lattice.tokens[start:end])
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
    if last.endswith(english().superlative_endings):
        yield from (Meaning("", ref) for ref in _columns(given, catalog, NUMBER))
    elif not following and (rows_follow or before & _BEFORE_STATES):
        yield from _states(given, catalog)
    elif before & _BEFORE_ROWS:
        named = {s.meaning for spans in lattice.spans for s in spans if s.category == "TABLE"}
        yield from (Meaning("", table) for table in catalog.facts.tables if table not in named)
    if before & _BEFORE_AMOUNTS:
        yield from (Meaning("", ref) for ref in _columns(given, catalog, NUMBER))
    if before & _BEFORE_GROUPS:
        yield from (Meaning("", ref) for ref in _columns(given, catalog, TEXT))


def _is_left(lattice: Lattice, place: int, given: Abstention, catalog: Catalog) -> bool:
    """Whether nothing is called as the word there, which turns round no other one."""
    token = lattice.tokens[place]
    is_word = token.kind is TokenKind.WORD and (token.text == token.low or not place)
    is_number = any(s.category == "NUM" for s in lattice.spans[place])
    is_turned = any(token.low.removeprefix(one) in catalog.spelled - {token.low} for one in english().negations)
    is_left = token.text in given.words and key_of(token.low) not in catalog.words
    return is_word and is_left and not (is_number or is_turned)


def _columns(given: Abstention, catalog: Catalog, kind: str) -> list[ColumnRef]:
    """The columns of this kind of the tables that were understood."""
    tables: Sequence[Target] = given.tables or tuple(catalog.facts.tables)
    refs = [ref for ref, facts in catalog.facts.columns.items() if ref.table in tables and facts.formula is None]
    own = [ref for ref in refs if catalog.kind(ref) == kind and ref not in catalog.labels(ref.table)]
    return own if kind != TEXT else [ref for ref in own if 1 < len(catalog.values_of(ref)) <= _MOST_VALUES]


def _states(given: Abstention, catalog: Catalog) -> Iterator[Meaning]:
    """Flags, the values of columns that say how rows stand, or of others of a few, and dates of what was done, of the
    tables that were understood."""
    yield from (Meaning("", ref) for ref in _columns(given, catalog, FLAG))
    few = _columns(given, catalog, TEXT)
    for ref in [ref for ref in few if english().stating & set(catalog.column(ref).words)] or few:
        yield from (Meaning("", ref, value=value) for value in catalog.values_of(ref))
    yield from (Meaning("", ref) for ref in _columns(given, catalog, DATE))
