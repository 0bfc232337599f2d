"""What words that nothing is called could stand for by where they stand: rows, how rows are, figures, groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto

from askwell.mdl.names import singular
from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import akin, classes_of, english
from askwell.question.tokens import TokenKind, tokenize
from askwell.question.words import is_superlative, stem
from askwell.semantic_parsing.lattice import Lattice
from askwell.semantic_parsing.model.catalog import DATE, FLAG, NUMBER, TEXT, TRIMMED, Catalog, Target
from askwell.semantic_parsing.taught import key_of
from askwell.semantic_parsing.translation import Abstention
from askwell.sql.bindings import Meaning


class Role(Enum):
    """What words do in a question: name rows or what is counted, say how rows are or what they did, name a figure, or
    what is grouped by."""

    ROWS = auto()
    PEOPLE = auto()
    STATE = auto()
    FIGURE = auto()
    GROUP = auto()
    ANY = auto()


# Kinds of columns that can do so.
_KINDS = {
    Role.ROWS: (FLAG,),
    Role.PEOPLE: (FLAG,),
    Role.STATE: (FLAG, DATE),
    Role.FIGURE: (NUMBER,),
    Role.GROUP: (TEXT, FLAG),
    Role.ANY: (TEXT, FLAG, DATE, NUMBER),
}
# What stands before words in a role, and after rows.
_BEFORE = {
    Role.FIGURE: frozenset({"AGGREGATE", "SUPERLATIVE", "HOW", "COMPARE_BY"}),
    Role.GROUP: frozenset({"EACH", "BY"}),
    Role.ROWS: frozenset({"COUNT", "ASK"}),
    Role.STATE: frozenset({"BE", "NOT", "OMIT"}),
}
_AFTER_ROWS = frozenset({"RELATIVE", "HAVE"})
# Words that may be one name, values of a column, letters of a value, and meanings that are tried, at most or at least.
_LONGEST, _MOST_VALUES, _FEWEST_LETTERS, _MOST = 2, 6, 3, 24


def role_of(said: str, lattice: Lattice) -> Role:
    """The role of lower-case words of a question, where they first stand."""
    lows, words = [_written(lattice, place).lower() for place in range(lattice.size)], said.split()
    starts = [place for place in range(len(lows)) if lows[place : place + len(words)] == words]
    return _role(lattice, starts[0], starts[0] + len(words)) if starts else Role.ANY


def _role(lattice: Lattice, start: int, end: int) -> Role:
    before, place = _ending_at(lattice, start), start
    while place and lattice.tokens[place - 1].low in english().fillers | english().determiners and not _asked(before):
        place -= 1
        before = _ending_at(lattice, place)
    after, found = {span.category for span in lattice.spans[end]}, _asked(before)
    if is_superlative(lattice.tokens[end - 1].low):
        return Role.FIGURE
    is_asked = "TABLE" in before and place > 1 and lattice.tokens[place - 2].low in english().auxiliaries
    if "TABLE" in after or is_asked:
        return Role.STATE
    if found in (None, Role.ROWS) and _names_people(lattice, start, end):
        return Role.PEOPLE
    return found or (Role.ROWS if after & _AFTER_ROWS and not before else Role.ANY)


def _asked(before: set[str]) -> Role | None:
    """The role of what stands after this."""
    return next((role for role, kinds in _BEFORE.items() if before & kinds), None)


def _ending_at(lattice: Lattice, place: int) -> set[str]:
    return {span.category for spans in lattice.spans[:place] for span in spans if span.end == place}


def _names_people(lattice: Lattice, start: int, end: int) -> bool:
    """Whether words are called like persons, or "who" follows."""
    last = singular(lattice.tokens[end - 1].low)
    follows = {token.low for token in lattice.tokens[end : end + 1]}
    return bool(last in akin().persons | akin().people or follows & english().persons)


def may_be(role: Role, meaning: Meaning, catalog: Catalog, *, is_called_so: bool) -> bool:
    """Whether a table, column or value can do what the words do. Only what is called like them is counted or listed
    where it is no table; no word says a value without letters."""
    if isinstance(meaning.target, str):
        return role is not Role.STATE and (role is not Role.PEOPLE or bool(catalog.labels(meaning.target)))
    if meaning.value is not None:
        is_word = sum(map(str.isalpha, meaning.value)) >= _FEWEST_LETTERS
        return is_word and (role is Role.STATE or (is_called_so and role in (Role.ROWS, Role.PEOPLE, Role.ANY)))
    kind = catalog.kind(meaning.target)
    return kind in _KINDS[role] or (role is Role.ROWS and is_called_so and kind in (TEXT, NUMBER))


def by_place(question: str, given: Abstention, catalog: Catalog) -> tuple[Role, list[Meaning]]:
    """The role of the only unknown words of an abstention, and the meanings that they may have, the likeliest kind
    first; none where others are unknown as well, or a name is."""
    lattice = Lattice(catalog, tokenize(question))
    left = [place for place in range(lattice.size) if _is_left(lattice, place, given, catalog)]
    lows = {lattice.tokens[place].low for place in left}
    if not left or len(lows) > _LONGEST:
        return Role.ANY, []
    start, end = left[0], left[0] + len(lows)
    if len(lows) > 1 and left != list(range(start, end)):
        return Role.ANY, []
    said = " ".join(_written(lattice, place).lower() for place in range(start, end))
    role = _role(lattice, start, end)
    found = dict.fromkeys(_meanings(lattice, start, end, role, given, catalog))
    return role, [Meaning(one.said or said, one.target, value=one.value) for one in found][:_MOST]


def _meanings(
    lattice: Lattice, start: int, end: int, role: Role, given: Abstention, catalog: Catalog
) -> Iterator[Meaning]:
    following = [s for s in lattice.spans[end] if s.category == "COL" and s.evidence[0] in ("col:0", "col:1")]
    for span in following:  # "delivery route", where there are routes
        said = " ".join(token.low for token in lattice.tokens[start : span.end])
        yield from (Meaning(said, ref) for ref, level in span.meaning.options if level <= TRIMMED)
    if role is Role.STATE and not following:
        yield from _states(given, catalog)
    elif role is Role.FIGURE and not following:
        yield from (Meaning("", ref) for ref in _columns(given, catalog, NUMBER))
    elif role is Role.PEOPLE:
        yield from (Meaning("", table) for table in catalog.people)
    elif role is Role.ROWS:
        yield from (Meaning("", table) for table in done_to(lattice, catalog))


def done_to(lattice: Lattice, catalog: Catalog) -> list[str]:
    """The tables whose rows are what was done by a verb of the question ("how many trips did customers book"): that
    record it, or else the only one that refers to who did it and says when."""
    verbs = [token.low for token in lattice.tokens if stem(token.low) in english().events]
    spans = [span for found in lattice.spans for span in found if span.category == "TABLE"]
    recorded = [span.meaning for span in spans if "table:event" in span.evidence]
    named = {span.meaning for span in spans if "table:0" in span.evidence}
    referring = [one for one, others in catalog.facts.referred.items() if named & {*others}]
    dated = [one for one in referring if any(column.is_date for column in catalog.table(one).columns)]
    return recorded or (dated if verbs and len(dated) == 1 else [])


def _is_left(lattice: Lattice, place: int, given: Abstention, catalog: Catalog) -> bool:
    """Whether nothing is called as the word there, which turns round no other one."""
    token = lattice.tokens[place]
    text = _written(lattice, place)
    is_word = token.kind is TokenKind.WORD and (text == text.lower() or not place)
    is_number = any(s.category == "NUM" for s in lattice.spans[place])
    is_turned = any(token.low.removeprefix(one) in catalog.spelled - {token.low} for one in english().negations)
    is_part = token.low in english().everywhere and not classes_of(token.low)  # "many", of "how many"
    is_left = text in given.words and key_of(text) not in catalog.words and not is_part
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
