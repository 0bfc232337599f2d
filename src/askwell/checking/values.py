"""Values of the data against those of question and statement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from difflib import get_close_matches

from sqlglot import exp

from askwell.checking.finding import Finding, Rewrite, Severity, finding
from askwell.checking.question import AskedWords, cues, flat_letters, is_a_day
from askwell.checking.statement import Filter, Written, named
from askwell.mdl.names import is_left_of, listed, singular, words
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import ColumnRef, SampledValues, Table
from askwell.question.lexicon import english
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import plain_english, stems
from askwell.semantic_parsing.model.names import ValueWords, value_words

_LONGEST, _MOST_KINDS, _MOST_KNOWN, _LONGEST_CODE, _CAPITALS = 6, 12, 500, 2, 3
_SHORTEST, _SHOWN, _SHORT = 3, 5, 10


@dataclass(frozen=True)
class ValueIndex:
    """Values seen in the data: `refs` by their words, `texts` in lower case by column, `written` as they are."""

    refs: Mapping[ValueWords, frozenset[ColumnRef]]
    texts: Mapping[ColumnRef, frozenset[str]]
    written: SampledValues = field(default_factory=dict)

    def is_small(self, ref: ColumnRef) -> bool:
        """Whether a column has few values, so that all are known."""
        return 0 < len(self.texts.get(ref, ())) <= _MOST_KINDS

    @classmethod
    def build(cls, values: SampledValues, model: Iterable[Table] = ()) -> ValueIndex:
        refs: defaultdict[ValueWords, set[ColumnRef]] = defaultdict(set)
        for ref, texts in values.items():
            for text in texts:
                refs[value_words(text)].add(ref)
        for ref, column in ((ColumnRef(table.name, one.name), one) for table in model for one in table.columns):
            for name in column.value_names.values():
                refs[value_words(name)].add(ref)
        texts_of = {ref: frozenset(map(_plain, texts)) for ref, texts in values.items()}
        return cls({key: frozenset(found) for key, found in refs.items() if key}, texts_of, values)


def _plain(text: str) -> str:
    return text.lower().strip()


def is_state(part: Filter, index: ValueIndex) -> bool:
    """Whether a condition is on what says in which state a row is: a flag, a code, or a column of that name."""
    if index.texts.get(part.ref) and not index.is_small(part.ref):
        return False
    texts = [value.name for value in part.values]
    is_code = all(len(text) <= _LONGEST_CODE or (len(text) == _CAPITALS and text.isupper()) for text in texts)
    is_named = not cues().words["states"].isdisjoint(words(part.ref.column))
    return is_code or is_named or flat_letters(part.ref.column).endswith(cues().endings["state"])


def strange_values(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Values that a column is compared with and does not hold: where another column of its table does, or where all
    that it holds are known and nobody has said the value."""
    for part in written.filters:
        known, text = index.texts.get(part.ref, frozenset()), written.text(part.node)
        if not isinstance(part.node, exp.EQ | exp.In):
            continue
        strange = [value for value in part.values if value.name.strip() and value.name.lower().strip() not in known]
        holders = [[ref for ref, texts in index.texts.items() if one.name.lower().strip() in texts] for one in strange]
        for value, refs in zip(strange, holders, strict=True):
            near = [ref for ref in refs if ref.table == part.ref.table]
            if value.is_string and near:
                yield finding("value_elsewhere", value.name, text, other=near[0], ref=part.ref)
        if strange and len(strange) == len(part.values) and 0 < len(known) <= _MOST_KNOWN and strange[0].is_string:
            is_said, plain = flat_letters(strange[0].name) in asked.flat, _plain(strange[0].name)
            inside = [one for one in sorted(known) if plain in one]
            if not holders[0] and (inside or not is_said) and not is_a_day(strange[0].name):
                held = listed((inside or get_close_matches(plain, known) or sorted(known))[:_SHOWN])
                yield finding("value_unknown", sql=text, ref=part.ref, known=held, value=strange[0].name)


# Other spellings


def other_spellings(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Values that differ only by case or by blanks around them from one that is compared with, or that have a group of
    their own by it."""
    for part in written.filters:
        node, plain = part.node, {_plain(value.name) for value in part.values}
        if not isinstance(node, exp.EQ | exp.NEQ | exp.In) or not _is_sayable(part.ref, written):
            continue
        sides = (node.this, *(node.expressions or [node.expression]))
        side = next(one for one in sides if written.ref(one))
        wanted = {_seen(one, value.name) for one in sides if one is not side for value in one.find_all(exp.Literal)}
        held = (one for one in index.written.get(part.ref, ()) if _plain(one) in plain)
        if missed := sorted(one for one in held if _seen(side, one) not in wanted):
            said = f"All spellings of “{part.values[0].name}” are taken as one."
            rewrite = Rewrite(written.replaced(node, node.transform(_in_any_spelling)), said)
            yield finding("spelled_otherwise", missed[0], written.text(node), rewrite=rewrite, others="Some rows are")
    for ref, node in _distinguished(written):
        seen: dict[str, str] = {}
        for one in sorted({_seen(node, one) for one in index.written.get(ref, ())}):
            if seen.setdefault(_plain(one), one) != one:
                yield finding("spelled_apart", sql=written.text(node), one=seen[_plain(one)], other=one)
                break


def _in_any_spelling(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Literal):
        return exp.Literal.string(_plain(node.name))
    column = node.find(exp.Column) if isinstance(node, exp.Lower | exp.Upper | exp.Trim | exp.Column) else None
    return exp.Lower(this=exp.Trim(this=column.copy())) if column is not None else node


def _seen(node: exp.Expr, text: str) -> str:
    """A text after the functions around a column or a literal."""
    for one in reversed(list(node.walk())):
        if isinstance(one, exp.Lower | exp.Upper):
            text = text.lower() if isinstance(one, exp.Lower) else text.upper()
        elif isinstance(one, exp.Trim):
            text = text.strip(" ")  # a tab is no blank to TRIM
    return text


def _distinguished(written: Written) -> Iterator[tuple[ColumnRef, exp.Expr]]:
    """The columns whose values have groups of their own, or are counted once each, with what stands there for them; not
    keys, and not names, which several rows may have."""
    named_so = {item.alias or str(place): item.unalias() for place, item in enumerate(written.items, 1)}
    groups = [node for group in written.tree.find_all(exp.Group) for node in group.expressions]
    groups = [node if written.ref(node) else named_so.get(node.name, node) for node in groups]
    once = [node for one in written.tree.find_all(exp.Distinct) for node in one.expressions]
    fixed = {part.ref for part in written.filters}
    for node in (*(groups if written.keys.isdisjoint(map(written.ref, groups)) else ()), *once):
        ref = written.ref(node)
        if ref is not None and ref not in fixed and cues().stems["display"].isdisjoint(stems(ref.column)):
            if _is_sayable(ref, written):
                yield ref, node


def _is_sayable(ref: ColumnRef, written: Written) -> bool:
    """Whether spellings of a column's values may be said, and make a difference: not of those that are filled up with
    blanks, which most databases do not compare."""
    column = written.column(ref)
    if column is None or is_secret(column):
        return False
    return column.type.lower().partition("(")[0].strip() not in cues().words["padded_types"]


# Flags


def turned_flags(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Conditions that take the rows where a flag is not set, where the question says its name and no negation; and the
    other way round."""
    yes, no = cues().words["positive_values"], cues().words["negative_values"]
    for part in written.filters:
        node, texts = part.node, index.texts.get(part.ref, frozenset())
        values = {value.name.lower() for value in part.values}
        core = set(stems(part.ref.column)) - cues().stems["beside_flags"]
        if not texts | values <= yes | no or not core:
            continue
        if isinstance(node, exp.EQ | exp.NEQ) and values and not values & asked.numbers:
            is_set = (values <= yes) is (isinstance(node, exp.EQ) is not isinstance(node.parent, exp.Not))
            if word := _says_other(core, asked, is_set=is_set):
                yield finding("flag_turned", word, written.text(node))


def ignored_states(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """What says whether a row counts now is not looked at, where the question asks for how things are now."""
    words_now, told = cues().first(asked, "as_of_now"), cues().stems["now_states"]
    is_looked_at = any(told & set(stems(part.ref.column)) for part in written.filters)
    if (
        not words_now
        or is_looked_at
        or words_now in cues().first(asked, "included")
        or written.has(exp.Is, exp.CurrentDate)
        or "now" in written.texts
    ):
        return
    asked_of = [table for table in written.tables if named(table) & asked.stems] or written.tables
    for table in asked_of:
        for column in table.columns:
            if told & set(stems(column.name)):
                yield finding("state_ignored", words_now, ref=ColumnRef(table.name, column.name))
                return


def _says_other(core: Set[str], asked: AskedWords, *, is_set: bool) -> str:
    """The word of the question that asks for the other value of a flag; empty where none does for certain."""
    if asked.cue("NOT") or (not is_set and cues().first(asked, "leaves_out")):
        return ""
    for low in (token.low for token in asked.tokens):
        bare = next((low.removeprefix(one).lstrip("-") for one in english().negations if low.startswith(one)), low)
        if (bare != low or not is_set) and core <= set(stems(bare if is_set else low)):
            return low
    return ""


def forgotten_values(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """A value of the data that stands in the question and nowhere in the statement."""
    used = {word for text in written.texts for word in value_words(text)}
    if any(asked.is_short_for(text.lower()) for text in written.texts):
        return
    groups = [ref for group in written.tree.find_all(exp.Group) for ref in written.refs_in(group)]
    # That something is not another value leaves several of three.
    loose = {
        part.ref
        for part in written.filters
        if isinstance(part.node, exp.NEQ)
        and len(index.texts.get(part.ref, ())) > 2
        and not asked.cue("NOT")
        and not any(flat_letters(value.name) in asked.flat for value in part.values)
    }
    shown = (ref for item in written.items if not item.find(exp.AggFunc) for ref in written.refs_in(item))
    taken = {part.ref for part in written.filters if part.ref not in loose}.union(shown, groups)
    said_besides = {flat_letters(ref.column) for ref in written.columns} | {*cues().first(asked, "included").split()}
    for start, end in _runs(asked):
        tokens = asked.tokens[start:end]
        key = tuple(word for token in tokens for word in value_words(token.text))
        refs = index.refs.get(key) or index.refs.get((*key[:-1], singular(key[-1])) if key else ())
        states = (ref for ref in refs or () if written.model.table(ref.table) in written.tables and _says_state(ref))
        is_state = any(map(index.is_small, states))
        if not refs or set(key) & (used | cues().words["verbs"]) or "".join(key) in said_besides or refs & taken:
            continue  # what is compared with others says what is left, and what is shown has it
        if not _is_telling(tokens, written, is_first=start == 0, is_state=is_state):
            continue
        near = [ref for ref in sorted(refs) if written.model.table(ref.table) in written.tables]
        is_name = len(tokens) > 1 or tokens[0].kind is TokenKind.QUOTED or (start > 0 and tokens[0].text[:1].isupper())
        is_kind = any(index.is_small(ref) for ref in near) or tokens[0].low not in plain_english()
        is_said = is_name or is_kind or len(asked.tokens) <= _SHORT  # who says more says it in passing
        is_row = tokens[-1].kind is TokenKind.WORD and any(_is_called(ref, asked, written) for ref in near)
        severity = None if is_said and near and not is_row else Severity.NOTE
        said = " ".join(token.text for token in tokens)
        yield finding("value_forgotten", said, severity=severity, ref=(near or sorted(refs))[0])
        return


def _is_called(ref: ColumnRef, asked: AskedWords, written: Written) -> bool:
    """Whether a value may be what the rows of its table are called ("waiter" of staff): the question does not say the
    table, and rows of it are shown."""
    is_said = _says_state(ref) or not named(written.model.table(ref.table)).isdisjoint(asked.stems)
    items = (item.unalias() for select in written.tree.find_all(exp.Select) for item in select.expressions)
    return not is_said and any(one.table == ref.table for one in map(written.ref, items) if one is not None)


def _runs(asked: AskedWords) -> Iterator[tuple[int, int]]:
    """Runs of tokens, the longest first."""
    for length in range(min(_LONGEST, len(asked.tokens)), 0, -1):
        yield from ((start, start + length) for start in range(len(asked.tokens) - length + 1))


def _says_state(ref: ColumnRef) -> bool:
    return flat_letters(ref.column).endswith(cues().endings["state"])


def _is_telling(tokens: Sequence[Token], written: Written, *, is_first: bool, is_state: bool) -> bool:
    """Whether a run of words can hardly be anything but a value; of a state ("returned") a verb may be one. Only words
    within a sentence (not `is_first`) have capitals that say something."""
    if any(token.kind is TokenKind.QUOTED for token in tokens):
        return True
    if any(token.kind is TokenKind.MARK for token in (tokens[0], tokens[-1])):
        return False
    everywhere = frozenset() if is_state else english().everywhere
    plain = [
        token for token in tokens if token.low not in everywhere and singular(token.low) not in written.model.words
    ]
    if not plain or not any(token.kind is TokenKind.WORD and len(token.low) >= _SHORTEST for token in plain):
        return False
    if is_state and any(is_left_of(word, plain[0].low) for ref in written.columns for word in words(ref.column)):
        return False  # what was delivered has a deliv_dt
    if is_state or len(tokens) > 1 or (not is_first and any(token.text[:1].isupper() for token in plain)):
        return True
    known = written.stems.union(*map(named, written.model))
    return plain[0].low not in english().verbs and known.isdisjoint(stems(plain[0].low))
