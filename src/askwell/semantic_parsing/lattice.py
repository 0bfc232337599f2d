"""From text to a lattice of typed spans: every run of tokens with everything that it may mean, and its evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from types import MappingProxyType

from askwell.question.lexicon import STANDING, english
from askwell.question.misspelling import mended
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import Stems, stem, stems_of_word
from askwell.semantic_parsing.compiling.vocabulary import TIME_UNITS
from askwell.semantic_parsing.forms import Metric, Ref, Value
from askwell.semantic_parsing.grounding import unit_sign
from askwell.semantic_parsing.linking import TAUGHT, Linker, Names
from askwell.semantic_parsing.model.catalog import FLAG, NUMBER, SYNONYM, TEXT, TRIMMED, Catalog, Target
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.semantic_parsing.skips import NAMING, Span, says_something, skips_of

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
# Verbs that say how rows stand, who acts on them, and what begins something else.
_STANDING_VERBS = frozenset({"BE", "HAVE"})
_BEFORE_STATES = _STANDING_VERBS | {"TABLE"}
# Letters of words such as "on" and "out", which mostly govern what follows.
_SMALL = 3
_ACTORS, _BEGINNING = frozenset({"BY", "OF"}), frozenset({"EACH", "AND", "OR", "COMMA", "STOP", "BUCKET", "RELATIVE"})
# What stands before whoever has all that there is, and how one of many is surely named.
_HOUSED = frozenset({"BE", "HAVE", "IN", "OF", "YEAR_IN", "BY"})
_SURELY_NAMED = frozenset({"table:0", "table:1", "table:2", "val:exact", "col:0", "col:1"})
_FIGURES = frozenset({"AGGREGATE", "SUPERLATIVE", "HOW", "COUNT", "OF"})
# What a time is, stands before it, before what was done, and between two things that were.
_TIMES = frozenset({"PERIOD", "YEAR", "MONTH", "DATE"})
_AMOUNTED = frozenset({"SPENT", "PRICED"})
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
        written = _without_end(tokens)
        self.tokens, self.fixes = mended(written, _spelled(catalog, tokens, taught), catalog.short)
        self.size = len(self.tokens)
        linker = Linker(catalog, self.tokens, taught)
        self.spans: list[list[Span]] = [*map(linker.spans, range(self.size)), []]
        for spans in self.spans if avoided else ():
            spans[:] = [span for span in spans if span.category not in NAMING or span.meaning not in avoided]
        for start in range(self.size):
            self.spans[start] += self._second_looks(start)
        self._pass_over_the_house([token.low in english().houses for token in written])
        self._doubt_operators_in_names()
        self._forget_hints_of_what_is_named()
        self._keep_names_whole()
        self._keep_kinds()
        self._forget_columns_called_like_rows()
        self._forget_adjectives_of_texts()
        self._forget_names_in_states()
        self._keep_most_at_ends()
        self._keep_directions()
        self._say_how_rows_stand()
        self.skips = skips_of(catalog, self.tokens, self.spans)
        self.signs = self._signs()

    @property
    def about(self) -> frozenset[str]:
        """The categories of what words say about the model."""
        return frozenset(span.category for spans in self.spans for span in spans if says_something(span))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all tokens, and of the names that taught ones stand for."""
        own = {s for token in self.tokens for s in stems_of_word(token.low)}
        own.update(*(self.catalog.short_deeds.get(s, ()) for s in own))
        taught = {target for span in chain(*self.spans) if TAUGHT in span.evidence for target in _meant(span)}
        signs = (unit_sign(unit) for _, unit in self.units)
        return frozenset(own.union(signs, *(self.catalog.names_of(target) for target in taught)))

    @cached_property
    def units(self) -> tuple[tuple[str, str], ...]:
        """The units that stand after numbers: as they are said, and as columns write them."""
        numbered = (two for one, two in pairwise(self.tokens) if one.kind is TokenKind.NUMBER)
        return tuple((token.text, english().units[token.low]) for token in numbered if token.low in english().units)

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
                is_said = (text.lower(),) in english().phrases or text.lower() in english().determiners
                if len(text) == 1 or not is_said:
                    self.spans[span.end].append(Span(span.end, span.end + 1, "STR", Value((), text), ("str:bare",)))
            if span.category == "EACH" and not any(
                s.category in ("TABLE", "COL", "UNIT", "DISTINCT") for s in self.spans[span.end]
            ):
                yield Span(span.start, span.end, "EACH_ONE", "each")  # "how many does each have?"
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
            elif start and self.tokens[start - 1].low in english().rows_asked:
                yield Span(start, span.end, "FEW", span.meaning, span.evidence)  # "which five have paid the most?"
            elif after & _COUNTED and not before & _NOT_BEFORE_COUNTED:
                yield Span(start, span.end, "FEW", span.meaning, span.evidence)

    def _pass_over_the_house(self, is_house: Sequence[bool]) -> None:
        """ "does this marina have", "in our repertoire": whose all rows are adds nothing, unless a table has such."""
        for place in range(1, self.size - 1):
            low, end = self.tokens[place].low, place + 2
            if low not in english().definite or not self._is_a(place - 1, _HOUSED):
                continue
            if not is_house[place + 1]:  # "our flying club"
                end += (self.tokens[place + 1].low,) not in english().phrases
            spans = [s for one in self.spans[place + 1 : end] for s in one]
            named = any(s.evidence[:1] and s.evidence[0] in _SURELY_NAMED and s.end == end for s in spans)
            goes_on = any(s.category in ("TABLE", "COL", "VAL") for s in self.spans[min(end, self.size)])
            goes_on = goes_on and self.tokens[end].low not in english().verbs
            if end <= self.size and is_house[end - 1] and not named and not goes_on:
                for spans in self.spans[place:end]:
                    spans.clear()
                self.spans[place] = [Span(place, end, "NOTHING", "nothing")]

    def _doubt_operators_in_names(self) -> None:
        linked = ("COL", "VAL", "TABLE", "ADJECTIVE", "COMMON")
        names = [s for spans in self.spans for s in spans if s.category in linked and s.end - s.start > 1]
        for spans in self.spans:
            for place, span in enumerate(spans):
                if span.category in _DOUBTED and any(_inside(span, name) for name in names):
                    evidence = (*span.evidence, "phrase:inside")
                    spans[place] = Span(span.start, span.end, span.category, span.meaning, evidence)

    def _forget_hints_of_what_is_named(self) -> None:
        """ "revenue" is the column of that name, where there is one, and not any amount; so is "paid"."""
        for start, spans in enumerate(self.spans):
            named = {s.end for s in spans if s.category == "COL" and s.evidence[0] in ("col:0", "col:1")}
            named |= {s.end for s in spans if TAUGHT in s.evidence}
            money = {s.end for s in spans if s.category == "MONEY"}
            amounts = {s.end for s in spans if s.category == "COL" and s.evidence[0] == "col:0" and self._is_number(s)}
            self.spans[start] = [
                s
                for s in spans
                if not (s.category == "MONEY" and s.end in named)
                and not (s.category == "SPENT" and s.end in amounts)
                and not (s.category == "COUNT" and self._is_own_amount(s))
                # no more is it the table of orders, which brings it
                and not (s.category == "TABLE" and s.end in money and s.evidence[:1] == (f"table:{SYNONYM}",))
            ]

    def _is_number(self, named: Span) -> bool:
        return all(self.catalog.kind(column) == NUMBER for column, _ in named.meaning.options)

    def _is_own_amount(self, count: Span) -> bool:
        """Whether the "amount of fees" is a column of fees that is called so, and not how many there are."""
        named = (s for s in self.spans[count.start] if s.category == "COL" and s.evidence[0] == "col:0")
        owners = {column.table for s in named for column, _ in s.meaning.options}
        after = count.end + (count.end < self.size and self.tokens[count.end].low in english().determiners)
        return any(s.category == "TABLE" and s.meaning in owners for s in self.spans[after])

    def _keep_names_whole(self) -> None:
        """ "sales orders" are the table of that name: no amount of what is sold, and no other orders."""
        whole = [s for spans in self.spans for s in spans if s.end - s.start > 1 and s.evidence[:1] == ("table:0",)]
        names = [s for s in whole if s.category == "TABLE" and "table:rival" not in s.evidence]

        def breaks(s: Span) -> bool:
            of_others = any(_inside(s, name) and s.end <= name.end and s.meaning != name.meaning for name in names)
            return of_others and s.category in ("MONEY", "TABLE")

        for start, spans in enumerate(self.spans):
            self.spans[start] = [s for s in spans if not breaks(s)]

    def _keep_kinds(self) -> None:
        """ "professors" are staff of that rank, and not all staff, which are called so by nobody but people."""
        for start, spans in enumerate(self.spans):
            kinds = {
                (s.end, c.table)
                for s in spans
                if s.category == "VAL"
                for c, t in s.meaning.options
                if self.catalog.is_kind(c, t, s.meaning.text)
            }
            self.spans[start] = [
                s for s in spans if s.evidence[:1] != (f"table:{SYNONYM}",) or (s.end, s.meaning) not in kinds
            ]

    def _forget_columns_called_like_rows(self) -> None:
        """ "list all orders" are the rows of that table, and no column `orders` of another one that nobody names."""
        named = {s.meaning for spans in self.spans for s in spans if s.category == "TABLE"}
        for start, spans in enumerate(self.spans):
            rows = {s.end for s in spans if s.category == "TABLE" and s.evidence[:1] == ("table:0",)}
            if not rows or self._is_a(start - 1, _FIGURES):
                continue
            self.spans[start] = [
                s
                for s in spans
                if s.category != "COL" or s.end not in rows or any(c.table in named for c, _ in s.meaning.options)
            ]

    def _forget_adjectives_of_texts(self) -> None:
        """ "the longest name" is about the name, whatever else of a row may be long."""
        for start, spans in enumerate(self.spans):
            self.spans[start] = [s for s in spans if s.category != "ADJECTIVE" or not self._is_of_nothing(start, s)]

    def _is_of_nothing(self, start: int, span: Span) -> bool:
        """Whether an adjective stands before a text, or is an adverb at the end: "what did she buy last?"."""
        asks_when = any(s.category == "WHEN" for spans in self.spans for s in spans)
        ends = span.end == self.size or any(s.category == "AGGREGATE" for s in self.spans[span.end])
        adverb = ends and self.tokens[start].low in english().name_parts and not asks_when
        adverb = adverb and not self._is_a(start - 1, frozenset({"DONE"}))  # "which event was held last"
        return adverb or (not word_forms().prices & set(span.meaning.split()) and self._is_text(span.end))

    def _forget_names_in_states(self) -> None:
        """What is "on loan" is so now, which a table of loans does not say."""
        states = [s for spans in self.spans for s in spans if s.category == "STATE"]
        for place in (place for s in states for place in range(s.start + 1, s.end)):
            self.spans[place] = [s for s in self.spans[place] if s.category not in ("TABLE", "COL")]

    def _keep_most_at_ends(self) -> None:
        """ "which genre is borrowed most": how often, and nothing of what follows; not "who spent the most"."""
        for start, spans in enumerate(self.spans):
            before = start - 1
            while before >= 0 and self.tokens[before].low in english().fillers:
                before -= 1
            how_much = self._is_a(before, _AMOUNTED)
            self.spans[start] = [
                s
                for s in spans
                if s.category != "MOST" or (not how_much and self._ends_there(s.end, _TIME_WORDS | _TIMES))
            ]

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

    def _say_how_rows_stand(self) -> None:
        """ "open tickets" are those without a date of closing. What no column says stays, and cannot be left out."""
        tables = {s.meaning for spans in self.spans for s in spans if s.category == "TABLE"} or self._holders()
        for start, spans in enumerate(self.spans):
            known = {s.end for s in spans if "val:exact" in s.evidence or self._names_of(s) & tables}
            said = [s for s in spans if s.category in STANDING]
            kept = [s for s in said if s.end not in known and self._is_said_of_rows(s)]
            found = [state for s in kept for table in sorted(tables) for state in self._states_of(s, table)]
            kept = [s for s in kept if not found and (s.category == "ENDED_BY" or self._ends_there(s.end))]
            self.spans[start] = [*(s for s in spans if s not in said), *kept, *found]

    def _holders(self) -> set[str]:
        """The tables that are meant where none is named: those with the values, and of people for "who"."""
        values = (s for spans in self.spans for s in spans if s.category == "VAL")
        held = {column.table for s in values for column, _ in s.meaning.options}
        return held or {s.meaning for spans in self.spans for s in spans if s.category == "SOMEBODY"}

    def _names_of(self, span: Span) -> set[str]:
        """The tables that an exact name is of."""
        if span.category == "COL" and span.evidence[:1] == ("col:0",):
            return {column.table for column, _ in span.meaning.options}
        return {span.meaning} if span.category == "TABLE" else set()

    def _states_of(self, span: Span, table: str) -> Iterator[Span]:
        """What tells how rows of the table stand: the column with the first of the words in its name."""
        told = [c for c in self.catalog.table(table).columns if self.catalog.tells_whether(c.ref)]
        for word in span.meaning.split():
            small = len(word) <= _SMALL
            refs = [c.ref for c in told if stem(word) in c.words and not (small and self.catalog.kind(c.ref) != FLAG)]
            if refs:
                category = "UNDONE" if span.category == "ENDED_BY" else "DONE"
                options = tuple((ref, TRIMMED) for ref in refs)
                yield Span(span.start, span.end, category, Ref(options, table), ("col:1", "state"))
                return

    def _is_said_of_rows(self, span: Span) -> bool:
        """Whether it stands before a table, after one, or after a form of "to be" or "to have"."""
        is_small = span.end == span.start + 1 and len(self.tokens[span.start].low) <= _SMALL
        lasts = self.tokens[span.start].low in english().lasting
        lasts = lasts and (span.end > span.start + 1 or self._ends_there(span.end))
        if lasts or (not is_small and self._stands_before_rows(span.end)):
            return True
        place = span.start - 1
        while place >= 0 and (self.tokens[place].low in english().fillers or self._is_a(place, frozenset({"NOT"}))):
            place -= 1
        if is_small:
            return self._ends_there(span.end) and self._is_a(place, _STANDING_VERBS)
        acted_on = any(s.category in _ACTORS for s in self.spans[span.end])
        return not acted_on and self._is_a(place, _BEFORE_STATES)

    def _stands_before_rows(self, place: int) -> bool:
        """Whether a table is named there, perhaps after what restricts it: "available single rooms"."""
        ends = {s.end for s in self.spans[place] if s.category in ("VAL", "DONE", "UNDONE", *STANDING)}
        return any(s.category == "TABLE" for s in self.spans[place]) or any(map(self._stands_before_rows, ends))

    def _ends_there(self, place: int, passed: frozenset[str] = frozenset()) -> bool:
        """Whether nothing follows, but for what may be `passed`, that the word before could govern: "that are on per
        room", not "on the shelf"."""
        return place == self.size or any(s.category in _BEGINNING | passed for s in self.spans[place])

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
            ["question:who"] * (bool(first & lexicon.persons) and not self._asks_for_a_column())
            + ["question:when"] * any(span.category == "WHEN" and not span.start for span in self.spans[0])
            + ["question:rows"] * bool(first & lexicon.rows_asked)
            + ["question:will"] * (not lexicon.forecasts.isdisjoint(lows))
            + ["question:whether_all"] * whether_all
        )
        signs += ["question:shared_time"] * any(map(self._shares_its_time, range(self.size)))
        return (*signs, *["spell:fixed"] * len(self.fixes))

    def _asks_for_a_column(self) -> bool:
        """ "who is the guest of stay 12"."""
        lows = [token.low for token in self.tokens[1:3]]
        named = self.spans[3] if self.size > 3 and lows[0] in english().being and lows[1] in english().definite else ()
        return any(s.category == "COL" and s.evidence[0] in ("col:0", "col:1") for s in named)

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
    meaning: str | Ref | Metric | Value = span.meaning
    match meaning:
        case Value():
            return ()
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
