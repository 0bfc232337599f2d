"""Superlatives that name no column: "the oldest", "the cheapest products", "hired first"."""

from __future__ import annotations

from collections.abc import Iterator

from askwell.question.stems import stem, stem_set
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft, Extreme
from askwell.sql.rules.facts import ColumnFacts
from askwell.sql.rules.query import Output
from askwell.sql.rules.reader import Choice, Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.timecolumns import says, verbs_of
from askwell.sql.rules.words.hints import ADJECTIVES


def adjective(reader: Reader, draft: Draft, i: int, count: int) -> Iterator[Draft]:
    sentence = reader.sentence
    direction, hints = ADJECTIVES[sentence.span(i).detail]
    descending = direction == "desc"
    j = sentence.after(i)
    draft = draft.take(i)
    if sentence.is_column(j) and not sentence.is_value(j):
        choice = reader.choose(sentence.span(j).columns, j)
        if not (reader.column(choice.ref).is_numeric or reader.column(choice.ref).is_date):
            raise DeadEnd("superlative_of_text", sentence.span(i).text, sentence.span(j).text)
        draft = draft.assume(*choice.assumptions)
        if is_head(reader, draft, i) and not any(sentence.table(k) for k in range(i)):
            aggregate = Output(choice.ref, "max" if descending else "min")
            yield draft.take(j).set(shown_extremes=(aggregate,)).shaped("aggregate")
        yield draft.take(j).set(extreme=Extreme("column", Output(choice.ref), descending, count)).shaped("superlative")
        return
    table = sentence.table(j) or sentence.main
    adverb = sentence.span(i).low.endswith("ly") or sentence.kind(j) in (Thing.STOP, Thing.END)
    at = next((k for k in range(i, -1, -1) if sentence.table(k) is not None), None)
    if adverb and at is not None:  # it belongs to what stands before it
        table = sentence.table(at)
    if table is None and sentence.is_value(j):
        held = {ref.table for ref in sentence.span(j).values}
        table = next(iter(held)) if len(held) == 1 else None
    choice, turned = hinted(reader, table, sentence.span(i).detail, hints)
    draft = draft.assume(*choice.assumptions)
    draft = draft.assume(assumption("adjective", sentence.span(i).text, reader.readable(choice.ref)))
    draft = draft.take(*verbs_of(reader, choice.ref))
    if adverb and at is not None:
        j = at
    ties = count == 1 and sentence.table(j) == choice.ref.table and sentence.span(j).low.endswith("s")
    extreme = Extreme("column", Output(choice.ref), descending != turned, count, ties)
    yield draft.set(extreme=extreme).shaped("superlative")


def hinted(reader: Reader, table: str | None, adjective: str, hints: tuple[str, ...]) -> tuple[Choice, bool]:
    """The column an adjective is about; `True` when a birthday stands for an age, which turns the order round."""
    if table is None and "date" in hints:
        told = [c for c in reader.facts.columns.values() if c.is_date and says(reader, c)]
        table = told[0].ref.table if len(told) == 1 else None
    if table is None:
        raise DeadEnd("adjective_of_what", adjective)
    columns = reader.facts.tables[table].columns
    if "date" in hints:  # the newest employee is not the youngest
        columns = tuple(c for c in columns if "birth" not in c.words or stem("birth") in reader.sentence.stems)
    by_hint = ([c for c in columns if stem(hint) in c.words] for hint in hints)
    found = next((fitting for fitting in by_hint if fitting), [])
    turned = False
    if not found and hints == ("age",):
        times = {stem("date"), stem("year"), stem("day")}
        found = [c for c in columns if "birth" in c.words and times & set(c.words)]
        found = found or [c for c in columns if c.words == (stem("birthday"),) or stem("birthdate") in c.words]
        turned = True
    if not found and "date" in hints:
        dates = [c for c in columns if c.is_date]
        found = dates if len(dates) == 1 else []
    if not found:
        raise DeadEnd("adjective_of_what", adjective)
    if len(found) > 1:
        found = _narrowed(reader, found, stem_set(frozenset(hints)))
        if len(found) > 1:
            raise DeadEnd("ambiguous_column", adjective, *(reader.readable(column.ref) for column in found))
        return Choice(
            found[0].ref, (assumption("ambiguous_adjective", adjective, reader.readable(found[0].ref)),)
        ), turned
    return Choice(found[0].ref), turned


def _narrowed(reader: Reader, found: list[ColumnFacts], hints: frozenset[str]) -> list[ColumnFacts]:
    """Of several columns that fit, the one whose other words are said, else the one that has no other words."""
    dates = all(column.is_date for column in found)
    said = [c for c in found if (says(reader, c) if dates else (set(c.words) - hints) & reader.sentence.stems)]
    if len(said) == 1:
        return said
    own = {*hints, *reader.facts.tables[found[0].ref.table].words}
    plain = [c for c in found if any(set(name) <= own for name in c.names)]
    return plain if len(plain) == 1 else found


def is_head(reader: Reader, draft: Draft, i: int) -> bool:
    """Whether nothing is asked for before the superlative, so that it is itself what is asked for."""
    sentence = reader.sentence
    return not any(
        (sentence.kind(j) is Thing.ENTITY and j not in draft.used)
        or sentence.span(j).low in ("which", "who", "whose", "with")
        for j in range(i)
    )
