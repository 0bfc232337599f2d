"""Sorting: "sorted by age in descending order", "in alphabetical order of the name", "top 5 … by revenue"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft, SortWish
from askwell.sql.rules.grammar.terms import Term, term_at
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.query import Output
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.translation import Assumption
from askwell.sql.rules.words.phrases import Mark


@dataclass(slots=True)
class _Phrase:
    """A sort phrase while it is read."""

    end: int
    spans: list[int]
    terms: list[Output]
    assumptions: list[Assumption]
    descending: bool | None = None


def read_sorting(reader: Reader, draft: Draft) -> Iterator[Draft]:
    """All sort phrases of the question, taken together."""
    sentence = reader.sentence
    terms: list[Output] = []
    descending: bool | None = None
    found = False
    i = 0
    while i < len(sentence):
        if not _starts(reader, i):
            i += 1
            continue
        phrase = _phrase(reader, i)
        if phrase.descending is None and not phrase.terms:
            raise DeadEnd("sort_by_what", sentence.span(i).text)
        if terms and phrase.terms:
            raise DeadEnd("two_sorts", sentence.span(i).text)
        terms += phrase.terms
        descending = bool(descending) or bool(phrase.descending)
        draft = draft.take(*phrase.spans).assume(*phrase.assumptions)
        found = True
        i = phrase.end
    asked = [i for i in sentence.where(Mark.SORT) if sentence.span(i).low == "sort"]
    if asked and not found:
        raise DeadEnd("sort_by_what", sentence.span(asked[0]).text)
    if found:
        draft = draft.set(sort=SortWish(tuple(terms), bool(descending))).shaped("sort")
    yield draft


def _starts(reader: Reader, i: int) -> bool:
    sentence = reader.sentence
    span = sentence.span(i)
    if span.kind is Mark.DIRECTION:
        return True
    if span.kind is not Mark.SORT:
        return False
    if span.low == "by" and (term := term_at(reader, i + 1)) is not None:
        if sentence.kind(sentence.after(term.last)) is Mark.DIRECTION:
            return True  # but "average price by genre, highest first" groups by genre
    if span.low in ("according to", "with respect to"):
        return any(sentence.span(k).low == "sort" for k in range(i))
    if span.low in ("by", "order of"):
        return sentence.kind(sentence.before(i, Mark.AND, Thing.COMMA)) in (Mark.DIRECTION, Mark.SORT)
    if span.low in ("sorted", "ordered", "sort"):
        return sentence.kind(sentence.after(i, Thing.COMMA, Mark.OF)) in (Mark.DIRECTION, Mark.SORT)
    return True


def _phrase(reader: Reader, i: int) -> _Phrase:
    sentence = reader.sentence
    phrase = _Phrase(end=i, spans=[], terms=[], assumptions=[])
    j = i
    while j < len(sentence):
        span = sentence.span(j)
        if span.kind is Mark.DIRECTION:
            down = span.detail == "desc"
            if "young" in span.low and phrase.terms and _is_birth(reader, phrase.terms[0]):
                down = not down
            phrase.descending = down if phrase.descending is None else phrase.descending or down
            phrase.spans.append(j)
        elif span.kind is Mark.SORT and not (phrase.terms and span.low == "by"):
            phrase.spans.append(j)
        elif (
            sentence.light(j)
            or span.kind in (Mark.OF, Thing.STOP)
            or (span.kind in (Thing.COMMA, Mark.AND, Mark.ASK) and not phrase.terms)
        ):
            pass
        elif not phrase.terms and _is_shown_count(reader, j):
            phrase.terms.append(Output(aggregate="count"))
            phrase.spans.append(j)
        elif not phrase.terms and (term := term_at(reader, j)) is not None:
            j = _take(reader, phrase, term)
        else:
            break
        j += 1
    phrase.end = j
    return phrase


_COUNTS = frozenset({"number", "count", "quantity", "amount", "frequency", "numbers", "counts"})


def _is_shown_count(reader: Reader, i: int) -> bool:
    """ "accounts per industry, sorted by number": by how many there are, and by no column."""
    sentence = reader.sentence
    if sentence.span(i).low not in _COUNTS or sentence.span(i + 1).low == "of":
        return False
    named = (ref.table for ref, evidence in sentence.span(i).columns.items() if evidence <= Evidence.TRIMMED)
    if set(named) & set(sentence.tables):
        return False
    counted = any(span.kind is Mark.AGGREGATE and span.detail == "count" for span in sentence.spans[:i])
    return counted or any(span.kind is Mark.EACH for span in sentence.spans[:i])


def _take(reader: Reader, phrase: _Phrase, term: Term) -> int:
    """Take the first term, and a second one that ends the question. Returns the last span taken."""
    sentence = reader.sentence
    output = _sortable(reader, term)
    if output is None:
        if phrase.descending is None:
            raise DeadEnd("sort_by_what", sentence.span(term.last).text)
        return term.last
    phrase.terms.append(output)
    phrase.spans += term.spans
    phrase.assumptions += term.assumptions
    link = sentence.after(term.last, Thing.COMMA)
    if sentence.kind(link) is not Mark.AND or term.output.column is None:
        return term.last
    second = sentence.after(link, Mark.EACH)
    rest = [k for k in range(second + 1, len(sentence)) if not sentence.light(k)]
    ends = all(sentence.kind(k) in (Thing.STOP, Mark.DIRECTION) for k in rest)
    if not sentence.is_column(second) or not ends:
        return term.last
    choice = reader.choose(sentence.span(second).columns, second)
    phrase.terms.append(Output(choice.ref))
    phrase.spans += [link, second]
    phrase.assumptions += [*choice.assumptions, assumption("two_sorts")]
    return second


def _is_birth(reader: Reader, output: Output) -> bool:
    """Whether it is a birthday, by which the old come first in ascending order."""
    words = reader.column(output.column).words if output.column is not None else ()
    return any(word.startswith("birth") for word in words)


def _sortable(reader: Reader, term: Term) -> Output | None:
    """A table alone sorts by the name of its rows."""
    output = term.output
    if not term.is_table or output.aggregate == "count":
        return output
    label = reader.label(output.rows_of) if output.rows_of is not None else None
    return Output(label) if label is not None and output.aggregate is None else None
