"""Words against the statement: filters, numbers and values that nothing asked for, and those of the question that
nothing stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from sqlglot import exp

from askwell.checking.finding import Finding, Severity
from askwell.checking.lexicon import cues
from askwell.checking.operators import ENDS, FIGURES
from askwell.checking.question import AskedWords, flat_letters, is_a_day, is_clipped, is_part_of, is_short_for
from askwell.checking.statement import Written, names_of
from askwell.checking.values import ValueIndex, is_state
from askwell.mdl.names import singular, words
from askwell.mdl.semantic_model import Column, ColumnRef
from askwell.question.akin import stems_alike
from askwell.question.lexicon import english
from askwell.question.periods import SURELY_YEARS
from askwell.question.stems import stems
from askwell.question.tokens import TokenKind
from askwell.semantic_parsing.model.names import value_words

_SHORTEST_NAME, _LONGEST_CODE = 3, 4
_W, _D, _N = Severity.WRONG, Severity.DOUBT, Severity.NOTE


def unasked_filters(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Conditions whose column and value are both not in the question."""
    for part in written.filters:
        column = written.column(part.ref)
        if column is None:
            continue
        text = written.text(part.node)
        strange = [value for value in part.values if not (_is_asked(value, column, asked) or is_a_day(value.name))]
        if not strange:
            continue
        is_asked = _column_is_asked(column, asked) or _is_meant_by_adjective(column, asked)
        if _is_gender(column) and _gender(strange[0].name.lower()):
            yield Finding("filter_unasked", _W, "", text, f"Nothing in the question asks for {text}.")
        elif is_state(part, index):
            # "live", "unpaid" and "still" are seldom values, and that void rows do not count is seldom said.
            yield Finding("state_read", _N, "", text, f"Only rows with {text} are counted in.")
        elif not is_asked and not (strange[0].is_string and _is_code(strange[0].name)):
            severity = _D if strange[0].name == "0" or index.is_small(part.ref) else _W
            yield Finding("filter_unasked", severity, "", text, f"Nothing in the question asks for {text}.")
        elif all(value.is_string for value in strange) and not _is_code(strange[0].name):
            yield Finding("value_unasked", _D, "", text, f"The question does not say “{strange[0].name}”.")
        elif not strange[0].is_string and strange[0].name not in ("0", "1"):
            yield Finding("number_unasked", _W, "", text, f"The question does not say {strange[0].name}.")


def _is_asked(value: exp.Literal, column: Column, asked: AskedWords) -> bool:
    gender = _gender(value.name.lower()) if _is_gender(column) else None
    if gender is not None:
        return any(token.low in gender for token in asked.tokens)
    return _value_is_asked(value, asked) or _may_be_said(value, asked)


def _is_gender(column: Column) -> bool:
    return bool({stem for name in names_of(column) for stem in stems(name)} & cues().stems["gender"])


def _value_is_asked(value: exp.Literal, asked: AskedWords) -> bool:
    text = value.name.strip("%").lower()
    if not value.is_string:
        return _number_is_asked(text, asked)
    flat = flat_letters(text)
    if not flat or text in asked.numbers or ((len(flat) > 2 or not text.isascii()) and flat in asked.flat):
        return True
    mine = stems(text)
    known = set(asked.stems)
    if is_short_for(text, asked):
        return True
    if mine and known & set(mine):
        return True
    return any(len(stem) > 3 and one.startswith(stem[:4]) for stem in mine for one in known)


def _gender(text: str) -> frozenset[str] | None:
    """The words that ask for a gender, where a value is how columns write it."""
    genders = english().genders
    return frozenset(word for word, written in genders.items() if text in written) or None


def _number_is_asked(text: str, asked: AskedWords) -> bool:
    try:
        value = float(text)
    except ValueError:
        return False
    near = {f"{value + step:g}" for step in (-1, 0, 1)} | {text}
    if near & asked.numbers or text.removesuffix(".0") in asked.numbers:
        return True
    return len(text) > 1 and text in asked.flat


def _may_be_said(value: exp.Literal, asked: AskedWords) -> bool:
    """Whether words of the question may stand for a number ("a hundred thousand") or for several texts ("weekend")."""
    return bool(cues().first(asked, "several_texts" if value.is_string else "numeral"))


def _is_code(text: str) -> bool:
    return len(text) <= 2 or (len(text) <= _LONGEST_CODE and any(character.isdigit() for character in text))


def _column_is_asked(column: Column, asked: AskedWords) -> bool:
    known = set(asked.stems)
    named = {stem for name in names_of(column) for stem in stems(name)}
    named = named - cues().stems["anything"] or named
    if known & named or any(_stands_in(name, asked) for name in names_of(column)):
        return True
    if named & {stem for token in asked.tokens for stem in _without_negation(token.low)}:
        return True
    if any(is_clipped(word, asked) for word in words(column.name)) or is_part_of(flat_letters(column.name), asked):
        return True
    lexicon = english()
    if any(set(lexicon.synonyms.get(stem, ())) & named for stem in known):
        return True
    return stems_akin(named, known)


def _stands_in(name: str, asked: AskedWords) -> bool:
    """Whether a name stands in the question as it is, however it is spaced; also one of other letters than Latin."""
    flat = flat_letters(name)
    return flat in asked.flat and (len(flat) > _SHORTEST_NAME or not flat.isascii())


def _without_negation(word: str) -> tuple[str, ...]:
    """The stems of a word without the beginning that turns it round: "inactive" is about "active"; and of what somebody
    does who is called by it: "spenders" spend."""
    beginning = next((one for one in english().negations if word.startswith(one) and len(word) > len(one) + 2), "")
    return stems(word.removeprefix(beginning) if beginning else singular(word).removesuffix(cues().doer_ending))


def stems_akin(named: Set[str], known: Set[str]) -> bool:
    """Whether stems of two sets are of words that mean nearly the same."""
    return any(group & named and group & known for group in stems_alike())


def unused_numbers(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Numbers of the question that are nowhere in the statement."""
    text = written.text(written.tree).lower()
    digits = {literal.name for literal in written.literals}
    for token in asked.tokens:
        number = token.text.removesuffix(".0")
        if not number.replace(".", "", 1).isdigit() or number in ("0", "1"):
            continue
        near = {f"{float(number) + step:g}" for step in (-1, 0, 1)} | {
            number,
            f"{float(number) * 1000:g}",
            f"{float(number) / 100:g}",
            f"{float(number) / 1000:g}",
        }
        if near & digits or any(re.search(rf"(?<!\d){re.escape(one)}(?!\d)", text) for one in near):
            continue
        if int(float(number)) in SURELY_YEARS and any(number[-2:] in literal.name for literal in written.literals):
            continue  # a term that is called A26
        days = [literal.name for literal in written.literals if is_a_day(literal.name)]
        if any(number in day for day in days) or (days and asked.counts_periods(token)):
            continue
        yield Finding("number_unused", _W, number, "", f"The statement does not use {number}.")


def unused_values(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """What stands in quotes in the question and nowhere in the statement."""
    text = flat_letters(written.text(written.tree))
    for token in asked.tokens:
        if token.kind is not TokenKind.QUOTED:
            continue
        flat = flat_letters(token.text)
        is_code = any(value.is_string and is_short_for(value.name.lower(), asked) for value in written.literals)
        if flat and flat not in text and not is_code:
            yield Finding("value_unused", _W, token.text, "", f"The statement does not use “{token.text}”.")


def unused_columns(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Columns of the tables that are read, which the question names in full and the statement does not use."""
    if any(isinstance(item, exp.Star) for select in written.tree.find_all(exp.Select) for item in select.expressions):
        return
    spoken = {singular(token.low) for token in asked.tokens}
    general = cues().words["anything"]
    read = written.columns
    held = {word for literal in written.literals if literal.is_string for word in value_words(literal.name)}
    tables = {singular(word) for table in written.model for name in names_of(table) for word in words(name)}
    used = [_spoken(column) for ref in read if (column := written.column(ref)) is not None]
    for table in written.tables:
        for column in table.columns:
            if ColumnRef(table.name, column.name) in read or any(
                column.name.lower() == ref.column.lower() for ref in read
            ):
                continue
            core = _spoken(column) - tables - english().function_words - general
            if not core or not core <= spoken or core & held or any(core <= names for names in used):
                continue
            name = column.display_name or column.name
            if _are_counted(core, asked) or any(_is_verb(word) for word in core):
                continue
            message = f"“{name}” of {table.name} is asked for and not used."
            yield Finding("column_unused", _D, " ".join(sorted(core)), "", message)


def _is_verb(word: str) -> bool:
    """Whether a word says what was done rather than what something is."""
    lexicon = english()
    return word in lexicon.verbs or (len(word) > 4 and word.endswith(lexicon.past_endings))


def _are_counted(core: set[str], asked: AskedWords) -> bool:
    """Whether the words stand behind "how many" or "most", so that rows stand for them."""
    for cue in asked.cues:
        if cue.may_be("COUNT", "SUPERLATIVE", "COMMON") and core & {
            singular(t.low) for t in asked.tokens[cue.end : cue.end + 2]
        }:
            return True
    return False


def _spoken(column: Column) -> set[str]:
    """The words of a column's name, in the singular."""
    return {singular(word) for word in words(column.display_name or column.name)}


def unasked_columns(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Columns that are shown, or that a figure is made of, and that no word asks for; and columns shown twice."""
    root, keys = written.root, written.keys
    shown = [(item, written.ref(item.unalias())) for item in (root.expressions if root is not None else ())]
    figures = [(node, written.ref(_counted(node))) for node in written.tree.find_all(exp.AggFunc)]
    is_figure_asked = asked.cue(*FIGURES, *ENDS) is not None
    specified = _specified_tables(asked, written)
    for item, ref in (*shown, *figures):
        if ref is not None and not isinstance(item, exp.AggFunc) and ref.table not in specified:
            continue  # things are asked for, and columns that tell of them are shown
        column = written.column(ref) if ref is not None else None
        if column is None or ref is None or _column_is_asked(column, asked) or _is_meant_by_adjective(column, asked):
            continue
        named = {stem for name in names_of(column) for stem in stems(name)}
        is_key = (ref.table, ref.column) in keys or flat_letters(column.name).endswith(cues().key_endings)
        if isinstance(item, exp.AggFunc) and is_figure_asked:
            continue
        if isinstance(item, exp.Count) and (is_key or not isinstance(item.this, exp.Distinct)):
            continue
        if is_key or named & cues().stems["display"] or _is_named_after(column, written):
            continue
        text = written.text(item)
        yield Finding("column_unasked", _D, "", text, f"No word asks for {text}.")
    refs = [ref for _, ref in shown if ref is not None]
    if twice := next((ref for ref in refs if refs.count(ref) > 1), None):
        yield Finding("shown_twice", _W, "", str(twice), f"{twice} is shown twice.")


def _is_named_after(column: Column, written: Written) -> bool:
    """Whether a column names the rows of a table: `authorname` of authors."""
    name = flat_letters(column.name)
    return any(
        name == f"{singular(flat_letters(table.name))}{end}"
        for table in written.model
        for end in cues().words["display"]
    )


def _specified_tables(asked: AskedWords, written: Written) -> set[str]:
    """Tables with columns that the question names and that are shown, or not read at all."""
    root, tables = written.root, {stem for table in written.tables for name in names_of(table) for stem in stems(name)}
    shown = {written.ref(item.unalias()) for item in (root.expressions if root is not None else ())}
    known = set(asked.stems) - tables
    return {
        table.name
        for table in written.tables
        for column in table.columns
        if known & {stem for name in names_of(column) for stem in stems(name)} - cues().stems["anything"]
        and ((ref := ColumnRef(table.name, column.name)) in shown or ref not in written.columns)
    }


def _counted(node: exp.Expr) -> exp.Expr | None:
    inner: exp.Expr | None = node.this
    return inner.expressions[0] if isinstance(inner, exp.Distinct) and inner.expressions else inner


def unasked_orders(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Columns that the statement sorts, groups or compares by, and that no word asks for."""
    shown = {written.ref(item.unalias()) for item in written.root.expressions} if written.root is not None else set()
    keys = written.keys
    for node in (*written.tree.find_all(exp.Ordered), *written.tree.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE)):
        ref = written.ref(node.this)
        column = written.column(ref) if ref is not None else None
        if column is None or ref is None:
            continue
        text = written.text(node)
        if (ref.table, ref.column) in keys:
            if not _says_key(column, asked):
                is_order = isinstance(node, exp.Ordered) and not written.has(exp.Limit)
                yield Finding(
                    "key_compared", _N if is_order else _W, "", text, f"{text} goes by a key, which means nothing."
                )
        elif not _column_is_asked(column, asked) and not _is_meant_by_adjective(column, asked) and ref not in shown:
            yield Finding("order_unasked", _N, "", text, f"No word asks for {text}.")
    for group in [written.root.args.get("group")] if written.root is not None else ():
        for node in group.expressions if group is not None else ():
            ref = written.ref(node)
            column = written.column(ref) if ref is not None else None
            if column is None or ref is None or (ref.table, ref.column) in keys:
                continue
            if ref in shown and _names_what_is_asked(ref, asked, written):
                continue
            if not _column_is_asked(column, asked) and not flat_letters(column.name).endswith(cues().key_endings):
                yield Finding("group_unasked", _D, "", written.text(node), f"No word asks for groups by {ref}.")


def _names_what_is_asked(ref: ColumnRef, asked: AskedWords, written: Written) -> bool:
    """Whether a column is of a table that the question names, and says which of its rows is meant."""
    table, column = written.model.table(ref.table), written.column(ref)
    if table is None or column is None:
        return False
    is_name = bool({one for name in names_of(column) for one in stems(name)} & cues().stems["display"])
    return is_name or any(one in asked.stems for name in names_of(table) for one in stems(name))


def _says_key(column: Column, asked: AskedWords) -> bool:
    return bool({stem for name in names_of(column) for stem in stems(name)} & set(asked.stems))


def _is_meant_by_adjective(column: Column, asked: AskedWords) -> bool:
    """Whether "oldest", "cheaper than" or "how long" is about such a column."""
    named = {stem for name in names_of(column) for stem in stems(name)}
    about = {
        stem
        for cue in asked.cues
        for category, meaning in cue.meanings
        if category
        in ("ADJECTIVE", "COMPARE_BY", "HOW", "MONEY", "SPENT", "PRICED", "IN_TIME", "SPENDER", "CURRENCY", "WHEN")
        for word in meaning.split()
        for stem in stems(word)
    }
    return bool(named & about)
