"""Words against the statement: filters, numbers and values that nothing asked for, and those of the question that
nothing stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from difflib import get_close_matches

from sqlglot import exp

from askwell.checking.finding import Finding, Severity, finding
from askwell.checking.operators import ENDS, FIGURES
from askwell.checking.question import AskedWords, cues, flat_letters, is_a_day
from askwell.checking.shape import is_name
from askwell.checking.statement import Written, named
from askwell.checking.values import ValueIndex, is_state
from askwell.mdl.names import is_left_of, listed, singular
from askwell.mdl.names import words as words_of
from askwell.mdl.semantic_model import Column, ColumnRef, Table, names_of
from askwell.mdl.types import TypeFamily, type_family
from askwell.mdl.units import unit_of_name, without_unit
from askwell.question.lexicon import english, stems_alike
from askwell.question.periods import SURELY_YEARS
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import EVERYDAY, plain_english, stems
from askwell.semantic_parsing.model.names import value_words

_SHORTEST_NAME, _LONGEST_CODE, _LONG, _FEW = 3, 4, 5, 4
# "2026", "10.2026" and "10/2026"
_MONTH_OR_YEAR = re.compile(r"(?:\d\d?[./-])?(?:19|20)\d\d")
# Classes of phrases that say what is compared, added up or ranked.
_ABOUT = ("ADJECTIVE", "COMPARE_BY", "HOW", "MONEY", "SPENT", "PRICED", "IN_TIME", "SPENDER", "CURRENCY", "WHEN")


def words(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Filters, columns and keys that no word asks for, and words, numbers and values that are not used."""
    yield from _unasked_filters(asked, written, index)
    yield from _unused_numbers(asked, written)
    yield from _unused_values(asked, written)
    yield from _unused_columns(asked, written)
    yield from _unasked_columns(asked, written)
    yield from _unasked_orders(asked, written, index)


def _unasked_filters(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Conditions whose column and value are both not in the question. Where it has a word that nothing stands for, that
    may be what one is for."""
    has_unknown = any(_has_substance(token) for token in _left_over(asked, written))
    for part in written.filters:
        column, text = written.column(part.ref), written.text(part.node)
        strange = [
            one for one in part.values if column and not (_is_asked(one, column, asked) or _is_period(one, asked))
        ]
        if column is None or not strange:
            continue
        first = strange[0].name
        is_some = isinstance(part.node, exp.In) and len(strange) < len(part.values) and not asked.cue("NOT")
        is_some = is_some and not written.has(exp.Div, exp.Avg)
        if is_some and strange[0].is_string and not _is_code(first) and not first.isupper():
            yield finding("value_unasked", sql=text, value=first)
        elif _gender(strange[0], column):
            yield finding("filter_unasked", sql=text)
        elif is_state(part, index):
            # "live", "unpaid" and "still" are seldom values, and that void rows do not count is seldom said.
            yield finding("state_read", sql=text)
        elif not _is_meant(column, asked) and not (strange[0].is_string and _is_code(first)):
            is_doubt = has_unknown or first == "0" or index.is_small(part.ref)
            yield finding("filter_unasked", sql=text, severity=Severity.DOUBT if is_doubt else None)
        elif all(value.is_string for value in strange) and not _is_code(first):
            yield finding("value_unasked", sql=text, value=first)
        elif not strange[0].is_string and first not in ("0", "1"):
            yield finding("number_unasked", sql=text, value=first)


def _is_period(value: exp.Literal, asked: AskedWords) -> bool:
    """Whether a value is a date, or a pattern for the days of a period ("%.2026") where the question says one."""
    bare = value.name.strip("%_./- ")
    is_pattern = bare != value.name and bool(is_a_day(bare) or _MONTH_OR_YEAR.fullmatch(bare))
    return is_a_day(value.name) or (is_pattern and bool(cues().first(asked, "time")))


def _is_asked(value: exp.Literal, column: Column, asked: AskedWords) -> bool:
    """Whether the question says a value, or words that may stand for a number ("a hundred thousand") or for several
    texts ("weekend")."""
    if gender := _gender(value, column):
        return any(token.low in gender for token in asked.tokens)
    if not asked.stems.isdisjoint(stems(column.value_names.get(value.name, ""))):
        return True
    said = cues().first(asked, "several_texts" if value.is_string else "numeral")
    return _value_is_asked(value, asked) or bool(said)


def _gender(value: exp.Literal, column: Column) -> set[str]:
    """The words that ask for a gender, where a value is one."""
    genders = english().genders if named(column) & cues().stems["gender"] else {}
    return {word for word, written in genders.items() if value.name.lower() in written}


def _value_is_asked(value: exp.Literal, asked: AskedWords) -> bool:
    text = value.name.strip("%").lower()
    if not value.is_string:
        return _number_is_asked(text, asked)
    flat = flat_letters(text)
    if not flat or text in asked.numbers or ((len(flat) > 2 or not text.isascii()) and flat in asked.flat):
        return True
    mine = stems(text)
    if len(flat) > _LONG and get_close_matches(flat, [token.low for token in asked.tokens], cutoff=0.85):
        return True  # misspelt
    if asked.is_short_for(text) or not asked.stems.isdisjoint(mine):
        return True
    return any(len(stem) > 3 and one.startswith(stem[:4]) for stem in mine for one in asked.stems)


def _number_is_asked(text: str, asked: AskedWords) -> bool:
    try:
        value = float(text)
    except ValueError:
        return False
    near = {text, text.removesuffix(".0"), *(f"{value + step:g}" for step in (-1, 0, 1))}
    said = {one.rstrip("0") if "." in one else one for one in asked.numbers}  # "2.50"
    return bool(near & (asked.numbers | said)) or (len(text) > 1 and text in asked.flat)


def _is_code(text: str) -> bool:
    return len(text) <= 2 or (len(text) <= _LONGEST_CODE and any(character.isdigit() for character in text))


def _is_meant(column: Column, asked: AskedWords) -> bool:
    """Whether a word asks for such a column, or "oldest", "cheaper than" or "how long" is about it."""
    said = [meaning for cue in asked.cues for category, meaning in cue.meanings if category in _ABOUT]
    return _column_is_asked(column, asked) or not named(column).isdisjoint(stem for one in said for stem in stems(one))


def _column_is_asked(column: Column, asked: AskedWords) -> bool:
    names = named(column) - cues().stems["anything"] or named(column)
    if asked.stems & names or any(_stands_in(name, asked) for name in names_of(column)):
        return True
    if not names.isdisjoint(stem for token in asked.tokens for stem in _without_negation(token.low)):
        return True
    if any(asked.is_clipped(word) for word in words_of(column.name)) or asked.is_part_of(flat_letters(column.name)):
        return True
    synonyms = english().synonyms
    return any(set(synonyms.get(stem, ())) & names for stem in asked.stems) or _stems_akin(names, asked.stems)


def _stands_in(name: str, asked: AskedWords) -> bool:
    """Whether a name stands in the question as it is, however it is spaced; also one of other letters than Latin."""
    flat = flat_letters(name)
    return flat in asked.flat and (len(flat) > _SHORTEST_NAME or not flat.isascii())


def _without_negation(word: str) -> tuple[str, ...]:
    """The stems of a word without the beginning that turns it round: "inactive" is about "active"; and of what someone
    does who is called by it: "spenders" spend."""
    beginning = next((one for one in english().negations if word.startswith(one) and len(word) > len(one) + 2), "")
    return stems(word.removeprefix(beginning) if beginning else singular(word).removesuffix(cues().endings["doer"][0]))


def _stems_akin(some: Set[str], known: Set[str]) -> bool:
    """Whether stems of two sets are of words that mean nearly the same."""
    return any(group & some and group & known for group in stems_alike())


def _unused_numbers(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Numbers of the question that are nowhere in the statement."""
    text = written.text(written.tree).lower()
    digits = {literal.name for literal in written.literals}
    for token in asked.tokens:
        number = token.text.removesuffix(".0")
        if not number.replace(".", "", 1).isdigit() or number in ("0", "1"):
            continue
        value = float(number)
        near = {
            number,
            *(f"{one:g}" for one in (value - 1, value, value + 1, value * 1000, value / 100, value / 1000, value / 24)),
        }
        if near & digits or any(re.search(rf"(?<!\d){re.escape(one)}(?!\d)", text) for one in near):
            continue
        if int(value) in SURELY_YEARS and (_has_group_by_date(written) or any(number[-2:] in one for one in digits)):
            continue  # each year has its row, or a term is called A26
        days = [one for one in digits if is_a_day(one)]
        if any(number in day for day in days) or (days and asked.counts_periods(token)):
            continue
        if asked.is_of_month(token) and (days or not digits.isdisjoint({"now", *map(str, SURELY_YEARS)})):
            continue
        is_of_code = re.search(rf"[^\W\d]-{re.escape(token.text)}\b", asked.text) is not None
        yield finding("number_unused", number, severity=Severity.DOUBT if is_of_code else None)


def _has_group_by_date(written: Written) -> bool:
    """Whether each day, month or year has a row of its own."""
    group = written.clause("group")
    nodes = [*group.expressions, *(one for one in written.items if not one.find(exp.AggFunc))] if group else []
    dated = cues().stems["date"] | cues().stems["year"]
    return any(dated & set(stems(ref.column)) for node in nodes for ref in written.refs_in(node))


def _unused_values(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """What stands in quotes in the question and nowhere in the statement."""
    text = flat_letters(written.text(written.tree))
    is_code = any(asked.is_short_for(one.lower()) for one in written.texts)
    for token in asked.tokens if not is_code else ():
        if token.kind is TokenKind.QUOTED and flat_letters(token.text) not in text:
            yield finding("value_unused", token.text)


def _unused_columns(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Columns of the tables that are read, which the question names in full and the statement does not use."""
    if any(isinstance(item, exp.Star) for select in written.tree.find_all(exp.Select) for item in select.expressions):
        return
    spoken = {singular(token.low) for token in asked.tokens}
    held = {word for text in written.texts for word in value_words(text)}
    used = [_spoken(column) for column in written.read]
    read = {ref.column.lower() for ref in written.columns}
    figures = [cue for cue in asked.cues if cue.may_be("AGGREGATE", "COUNT")]
    spoken -= {singular(word) for kind in ("compound", "included") for word in words_of(cues().first(asked, kind))}
    general = (
        cues().words["anything"]
        | cues().words["before_a_year"]
        | {singular(word) for cue in figures for word in cue.words.split()}
    )
    asks_when = asked.stems & cues().stems["surely_date"] or cues().first(asked, "when")
    for table in written.tables:
        for column in table.columns:
            core = _spoken(column) - written.model.table_words - english().function_words - general
            if column.name.lower() in read or not core or not core <= spoken or core & held:
                continue
            if core != _spoken(column) and (len(core) == 1 or ColumnRef(table.name, column.name) in written.keys):
                continue  # "at home" is no home_branch, and honey no honey_type
            is_amount = type_family(column.type) is TypeFamily.NUMBER
            if is_amount and (core & cues().words["taxes"] or any(_is_left_out(word, asked) for word in core)):
                continue  # a net amount is one without VAT
            is_verb = any(map(_is_verb, core)) and flat_letters(column.name) not in core
            is_verb |= bool(named(column) & cues().stems["date"]) and not asks_when  # "lent" and lent_on
            if any(core <= names for names in used) or _are_counted(core, asked, written.model.table_words) or is_verb:
                continue
            name = column.display_name or column.name
            yield finding("column_unused", " ".join(sorted(core)), name=name, table=table.name)


def _is_left_out(word: str, asked: AskedWords) -> bool:
    """Whether a negation stands a few words before a word: "without the booking fee"."""
    after = [asked.tokens[cue.end : cue.end + _FEW] for cue in asked.cues if cue.may_be("NOT")]
    return any(singular(token.low) == word for tokens in after for token in tokens)


def _is_verb(word: str) -> bool:
    """Whether a word says what was done rather than what something is."""
    lexicon = english()
    return word in lexicon.verbs or (len(word) > 4 and word.endswith(lexicon.past_endings))


def _are_counted(core: set[str], asked: AskedWords, tables: frozenset[str]) -> bool:
    """Whether the words stand behind "how many" or "most", so that rows stand for them; not where they say which of
    the rows of a table: "how many active members"."""
    found = [cue for cue in asked.cues if cue.may_be("COUNT", "SUPERLATIVE", "COMMON")]
    behind = [[singular(token.low) for token in asked.tokens[cue.end : cue.end + 2]] for cue in found]
    return any(core.intersection(two) and not (two[0] in core and tables.intersection(two[1:])) for two in behind)


def _spoken(column: Column) -> set[str]:
    """The words of a column's name, in the singular and without its unit."""
    name = column.display_name or column.name
    unit = column.unit or unit_of_name(name, ())
    return {singular(word) for word in (without_unit(words_of(name), unit) if unit else words_of(name))}


def _unasked_columns(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Columns that are shown, or that a figure is made of, and that no word asks for; and columns shown twice."""
    figures = [(node, written.ref(_counted(node))) for node in written.tree.find_all(exp.AggFunc)]
    is_figure_asked = asked.cue(*FIGURES, *ENDS) is not None
    specified = _specified_tables(asked, written)
    shown = list(zip(written.items, written.shown, strict=True))
    bare = [column for ref in written.shown if (column := written.column(ref)) is not None]
    if len(bare) < len(shown) or any(_is_meant(one, asked) or _is_display(one, written) for one in bare):
        shown = []  # what was asked for is among them
    for item, ref in (*shown, *figures):
        column, is_figure = written.column(ref), isinstance(item, exp.AggFunc)
        if column is None or ref is None or (is_figure_asked if is_figure else ref.table not in specified):
            continue  # things are asked for, and columns that tell of them are shown
        is_key = ref in written.keys or _is_key_like(column)
        is_count = isinstance(item, exp.Count) and not isinstance(item.this, exp.Distinct)
        if is_key or is_count or _is_display(column, written):
            continue
        is_measure = isinstance(item, exp.Sum) and named(column) & cues().stems["measures"]
        is_said = cues().stems["taxes"] & asked.stems or not _has_sibling(column, written.model.table(ref.table))
        if is_measure and is_said:
            continue  # "the longest" is by minutes, and "what we invoiced" is an amount
        if not _is_meant(column, asked):
            yield finding("column_unasked", sql=written.text(item))
    texts = [written.text(item.unalias()) for item, ref in zip(written.items, written.shown, strict=True) if ref]
    if twice := next((text for text in texts if texts.count(text) > 1), None):
        yield finding("shown_twice", sql=twice)


def _has_sibling(column: Column, table: Table | None) -> bool:
    """Whether another column has a word of its name, so that one of both has to be named: net and gross amount."""
    others = (one for one in (table.columns if table is not None else ()) if one is not column)
    return any(set(stems(column.name)) & set(stems(one.name)) for one in others)


def _is_display(column: Column, written: Written) -> bool:
    """Whether a column says which row it is, as a name does: `title`, `authorname` of authors."""
    ref = next((ref for ref in written.shown if written.column(ref) is column), None)
    if named(column) & cues().stems["display"] or (ref is not None and is_name(ref, written)):
        return True
    rows = [singular(flat_letters(table.name)) for table in written.model]
    return any(flat_letters(column.name) == f"{row}{end}" for row in rows for end in cues().words["display"])


def _specified_tables(asked: AskedWords, written: Written) -> set[str]:
    """Tables with columns that the question names and that are shown, or not read at all."""
    known = asked.stems.difference(cues().stems["anything"], *map(named, written.tables))
    columns = [(table.name, column) for table in written.tables for column in table.columns if known & named(column)]
    elsewhere = written.columns.difference(written.shown)
    return {table for table, column in columns if ColumnRef(table, column.name) not in elsewhere}


def _counted(node: exp.Expr) -> exp.Expr | None:
    inner: exp.Expr | None = node.this
    return inner.expressions[0] if isinstance(inner, exp.Distinct) and inner.expressions else inner


def _unasked_orders(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Keys that the statement sorts or compares by, and columns that it groups by, where no word asks for them."""
    for node in written.tree.find_all(exp.Ordered, exp.GT, exp.GTE, exp.LT, exp.LTE):
        ref, text = written.ref(node.this), written.text(node)
        column = written.column(ref)
        is_key = column is not None and ref in written.keys and (_is_key_like(column) or ref in written.sure_keys)
        if is_key and not named(column) & asked.stems:
            is_last = node.arg_key == "expressions" and bool(node.index)  # what makes an order certain
            is_order = isinstance(node, exp.Ordered) and (is_last or not written.has(exp.Limit))
            yield finding("key_compared", sql=text, severity=Severity.NOTE if is_order else None)
    group = written.clause("group")
    for node in group.expressions if group is not None else ():
        ref = written.ref(node)
        column = written.column(ref)
        if column is None or ref is None or ref in written.keys or _says_values_of(ref, asked, index):
            continue
        is_shown = ref in written.shown and _names_what_is_asked(ref, asked, written)
        if not is_shown and not _column_is_asked(column, asked) and not _is_key_like(column):
            yield finding("group_unasked", sql=written.text(node), ref=ref)


def _says_values_of(ref: ColumnRef, asked: AskedWords, index: ValueIndex) -> bool:
    """Whether the question has values of a column with few: "by cash or card"."""
    said = {word for token in asked.tokens for word in (token.low, singular(token.low))}
    return index.is_small(ref) and any(set(value_words(text)) <= said for text in index.texts[ref])


def _is_key_like(column: Column) -> bool:
    return flat_letters(column.name).endswith(cues().endings["key"])


def _names_what_is_asked(ref: ColumnRef, asked: AskedWords, written: Written) -> bool:
    """Whether a column is of a table that the question names, or says which of its rows is meant."""
    is_name = named(written.column(ref)) & cues().stems["display"]
    return bool(is_name or named(written.model.table(ref.table)) & asked.stems)


def unaccounted(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """A note with the words of substance that stand for no name, value or operator of the statement; a doubt where
    one is a person's or something's name, or what a table is called."""
    left = [token for token in _left_over(asked, written) if _has_substance(token)]
    is_short = any(asked.is_short_for(text.lower()) for text in written.texts)  # CA stands for California
    names = dict.fromkeys(token.text for token in left if not is_short and _is_proper(token, asked))
    if names:
        yield finding("name_left", " ".join(names), listed=listed(f"“{name}”" for name in names))
    reads_another = not any(named(table) & asked.stems for table in written.tables)
    for token in left if reads_another else ():
        if (table := _called(token, written)) is not None:
            yield finding("table_forgotten", token.text, table=table.name)
    said = dict.fromkeys(token.text for token in left)
    if said:
        yield finding("words_left", " ".join(said), listed=listed(f"“{word}”" for word in said))


def _left_over(asked: AskedWords, written: Written) -> list[Token]:
    """The words that stand for no name, value or operator of the statement."""
    texts = [*(ref.column for ref in written.columns), *(table.name for table in written.tables)]
    names = {word for text in texts for word in words_of(text) if len(word) > 1}
    values = flat_letters(" ".join(literal.name for literal in written.literals))
    known = written.stems | written.described
    operators = {place for cue in asked.cues for place in range(cue.start, cue.end)}
    return [
        token
        for place, token in enumerate(asked.tokens)
        if place not in operators
        and known.isdisjoint(stems(token.low))
        and not _stems_akin(set(stems(token.low)), known)
        and flat_letters(token.text)[:5] not in values
        and not any(is_left_of(name, token.low) for name in names)
    ]


def _called(token: Token, written: Written) -> Table | None:
    """The only table that is called by a word."""
    word = set(stems(token.low))
    found = [table for table in written.model if any(set(stems(name)) == word for name in names_of(table))]
    return found[0] if len(found) == 1 else None


def _is_proper(token: Token, asked: AskedWords) -> bool:
    """Whether a word is a person's or something's name: a capital within a sentence, and no day."""
    place = asked.tokens.index(token)
    is_first = place == 0 or asked.tokens[place - 1].text in cues().words["sentence_ends"]
    is_day = cues().patterns["time"].match(token.low) or token.low in cues().words["holidays"]
    return token.text[:1].isupper() and token.text[1:].islower() and not is_first and not is_day


def _has_substance(token: Token) -> bool:
    lexicon = english()
    if token.kind is not TokenKind.WORD or len(token.low) < _SHORTEST_NAME:
        return False
    said = (EVERYDAY, lexicon.function_words, lexicon.everywhere, lexicon.fillers, plain_english())
    return not any(token.low in some for some in said)
