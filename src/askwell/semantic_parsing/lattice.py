"""From text to a lattice of typed spans: every run of tokens with everything that it may mean, and its evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType

from askwell.question.lexicon import english
from askwell.question.misspelling import mended
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import Stems, stem, stems_of_word
from askwell.semantic_parsing.compiling.vocabulary import TIME_UNITS
from askwell.semantic_parsing.forms import Metric, Ref, Value
from askwell.semantic_parsing.linking import TAUGHT, Linker, Names
from askwell.semantic_parsing.model.catalog import SYNONYM, TEXT, Catalog, Target
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.semantic_parsing.skips import Span, is_about_the_model, skips_of

# Operators that stand in longer names as well: the number of "phone number of".
_DOUBTED = frozenset({"COUNT", "AGGREGATE", "SUPERLATIVE", "ADJECTIVE", "COMMON", "TOP", "UNIT", "BUCKET", "LIKE"})
_DOUBTED |= {"COMPARE", "COMPARE_BY", "ORDER", "NOT", "SPENT", "HOW"}
# What only so many of are shown, and what never stands before how many these are.
_COUNTED = frozenset(
    {"TABLE", "COL", "COLS", "VAL", "ADJECTIVE", "SUPERLATIVE", "COMMON", "DISTINCT", "DONE", "UNDONE"}
)
_COUNTED |= {"NEW", "OF", "FULL_NAME", "SPENDER"}
_NOT_BEFORE_COUNTED = frozenset({"TABLE", "COL", "VAL", "NUM", "TO", "COMPARE", "COMPARE_BY", "EQUALS", "BETWEEN"})
# What stands before the unit of a time.
_BEFORE_UNITS = frozenset({"IN", "COUNT", "AGGREGATE", "NUM"})
# What a time is, stands before it, before what was done, and between two things that were.
_TIMES = frozenset({"PERIOD", "YEAR", "MONTH", "DATE"})
_TIME_WORDS, _DENIALS, _JOINING = frozenset({"IN", "YEAR_IN"}), frozenset({"NOT", "BE"}), frozenset({"AND", "OR"})


class Lattice:
    """The spans of one question by where they start, and what it costs to leave a token out. No word of it means one of
    the `avoided` tables; those that were `taught` mean what was said."""

    def __init__(
        self,
        catalog: Catalog,
        tokens: Sequence[Token],
        avoided: Collection[str] = (),
        taught: Names = MappingProxyType({}),
    ) -> None:
        self.catalog = catalog
        self.tokens, self.fixes = mended(_without_end(tokens), _spelled(catalog, tokens, taught))
        self.size = len(self.tokens)
        linker = Linker(catalog, self.tokens, taught)
        self.spans: list[list[Span]] = [*map(linker.spans, range(self.size)), []]
        for spans in self.spans if avoided else ():
            spans[:] = [span for span in spans if span.category != "TABLE" or span.meaning not in avoided]
        for start in range(self.size):
            self.spans[start] += self._second_looks(start)
        self._doubt_operators_in_names()
        self._forget_hints_of_what_is_named()
        self._keep_names_whole()
        self._forget_adjectives_of_texts()
        self._forget_names_in_states()
        self._keep_directions()
        self.skips = skips_of(catalog, self.tokens, self.spans)
        self.signs = self._signs()

    @property
    def is_about_the_model(self) -> bool:
        """Whether any word says something about the model."""
        return is_about_the_model(self.tokens, self.spans)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all tokens, and of the names that taught ones stand for."""
        own = {s for token in self.tokens for s in stems_of_word(token.low)}
        taught = {target for span in chain(*self.spans) if TAUGHT in span.evidence for target in _meant(span)}
        return frozenset(own.union(*(self.catalog.names_of(target) for target in taught)))

    @cached_property
    def time_unit(self) -> int | None:
        """The milliseconds of the unit in which a time is asked for: "in hours", else that of "longer than 2 hours"."""
        known, found = {**word_forms().milliseconds, **word_forms().lasting}, []
        for place, token in enumerate(self.tokens):
            before = {s.category for spans in self.spans[:place] for s in spans if s.end == place}
            is_period = any(s.category in _TIMES and s.end > place for spans in self.spans[:place] for s in spans)
            is_said = before & _BEFORE_UNITS or token.low in english().durations
            if token.low in known and is_said and not is_period:
                found.append(("NUM" in before, known[token.low]))
        return max(min(found)[1], min(TIME_UNITS)) if found else None

    # ------------------------------------------------------------ what depends on the neighbours
    def _second_looks(self, start: int) -> Iterator[Span]:
        for span in self.spans[start]:
            follows = span.end < self.size
            if span.category == "LIKE" and follows and self.tokens[span.end].kind is TokenKind.WORD:
                text = self.tokens[span.end].text  # "the letter a"
                if len(text) == 1 or (text.lower(),) not in english().phrases:
                    self.spans[span.end].append(Span(span.end, span.end + 1, "STR", Value((), text), ("str:bare",)))
            if span.category == "EACH" and not any(
                s.category in ("TABLE", "COL", "UNIT", "DISTINCT") for s in self.spans[span.end]
            ):
                yield Span(span.start, span.end, "EACH_ONE", "each")  # "how many does each have?"
            if span.category in ("WITH", "HAVE") and self._is_bare_text(span.end):
                text = self.tokens[span.end].text  # "with live in the name"
                self.spans[span.end].append(Span(span.end, span.end + 1, "STR", Value((), text), ("str:bare",)))
        yield from self._uses_of_a_number(start)
        if stem(self.tokens[start].low) in self.catalog.role_words:
            for span in self.spans[start + 1]:
                if span.category == "TABLE":  # the "shipping address", which one of two references leads to
                    yield Span(start, span.end, "TABLE", span.meaning, (*span.evidence, "table:role"))

    def _uses_of_a_number(self, start: int) -> Iterator[Span]:
        """What a number is by what stands beside it: "order 12" names one by it, "12 orders" are so many."""
        before = {s.category for spans in self.spans[:start] for s in spans if s.end == start}
        after = {s.category for s in self.spans[start + 1]} if start < self.size else set()
        for place, span in enumerate(self.spans[start]):
            if span.category != "NUM" or span.end != start + 1:
                continue
            if "TABLE" in before:
                yield Span(start, span.end, "ID", span.meaning)
                self.spans[start][place] = replace(span, evidence=(*span.evidence, "num:id"))
            elif after & _COUNTED and not before & _NOT_BEFORE_COUNTED:
                yield Span(start, span.end, "FEW", span.meaning, span.evidence)

    def _is_bare_text(self, place: int) -> bool:
        """Whether a word that means nothing here stands before "in the …"."""
        if place + 1 >= self.size or self.tokens[place].kind is not TokenKind.WORD or self.spans[place]:
            return False
        return any(span.category == "IN" for span in self.spans[place + 1])

    def _doubt_operators_in_names(self) -> None:
        linked = ("COL", "VAL", "TABLE", "ADJECTIVE", "COMMON")
        names = [s for spans in self.spans for s in spans if s.category in linked and s.end - s.start > 1]
        for spans in self.spans:
            for place, span in enumerate(spans):
                if span.category in _DOUBTED and any(_inside(span, name) for name in names):
                    evidence = (*span.evidence, "phrase:inside")
                    spans[place] = Span(span.start, span.end, span.category, span.meaning, evidence)

    def _forget_hints_of_what_is_named(self) -> None:
        """ "revenue" is the column of that name, where there is one, and not any amount."""
        for start, spans in enumerate(self.spans):
            named = {s.end for s in spans if s.category == "COL" and s.evidence[0] in ("col:0", "col:1")}
            named |= {s.end for s in spans if TAUGHT in s.evidence}
            money = {s.end for s in spans if s.category == "MONEY"}
            self.spans[start] = [
                s
                for s in spans
                if not (s.category == "MONEY" and s.end in named)
                # no more is it the table of orders, which brings it
                and not (s.category == "TABLE" and s.end in money and s.evidence[:1] == (f"table:{SYNONYM}",))
            ]

    def _keep_names_whole(self) -> None:
        """ "sales orders" are the table of that name: no amount of what is sold, and no other orders."""
        whole = [s for spans in self.spans for s in spans if s.end - s.start > 1 and s.evidence[:1] == ("table:0",)]
        names = [s for s in whole if s.category == "TABLE" and "table:rival" not in s.evidence]

        def breaks(s: Span) -> bool:
            of_others = any(_inside(s, name) and s.end <= name.end and s.meaning != name.meaning for name in names)
            return of_others and s.category in ("MONEY", "TABLE")

        for start, spans in enumerate(self.spans):
            self.spans[start] = [s for s in spans if not breaks(s)]

    def _forget_adjectives_of_texts(self) -> None:
        """ "the longest name" is about the name, whatever else of a row may be long."""
        for start, spans in enumerate(self.spans):
            self.spans[start] = [s for s in spans if s.category != "ADJECTIVE" or not self._is_of_nothing(start, s)]

    def _is_of_nothing(self, start: int, span: Span) -> bool:
        """Whether an adjective stands before a text, or is an adverb at the end: "what did she buy last?"."""
        asks_when = any(s.category == "WHEN" for spans in self.spans for s in spans)
        adverb = span.end == self.size and self.tokens[start].low in english().name_parts and not asks_when
        return adverb or self._is_text(span.end)

    def _forget_names_in_states(self) -> None:
        """What is "on loan" is so now, which a table of loans does not say."""
        states = [s for spans in self.spans for s in spans if s.category == "STATE"]
        for place in (place for s in states for place in range(s.start + 1, s.end)):
            self.spans[place] = [s for s in self.spans[place] if s.category not in ("TABLE", "COL")]

    def _keep_directions(self) -> None:
        """ "to Berlin" is where something goes, in a model with a column for that and one for where it came from."""
        for start, spans in enumerate(self.spans[1:], 1):
            before = self.tokens[start - 1].low
            if before in english().directions:
                way = english().directions.index(before)
                self.spans[start] = [self._one_way(s, way) if s.category == "VAL" else s for s in spans]

    def _one_way(self, span: Span, way: int) -> Span:
        """The value, of those columns alone that hold where something comes from (0) or where it goes (1)."""
        named = {ref: set(self.catalog.column(ref).words) for ref, _ in span.meaning.options}
        for pair in english().spans:
            meant = tuple(option for option in span.meaning.options if pair[way] in named[option[0]])
            if meant and any(pair[1 - way] in words for words in named.values()):
                return replace(span, meaning=replace(span.meaning, options=meant))
        return span

    def _is_text(self, place: int) -> bool:
        """Whether what stands there is certainly a column of words."""
        named = [s for s in self.spans[place] if s.category in ("COL", "TABLE")]
        sure = [s for s in named if s.category == "COL" and s.evidence[0] in ("col:0", "col:1")]
        return (
            bool(sure)
            and len(sure) == len(named)
            and all(self.catalog.kind(ref) == TEXT for s in sure for ref, _ in s.meaning.options)
        )

    def _signs(self) -> tuple[str, ...]:
        """Features of the whole question: what was put right, that it asks who, or whether something is so of all, and
        that a time may be that of two things that were done."""
        lexicon = english()
        lows = [token.low for token in self.tokens]
        whether_all = bool(lows) and lows[0] in lexicon.auxiliaries and not lexicon.universals.isdisjoint(lows)
        first = frozenset(lows[:1])
        signs = (
            ["question:who"] * bool(first & lexicon.persons)
            + ["question:when"] * any(span.category == "WHEN" and not span.start for span in self.spans[0])
            + ["question:rows"] * bool(first & lexicon.rows_asked)
            + ["question:will"] * (not lexicon.forecasts.isdisjoint(lows))
            + ["question:whether_all"] * whether_all
        )
        signs += ["question:shared_time"] * any(map(self._shares_its_time, range(self.size)))
        return (*signs, *["spell:fixed"] * len(self.fixes))

    def _shares_its_time(self, place: int) -> bool:
        """ "booked and not shipped in 2023"."""
        if not any(span.category in _TIMES for span in self.spans[place]):
            return False
        done = self._before(place, _TIME_WORDS)
        joined = self._before(done, _DENIALS)
        return self._was_done(done) and self._is_a(joined, _JOINING) and self._was_done(joined - 1)

    def _before(self, place: int, passed: frozenset[str]) -> int:
        """The place before, but for words of these categories."""
        place -= 1
        while self._is_a(place, passed):
            place -= 1
        return place

    def _is_a(self, place: int, categories: frozenset[str]) -> bool:
        return place >= 0 and any(s.end == place + 1 and s.category in categories for s in self.spans[place])

    def _was_done(self, place: int) -> bool:
        return place >= 0 and self.tokens[place].low.endswith(english().past_endings)


def _spelled(catalog: Catalog, tokens: Sequence[Token], taught: Mapping[Stems, object]) -> Collection[str]:
    if not taught:
        return catalog.spelled
    words = {stem for key in taught for stem in key}
    return catalog.spelled | {token.low for token in tokens if words.issuperset(stems_of_word(token.low))}


def _meant(span: Span) -> tuple[Target, ...]:
    meaning: str | Ref | Metric = span.meaning
    match meaning:
        case Metric():
            return (meaning.table,)
        case Ref():
            return tuple(column for column, _ in meaning.options)
        case _:
            return (meaning,)


def _inside(span: Span, name: Span) -> bool:
    return name.start <= span.start < name.end and not (span.start == name.start and span.end >= name.end)


def _without_end(tokens: Sequence[Token]) -> tuple[Token, ...]:
    end = len(tokens)
    while end and tokens[end - 1].text in "?.!;,:":
        end -= 1
    return tuple(tokens[:end])
