"""Which date or year a question is about when it names only a time: "orders last month"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from askwell.mdl.semantic_model import ColumnRef, TableKind
from askwell.question.stems import stem, stem_set, stems
from askwell.question.words import PERIODS
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd
from askwell.sql.rules.facts import ColumnFacts
from askwell.sql.rules.reader import Choice, Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.phrases import Mark
from askwell.sql.rules.words.verbs import EXISTENCE, SOLD

_DEALING = frozenset({"sell", "sold", "sales", "earn", "earned"})
_COMMON = frozenset({"date", "time", "at", "on", "day", "datetime", "timestamp", "id"})
# How rows of a table come into being: of an opening and a closing date the first one is the ticket's own.
_CREATION = frozenset(
    {"created", "creation", "create", "placed", "booked", "booking", "opened", "open", "issued", "issue", "registered"}
    | {
        "registration",
        "submitted",
        "posted",
        "filed",
        "raised",
        "received",
        "requested",
        "recorded",
        "logged",
        "started",
        "start",
    }
    | {"start", "ordered", "order", "entry", "added", "begin", "began", "from"}
)
_TECHNICAL = frozenset({"update", "updated", "modified", "modification", "changed", "synced", "loaded", "refreshed"})
_CALENDARS = frozenset({"date", "calendar", "day", "time"})


def year_column(reader: Reader, at: int) -> Choice | None:
    """The column of plain years that the year at `at` is about. That of a table which is not asked about is one only
    where its own words are said ("introduced in 2018"), or where nothing else has a time."""
    tables = reader.sentence.tables or tuple(reader.facts.tables)
    columns = [column for table in tables for column in _years(reader, table)]
    told = [column for column in columns if says(reader, column)]
    if len(told) == 1:
        return only_date(reader, told)
    asked = _asked(reader, at)
    own = [column for table in asked[:1] for column in _years(reader, table)]
    if own:
        return only_date(reader, _named_year(own))
    if any(_dates(reader, table) for table in asked):
        return None
    found = only_date(reader, _named_year(columns))
    if found is None or not asked or found.ref.table in asked:
        return found
    return _of_other(reader, found) if reader.column(found.ref).words == (stem("year"),) else None


def _years(reader: Reader, table: str) -> list[ColumnFacts]:
    year = stem("year")
    return [c for c in reader.facts.tables[table].columns if year in c.words and c.is_numeric and not c.is_date]


def _named_year(columns: Sequence[ColumnFacts]) -> Sequence[ColumnFacts]:
    """Those that are called year and nothing else, where there are any."""
    return [column for column in columns if column.words == (stem("year"),)] or columns


def _asked(reader: Reader, at: int) -> tuple[str, ...]:
    """The tables whose time may be meant at `at`, the likeliest first: that of the amounts; else of those mentioned and
    not only to group by, the main one right before it, or what belongs to others."""
    about = focus(reader)
    grouped = _grouped(reader)
    tables = tuple(table for table in about if table not in grouped) or about
    if not tables or tables[0] not in reader.sentence.tables:
        return tables
    timed = [table for table in tables if _dates(reader, table) or _years(reader, table)]
    before = [t for k in range(at - 1, -1, -1) if (t := reader.sentence.table(k)) is not None and t in timed]
    latest = [t for t in timed if not any(t in reader.parents((other,)) for other in timed if other != t)]
    first = before[:1] if before[:1] == [reader.sentence.main] else latest[:1]
    return tuple(dict.fromkeys([*first, *tables]))


def date_column(reader: Reader) -> Choice | None:
    """The date that the question tells, else that of what is measured, of what is mentioned, or of what that belongs
    to."""
    mentioned = [column for table in reader.sentence.tables for column in _dates(reader, table)]
    if not mentioned:  # "who was hired before 2003"
        mentioned = [column for table in reader.facts.tables for column in _dates(reader, table)]
        mentioned = mentioned if not reader.sentence.tables else []
    told = [column for column in mentioned if says(reader, column)]
    if len(told) == 1:
        return only_date(reader, told)
    for table in _tables(reader):
        dates = _dates(reader, table)
        if dates:
            said = [column for column in dates if says(reader, column)]
            if len(said) == 1:
                return only_date(reader, said)
            return only_date(reader, dates) if _is_own(reader, table) else _others_date(reader, dates)
    return None


def _is_own(reader: Reader, table: str) -> bool:
    """Whether the dates of a table are those of what is asked for: it is that, its document, or a calendar."""
    about, trade = focus(reader), reader.facts.trade
    document = trade is not None and trade.document == table
    calendar = bool(stem_set(_CALENDARS) & set(reader.facts.tables[table].words))
    return not about or table in about or document or calendar or _is_said(reader, table)


def _others_date(reader: Reader, dates: Sequence[ColumnFacts]) -> Choice | None:
    """The plain date of a table that is not asked about; when a shop was founded is no time of its employees."""
    plain = _plain_dates(reader, dates)
    return _of_other(reader, Choice(plain[0].ref)) if len(plain) == 1 else None


def _of_other(reader: Reader, choice: Choice) -> Choice:
    return Choice(choice.ref, (assumption("time_of_other", "", reader.readable(choice.ref)),))


def no_date(reader: Reader, text: str) -> DeadEnd:
    """Why there is no date that the period `text` could be about: there is none, or there are several."""
    dates = [c.ref for table in focus(reader)[:2] for c in _dates(reader, table)]
    if len(dates) > 1:
        return DeadEnd("ambiguous_date", text, *(reader.readable(ref) for ref in dates[:4]))
    return DeadEnd("no_date", text)


def told_date(reader: Reader, tables: Iterable[str]) -> Choice | None:
    """The one date of these tables whose own words the question uses."""
    told = [column for table in tables for column in _dates(reader, table) if says(reader, column)]
    return only_date(reader, told) if len(told) == 1 else None


def _dates(reader: Reader, table: str) -> list[ColumnFacts]:
    """The dates of a table, without those that only say when a row was written."""
    dates = [column for column in reader.facts.tables[table].columns if column.is_date]
    technical = stem_set(_TECHNICAL)
    return [column for column in dates if not technical & set(column.words) or says(reader, column)]


def says(reader: Reader, column: ColumnFacts) -> bool:
    """Whether the question uses the words that tell this date from others: "shipped last month"."""
    spans = (span for span in reader.sentence.spans if span.kind is not Mark.ASK)
    others = (span for span in spans if not span.columns or column.ref in span.columns)
    return bool(telling_words(reader, column) & {word for span in others for word in stems(span.text)})


def telling_words(reader: Reader, column: ColumnFacts) -> frozenset[str]:
    """The words of a date's name that are not its table's and not mere words for time."""
    return frozenset(column.words) - stem_set(_COMMON | {"year"}) - set(reader.facts.tables[column.ref.table].words)


def verbs_of(reader: Reader, ref: ColumnRef) -> tuple[int, ...]:
    """Where the verb stands that says which date is meant: "were launched most recently"."""
    sentence = reader.sentence
    words = reader.column(ref).words
    verbs = (k for k in range(len(sentence)) if sentence.span(k).low.endswith("ed") and sentence.table(k) is None)
    named = (k for k in verbs if sentence.kind(k) in (Thing.ENTITY, Thing.UNKNOWN) and not sentence.is_value(k))
    return tuple(k for k in named if ref in sentence.span(k).columns or stem(sentence.span(k).low) in words)


def focus(reader: Reader) -> tuple[str, ...]:
    """The tables a question is about: of the amounts named, those mentioned, of other columns named."""
    sentence = reader.sentence
    named = [
        reader.column(reader.choose(sentence.span(i).columns, i).ref)
        for i in sentence.where(Thing.ENTITY)
        if sentence.is_column(i) and not sentence.is_value(i) and sentence.span(i).low not in PERIODS
    ]
    amounts = [column.ref.table for column in named if column.is_measure]
    return tuple(dict.fromkeys([*amounts, *sentence.tables, *(column.ref.table for column in named)]))


def _tables(reader: Reader) -> Iterator[str]:
    """Tables to look for a date in: those the question is about, and then their neighbours."""
    about = focus(reader)
    trade = reader.facts.trade
    if trade is not None and trade.document is not None:
        sold = any(span.low in SOLD for span in reader.sentence.spans) and set(trade.goods) & set(about)
        ours = not about and any(span.low in _DEALING for span in reader.sentence.spans)
        if trade.line in about or sold or ours:
            yield trade.document  # what was sold was sold when it was ordered
    grouped = _grouped(reader)
    tables = tuple(table for table in about if table not in grouped) or about
    dated = [table for table in tables if _dates(reader, table)]
    # "customers with orders in 2024": what is done has the time, and not the one who does it
    latest = [t for t in dated if not any(t in reader.parents((other,)) for other in dated if other != t)]
    amount = [table for table in latest[:1] if table == about[0] and table not in reader.sentence.tables]
    if len(latest) > 1 and not amount:
        return  # nobody knows whose date is meant
    yield from latest
    for table in tables:
        others = [
            other
            for other in dict.fromkeys(reader.beside((table,)))
            if other not in grouped
            and (other in reader.parents((table,)) or _is_said(reader, other))
            and reader.facts.tables[other].table.kind is TableKind.MODEL
            and _dates(reader, other)
        ]
        calendars = [other for other in others if stem_set(_CALENDARS) & set(reader.facts.tables[other].words)]
        others = calendars or others
        if len(others) > 1 and not any(says(reader, c) for t in others for c in _dates(reader, t)):
            return  # nobody knows whose date is meant
        yield from others


def _is_said(reader: Reader, table: str) -> bool:
    """ "customers who ordered in May": a verb that the table is called by."""
    words = reader.facts.tables[table].words
    return any(len(word) > 3 and any(w.startswith(word) for w in words) for word in reader.sentence.stems)


def refuse_untold(reader: Reader, i: int, ref: ColumnRef) -> None:
    """ "stations installed in 2014", where the date is not the one that the verb before the time at `i` says."""
    sentence = reader.sentence
    at = sentence.before(i, Mark.OF, Mark.WHEN)
    verb = next((k for k in range(max(at, i - 3), i) if sentence.span(k).loose_verb), None)
    if verb is None or not sentence.span(verb).low.endswith("ed"):
        return
    word = stem(sentence.span(verb).low)
    column, table = reader.column(ref), reader.facts.tables[ref.table]
    own = {*column.words, *table.words}
    if word in own or sentence.span(verb).low in _CREATION | SOLD | EXISTENCE or _is_said(reader, ref.table):
        return
    named = (c for t in sentence.tables for c in reader.facts.tables[t].columns)
    if any(w.startswith(word[:6]) for c in named if len(word) > 4 for w in c.words):
        raise DeadEnd("unplaced_words", sentence.span(verb).text)


def _grouped(reader: Reader) -> frozenset[str]:
    """The tables that are only there to group by: "sales by store in 2024" is not about when the store opened."""
    sentence = reader.sentence
    places = [i for i in range(len(sentence)) if sentence.table(i) is not None]
    groups = {i for i in places if _groups(reader, sentence.before(i, Mark.OF, Mark.DISTINCT))}
    others = {sentence.table(i) for i in places if i not in groups}
    return frozenset(t for i in groups if (t := sentence.table(i)) is not None and t not in others)


def _groups(reader: Reader, i: int) -> bool:
    sentence = reader.sentence
    by = sentence.span(i + 1).low == "by" or sentence.span(i).low == "by"
    return by or sentence.kind(i) is Mark.EACH


def only_date(reader: Reader, columns: Sequence[ColumnFacts]) -> Choice | None:
    """The only column, or the plain one among several: the order date of orders, not when they were shipped."""
    if not columns:
        return None
    if len(columns) == 1:
        return Choice(columns[0].ref, (assumption("implicit_time", "", reader.readable(columns[0].ref)),))
    plain = _plain_dates(reader, columns)
    if len(plain) != 1:
        return None
    return Choice(plain[0].ref, (assumption("several_times", "", reader.readable(plain[0].ref)),))


def _plain_dates(reader: Reader, columns: Sequence[ColumnFacts]) -> Sequence[ColumnFacts]:
    """Those of a table's dates that are called no more than that, else those that say how its rows come into being."""
    own = {*stem_set(_COMMON), *reader.facts.tables[columns[0].ref.table].words}
    plain = [c for c in columns if any(set(name) <= own for name in c.names)]
    return plain or [c for c in columns if any(set(name) <= own | stem_set(_CREATION) for name in c.names)]
