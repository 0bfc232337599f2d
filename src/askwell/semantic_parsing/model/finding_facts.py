"""How what the rules know about a semantic model is found out, once for each model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from askwell.mdl.abbreviations import SchemaWords, ending_written_out, short_words
from askwell.mdl.semantic_model import (
    Cardinality,
    Column,
    ColumnRef,
    ColumnRole,
    SampledValues,
    SemanticModel,
    Table,
    TableKind,
)
from askwell.mdl.written_values import ISO_DATE, date_form, number_form
from askwell.question.short_names import noun_for
from askwell.question.words import Stems, plain_english, stem, stems
from askwell.semantic_parsing.model.facts import ColumnFacts, ColumnKind, ModelFacts, TableFacts
from askwell.semantic_parsing.model.measures import metrics_of
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.spelling import transliterated, without_accents
from askwell.sql.world import BY_NAME

_NUMERIC = re.compile(r"INT|REAL|FLOA|DOUB|NUMERIC|DECIMAL|NUMBER|MONEY|BIGNUM|SERIAL", re.IGNORECASE)
_TEMPORAL = re.compile(r"DATE|TIME", re.IGNORECASE)
_BOOLEAN = re.compile(r"BOOL|\bBIT\b", re.IGNORECASE)
_LOOKS_NUMERIC = re.compile(r"[-+]?[\d.,:/ -]*\d[\d.,:/ -]*%?")
# A time of day without a day, as databases write it.
_CLOCK = re.compile(r"[0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d+)?)?")
_SEPARATORS = (",", ";", "|", "/")
_SEPARATED = re.compile(r"[,;|/]")
_YES = ("1", "y", "yes", "t", "true")
_NO = ("0", "n", "no", "f", "false")
# Different values of a column of which some may be short for others, and letters that these leave out at least.
_FEW, _SHORTEST_REST = 20, 3


def facts_of(model: SemanticModel, values: SampledValues) -> ModelFacts:
    """Work the facts out. Cost grows with the number of columns and sampled values."""
    referring = {
        ref
        for r in model.relationships
        for left, right in r.pairs
        for ref in (ColumnRef(r.left, left), ColumnRef(r.right, right))
    }
    to_itself = {ColumnRef(r.left, left) for r in model.relationships if r.left == r.right for left, _ in r.pairs}
    links = {ref: ref in to_itself for ref in referring}
    tables: dict[str, TableFacts] = {}
    copies, schema_words = _copies(model), SchemaWords(model)
    for table in model:
        if table.name in copies or (table.base and all(c.role is ColumnRole.MEASURE for c in table.columns)):
            continue  # a metric without dimensions is one figure, and no rows
        names = _names(table, schema_words)
        columns = tuple(_column(table, one, _names(one, schema_words), links, values) for one in table.columns)
        if not columns:
            continue
        key = _key(table, model)
        person = _person(columns)
        label = _label(names[0], columns, person is not None)
        tables[table.name] = TableFacts(table, names, columns, key, label, person)
    by_ref = {column.ref: column for table in tables.values() for column in table.columns}
    relationships = tuple(
        r
        for r in model.relationships
        if r.left in tables
        and r.right in tables
        and r.left != r.right
        and all(ColumnRef(r.left, a) in by_ref and ColumnRef(r.right, b) in by_ref for a, b in r.pairs)
    )
    metrics = {metric.measure: metric for metric in metrics_of(model) if metric.table in tables}
    return ModelFacts(tables, by_ref, relationships, metrics, schema_words)


def facts_of_table(table: Table, model: SemanticModel) -> TableFacts | None:
    """The facts of one table, without looking at values; None for one that has no rows of its own."""
    links = tuple(r for r in model.relationships if table.name in (r.left, r.right))
    alone = SemanticModel(model.content_hash, model.data_source, {table.name: table}, links)
    return facts_of(alone, {}).tables.get(table.name)


def _copies(model: SemanticModel) -> frozenset[str]:
    """Tables without key and relationship whose columns are mostly there in tables with a key: the database's own
    views. They would make two of everything, and nobody knows what their rows are."""
    related = {name for r in model.relationships for name in (r.left, r.right)}
    keyed = {c.name.lower() for t in model if t.primary_key for c in t.columns}
    loose = [t for t in model if not t.primary_key and t.name not in related and t.kind is TableKind.MODEL]
    return frozenset(t.name for t in loose if 2 * sum(c.name.lower() in keyed for c in t.columns) >= len(t.columns))


def _key(table: Table, model: SemanticModel) -> ColumnRef | None:
    """The one column that tells rows apart: the primary key, else what relationships refer to as unique."""
    if table.primary_key:
        return ColumnRef(table.name, table.primary_key[0]) if len(table.primary_key) == 1 else None
    for r in model.relationships:
        if len(r.pairs) != 1:
            continue
        if r.right == table.name and r.cardinality in (Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_ONE):
            return ColumnRef(table.name, r.pairs[0][1])
        if r.left == table.name and r.cardinality in (Cardinality.ONE_TO_MANY, Cardinality.ONE_TO_ONE):
            return ColumnRef(table.name, r.pairs[0][0])
    return None


def _names(one: Table | Column, schema_words: SchemaWords) -> tuple[Stems, ...]:
    found: list[Stems] = []
    whole = " ".join(map(noun_for, schema_words.of(one.name)))
    texts = [text for text in (one.display_name, ending_written_out(whole), one.name, *one.synonyms) if text]
    for words in map(stems, (*texts, *map(transliterated, texts), whole)):
        if words and words not in found:
            found.append(words)
    return tuple(found) or ((one.name.lower(),),)


def _column(
    table: Table, column: Column, names: tuple[Stems, ...], links: Mapping[ColumnRef, bool], values: SampledValues
) -> ColumnFacts:
    ref = ColumnRef(table.name, column.name)
    kind = _kind(column)
    seen = values.get(ref, ()) or column.values
    sample = seen[:50]
    told = [value.strip() for value in seen if value.strip().lower() not in word_forms().blanks]
    numeric = bool(told) and all(map(_LOOKS_NUMERIC.fullmatch, told[:50]))
    iso = bool(sample) and all(map(ISO_DATE.match, sample))
    is_number = kind is ColumnKind.NUMBER
    written = None if iso else date_form(column.name, told, column.epoch, is_number=is_number)
    if kind is ColumnKind.DATE and sample and not iso and not column.values:
        kind = ColumnKind.TEXT  # a date that is written as people write it compares like text
    return ColumnFacts(
        ref=ref,
        column=column,
        names=names,
        kind=kind,
        is_key=len(table.primary_key) == 1 and table.primary_key[0] == column.name,
        is_reference=ref in links,
        numeric_text=kind is ColumnKind.TEXT and numeric,
        iso_text=kind is ColumnKind.TEXT and iso,
        number_form=number_form(told) if kind is ColumnKind.TEXT and not written else None,
        date_form=written,
        truth=_truth(seen) if kind is ColumnKind.TEXT else (),
        self_reference=links.get(ref, False),
        elements=_elements(seen) if kind is ColumnKind.TEXT else frozenset(),
        spellings=_spellings(seen) if kind is ColumnKind.TEXT else {},
        of_days=column.type.upper() == "DATE" or (bool(told) and all(map(ISO_DATE.fullmatch, told))),
        zero_or_one=is_number and set(seen) == {"0", "1"},
        clock=column.type.upper() == "TIME" or (bool(told) and all(map(_CLOCK.fullmatch, told))),
    )


def _spellings(seen: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """The values that differ by blanks, capitals or accents: "gold" and "Gold", "Luis" and "Luís"; and short ones of a
    few, with what they are short for: "Canc" and "Cancelled"."""
    alike: dict[str, list[str]] = {}
    for value in dict.fromkeys(seen):
        alike.setdefault(" ".join(without_accents(value).casefold().split()), []).append(value)
    for short in sorted(alike) if len(alike) <= _FEW else ():
        whole = [other for other in alike if _is_short_value(short, other)]
        if len(whole) == 1:
            alike[whole[0]] += alike.pop(short)
    return {value: tuple(same) for same in alike.values() if len(same) > 1 for value in same}


def _is_short_value(short: str, whole: str) -> bool:
    cut = short.removesuffix(".")
    if short != whole and any(short in one.codes for one in BY_NAME.get(whole, ())):  # "DE" beside "Germany"
        return True
    if short == whole or cut in short_words()["everyday"] | plain_english() or not cut.replace(" ", "").isalpha():
        return False
    rest = whole.removeprefix(cut)
    is_cut = rest != whole and rest.isalpha() and len(rest) >= _SHORTEST_REST
    return is_cut or whole in (f"in {cut}", f"on {cut}") or whole.replace("-", "") == cut


def _elements(seen: Sequence[str]) -> frozenset[str]:
    """What stands in lists: "Trailers,Deleted Scenes"."""
    lists = (value for value in seen if any(mark in value for mark in _SEPARATORS))
    return frozenset(part.strip().lower() for value in lists for part in _SEPARATED.split(value) if part.strip())


def _truth(seen: Sequence[str]) -> tuple[str, ...]:
    """The values that say yes, where a column of text holds nothing but words for yes and no."""
    low = {value.strip().lower() for value in seen} - set(word_forms().blanks)
    yes = tuple(value for value in seen if value.strip().lower() in _YES)
    if not low <= {*_YES, *_NO} or not (yes or low == {"0"}) or (low - {*_YES} == set() and len(low) > 1):
        return ()
    return yes or ("1",)


def _kind(column: Column) -> ColumnKind:
    if _TEMPORAL.search(column.type) and not column.epoch:
        return ColumnKind.DATE
    if _BOOLEAN.search(column.type):
        return ColumnKind.BOOLEAN
    if _NUMERIC.search(column.type) or (column.role is ColumnRole.MEASURE and not column.type):
        return ColumnKind.NUMBER
    return ColumnKind.TEXT


def _person(columns: Iterable[ColumnFacts]) -> tuple[ColumnRef, ColumnRef] | None:
    forms = word_forms()
    first = [c.ref for c in columns if c.words[-1:] == (stem("name"),) and forms.first_names & set(c.words[-2:-1])]
    last = [c.ref for c in columns if c.words[-1:] == (stem("name"),) and forms.last_names & set(c.words[-2:-1])]
    return (first[0], last[0]) if len(first) == len(last) == 1 else None


def _alien(column: ColumnFacts, table: Stems, columns: Sequence[ColumnFacts]) -> bool:
    """Whether a name is that of something else in the row: beside a ship name stand a ship city and a ship country,
    beside a contact name a contact title."""
    first = column.words[0]
    if first in table or len(column.words) < 2:
        return False
    return any(c is not column and len(c.words) > 1 and c.words[0] == first and not c.is_reference for c in columns)


def _label(table: Stems, columns: Sequence[ColumnFacts], is_person: bool) -> ColumnRef | None:
    name, title, detail = stem("name"), stem("title"), stem("detail")
    last, first = table[-1:], table[:1]
    patterns: list[Stems] = [(name,), (*table, name), (*last, name), (*first, name)]
    if not is_person:  # the title of somebody with a first and a last name is a job
        patterns += [(title,), (*table, title), (*last, title), table, last]
    texts = [c for c in columns if c.kind is ColumnKind.TEXT and not c.numeric_text]
    for pattern in patterns:
        for column in texts:
            if column.words == pattern:
                return column.ref
    whole = [c for c in texts if c.words[-1:] == (name,) and c.words[0] not in word_forms().part_names]
    named = [c for c in whole if not _alien(c, table, columns)]
    full = [c for c in named if stem("full") in c.words]
    named = full if len(full) == 1 else named
    if len(named) == 1 and not is_person:
        return named[0].ref
    if not is_person:
        for column in texts:
            if column.words in ((*table, detail), (*last, detail)):
                return column.ref
        rest = [c for c in texts if not c.is_key]
        if len(rest) == 1 and rest[0].words[-1] in word_forms().describing and rest[0].words[:-1] in (table, last, ()):
            return rest[0].ref
        # a client is the company
        called = [c for c in texts if len(c.words) == 1 and c.words[0] in word_forms().organizations]
        if len(called) == 1 and not called[0].is_reference:
            return called[0].ref
    return None
