"""Questions near to one that has no answer: made of its own words, each answered; and why it has none."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise

from askwell.mdl.abbreviations import written_out
from askwell.mdl.names import listed, plural
from askwell.mdl.semantic_model import ColumnRef, SampledValues
from askwell.question.lexicon import classes_of, english
from askwell.question.misspelling import mended, nearest
from askwell.question.periods import day_of, period_at, year_of
from askwell.question.tokens import Token, TokenKind, tokenize
from askwell.question.words import DAYS, MONTHS, stem, stems
from askwell.resources import words_file
from askwell.semantic_parsing.model.catalog import DATE, FLAG, KEY, TEXT, TRIMMED, Catalog
from askwell.semantic_parsing.translation import UNKNOWN_WORD, UNSURE, Abstention, Choice, Translation

# Values, or columns, that are named.
_MOST_NAMED = 5
UNKNOWN = frozenset({"unplaced_words", UNKNOWN_WORD})
_UNREAD = UNKNOWN | {"unclear_words"}
# More tables than these whose names begin with the same word have it for a prefix.
_OF_ONE_PREFIX = 2
_OF_DATES = frozenset({"any_date", "no_date"})
# What stands before a word that it is named with, and how many words after it.
_BEFORE, _MOST_FOLLOWING = frozenset({"EACH", "BY", "NOT"}), 2
# Classes of words that tie others together.
TIES = frozenset({"OF", "IN", "TO", "BY", "WITH", "HAVE", "AND", "OR", "RELATIVE", "NOT", "EACH", "YEAR_IN", "BE"})
TIES |= {"COMPARE", "COMPARE_BY", "BETWEEN", "COMMA"}


@cache
def sentences() -> Mapping[str, str]:
    """What is said, and the words that questions are made with."""
    return words_file("askwell.services.recommendations", "nearby.yaml")


def ties(token: Token) -> bool:
    """Whether a word only ties others together."""
    return token.kind is TokenKind.MARK or token.low in english().determiners or bool(classes_of(token.low) & TIES)


class UnreadQuestion:
    """The `tokens` of a question that was `given` no answer, and the places of those that stand in the way (`unread`).
    Of columns these `values` are known."""

    def __init__(self, question: str, given: Abstention, catalog: Catalog, values: SampledValues) -> None:
        self.catalog, self.given, self.values = catalog, given, values
        self.tokens = [one for one in mended(tokenize(question), catalog.spelled)[0] if one.text not in "?!."]
        shorts = catalog.short.read(self.tokens, catalog.spelled)
        self._shorts = {self.tokens[place].low: short for place, short in shorts.items()}
        said = {word.lower() for words in given.words for word in words.split()}
        said = said if given.reason != "no_join_path" else set()  # these are names of tables
        left = {place for place, token in enumerate(self.tokens) if token.low in said and not self._is_known(place)}
        self.unread = sorted(left | self._days_of_months(left))

    def _is_known(self, place: int) -> bool:
        """Whether a word begins a question, or is the name of a table: it does not stand in the way."""
        lows = [token.low for token in self.tokens]
        phrases = (lows[place : place + 1], lows[place : place + 2], lows[place - 1 : place + 1])
        classes = {category for words in phrases for category, _ in english().phrases.get(tuple(words), ())}
        return bool(classes & {"ASK", "COUNT", "HOW"}) or bool(self.tables_called(self.tokens[place]))

    def tables_called(self, token: Token) -> list[str]:
        """The tables of which a word is the name, in one word."""
        is_verb = token.low.endswith(english().verb_endings)
        whole, short = tuple(stems(token.low)), stem(self._shorts.get(token.low, ""))
        named = {} if is_verb else self.catalog.words.get(whole) or self.catalog.words.get((short,), {})
        return [name for name, level in named.items() if isinstance(name, str) and level <= TRIMMED]

    def called(self, table: str) -> str:
        """The rows of a table in the words of the question, or by its name."""
        said = [one.low for one in self.tokens if table in self.tables_called(one)]
        words = self.catalog.readable(table).lower().split()
        firsts = [self.catalog.table(name).words[:1] for name in self.catalog.facts.tables]
        is_prefix = len(words) > 1 and firsts.count(self.catalog.table(table).words[:1]) > _OF_ONE_PREFIX
        return plural(said[0] if said else " ".join(written_out(words[1:] if is_prefix else words)))

    def _days_of_months(self, places: Collection[int]) -> set[int]:
        """The numbers beside names of months."""
        beside = {near for place in places if self.tokens[place].low in MONTHS for near in (place - 1, place + 1)}
        return {near for near in beside if 0 < near < len(self.tokens) and self.tokens[near].kind is TokenKind.NUMBER}

    @property
    def run(self) -> range:
        """The first words, next to each other, that stand in the way."""
        start = self.unread[0] if self.unread else len(self.tokens)
        end = start
        while end in self.unread:
            end += 1
        return range(start, end)

    def not_among(self, columns: Sequence[ColumnRef]) -> str:
        """That columns have no such value, and which a single one has."""
        said = " ".join(self.tokens[place].text for place in self.run)
        names = [self.catalog.readable(column).lower() for column in columns]
        if len(set(names)) > 1:
            return sentences()["values_of"].format(said, listed(dict.fromkeys(map(plural, names)), "or"))
        values, name = sorted({text for column in columns for text in self.values[column]}), names[0]
        if len(values) > _MOST_NAMED:
            return sentences()["values_more"].format(said, name, plural(name), ", ".join(values[:_MOST_NAMED]))
        return sentences()["values"].format(said, name, plural(name), listed(values))

    def why(self) -> str | None:
        """What is missing: a link of two tables, dates, the name of a date; or the part of the question that is not
        read."""
        reason = self.given.reason
        said = range(len(self.tokens)) if reason == "no_join_path" else self.unread
        of_time = any(map(self._is_of_time, said))
        if self.given.tables and not self.given.choices and (of_time or reason in _OF_DATES):
            dates = [ref for name in self.given.tables for ref in self._dates(name)]
            if not dates or reason in _OF_DATES:
                tables = listed(map(self.catalog.readable, self.given.tables), "or")
                names = listed(dict.fromkeys(map(self.catalog.readable, dates)), "or")
                return sentences()["name_date" if dates else "no_dates"].format(names or tables)
        if reason == "no_join_path":
            return self._not_linked()
        if reason == "unclear_words" and not self.unread:
            return sentences()["whole"]
        if self.unread and reason in _UNREAD:
            return sentences()["unread" if reason == "unclear_words" else "unknown"].format(self._phrase())
        return None

    def _is_of_time(self, place: int) -> bool:
        token = self.tokens[place]
        is_day = day_of(token.text) is not None or year_of(token) is not None
        return is_day or "UNIT" in classes_of(token.low) or period_at(self.tokens, place) is not None

    def _not_linked(self) -> str | None:
        """That two tables are not linked, and over which columns they could be: those that are called alike."""
        tables = [one for one in self.catalog.facts.tables.values() if one.readable in self.given.words]
        named = [{c.words: c.readable for c in one.columns if c.ref != one.key and not c.is_measure} for one in tables]
        if len(named) != 2:
            return None
        both = [name for words, name in named[0].items() if words in named[1]][:_MOST_NAMED]
        names = [self.called(one.table.name) for one in tables]
        sentence = sentences()["apart"].format(names[0].capitalize(), names[1])
        if both:
            return f"{sentence} {sentences()['link'].format(listed(both))}"
        alone = (name for one, name in zip(tables, names, strict=True) if not self._neighbours(one.table.name))
        return next(map(sentences()["alone"].format, alone), sentence)

    def _neighbours(self, table: str) -> Sequence[str]:
        return self.catalog.facts.neighbours.get(table, ())

    def _dates(self, table: str) -> list[ColumnRef]:
        columns = (column.ref for column in self.catalog.table(table).columns)
        return [ref for ref in columns if self.catalog.kind(ref) == DATE or self.catalog.is_year(ref)]

    def _phrase(self) -> str:
        """The first words that stand in the way; known ones with what ties them to the others, and with that without
        which they say nothing: "per month", "no discount"."""
        run = self.run
        start, end = run.start, run.stop
        is_known = self.given.reason == "unclear_words"
        while is_known and 0 < start < end and classes_of(self.tokens[start - 1].low) & _BEFORE:
            start -= 1
        for following in self.tokens[end : end + _MOST_FOLLOWING] if is_known else ():
            if self.tokens[end - 1].low not in english().everywhere or following.low in english().being:
                break
            end += 1
        while end > run.stop and ties(self.tokens[end - 1]):
            end -= 1
        return " ".join(token.text for token in self.tokens[start:end])


# Questions that are offered, and those that are tried: each takes as long as the one that was asked.
_MOST, _MOST_TRIED = 3, 9
# A question has at least so many words.
_SHORTEST = 2
# Ways of each kind that are tried, and values from which on a column has no vocabulary.
_MOST_OF_KIND, _VOCABULARY = 4, 200
_OF_WORDS = frozenset({"ambiguous_column", "ambiguous_table", "ambiguous_value", UNKNOWN_WORD})
# Classes of words that begin a question, that stand before a time, and after which no value stands.
_BEGINNING = frozenset({"ASK", "AGGREGATE", "COUNT", "SHARE", "HOW"})
_BEFORE_TIMES = frozenset({"IN", "YEAR_IN", "COMPARE_BY", "BETWEEN", "TO"})
_QUOTES = re.compile(r'["`\[\]]')
_NO_VALUE_AFTER = _BEGINNING | {"EACH", "HAVE", "NOT"}

Answer = Callable[[str], Translation | None]


@dataclass(frozen=True, slots=True)
class _Variant:
    """A changed question; `column` is that of which a value was put in, and its `rank` says how likely that is meant, 0
    most."""

    text: str
    column: ColumnRef | None = None
    rank: int = 0

    def is_read_in(self, sql: str) -> bool:
        """Whether a statement reads the column."""
        if self.column is None:
            return False
        named = re.escape(f"{self.column.table}.{self.column.column}")
        return re.search(rf"(?<!\w){named}(?!\w)", _QUOTES.sub("", sql)) is not None


@cache
def _places() -> frozenset[str]:
    return frozenset(map(stem, sentences()["places"].split()))


@dataclass(frozen=True, slots=True)
class Nearby:
    """Complete questions that are answered, each with its SQL; `missing` says that a column has no such value, and
    which it has, where that is why the question has no answer. `why` says why it has none, where more can be said than
    was."""

    questions: Mapping[str, str]
    missing: str | None = None
    why: str | None = None


def nearby_questions(
    question: str, given: Abstention, catalog: Catalog, values: SampledValues, answer: Answer
) -> Nearby:
    """What `answer` answers of the questions near to this one, which was `given` no answer. Takes up to some tenths of
    a second: call it on a thread."""
    changing = _Changing(catalog.read_aloud(question), given, catalog, values)
    found: dict[str, str] = {}
    tried: dict[str, Translation | None] = {changing.text: None}
    columns: dict[ColumnRef, int] = {}
    for variant in changing.variants():
        if len(found) == _MOST or len(tried) > _MOST_TRIED:
            break
        if variant.column is not None and columns and variant.rank not in columns.values():
            continue
        if variant.text not in tried:
            tried[variant.text] = answer(variant.text)
        answered = tried[variant.text]
        if answered is None or answered.sql in found.values():
            continue
        if variant.column is None or (not columns and variant.is_read_in(answered.sql)):
            found[variant.text] = answered.sql
        if variant.column is not None and variant.is_read_in(answered.sql):
            columns[variant.column] = variant.rank
    return Nearby(found, changing.not_among(list(columns)) if columns else None, changing.why())


class _Changing(UnreadQuestion):
    """A question whose words are changed until it is answered."""

    def __init__(self, question: str, given: Abstention, catalog: Catalog, values: SampledValues) -> None:
        super().__init__(question, given, catalog, values)
        self._end = "?" if question.rstrip().endswith("?") else ""
        self.text = self._sentence(self.tokens)

    def variants(self) -> Iterator[_Variant]:
        """Changed questions, the nearest first. Where it could mean several things, those that say which."""
        if self.given.choices:
            yield from map(_Variant, filter(None, map(self._chosen, self.given.choices)))
        if self.given.choices and self.given.reason != UNSURE:
            return
        if self.unread and self.given.reason in UNKNOWN:
            yield from islice(self._with_values(), _MOST_OF_KIND)
            yield from map(_Variant, islice(self._with_figures(), _MOST_OF_KIND))
        yield from map(_Variant, filter(None, self._shorter()))
        yield from map(_Variant, islice(self._counted(), _MOST_OF_KIND))

    def _chosen(self, choice: Choice) -> str | None:
        """The question that says what it means: with the name of that in place of what was said, or before a time."""
        if self.given.reason == UNSURE:
            return choice.label if choice.label.endswith("?") else None
        said = [token.low for token in tokenize(" ".join(self.given.words[:1]))]
        lows = [token.low for token in self.tokens]
        is_who = bool(said) and english().persons.issuperset(said)
        meant = Token(TokenKind.WORD, f"{sentences()['which']} {choice.label}" if is_who else choice.label, "")
        flags = [ref for ref in choice.bindings.columns if self.catalog.kind(ref) == FLAG]
        if flags and self.given.reason == UNKNOWN_WORD:
            return None  # "what do we paid"
        places = [place for place in range(len(lows)) if said and lows[place : place + len(said)] == said]
        if len(places) == 1 and self.given.reason in _OF_WORDS:
            shown = [meant, *self.tokens[places[0] : places[0] + len(said)]] if self._is_of_value else [meant]
            return self._sentence([*self.tokens[: places[0]], *shown, *self.tokens[places[0] + len(said) :]])
        times = [place for place, token in enumerate(self.tokens) if place and classes_of(token.low) & _BEFORE_TIMES]
        dated = times and all(self.catalog.kind(ref) == DATE for ref in choice.bindings.columns)
        if not dated or not _was_done(choice.label) or _was_done(lows[times[0] - 1]):
            return None
        return self._sentence([*self.tokens[: times[0]], meant, *self.tokens[times[0] :]])

    @property
    def _is_of_value(self) -> bool:
        return self.given.reason == "ambiguous_value"

    def _with_values(self) -> Iterator[_Variant]:
        """What is unknown stands where a value would: with one of a column in its place."""
        run = self.run
        first = self.tokens[run.start]
        before = [token for token in self.tokens[: run.start] if token.low not in english().determiners][-1:]
        ends = run.stop == len(self.tokens) or ties(self.tokens[run.stop])
        if not before or not ends or not first.text[:1].isalpha() or first.low.rstrip("s") in {*DAYS, *MONTHS}:
            return
        is_place = before[0].low in english().places or "TO" in classes_of(before[0].low)
        is_name = first.text[:1].isupper() and not classes_of(before[0].low) & _NO_VALUE_AFTER
        said = " ".join(self.tokens[place].low for place in run)
        holders = self._holders(is_place=is_place) if is_place or is_name else []
        named = self.catalog.words.get(tuple(stems(before[0].low)), {})
        for column, rank in [one for one in holders if one[0] in named] or holders:
            by_low = {text.lower(): text for text in self.values[column]}
            near = nearest(said, by_low)
            if near is not None or len(by_low) <= _VOCABULARY:
                value = Token(TokenKind.WORD, by_low[near or min(by_low)], "")
                text = self._sentence([*self.tokens[: run.start], value, *self.tokens[run.stop :]])
                yield _Variant(text, column, rank)

    def _holders(self, *, is_place: bool) -> list[tuple[ColumnRef, int]]:
        """The columns of texts that a name could be in, the likeliest first: those of places for what stands like one,
        else those that rows are shown by, and then the others."""
        tables = self._near_tables()
        labels = {ref for name in tables for ref in self.catalog.labels(name)}
        found = [ref for ref in self.values if ref.table in tables and self.catalog.kind(ref) == TEXT]
        if is_place:
            found = [ref for ref in found if _places() & self.catalog.words_of(ref)]
        ranks = {ref: 0 if ref in labels and not is_place else 1 + (ref.table != tables[0]) for ref in found}
        return sorted(ranks.items(), key=lambda one: (one[1], tables.index(one[0].table)))

    def _near_tables(self) -> list[str]:
        """What was understood, and the tables next to that."""
        neighbours = self.catalog.facts.neighbours
        near = [other for name in self.given.tables for other in neighbours.get(name, ())]
        return list(dict.fromkeys((*self.given.tables, *near)))

    def _with_figures(self) -> Iterator[str]:
        """What is measured is unknown: with figures of the tables in its place."""
        run = self.run
        classes = classes_of(self.tokens[run.start - 1].low) if run.start else _BEGINNING
        rest = self.tokens[run.stop :]
        if not classes & {"ASK", "AGGREGATE"} or not rest or not ties(rest[0]):
            return
        for name in self._near_tables():
            sums = [ref for ref, _ in self.catalog.amounts(name)]
            others = [c.ref for c in self.catalog.table(name).columns if c.is_measure and c.formula is None]
            for ref in (sums or others)[:1]:
                said = sentences()["total" if sums else "average"].format(self.catalog.readable(ref).lower())
                yield self._sentence([Token(TokenKind.WORD, said, ""), *rest])

    def _shorter(self) -> Iterator[str | None]:
        """Without what stands in the way: its words alone, the part of the sentence that they are in, and all that
        follows; or else without the last parts."""
        size = len(self.tokens)
        if self.unread:
            parts = [self._part(place) for place in self.unread]
            unread = [self.tokens[place] for place in self.unread]
            is_verb = any(ties(token) or token.low.endswith(english().verb_endings) for token in unread)
            ends = any(place + 1 == size or ties(self.tokens[place + 1]) for place in self.unread)
            if not is_verb and not ends:
                yield self._kept([place for place in range(size) if place not in self.unread])
            yield self._with_have()
            yield self._kept([place for place in range(size) if not any(place in part for part in parts)])
            yield self._kept(range(parts[0].start))
        else:
            cuts = [place for place in range(size - 1, 1, -1) if ties(self.tokens[place])]
            yield from (self._kept(range(cut)) for cut in islice(cuts, _MOST))

    def _with_have(self) -> str | None:
        """What some do is unknown: with what they have in its place."""
        run, (one, several) = self.run, sentences()["have"].split()
        before, after = self.tokens[: run.start], self.tokens[run.stop :]
        named = before and self.tables_called(before[-1])
        if len(run) > 1 or not named or not after or after[0].low not in english().determiners:
            return None
        have = several if before[-1].low == plural(before[-1].low) else one
        return self._sentence([*before, Token(TokenKind.WORD, have, have), *after])

    def _counted(self) -> Iterator[str]:
        """How many rows there are: for each of what the question groups by, or in all."""
        tail = self._tail()
        grouped = {one for token in tail for one in stems(token.low)}
        beside = [name for name in self._near_tables() if tail and not grouped & self.catalog.words_of(name)]
        for name in beside[:1]:
            yield self._sentence([Token(TokenKind.WORD, sentences()["many"].format(self.called(name)), ""), *tail], "?")
        for name in self.given.tables or self._central():
            yield sentences()["how_many"].format(self.called(name))

    def _tail(self) -> Sequence[Token]:
        """What the question groups by, with "per" or "by"; nothing where it groups by nothing that is known."""
        for place, (by, of) in enumerate(pairwise(self.tokens)):
            named = self.catalog.words.get(tuple(stems(of.low)), {})
            kinds = {KEY if isinstance(one, str) else self.catalog.kind(one) for one in named}
            groups = classes_of(by.low) & {"BY", "EACH"} and by.low not in english().determiners
            if groups and kinds & {KEY, TEXT, FLAG} and not {place, place + 1} & set(self.unread):
                return (by, of)
        return ()

    def _central(self) -> list[str]:
        """The tables by how many others they are linked to, the most first."""
        neighbours = self.catalog.facts.neighbours
        return sorted(self.catalog.facts.tables, key=lambda name: -len(neighbours.get(name, ())))

    def _part(self, place: int) -> range:
        """The part of a sentence that a word is in, with what ties it to the others."""
        start, end = place, place + 1
        while start > 1 and ties(self.tokens[start - 1]):
            start -= 1
        while end < len(self.tokens) and not ties(self.tokens[end]):
            end += 1
        return range(start, end)

    def _kept(self, places: Sequence[int]) -> str | None:
        """The question with these words alone; None where they are no sentence."""
        kept = list(places)
        while kept and kept[-1] < len(self.tokens) - 1 and self._dangles(self.tokens[kept[-1]]):
            kept.pop()
        said = [self.tokens[place] for place in kept]
        content = [token for token in said if not ties(token) and self._says_something(token)]
        asks = said[:1] and said[0].low in english().rows_asked
        if (
            len(said) < _SHORTEST
            or len(content) < (_SHORTEST if asks else 1)
            or classes_of(said[0].low) & TIES - {"BE"}
            or not _has_its_verb(said)
        ):
            return None
        for here, there in pairwise(kept):
            before, after = self.tokens[here], self.tokens[there]
            is_cut = there > here + 1
            if is_cut and (before.low in english().auxiliaries or (there == kept[-1] and _is_verb(after))):
                return None
            if is_cut and ties(after) and (ties(before) or classes_of(before.low) & _BEGINNING):
                return None
            if is_cut and (after.kind is TokenKind.MARK or after.low in english().determiners) and not ties(before):
                return None
        return self._sentence(said, "?" if asks else "")

    def _dangles(self, token: Token) -> bool:
        """Whether a sentence does not end in the word."""
        return token.low in english().verbs or ties(token) or not self._says_something(token)

    def _says_something(self, token: Token) -> bool:
        """Whether it is no word of every question, or one that the model has."""
        return token.low not in english().everywhere or tuple(stems(token.low)) in self.catalog.words

    def _sentence(self, tokens: Sequence[Token], end: str = "") -> str:
        """The words as they would be asked."""
        text = " ".join(token.text for token in tokens).replace(" 's", "'s").replace(" ,", ",")
        if text.lower().startswith(sentences()["many"].format("").lower()) and not any(map(_is_verb, tokens)):
            text, end = text + sentences()["there"], "?"
        return f"{text[:1].upper()}{text[1:]}{end or self._end}"


def _has_its_verb(said: Sequence[Token]) -> bool:
    """Whether what "did" or "have" begins has a verb, and what is asked for one word after "what" is there."""
    lexicon = english()
    places = [place for place, token in enumerate(said) if token.low in lexicon.auxiliaries - lexicon.being]
    verbs = [place for place, token in enumerate(said) if token.low in lexicon.verbs - lexicon.auxiliaries]
    if places and not any(verb > places[0] for verb in verbs):
        return False
    return len(said) > _SHORTEST or "ASK" not in classes_of(said[0].low)


def _was_done(said: str) -> bool:
    return said.endswith(english().past_endings)


def _is_verb(token: Token) -> bool:
    lexicon = english()
    return token.low in lexicon.being | lexicon.verbs | lexicon.auxiliaries or "HAVE" in classes_of(token.low)
