"""Values of the data against those of question and statement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from askwell.checking.finding import Finding, Severity
from askwell.checking.lexicon import cues
from askwell.checking.question import AskedWords, flat_letters, is_a_day, is_short_for
from askwell.checking.statement import Filter, Written, names_of
from askwell.mdl.names import listed, singular, words
from askwell.mdl.semantic_model import ColumnRef, SampledValues
from askwell.question.lexicon import english
from askwell.question.stems import stems
from askwell.question.tokens import TokenKind
from askwell.semantic_parsing.model.names import ValueWords, value_words

_LONGEST, _MOST_KINDS, _LONGEST_CODE, _CAPITALS = 6, 12, 2, 3
_SHORTEST, _SHOWN, _SHORT = 3, 5, 10


@dataclass(frozen=True)
class ValueIndex:
    """Values seen in the data: `refs` by their words, `texts` in lower case by column."""

    refs: Mapping[ValueWords, frozenset[ColumnRef]]
    texts: Mapping[ColumnRef, frozenset[str]]

    def is_small(self, ref: ColumnRef) -> bool:
        """Whether a column has few values, so that all are known."""
        return 0 < len(self.texts.get(ref, ())) <= _MOST_KINDS

    @classmethod
    def build(cls, values: SampledValues) -> ValueIndex:
        refs: defaultdict[ValueWords, set[ColumnRef]] = defaultdict(set)
        for ref, texts in values.items():
            for text in texts:
                refs[value_words(text)].add(ref)
        texts_of = {ref: frozenset(text.lower().strip() for text in texts) for ref, texts in values.items()}
        return cls({key: frozenset(found) for key, found in refs.items() if key}, texts_of)


def is_state(part: Filter, index: ValueIndex) -> bool:
    """Whether a condition is on what says in which state a row is: a flag, a code, or a column of that name."""
    if index.texts.get(part.ref) and not index.is_small(part.ref):
        return False
    is_code = all(
        len(value.name) <= _LONGEST_CODE or (len(value.name) == _CAPITALS and value.name.isupper())
        for value in part.values
    )
    name = flat_letters(part.ref.column)
    return is_code or not cues().states.isdisjoint(words(part.ref.column)) or name.endswith(cues().state_endings)


def unknown_values(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Values that a column is compared with and did not hold when it was looked at, and that nobody has said."""
    for part in written.filters:
        known = index.texts.get(part.ref, frozenset())
        if not isinstance(part.node, exp.EQ | exp.In) or not index.is_small(part.ref):
            continue
        said = [value.name for value in part.values if value.name.strip()]
        strange = [text for text in said if text.lower().strip() not in known and flat_letters(text) not in asked.flat]
        elsewhere = any(strange[0].lower() in texts for texts in index.texts.values()) if strange else False
        if strange and len(strange) == len(part.values) and not elsewhere and not is_a_day(strange[0]):
            message = f"{part.ref} holds {listed(sorted(known)[:_SHOWN])}, and not “{strange[0]}”."
            yield Finding("value_unknown", Severity.DOUBT, "", written.text(part.node), message)


def misplaced_values(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Texts that a column is compared with and does not hold, where another column of its table does."""
    for part in written.filters:
        if not isinstance(part.node, exp.EQ | exp.In):
            continue
        for value in part.values:
            text = value.name.lower().strip()
            held = index.texts.get(part.ref, frozenset())
            if not value.is_string or not text or text in held:
                continue
            others = [ref for ref, texts in index.texts.items() if ref.table == part.ref.table and text in texts]
            if others:
                place = written.text(part.node)
                message = f"“{value.name}” is a value of {others[0]}, not of {part.ref}."
                yield Finding("value_elsewhere", Severity.WRONG, value.name, place, message)


def forgotten_values(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Values of the data that stand in the question and nowhere in the statement."""
    used = [value_words(literal.name) for literal in written.literals if literal.is_string]
    used_words = {word for one in used for word in one}
    if any(literal.is_string and is_short_for(literal.name.lower(), asked) for literal in written.literals):
        return
    named = {singular(word) for table in written.model for name in names_of(table) for word in words(name)}
    named |= {singular(w) for t in written.model for c in t.columns for name in names_of(c) for w in words(name)}
    tables = {table.name for table in written.tables}
    known = (
        frozenset(stem for table in written.model for name in names_of(table) for stem in stems(name)) | written.stems
    )
    for start, end in _runs(asked):
        tokens = asked.tokens[start:end]
        key = tuple(word for token in tokens for word in value_words(token.text))
        refs = index.refs.get(key) or index.refs.get((*key[:-1], singular(key[-1])) if key else ())
        if not refs or not _is_telling(asked, start, end, named, known) or set(key) & used_words:
            continue
        if refs & {part.ref for part in written.filters}:
            continue  # what is compared with others says what is left
        near = [ref for ref in sorted(refs) if ref.table in tables]
        is_name = len(tokens) > 1 or tokens[0].kind is TokenKind.QUOTED or (start > 0 and tokens[0].text[:1].isupper())
        is_name = is_name or len(asked.tokens) <= _SHORT  # who says more says it in passing
        said = " ".join(token.text for token in tokens)
        ref = (near or sorted(refs))[0]
        message = f"“{said}” is a value of {ref}, and the statement does not use it."
        yield Finding("value_forgotten", Severity.DOUBT if is_name and near else Severity.NOTE, said, "", message)
        return


def _stems(word: str) -> frozenset[str]:
    return frozenset(stems(word))


def _runs(asked: AskedWords) -> Iterator[tuple[int, int]]:
    """Runs of tokens, the longest first."""
    for length in range(min(_LONGEST, len(asked.tokens)), 0, -1):
        yield from ((start, start + length) for start in range(len(asked.tokens) - length + 1))


def _is_telling(asked: AskedWords, start: int, end: int, named: set[str], known: frozenset[str]) -> bool:
    """Whether a run of words can hardly be anything but a value."""
    tokens = asked.tokens[start:end]
    if any(token.kind is TokenKind.QUOTED for token in tokens):
        return True
    if any(token.kind is TokenKind.MARK for token in (tokens[0], tokens[-1])):
        return False
    plain = [token for token in tokens if token.low not in english().everywhere and singular(token.low) not in named]
    if not plain or not any(token.kind is TokenKind.WORD and len(token.low) >= _SHORTEST for token in plain):
        return False
    capital = any(token.text[:1].isupper() for token in plain) and start > 0
    return capital or len(tokens) > 1 or not (plain[0].low in english().verbs or _stems(plain[0].low) & known)
