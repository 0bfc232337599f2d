"""Which words may mean which table, column or cell value of one semantic model, and how good the evidence is."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from askwell.mdl.abbreviations import kept_of
from askwell.mdl.semantic_model import ColumnRef, SampledValues
from askwell.question.lexicon import english
from askwell.question.tokens import NO_TEXT
from askwell.question.words import Stems, plurals, stem, stems
from askwell.semantic_parsing.model.durations import AGE, NAME, duration_names
from askwell.semantic_parsing.model.facts import ColumnFacts, ColumnKind, ModelFacts, TableFacts
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.spelling import transliterated, without_accents

# Levels of evidence for a name, the best first.
LEVELS = EXACT, TRIMMED, PARTIAL, WEAK, SYNONYM = range(5)
Target = str | ColumnRef
ValueWords = tuple[str, ...]
Meanings = defaultdict[Stems, dict[Target, int]]
_APOSTROPHES = str.maketrans("’‘´`", "''''")
_VALUE_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# Words with a hyphen that people also write as one: "ebike".
_JOINED = 2
# What names of values mean nothing to: "with no deposit".
_YES_OR_NO = frozenset({"yes", "no", "true", "false", "none"})
_NOT_A_VALUE = re.compile(r"[\d.,:/ -]+")


def value_words(text: str) -> ValueWords:
    """How cell values and the question's words are brought together: lower-case words without punctuation."""
    return tuple(_VALUE_WORD.findall(text.translate(_APOSTROPHES).lower()))


@dataclass(frozen=True, slots=True)
class ModelNames:
    """The words of one model: what each name means, and how surely; its values, and those of genders. Read-only after
    `build`."""

    words: Mapping[Stems, Mapping[Target, int]]
    values: Mapping[ValueWords, Mapping[ColumnRef, str]]
    genders: Mapping[ColumnRef, tuple[str, ...]]

    @classmethod
    def build(cls, facts: ModelFacts, values: SampledValues) -> ModelNames:
        """All names, their usual short forms and synonyms, and all sampled values."""
        index = _value_index(facts, values)
        genders = {
            c.ref: tuple(values.get(c.ref, ())) or c.column.values
            for c in facts.columns.values()
            if {stem("sex"), stem("gender")} & set(c.words)
        }
        return cls(_with_synonyms(_own_names(facts), facts), index, genders)


def _own_names(facts: ModelFacts) -> Meanings:
    """What each name of the model itself means, and its short forms."""
    found: Meanings = defaultdict(dict)
    for key, table, evidence in _table_names(facts):
        found[key][table] = min(found[key].get(table, WEAK), evidence)
    for key, table in _people_in_roles(facts):
        found[key].setdefault(table, TRIMMED)
    taken = set(found)
    for key, table in _first_words(facts):
        if key not in taken:
            found[key].setdefault(table, PARTIAL)
    for column in facts.columns.values():
        for key, evidence in _column_names(column, facts) if column.formula is None else ():
            if evidence > EXACT and word_forms().function_words.issuperset(key):
                continue
            if evidence > EXACT and column.is_reference and key in taken:
                continue  # the customer of a hire is a customer
            found[key][column.ref] = min(found[key].get(column.ref, WEAK), evidence)
    if (people := _people(facts)) is not None and (stem("people"),) not in found:
        found[(stem("people"),)][people] = PARTIAL
    return found


def _table_names(facts: ModelFacts) -> Iterator[tuple[Stems, str, int]]:
    endings, prefixes = word_forms().table_endings, word_forms().table_prefixes | _modules(facts)
    for name, table in facts.tables.items():
        for words in table.names:
            yield words, name, EXACT
            if words[-1] in word_forms().groups:
                yield (*words, stem("member")), name, EXACT
            if len(words) == 1:
                continue
            if words[0] in prefixes:
                yield words[1:], name, TRIMMED
            if len(words) == 2 and words[-1] in endings:
                yield words[:1], name, TRIMMED
            yield words[-1:], name, PARTIAL


def _people(facts: ModelFacts) -> str | None:
    """The one table of people, by their first and last names."""
    found = [name for name, table in facts.tables.items() if table.person is not None]
    return found[0] if len(found) == 1 else None


def _modules(facts: ModelFacts) -> frozenset[str]:
    """First words that say which part of a system a table belongs to, where all tables begin with such a word:
    `crm_customer`, `crm_address`, `hr_employee`."""
    firsts = Counter(table.words[0] for table in facts.tables.values())
    long = all(len(table.words) > 1 for table in facts.tables.values())
    telling = len(firsts) < len(facts.tables) and len(facts.tables) > 2
    letters = {first for first, count in firsts.items() if len(first) == 1 and count > 1}  # T_CUSTOMER
    return frozenset(firsts if long and telling else letters)


def _first_words(facts: ModelFacts) -> Iterator[tuple[Stems, str]]:
    """The first word of a longer table name, where no other table starts with it."""
    prefixes = word_forms().table_prefixes | _modules(facts)
    firsts = Counter(table.words[0] for table in facts.tables.values() if len(table.words) > 1)
    for name, table in facts.tables.items():
        if len(table.words) > 1 and firsts[table.words[0]] == 1 and table.words[0] not in prefixes:
            yield table.words[:1], name


def _people_in_roles(facts: ModelFacts) -> Iterator[tuple[Stems, str]]:
    """What people a table holds, by the only such word before its own name in what refers to it: `cust_owner_id`."""
    roles: defaultdict[str, set[str]] = defaultdict(set)
    for r in facts.relationships:
        for table, other, (own, _) in ((r.right, r.left, pair) for pair in r.pairs):
            said = set(facts.columns[ColumnRef(other, own)].words[:-1])
            roles[table] |= said & word_forms().people - set(facts.tables[table].words)
    single = [(role, table) for table, found in roles.items() if len(found) == 1 for role in found]
    yield from (((role,), table) for role, table in single if [one for one, _ in single].count(role) == 1)


def _column_names(column: ColumnFacts, facts: ModelFacts) -> Iterator[tuple[Stems, int]]:
    table = facts.tables[column.ref.table]
    yield from _everyday_names(column, table)
    for words in column.names:
        yield words, EXACT
        yield from _label_names(words, column, table)
        yield from ((name, TRIMMED) for name in _turned(words, column, table))
        short = words
        if len(words) > 1 and words[0] in (table.words[-1], table.words[0]):
            short = words[1:]
            yield short, TRIMMED
        if len(short) > 1:
            yield from _shortened(short, column, facts)


def _everyday_names(column: ColumnFacts, table: TableFacts) -> Iterator[tuple[Stems, int]]:
    """What a column is called by nobody but people."""
    if column.words == (stem("title"),) and table.person is not None:
        yield from ((stems(text), TRIMMED) for text in word_forms().positions)
    if column.is_date and table.is_somebody and word_forms().leaving & set(column.words):
        yield stems("left"), TRIMMED
    if column.is_measure:  # "kg harvested"
        said = [text for text, unit in english().units.items() if unit == column.words[-1]]
        yield from ((stems(text), PARTIAL) for text in said)
    if column.is_date and not any(other.is_date for other in table.columns if other is not column):
        yield stems("date"), WEAK  # of `flown_on`
    if column.duration is not None and len(column.words) > 1:  # "running time" of `running_mins`
        yield (*column.words[:-1], stem("time")), TRIMMED
    elif column.duration is not None:
        yield from ((stems(text), PARTIAL) for text in word_forms().durations)
    if column.is_date or column.is_flag:
        yield from (((stem(verb),), TRIMMED) for verb in deeds_of(column.words[0]))


@cache
def deeds_of(short: str) -> frozenset[str]:
    """What was done that a word of a name is short for: "delivered" for `del`."""
    done = (verb for verb in english().verbs if verb.endswith(english().past_endings))
    return frozenset(verb for verb in done if kept_of(short, verb) is not None)


def _turned(words: Stems, column: ColumnFacts, table: TableFacts) -> Iterator[Stems]:
    """A name without the table's, with a word that people add, or turned round."""
    forms = word_forms()
    for table_words in table.names:
        if len(words) > len(table_words) and words[: len(table_words)] == table_words:
            yield words[len(table_words) :]
    if words[-1] not in forms.generic_endings | forms.computed_prefixes:
        added = forms.text_endings if column.kind is ColumnKind.TEXT else forms.number_endings
        yield from ((*words, ending) for ending in added - table.last_words)
    if words[-1] == stem("email"):
        yield (*words, stem("address"))
    if words[-1] in forms.numbered or words in (table.words, table.words[-1:]):
        yield (*words, stem("number"))
        yield (*words[-1:], stem("number"))
    if len(words) > 1 and words[-1] == "no":
        yield (*words[:-1], stem("number"))
    if len(words) == 2 and words[1] in forms.turned_endings:
        yield (words[1], "of", words[0])
    if len(words) == 3 and words[1] == "of":  # the "birth date"
        yield (words[2], words[0])
    if len(words) == 2 and column.is_measure:  # the "outstanding amount"
        yield (words[1], words[0])


def _label_names(words: Stems, column: ColumnFacts, table: TableFacts) -> Iterator[tuple[Stems, int]]:
    """A column called like its table holds the names of its rows, unless another one says so."""
    if column.kind is not ColumnKind.TEXT:
        return
    name = stem("name")
    if table.label == column.ref and words[-1:] == (name,) and len(words) > 1:
        yield (name,), PARTIAL
    if words not in (table.words, table.words[-1:]):
        return
    if not any(other.words in ((name,), (*table.words, name)) for other in table.columns):
        yield (*words, name), TRIMMED
        yield (name,), PARTIAL


def _shortened(words: Stems, column: ColumnFacts, facts: ModelFacts) -> Iterator[tuple[Stems, int]]:
    """A name of several words without some of them."""
    yield from _without_last(words, column, facts)
    yield from _without_first(words)
    generic, weak = word_forms().generic_endings, word_forms().weak_words
    if words[-1] != stem("id"):
        for word in words:
            if word not in generic and word not in weak and len(word) > 2:
                yield (word,), WEAK
    if len(words) > 2 and words[-2] not in weak:
        yield words[-2:], PARTIAL
    yield from (((head,), WEAK) for head in word_forms().head_words if head in words)


def _without_last(words: Stems, column: ColumnFacts, facts: ModelFacts) -> Iterator[tuple[Stems, int]]:
    identifier, number, name = stem("id"), stem("number"), stem("name")
    last, rest = words[-1], words[:-1]
    if len(last) == 1 and last.isalpha():  # `max_temperature_f`
        yield rest, TRIMMED
    if last in (name, number) or (len(rest) > 1 and word_forms().function_words.issuperset(words[-1:])):
        yield rest, PARTIAL  # also `took_off_at`
    elif last == identifier:
        if column.is_reference and not any(t.words[-1] == words[-2] for t in facts.tables.values()):
            yield rest, PARTIAL
    elif last in word_forms().generic_endings:
        others = {c.words for c in facts.tables[column.ref.table].columns}
        # beside a contact name a contact title is not what "contact" means
        yield rest, WEAK if (*rest, name) in others else TRIMMED


def _without_first(words: Stems) -> Iterator[tuple[Stems, int]]:
    """ "total sales" is asked for as "sales"."""
    if words[0] not in word_forms().computed_prefixes:
        return
    if bare := words[2:] if words[1] == "of" else words[1:]:
        yield bare, PARTIAL
    if words[0] == stem("number") and words[1] != "of":
        yield (words[0], "of", *words[1:]), EXACT


def _value_index(facts: ModelFacts, values: SampledValues) -> dict[ValueWords, dict[ColumnRef, str]]:
    index: dict[ValueWords, dict[ColumnRef, str]] = {}
    plain: list[tuple[ValueWords, ColumnRef, str]] = []
    for ref, column in facts.columns.items():
        for value in (*column.column.values, *values.get(ref, ())):
            if _NOT_A_VALUE.fullmatch(value.strip()) or NO_TEXT.search(value):
                continue
            words = value_words(value)
            if words:
                index.setdefault(words, {}).setdefault(ref, value)
                plain += [(value_words(way(value)), ref, value) for way in (without_accents, transliterated)]
                plain += [(("".join(words),), ref, value)] if {"-", "_"} & {*value} and len(words) == _JOINED else []
        for value, name in column.column.value_names.items():
            if (words := value_words(name)) and not _YES_OR_NO.issuperset(words):
                index.setdefault(words, {}).setdefault(ref, value)
                if len(words) == 2 and words[0].endswith(english().past_endings):  # "castings failed"
                    index.setdefault((plurals(words[1])[0], words[0]), {}).setdefault(ref, value)
        for element in sorted(column.elements):
            if words := value_words(element):
                index.setdefault(words, {}).setdefault(ref, element)
    _leave_to_others(index, facts)
    for words, ref, value in plain:  # after what is written just so
        if words:
            index.setdefault(words, {}).setdefault(ref, value)
    return index


def _leave_to_others(index: Mapping[ValueWords, dict[ColumnRef, str]], facts: ModelFacts) -> None:
    """Of what codes mean forget the table that lists them, where nothing is linked to it."""
    linked = {table for r in facts.relationships for table in (r.left, r.right)}
    for words, held in index.items():
        names = {ref: facts.columns[ref].column.value_names.get(text, "") for ref, text in held.items()}
        named = {ref for ref, name in names.items() if value_words(name) == words}
        for ref in [ref for ref in held if named and ref not in named and ref.table not in linked]:
            del held[ref]


def _with_synonyms(found: Meanings, facts: ModelFacts) -> Mapping[Stems, Mapping[Target, int]]:
    """Names with everyday words for their words, and what a table's label, number and times are called."""
    plain = english().function_words
    for words in [words for words in found if plain.issuperset(words) and not english().reached_dates & set(words)]:
        found[words] = {target: level for target, level in found[words].items() if level == EXACT}
    replaced: defaultdict[str, list[str]] = defaultdict(list)
    for word, others in english().synonyms.items():
        for other in others:
            replaced[other].append(word)
    for words, targets in list(found.items()):
        firm = {target: level for target, level in targets.items() if level <= PARTIAL}
        for place, word in enumerate(words):
            for said in replaced.get(word, ()) if firm else ():
                known = found[(*words[:place], said, *words[place + 1 :])]
                for target in firm:
                    known.setdefault(target, SYNONYM)
    for words, targets in found.items():
        if any(isinstance(target, str) and level == EXACT for target, level in targets.items()):  # no order value
            found[words] = {t: level for t, level in targets.items() if isinstance(t, str) or level < PARTIAL}
    _add_labels_and_durations(found, facts)
    return {words: targets for words, targets in found.items() if targets}


def _add_labels_and_durations(found: Meanings, facts: ModelFacts) -> None:
    for table in facts.tables.values():
        if (age := facts.columns.get(ColumnRef(table.table.name, AGE))) is not None and age.formula is not None:
            found[(stem(AGE),)].setdefault(age.ref, TRIMMED)
            found[(*table.words, stem(AGE))].setdefault(age.ref, TRIMMED)
        computed = facts.columns.get(ColumnRef(table.table.name, NAME))
        if computed is not None and computed.formula is not None:
            for words in duration_names(table):
                found[words].setdefault(ColumnRef(table.table.name, NAME), PARTIAL)
        number = found[(stem("number"),)]
        for column in table.columns if table.key is not None and table.key in number else ():
            if column.words in (table.words, table.words[-1:]) and column.kind is ColumnKind.NUMBER:
                # the number of a room is its `room`, beside an `id`
                others = {target: level for target, level in number.items() if target != table.key}
                found[(stem("number"),)] = others | {column.ref: PARTIAL}
                break
        if table.label is not None:
            found[(*table.words, stem("name"))].setdefault(table.label, TRIMMED)
        elif table.person is None:
            named = [c for c in table.columns if c.kind is ColumnKind.TEXT and c.words[-1:] == (stem("name"),)]
            for column in named if len(named) > 1 else ():  # a legal and a trading name: which one is "the name"?
                found[(stem("name"),)].setdefault(column.ref, TRIMMED)
                found[(*table.words, stem("name"))].setdefault(column.ref, TRIMMED)
