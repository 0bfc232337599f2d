"""Siblings: tables, or columns of one table, that share the end of their names, where a question says only that end.

A "price" is ambiguous beside a planned price and an actual price, whatever scores the readings have. Tables with the
same columns may also share the beginning: `invoices_eu` and `invoices_us`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.question.tokens import Token, TokenKind, tokenize
from askwell.question.words import Stems, stems_of_word
from askwell.semantic_parsing import choices
from askwell.semantic_parsing.abstentions import either
from askwell.semantic_parsing.linking import LONGEST_NAME
from askwell.semantic_parsing.model.catalog import EXACT, KEY, Catalog, Target
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.semantic_parsing.parser import Candidate
from askwell.semantic_parsing.taught import key_of
from askwell.semantic_parsing.translation import Abstention, Choice, Translation, leads_on
from askwell.sql.bindings import Bindings, Meaning

Read = Callable[[Bindings], Translation | Abstention]
# The level of a name that words do not mean at all.
_UNNAMED = 99
# By what their names share: the groups of siblings.
Index = Mapping[Stems, tuple[tuple[Target, ...], ...]]


@dataclass(frozen=True, slots=True)
class Siblings:
    """The words of a question, and what they could name: all tables, or all columns of one table."""

    said: str
    members: tuple[Target, ...]

    @property
    def tables(self) -> tuple[str, ...]:
        """The members, where they are tables."""
        return tuple(one for one in self.members if isinstance(one, str))

    @property
    def columns(self) -> tuple[ColumnRef, ...]:
        """The members, where they are columns."""
        return tuple(one for one in self.members if isinstance(one, ColumnRef))


def siblings_of(catalog: Catalog) -> Index:
    """All groups of siblings of a model. Names differ in their first word; keys, computed columns, a person's first and
    last name, and totals beside averages are none."""
    found: defaultdict[Stems, dict[str, list[Target]]] = defaultdict(dict)
    for name, table in catalog.facts.tables.items():
        if len(table.words) > 1:
            found[table.words[1:]].setdefault("", []).append(name)
            alike = "\n".join(sorted(" ".join(column.words) for column in table.columns))
            found[table.words[:-1]].setdefault(f"\n{alike}", []).append(name)
        for column in table.columns:
            words = column.words
            plain = len(words) > 1 and words[0] not in word_forms().computed_prefixes and column.formula is None
            if plain and catalog.kind(column.ref) != KEY and column.ref not in (table.person or ()):
                found[words[1:]].setdefault(name, []).append(column.ref)
    tying = english().function_words | word_forms().function_words
    said = {key: by for key, by in found.items() if not tying.issuperset(key)}  # no "on"
    groups = {key: tuple(_alike(key, group, catalog) for group in by.values()) for key, by in said.items()}
    return {key: kept for key, of in groups.items() if (kept := tuple(group for group in of if len(group) > 1))}


def _alike(key: Stems, group: Iterable[Target], catalog: Catalog) -> tuple[Target, ...]:
    """Those that the shared words name best, as well the one as the other, and whose values are of one kind."""
    named_at = catalog.words.get(key, {})
    levels = {one: named_at.get(one, _UNNAMED) for one in group}
    least = min(levels.values())
    best = [one for one, level in levels.items() if level == least > EXACT]
    kinds = {catalog.kind(one) for one in best if isinstance(one, ColumnRef)}
    return tuple(best) if len(kinds) < 2 else ()


def named(question: str, catalog: Catalog, index: Index) -> Iterator[Siblings]:
    """The siblings of which a question has the shared words, and no word that tells them apart; the longest words
    first."""
    tokens = tokenize(question)
    heard = _stems(tokens)
    for run in _runs(tokens):
        for members in index.get(_stems(run), ()):
            shared = _stems(run)
            if not any((set(catalog.names_of(one)) - set(shared)) & set(heard) for one in members):
                yield Siblings(" ".join(token.text for token in run), members)


def _runs(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Words that stand next to each other, the longest first."""
    for length in range(LONGEST_NAME, 0, -1):
        for start in range(len(tokens) - length + 1):
            run = tokens[start : start + length]
            if all(token.kind is TokenKind.WORD for token in run):
                yield run


def _stems(tokens: Iterable[Token]) -> Stems:
    return tuple(one for token in tokens for one in stems_of_word(token.low))


def which_sibling(
    question: str, candidate: Candidate, bound: Bindings, catalog: Catalog, index: Index
) -> Abstention | None:
    """The question which sibling is meant, where a reading took one of them, or something that is not called so in
    place of any; None where it took several."""
    read = {
        ColumnRef(one.table, one.name) for one in candidate.tree.find_all(exp.Column)
    } & catalog.facts.columns.keys()
    for group in named(question, catalog, index):
        if _is_settled(group, bound):
            continue
        taken = [one for one in group.members if one in read or one in candidate.tables]
        if len(taken) > 1 or (not taken and _is_beside(group, candidate, read, catalog)):
            continue
        others = [one for one in group.members if not taken or _could_be(one, taken[0], read, catalog)]
        if len(others) > 1:
            found = _choices(Siblings(group.said, tuple(others)), catalog)
            return _asked(group, found, candidate.tables)
    return None


def _could_be(target: Target, taken: Target, read: Iterable[ColumnRef], catalog: Catalog) -> bool:
    """Whether a sibling has all that was read of the one that was taken."""
    if not isinstance(target, str):
        return True
    return all(ColumnRef(target, ref.column) in catalog.facts.columns for ref in read if ref.table == taken)


def _is_beside(group: Siblings, candidate: Candidate, read: Iterable[ColumnRef], catalog: Catalog) -> bool:
    """Whether a reading that took no sibling is about something else: of another table, or called just as was said."""
    levels = catalog.words.get(key_of(group.said), {})
    others: Iterable[Target] = (*read, *candidate.tables)
    if any(levels.get(one) == EXACT for one in others):
        return True
    if group.columns:
        shared = set(key_of(group.said))
        is_called_so = any(shared <= set(catalog.column(ref).words) for ref in read)
        return is_called_so or group.columns[0].table not in candidate.tables
    first, *twins = ({column.words for column in catalog.table(name).columns} for name in group.tables)
    return any(other != first for other in twins)


def with_siblings(
    question: str, given: Abstention, bound: Bindings, catalog: Catalog, index: Index, read: Read
) -> Abstention:
    """An abstention as the question which sibling is meant, where each of two or more would lead to an answer; as
    `given` where none does."""
    for group in named(question, catalog, index):
        if _is_settled(group, bound):
            continue
        leading = tuple(one for one in _choices(group, catalog) if leads_on(read(one.bindings)))
        if len(leading) > 1:
            return _asked(group, leading, given.tables)
    return given


def _is_settled(group: Siblings, bound: Bindings) -> bool:
    named_already = {*bound.tables, *bound.not_tables, *bound.columns, *(one.target for one in bound.meanings)}
    return not named_already.isdisjoint(group.members)


def _choices(group: Siblings, catalog: Catalog) -> tuple[Choice, ...]:
    """The members to choose from, with the words that mean them."""
    plain = choices.of_tables(group.tables, catalog) or choices.of_columns(group.columns, catalog)
    meant = [Bindings(meanings=(Meaning(group.said, one),)) for one in group.members]
    both = zip(plain, meant, strict=False)
    return tuple(replace(choice, bindings=choice.bindings.with_meanings(one)) for choice, one in both)


def _asked(group: Siblings, found: tuple[Choice, ...], tables: tuple[str, ...]) -> Abstention:
    return either("ambiguous_table" if group.tables else "ambiguous_column", group.said, tables, found)
