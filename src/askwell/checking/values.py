"""Values of the data against those of question and statement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from sqlglot import exp

from askwell.checking.finding import Finding, Severity, finding
from askwell.checking.question import AskedWords, cues, flat_letters, is_a_day
from askwell.checking.statement import Filter, Written, named, names_of
from askwell.mdl.names import listed, singular, words
from askwell.mdl.semantic_model import ColumnRef, SampledValues
from askwell.question.lexicon import english
from askwell.question.stems import stems
from askwell.question.tokens import TokenKind
from askwell.semantic_parsing.model.names import ValueWords, value_words

_LONGEST, _MOST_KINDS, _MOST_KNOWN, _LONGEST_CODE, _CAPITALS = 6, 12, 500, 2, 3
_SHORTEST, _SHOWN, _SHORT = 3, 5, 10


@dataclass(frozen=True)
class ValueIndex:
    """Values seen in the data: `refs` by their words, `texts` in lower case by column; `spellings` as they are written,
    by column and that text, where there are several or it is another."""

    refs: Mapping[ValueWords, frozenset[ColumnRef]]
    texts: Mapping[ColumnRef, frozenset[str]]
    spellings: Mapping[ColumnRef, Mapping[str, frozenset[str]]] = field(default_factory=dict)

    def several(self, ref: ColumnRef | None) -> list[list[str]]:
        """The spellings of each value of a column that is written in more than one way."""
        return [sorted(some) for some in self.spellings.get(ref, {}).values() if len(some) > 1] if ref else []

    def are_known(self, ref: ColumnRef) -> bool:
        """Whether all values of a column are known: of longer lists there may be more than were looked at."""
        return 0 < len(self.texts.get(ref, ())) <= _MOST_KNOWN

    def is_small(self, ref: ColumnRef) -> bool:
        """Whether a column has few values, so that all are known."""
        return 0 < len(self.texts.get(ref, ())) <= _MOST_KINDS

    @classmethod
    def build(cls, values: SampledValues) -> ValueIndex:
        refs: defaultdict[ValueWords, set[ColumnRef]] = defaultdict(set)
        for ref, texts in values.items():
            for text in texts:
                refs[value_words(text)].add(ref)
        spellings: defaultdict[ColumnRef, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for ref, texts in values.items():
            for text in texts:
                spellings[ref][text.lower().strip()].add(text)
        texts_of = {ref: frozenset(some) for ref, some in spellings.items()}
        kept = {
            ref: {plain: frozenset(some) for plain, some in found.items() if some != {plain}}
            for ref, found in spellings.items()
        }
        return cls({key: frozenset(found) for key, found in refs.items() if key}, texts_of, kept)


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
        if strange and len(strange) == len(part.values) and index.is_small(part.ref):
            is_said = flat_letters(strange[0].name) in asked.flat
            if not holders[0] and not is_said and not is_a_day(strange[0].name):
                held = listed(sorted(known)[:_SHOWN])
                yield finding("value_unknown", sql=text, ref=part.ref, known=held, value=strange[0].name)


def forgotten_values(asked: AskedWords, written: Written, index: ValueIndex) -> Iterator[Finding]:
    """A value of the data that stands in the question and nowhere in the statement."""
    used = {word for text in written.texts for word in value_words(text)}
    if any(asked.is_short_for(text.lower()) for text in written.texts):
        return
    columns = [column for table in written.model for column in table.columns]
    called = chain.from_iterable(map(names_of, (*written.model, *columns)))
    names = {singular(word) for name in called for word in words(name)}
    known = written.stems.union(*map(named, written.model))
    for start, end in _runs(asked):
        tokens = asked.tokens[start:end]
        key = tuple(word for token in tokens for word in value_words(token.text))
        refs = index.refs.get(key) or index.refs.get((*key[:-1], singular(key[-1])) if key else ())
        if not refs or not _is_telling(asked, start, end, names, known) or set(key) & used:
            continue
        if refs & {part.ref for part in written.filters}:
            continue  # what is compared with others says what is left
        near = [ref for ref in sorted(refs) if written.model.table(ref.table) in written.tables]
        is_name = len(tokens) > 1 or tokens[0].kind is TokenKind.QUOTED or (start > 0 and tokens[0].text[:1].isupper())
        is_said = is_name or len(asked.tokens) <= _SHORT  # who says more says it in passing
        severity = None if is_said and near else Severity.NOTE
        said = " ".join(token.text for token in tokens)
        yield finding("value_forgotten", said, severity=severity, ref=(near or sorted(refs))[0])
        return


def _runs(asked: AskedWords) -> Iterator[tuple[int, int]]:
    """Runs of tokens, the longest first."""
    for length in range(min(_LONGEST, len(asked.tokens)), 0, -1):
        yield from ((start, start + length) for start in range(len(asked.tokens) - length + 1))


def _is_telling(asked: AskedWords, start: int, end: int, names: set[str], known: frozenset[str]) -> bool:
    """Whether a run of words can hardly be anything but a value."""
    tokens = asked.tokens[start:end]
    if any(token.kind is TokenKind.QUOTED for token in tokens):
        return True
    if any(token.kind is TokenKind.MARK for token in (tokens[0], tokens[-1])):
        return False
    plain = [token for token in tokens if token.low not in english().everywhere and singular(token.low) not in names]
    if not plain or not any(token.kind is TokenKind.WORD and len(token.low) >= _SHORTEST for token in plain):
        return False
    capital = any(token.text[:1].isupper() for token in plain) and start > 0
    return (
        capital or len(tokens) > 1 or not (plain[0].low in english().verbs or not known.isdisjoint(stems(plain[0].low)))
    )
