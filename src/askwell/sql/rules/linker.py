"""Tokens to spans: the longest phrase, name or value that starts at each token, with its alternatives kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.periods import period_at
from askwell.question.stems import stems
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import NUMBER_WORDS, PERIODS
from askwell.sql.rules.cell_values import CellValues
from askwell.sql.rules.corrections import (
    AGGREGATE_WORDS,
    FIRSTS,
    aggregates_of,
    attributes_of,
    doers_of,
    firsts_of,
    flags_of,
    kinds_of,
    listed_extremes,
    numbers_of,
    relations_of,
    verbs_of,
)
from askwell.sql.rules.facts import ModelFacts
from askwell.sql.rules.lexicon import Evidence, Lexicon, Meanings, surface_words
from askwell.sql.rules.plain_words import (
    is_latest,
    is_pronoun,
    is_verb_form,
    misread,
    only_good,
    stray_part_of_name,
    unlinked,
)
from askwell.sql.rules.spans import END, Span, Thing
from askwell.sql.rules.words.fillers import EVERYWHERE, FILLERS
from askwell.sql.rules.words.hints import ADJECTIVES, HOW_WORDS
from askwell.sql.rules.words.phrases import PHRASES, Mark

_NEGATING = re.compile(r"(?:un|in|non)-?(.+)")
_SPACED = re.compile(r" ('s\b|[,.;:!?)-])|(?<=-) ")
_NOTHING = Meanings()


@cache
def _phrases() -> Mapping[tuple[str, ...], tuple[Mark, str]]:
    found = {
        tuple(phrase.split()): (mark, detail)
        for mark, details in PHRASES.items()
        for detail, phrases in details.items()
        for phrase in phrases.split("|")
    }
    found |= {tuple(adjective.split()): (Mark.ADJECTIVE, adjective) for adjective in ADJECTIVES}
    return found | {tuple(how.split()): (Mark.HOW, how) for how in HOW_WORDS if how != "where"}


class Linker:
    """Links questions to one model. Read-only after construction."""

    def __init__(self, facts: ModelFacts, lexicon: Lexicon, role_words: frozenset[str] = frozenset()) -> None:
        self._role_words = role_words
        self._facts = facts
        self._lexicon = lexicon
        phrases = _phrases()
        self._phrases = phrases
        self._cells = CellValues(facts, lexicon)
        self._longest = max(lexicon.longest, max(len(words) for words in phrases))

    def link(self, tokens: Sequence[Token]) -> tuple[Span, ...]:
        """All tokens as spans, in order."""
        spans: list[Span] = []
        tokens = self._compounds(tokens)
        i = 0
        while i < len(tokens):
            found, taken = self._next(tokens, i)
            spans += found
            i += taken
        spans = self._cells.with_names(spans)
        for i in range(1, len(spans)):
            if self._names_amount(spans[i], spans[i - 1]) or self._names_amount(
                spans[i], _valued(spans, i), following=True
            ):
                spans[i] = Span(Thing.UNKNOWN, spans[i].text)
        spans = verbs_of(relations_of(doers_of(spans, self._facts)), self._facts)
        spans = [self._dated(spans, i) for i in range(len(spans))]
        spans = [part for i in range(len(spans)) for part in self._computed(spans, i)]
        spans = listed_extremes(attributes_of(aggregates_of(firsts_of(flags_of(spans, self._facts)))))
        spans = kinds_of(spans, self._facts)
        followed = zip(spans, [*spans[1:], END], strict=True)
        return tuple(numbers_of([self._as_role(span, following) for span, following in followed]))

    def _compounds(self, tokens: Sequence[Token]) -> Sequence[Token]:
        """ "check-ins", where something is called checkin."""
        found: list[Token] = []
        for token in tokens:
            if len(found) > 1 and found[-1].text == "-" and found[-2].kind is token.kind is TokenKind.WORD:
                text = found[-2].text + token.text
                if stems(text) in self._lexicon.meanings:
                    found[-2:] = [replace(token, text=text, low=text.lower())]
                    continue
            found.append(token)
        return found

    def _computed(self, spans: Sequence[Span], i: int) -> list[Span]:
        """The "minimum salary" of jobs is a column of theirs, that of employees is computed; without either nobody
        knows, nor in "the minimum and maximum salary"."""
        span = spans[i]
        first, _, rest = span.text.partition(" ")
        name = AGGREGATE_WORDS.get(first.lower())
        if name is None or not rest or span.kind is not Thing.ENTITY or span.is_value or not span.columns:
            return [span]
        bare = self._lexicon.meanings.get(stems(rest), _NOTHING).columns
        mentioned = {table for other in spans if other is not span for table in other.tables}
        split = [Span(Mark.AGGREGATE, first, detail=name), Span(Thing.ENTITY, rest, columns=bare)]
        listed = i > 1 and spans[i - 1].kind is Mark.AND and spans[i - 2].kind is Mark.AGGREGATE
        own = {ref.table for ref in span.columns}
        others = {ref.table for ref, evidence in bare.items() if evidence <= Evidence.TRIMMED} - own
        if own & mentioned and not listed:
            return [span]
        if others & mentioned and not own & mentioned:
            return split
        return [Span(Thing.UNKNOWN, span.text)] if others or listed else [span]

    def _dated(self, spans: Sequence[Span], i: int) -> Span:
        """ "the last invoice date" is the latest; who "was hired first" has the earliest date."""
        span, detail = spans[i], FIRSTS.get(spans[i].low)
        if detail is None or span.kind is not Thing.UNKNOWN:
            return span
        following = spans[i + 1] if i + 1 < len(spans) else END
        dates = [ref for ref in following.columns if self._facts.columns[ref].is_date]
        after = spans[i + 2] if i + 2 < len(spans) else END
        if following.kind is Thing.NUMBER and after.tables and after.low not in PERIODS:
            return Span(Mark.ADJECTIVE, span.text, detail=detail)  # "the last five orders"
        ends = following.kind in (Thing.STOP, Thing.END) and i > 0 and spans[i - 1].low.endswith("ed")
        return Span(Mark.ADJECTIVE, span.text, detail=detail) if dates or ends else span

    def near_value(self, word: str) -> str | None:
        """The cell value that is written most like a word, where one is close."""
        return self._cells.near(word)

    def _as_role(self, span: Span, following: Span) -> Span:
        """ "billing" of "billing address", where orders have two addresses."""
        weak = span.kind is Thing.ENTITY and not (span.tables or span.values) and span.best_column >= Evidence.WEAK
        free = span.kind in (Thing.UNKNOWN, Thing.FILLER) or (weak and bool(following.tables))
        named = bool(span.tables or span.columns)
        if span.values and not named and span.text.islower() and following.low in ("to", "from"):
            free = True  # "shipped to Portugal" is about where, whatever the status is
        if free and self._role_words & set(stems(span.text)):
            return Span(Thing.FILLER, span.text, role=True)
        return span

    def _next(self, tokens: Sequence[Token], i: int) -> tuple[list[Span], int]:
        token = tokens[i]
        if token.kind is TokenKind.MARK:
            return [Span(Thing.COMMA if token.text in ",;" else Thing.STOP, token.text)], 1
        if token.kind is TokenKind.QUOTED:
            return self._cells.quoted(token.text), 1
        if (everywhere := self._everywhere(tokens, i)) is not None:
            return [everywhere[0]], everywhere[1]
        if (period := period_at(tokens, i)) is not None and not is_latest(tokens, i):
            text = " ".join(t.text for t in tokens[i : i + period[1]])
            return [Span(Thing.PERIOD, text, period=period[0])], period[1]
        if token.low in _LOOKING and [t.low for t in tokens[i + 1 : i + 2]] == ["after"]:
            return [Span(Thing.FILLER, f"{token.text} {tokens[i + 1].text}", loose_verb=True)], 2
        best = self._longest_at(tokens, i)
        if (best is None or best[1] == 1) and (person := self._cells.person(tokens, i)) is not None:
            return person, 2
        span, taken = best if best is not None else (None, 1)
        if token.kind is TokenKind.NUMBER and taken == 1:
            return [Span(Thing.NUMBER, token.text, detail=token.text)], 1
        named = span is not None and bool(span.values) and token.text[:1].isupper() and i > 0  # an album called "Ten"
        if token.low in NUMBER_WORDS and taken == 1 and not is_pronoun(tokens, i) and not named:
            return [Span(Thing.NUMBER, token.text, detail=str(NUMBER_WORDS[token.low]))], 1
        if (gendered := self._cells.gender(token)) is not None and not (
            span is not None and (span.values or taken > 1)
        ):
            return [gendered], 1
        if span is None and (negated := self._negated_flag(token)) is not None:
            return negated, 1
        if span is None:
            plain = unlinked(tokens, i)
            return [self._cells.inflected(plain) if plain.kind is Thing.UNKNOWN else plain], 1
        return [self._weakened(span, tokens, i) if taken == 1 else span], taken

    def _everywhere(self, tokens: Sequence[Token], i: int) -> tuple[Span, int] | None:
        """ "in our catalog", "on file": where all rows are, unless something is called so."""
        words = [token.low for token in tokens[i : i + 3]]
        if not words or words[0] not in ("in", "on", "from"):
            return None
        length = 3 if words[1:2] and words[1] in ("the", "our", "this", "your", "my") else 2
        if words[length - 1 :][:1] == [] or words[length - 1] not in EVERYWHERE:
            return None
        if stems(words[length - 1]) in self._lexicon.meanings or (words[length - 1],) in self._lexicon.values:
            return None
        return Span(Thing.FILLER, " ".join(token.text for token in tokens[i : i + length])), length

    def _negated_flag(self, token: Token) -> list[Span] | None:
        """ "unresolved" is not resolved, where that is a column of yes and no."""
        stripped = _NEGATING.match(token.low)
        if stripped is None or not stripped[1]:
            return None
        columns = self._lexicon.meanings.get(stems(stripped[1]), _NOTHING).columns
        flags = {ref: evidence for ref, evidence in columns.items() if self._facts.columns[ref].is_flag}
        if not flags:
            return None
        return [Span(Mark.NOT, "not", detail="not"), Span(Thing.ENTITY, stripped[1], columns=flags)]

    def _names_amount(self, span: Span, before: Span, *, following: bool = False) -> bool:
        """ "stock value" is another amount than the stock."""
        if span.kind is not Thing.FILLER or span.low not in ("value", "values"):
            return False
        if before.tables and not (before.columns or before.is_value) and following:
            return True  # "the value of all orders"
        return any(self._facts.columns[ref].is_measure for ref in before.columns) and not before.is_value

    def _longest_at(self, tokens: Sequence[Token], i: int) -> tuple[Span, int] | None:
        for length in range(min(self._longest, len(tokens) - i), 0, -1):
            part = tokens[i : i + length]
            if any(t.kind is TokenKind.QUOTED or (t.kind is TokenKind.MARK and t.text not in "&-/.,") for t in part):
                continue
            if any(t.text == "," for t in part):
                if part[0].text[:1].isupper() and (held := self._cells.of(part, True)) and part[-1].text != ",":
                    return Span(Thing.ENTITY, _written(part), values=held), length
                continue
            if part[-1].kind is TokenKind.MARK:
                continue
            following = tokens[i + length] if i + length < len(tokens) else None
            candidates = list(self._candidates(tokens, part, i, following))
            if candidates:
                return max(candidates, key=lambda candidate: candidate[0])[1], length
        return None

    def _candidates(
        self, tokens: Sequence[Token], part: Sequence[Token], i: int, following: Token | None
    ) -> Iterator[tuple[float, Span]]:
        """What the tokens may be, with a rank: good names before phrases, phrases before weak names."""
        text = _written(part)
        capital = any(t.text[:1].isupper() for t in part if t.kind is TokenKind.WORD) and (i > 0 or len(part) > 1)
        meanings = self._lexicon.named_by(part) if part[0].kind is TokenKind.WORD else _NOTHING
        values = self._cells.of(part, capital) or self._cells.beside(tokens, part, i)
        if len(part) == 1 and part[0].low in _AUXILIARIES:
            meanings = _NOTHING  # "did" is a word, whatever the columns are called
        if len(part) == 1 and stray_part_of_name(tokens, i):
            meanings = _NOTHING  # "hired first" is about no name
        tables, columns = only_good(meanings)
        if tables or columns:
            evidence = min((*tables.values(), *columns.values()))
            if values and not tables and self._only_form(part, columns):
                evidence = Evidence.WEAK
                columns = dict.fromkeys(columns, evidence)
            kept = values if capital or evidence >= Evidence.WEAK else {}
            rank = {Evidence.EXACT: 3.0, Evidence.TRIMMED: 3.0, Evidence.PARTIAL: 2.0}.get(evidence, 1.0)
            yield rank, Span(Thing.ENTITY, text, tables=tables, columns=columns, values=kept)
            if values and capital:
                better = 3.1 if len(part) > 1 or evidence >= Evidence.TRIMMED else 2.9
                yield better, Span(Thing.ENTITY, text, tables=tables, columns=columns, values=values)
        elif values:
            yield (3.0 if capital or len(part) > 1 else 1.5), Span(Thing.ENTITY, text, values=values)
        phrase = self._phrases.get(tuple(t.low for t in part))
        before = tokens[i - 1] if i else None
        if phrase is not None and not misread(phrase[0], text.lower(), before, following):
            rank = 3.5 if phrase[1] == "period" else 2.5  # "monthly" is no column called month
            yield rank, Span(phrase[0], text, detail=phrase[1])

    def _only_form(self, part: Sequence[Token], columns: Iterable[ColumnRef]) -> bool:
        """ "open" names an `opened_at` only in another form."""
        names = (self._facts.columns[ref].column for ref in columns)
        written = {word for column in names for word in surface_words(column.name, column.display_name or "")}
        return len(part) == 1 and part[0].low not in written

    def _weakened(self, span: Span, tokens: Sequence[Token], i: int) -> Span:
        """A single word that only weakly names a column is a verb, or nothing, more often than that column."""
        token = tokens[i]
        if span.kind is not Thing.ENTITY or span.values or not (span.tables or span.columns):
            return span
        verb = is_verb_form(token.text) and token.low not in self._lexicon.surface
        if (
            token.low in FILLERS
            and token.low not in ("name", "names")
            and ((verb and not span.tables) or min(span.best_table, span.best_column) >= Evidence.PARTIAL)
        ):
            return Span(Thing.FILLER, token.text)
        weak = not span.tables and span.best_column >= Evidence.WEAK
        before = tokens[i - 1].low if i else ""
        if weak and verb and i > 1 and before not in ("the", "and", "by", ","):
            return Span(Thing.FILLER, token.text, loose_verb=True)
        return span


def _written(part: Sequence[Token]) -> str:
    """The text of tokens, with marks where they belong."""
    return _SPACED.sub(lambda match: match[1] or "", " ".join(token.text for token in part))


def _valued(spans: Sequence[Span], i: int) -> Span:
    """What the word at `i` is the value of: "the value of our stock"."""
    if i + 1 >= len(spans) or spans[i + 1].low != "of":
        return END
    return next((span for span in spans[i + 2 :] if span.kind is not Thing.FILLER), END)


_LOOKING = frozenset({"look", "looks", "looked", "looking"})
_AUXILIARIES = frozenset({"do", "does", "did", "is", "are", "was", "were", "be", "has", "have", "had"})
