"""Why there is no answer, as a sentence for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import classes_of, english
from askwell.resources import words_file
from askwell.semantic_parsing import choices
from askwell.semantic_parsing.compiling.comparability import Meaningless
from askwell.semantic_parsing.coverage import FAULTS, is_covered, is_read
from askwell.semantic_parsing.forms import Holds, Measure, Ref
from askwell.semantic_parsing.grounding import Part
from askwell.semantic_parsing.lattice import Lattice
from askwell.semantic_parsing.model.catalog import DATE, KEY, Catalog
from askwell.semantic_parsing.parser import Candidate, Parse
from askwell.semantic_parsing.skips import NAMING
from askwell.semantic_parsing.taught import key_of
from askwell.semantic_parsing.translation import Abstention, Choice

# Two groundings whose scores differ by less are as likely as each other.
_AS_LIKELY, _ALIKE = 0.6, 0.05
# Who is meant is no matter of how the columns are called that show them.
_OTHER_PEOPLE = 1.2
# By the reason: what there is to choose from.
_CHOICES: Mapping[str, Callable[[Candidate, Catalog], tuple[Choice, ...]]] = {
    "any_date": choices.of_dates,
    "no_date": choices.of_dates,
    "ambiguous_name": choices.of_holders,
    "count_or_amount": choices.of_figures,
}
# What says something of the model.
_SAYING = frozenset({"TABLE", "COL", "COLS", "DONE", "UNDONE", "VAL", "PERSON", "PERIOD", "YEAR", "DATE", "METRIC"})
# What ties the parts of a question together.
_TIES = frozenset({"EACH", "BY", "OF", "IN", "WITH", "HAVE", "BE", "RELATIVE", "AND", "OR", "TO", "BETWEEN", "COMMA"})
# Words that nothing in the model, and no phrase, is called.
_NAMELESS = frozenset({"unknown", "verblike", "proper"})


def _sentences() -> Mapping[str, str]:
    return words_file("askwell.semantic_parsing", "abstentions.yaml")


def abstention(
    reason: str, words: Sequence[str] = (), tables: tuple[str, ...] = (), found: tuple[Choice, ...] = ()
) -> Abstention:
    """The abstention of this reason about these words, which stand in its sentence; `found` are its choices."""
    link = "”, “" if "“{0}”" in _sentences()[reason] else " and "
    return Abstention(reason, _sentences()[reason].format(link.join(words)), tuple(words), tables, found)


def either(reason: str, said: str, tables: tuple[str, ...], found: tuple[Choice, ...]) -> Abstention:
    """The abstention of this reason over words that could mean several things, which are the choices."""
    message = _sentences()[reason].format(said, " or ".join(choice.label for choice in found))
    return Abstention(reason, message, (said,) if said else (), tables, found)


def with_choices(given: Abstention, found: tuple[Choice, ...]) -> Abstention:
    """The abstention with other choices, also in its sentence."""
    if "{1}" not in _sentences().get(given.reason, ""):
        return replace(given, choices=found)
    return either(given.reason, "".join(given.words[:1]), given.tables, found)


def without_reading(parse: Parse, catalog: Catalog) -> Abstention:
    """Why nothing was read: words that the model does not have, or what the likeliest reading came to grief on."""
    if parse.lattice is None:
        return abstention("no_reading")
    tables = _named(parse.lattice)
    if failed := _failed(parse.failure, tables, catalog):
        return failed
    return _unread(_unplaced(parse.lattice, ()), catalog, tables)


def uncovered(parse: Parse, catalog: Catalog) -> Abstention:
    """Why readings that leave something out, or say something twice, are no answers."""
    first, *others = parse.candidates
    fault = _fault(first, catalog) or _failed(parse.failure, first.tables, catalog)
    fault = fault or next(filter(None, (_fault(candidate, catalog) for candidate in others)), None)
    if fault is not None:
        return fault
    return _unread(_left(first), catalog, first.tables)


def _fault(candidate: Candidate, catalog: Catalog) -> Abstention | None:
    """What is wrong with a reading that leaves nothing out; None where nothing is, or where it leaves something out."""
    faults = [reason for sign, reason in FAULTS.items() if reason and sign in candidate.features]
    if not faults or _left(candidate):
        return None
    choose = _CHOICES.get(faults[0])
    found = choose(candidate, catalog) if choose is not None else ()
    held = [value.text for part in candidate.query.where if isinstance(part, Holds) for value in part.values]
    if faults[0] == "ambiguous_name" and found and len(held) == 1:
        return either("ambiguous_value", held[0], candidate.tables, found)
    return abstention(faults[0], _about(candidate, catalog), candidate.tables, found)


def ambiguity(candidates: Sequence[Candidate], catalog: Catalog, *, sure: bool) -> Abstention | None:
    """The two columns that a word could mean as well the one as the other; None where there is no such word. Of a
    reading that is `sure` these are only columns of one table that the question does not tell apart at all."""
    first = candidates[0]
    for other in candidates[1:]:
        if (
            not is_covered(other.features)
            or other.query != first.query
            or first.score - other.score > (_ALIKE if sure else _AS_LIKELY)
        ):
            continue
        differing = [p for p, c in first.grounding.columns.items() if other.grounding.columns.get(p) != c]
        if len(differing) != 1:
            continue
        columns = [candidate.grounding.columns[differing[0]] for candidate in (first, other)]
        in_one = columns[0].table == columns[1].table and all(catalog.kind(c) != KEY for c in columns)
        if not sure or in_one or first.score == other.score:
            return _two_columns(differing[0], first, other, catalog)
    return None


def whose(candidates: Sequence[Candidate], catalog: Catalog) -> Abstention | None:
    """The tables that have what a question names and says nothing else of: "names". None where it says more."""
    first = candidates[0]
    said = [leaf for leaf in first.reading.leaves() if leaf.category in _SAYING]
    if len(said) != 1 or said[0].category != "COL":
        return None
    options: Sequence[tuple[ColumnRef, int]] = said[0].meaning.options
    best = [column for column, level in options if level == options[0][1]]
    if len({column.table for column in best}) < 2:
        return None
    words = " ".join(token.text for token in first.lattice.tokens[said[0].start : said[0].end])
    best += _called_like(words, best, first.tables, catalog)
    return either("ambiguous_column", words, first.tables, choices.of_columns(best, catalog))


def twins(candidates: Sequence[Candidate], catalog: Catalog) -> Abstention | None:
    """The two tables that a word could mean as well the one as the other, where the best reading of each is as likely:
    "orders" beside purchase orders and sales orders. None where there is no such word."""
    first = candidates[0]
    own = _tables_at(first)
    near = (
        _OTHER_PEOPLE if "item:somebody" in first.features else _AS_LIKELY if "table:rival" in first.features else 0.0
    )
    rivals = [c for c in candidates[1:] if near and is_covered(c.features) and first.score - c.score <= near]
    rivals = [c for c in rivals if len(c.tables) == len(first.tables)]
    for meant in map(_tables_at, rivals):
        for place in (place for place in own if place in meant and meant[place] != own[place]):
            said = " ".join(token.text for token in first.lattice.tokens[slice(*place)])
            tables = (own[place], *(at[place] for at in map(_tables_at, rivals) if place in at))
            return either("ambiguous_table", said, first.tables, choices.of_tables(tables, catalog))
    return None


def _tables_at(candidate: Candidate) -> dict[tuple[int, int], str]:
    """The tables that its words were read as, by their places."""
    return {(leaf.start, leaf.end): leaf.meaning for leaf in candidate.reading.leaves() if leaf.category in NAMING}


def _two_columns(part: Part, first: Candidate, other: Candidate, catalog: Catalog) -> Abstention:
    columns = [candidate.grounding.columns[part] for candidate in (first, other)]
    said = _words_of(part, first) if isinstance(part, Ref) else part.values[0].text
    if isinstance(part, Ref) and not part.implicit:
        columns += _called_like(said, columns, (*first.tables, *other.tables), catalog)
    reason = "ambiguous_column" if isinstance(part, Ref) else "ambiguous_value"
    if isinstance(part, Ref) and (part.implicit or not said):
        reason, said = "ambiguous_date" if catalog.kind(columns[0]) == DATE else "ambiguous_name", ""
    return either(reason, said, first.tables, choices.of_columns(columns, catalog))


def _called_like(said: str, columns: Sequence[ColumnRef], tables: Sequence[str], catalog: Catalog) -> list[ColumnRef]:
    """Further columns of the tables that are read whose names end in what was said, where these columns are called just
    so: the country that an order is shipped to, beside that of its customer."""
    words, kinds = key_of(said), {catalog.kind(column) for column in columns}
    if not words or any(catalog.column(column).words != words for column in columns):
        return []
    of_tables = (column for table in dict.fromkeys(tables) for column in catalog.table(table).columns)
    alike = (column.ref for column in of_tables if column.words[-len(words) :] == words)
    return [ref for ref in alike if ref not in columns and catalog.kind(ref) in kinds]


def _words_of(ref: Ref, candidate: Candidate) -> str:
    """The words that a column was read from; none where it was not named."""
    options = {column for column, _ in ref.options}
    for leaf in candidate.reading.leaves():
        if isinstance(leaf.meaning, Ref) and options <= {column for column, _ in leaf.meaning.options}:
            return " ".join(token.text for token in candidate.lattice.tokens[leaf.start : leaf.end])
    return ""


def _about(candidate: Candidate, catalog: Catalog) -> list[str]:
    """What is measured, or else the tables."""
    measured = [shown.of for shown in candidate.query.select if isinstance(shown, Measure)]
    columns = [candidate.grounding.columns.get(of) for of in measured if isinstance(of, Ref)]
    found = [catalog.column(column).readable for column in columns if column is not None]
    return found or [catalog.table(name).readable for name in candidate.tables]


def _left(candidate: Candidate) -> tuple[str, ...]:
    """The words that a reading leaves out."""
    spans = [range(leaf.start, leaf.end) for leaf in candidate.reading.leaves()]
    return _unplaced(candidate.lattice, {place for span in spans for place in span})


def _unplaced(lattice: Lattice, read: Iterable[int]) -> tuple[str, ...]:
    """The words of substance at other places than those that were read; of these only the ones that nothing is called,
    where there are any, and no "many" of "how many"."""
    placed = set(read)
    left = [place for place in range(lattice.size) if place not in placed and not is_read(lattice.skips[place].kinds)]
    nameless = [place for place in left if lattice.skips[place].kinds[0] in _NAMELESS]
    strange = [place for place in nameless if lattice.tokens[place].low not in english().everywhere]
    written = {fix.meant: fix.written for fix in lattice.fixes}
    texts = (lattice.tokens[place].text for place in strange or nameless or left)
    once = {text.lower(): written.get(text, text) for text in texts}
    said = [low for low in once if not classes_of(low) or not classes_of(low) <= _TIES]
    return tuple(once[low] for low in said or once)


def _unread(words: tuple[str, ...], catalog: Catalog, tables: tuple[str, ...]) -> Abstention:
    """The abstention over words that no reading has a place for: that are not known, or are known and out of place."""
    if not words:
        return abstention("no_reading", (), tables)
    known = all(word.lower() in english().everywhere or key_of(word) in catalog.words for word in words)
    return abstention("unclear_words" if known else "unplaced_words", words, tables)


def _failed(failure: Meaningless | None, tables: tuple[str, ...], catalog: Catalog) -> Abstention | None:
    if failure is None or failure.reason not in _sentences():
        return None
    return abstention(failure.reason, failure.about, tables, choices.of_roles(failure.roles, catalog))


def _named(lattice: Lattice) -> tuple[str, ...]:
    """The tables that the question names."""
    return tuple(dict.fromkeys(s.meaning for spans in lattice.spans for s in spans if s.category == "TABLE"))
