"""From text to a lattice of typed spans: every run of tokens with everything that it may mean, and its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.question.misspelling import mended
from askwell.question.periods import SURELY_YEARS, day_of, period_at, whole_day, year_of
from askwell.question.stems import Stems, singulars, stem, stems_of_word
from askwell.question.tokens import Token, TokenKind, plain_number
from askwell.question.words import MONTHS, NUMBER_WORDS
from askwell.semantic_parsing.forms import Amount, Duration, Ref, Value
from askwell.semantic_parsing.model.catalog import DATE, FLAG, SYNONYM, TEXT, TRIMMED, WEAK, Catalog
from askwell.semantic_parsing.model.names import value_words
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.semantic_parsing.skips import is_about_the_model, skips_of
from askwell.semantic_parsing.spans import ALSO_A_STATE, LONGEST_VALUE, Span
from askwell.sql.world import BY_NAME

_SHORTEST_NAMED_FILLER = 5
LONGEST_NAME, MOST_OPTIONS, MOST_TABLES, MOST_PEOPLE = 5, 8, 3, 4
# Operators that stand in longer names as well: the number of "phone number of".
_DOUBTED = frozenset({"COUNT", "AGGREGATE", "SUPERLATIVE", "ADJECTIVE", "COMMON", "TOP", "UNIT", "BUCKET", "LIKE"})
_DOUBTED |= {"COMPARE", "COMPARE_BY", "ORDER", "NOT", "SPENT", "HOW"}
# The largest number that every database holds.
_LARGEST = 2**63 - 1


class Lattice:
    """The spans of one question by where they start, and what it costs to leave a token out."""

    def __init__(self, catalog: Catalog, tokens: Sequence[Token]) -> None:
        self.catalog = catalog
        self.tokens, self.fixes = mended(_without_end(tokens), catalog.spelled)
        self.size = len(self.tokens)
        self.spans: list[list[Span]] = [[] for _ in range(self.size + 1)]
        for start, token in enumerate(self.tokens):
            found = self._quoted(start) if token.kind is TokenKind.QUOTED else self._unquoted(start)
            self.spans[start] += found
        for start in range(self.size):
            self.spans[start] += self._second_looks(start)
        self._doubt_operators_in_names()
        self._forget_hints_of_what_is_named()
        self._forget_adjectives_of_texts()
        self._forget_names_in_states()
        self.skips = skips_of(catalog, self.tokens, self.spans)
        self.signs = self._signs()

    @property
    def is_about_the_model(self) -> bool:
        """Whether any word says something about the model."""
        return is_about_the_model(self.tokens, self.spans)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all tokens."""
        return frozenset(s for token in self.tokens for s in stems_of_word(token.low))

    def _unquoted(self, start: int) -> Iterator[Span]:
        yield from self._numbers(start)
        yield from self._phrases(start)
        yield from self._names(start)
        yield from self._coordinated(start)
        yield from self._values(start)

    # ------------------------------------------------------------ literals
    def _quoted(self, start: int) -> Iterator[Span]:
        text = self.tokens[start].text
        held = self.catalog.values.get(value_words(text), {})
        evidence = "val:quoted" if held else "val:unseen"
        yield Span(start, start + 1, "VAL", Value(tuple(held.items()), text), (evidence,))
        yield Span(start, start + 1, "STR", Value((), text))
        yield from self._people(start, start + 1, value_words(text))

    def _numbers(self, start: int) -> Iterator[Span]:
        token = self.tokens[start]
        period = period_at(self.tokens, start)
        if period is not None:
            yield Span(start, start + period[1], "PERIOD", period[0])
        month = MONTHS.get(token.low) if len(token.low) > 3 or token.text == "May" else None
        if month is not None and period is None:
            yield Span(start, start + 1, "MONTH", month)
        if token.kind is TokenKind.NUMBER:
            day = day_of(token.text) if "-" in token.text else None
            if day is not None:
                yield Span(start, start + 1, "DATE", whole_day(day))
            value = plain_number(token.text)
            if value is not None and "-" not in token.text and abs(value) <= _LARGEST:
                yield Span(start, start + 1, "NUM", Amount(value, token.text))
                yield from self._times(start, value)
                if (year := year_of(token)) is not None and year in SURELY_YEARS:
                    yield Span(start, start + 1, "YEAR", Amount(year, token.text))
        elif token.low in NUMBER_WORDS:
            yield Span(start, start + 1, "NUM", Amount(NUMBER_WORDS[token.low], token.low), ("num:word",))

    def _times(self, start: int, value: int | float) -> Iterator[Span]:
        """ "2 hours"."""
        unit = self.tokens[start + 1].low if start + 1 < self.size else ""
        if (milliseconds := word_forms().milliseconds.get(unit)) is not None:
            text = f"{self.tokens[start].text} {unit}"
            yield Span(start, start + 2, "NUM", Amount(Duration(value * milliseconds), text), ("num:time",))

    def _phrases(self, start: int) -> Iterator[Span]:
        lexicon = english()
        for end in range(start + 1, min(start + lexicon.longest, self.size) + 1):
            for category, meaning in lexicon.phrases.get(tuple(t.low for t in self.tokens[start:end]), ()):
                if category == "SOMEBODY":
                    people = self.catalog.people[:MOST_PEOPLE]
                    yield from (Span(start, end, category, table) for table in people)
                else:
                    yield Span(start, end, category, meaning)

    # ------------------------------------------------------------ names
    def _names(self, start: int) -> Iterator[Span]:
        if self.tokens[start].kind is TokenKind.MARK:
            return
        low = self.tokens[start].low
        for noun in english().events.get(low, ()):
            for target, level in self.catalog.words.get((noun,), {}).items():
                if isinstance(target, str) and level < WEAK:
                    yield Span(start, start + 1, "TABLE", target, ("table:event",))
        yield from self._undone(start)
        key: Stems = ()
        for end in range(start + 1, min(start + LONGEST_NAME, self.size) + 1):
            token = self.tokens[end - 1]
            if (
                token.kind is TokenKind.QUOTED
                or token.text == "'s"
                or (token.kind is TokenKind.MARK and token.text not in "&-/")
            ):
                break
            key += stems_of_word(token.low) if token.kind is not TokenKind.MARK else ()
            if token.kind is not TokenKind.MARK and (targets := self.catalog.words.get(key)):
                yield from self._named(start, end, targets)

    def _coordinated(self, start: int) -> Iterator[Span]:
        """ "first and last name", "start and end dates": two columns that share their last word."""
        words = [token.low for token in self.tokens[start : start + 4]]
        if len(words) < 4 or words[1] not in english().joining:
            return
        refs = []
        for word in (words[0], words[2]):
            targets = self.catalog.words.get((*stems_of_word(word), *stems_of_word(words[3])), {})
            named = sorted((level, c.table, c.column) for c, level in targets.items() if isinstance(c, ColumnRef))
            refs.append(Ref(tuple((ColumnRef(table, column), level) for level, table, column in named[:MOST_OPTIONS])))
        if all(ref.options for ref in refs):
            yield Span(start, start + 4, "COLS", tuple(refs))

    def _named(self, start: int, end: int, targets: Mapping[Any, int]) -> Iterator[Span]:
        low = self.tokens[start].low
        follows = self.tokens[end].low if end < self.size else ""
        if end == start + 1 and low in english().name_parts and follows not in english().listing:
            return  # "what did she buy last?" asks for no last name
        if end == start + 1 and any(category == "BUCKET" for category, _ in english().phrases.get((low,), ())):
            return  # "monthly" is no month
        tables = sorted((level, table) for table, level in targets.items() if isinstance(table, str))
        columns = sorted((level, ref.table, ref.column) for ref, level in targets.items() if isinstance(ref, ColumnRef))
        if columns and columns[0][0] <= TRIMMED:  # what is called so is meant before what an everyday word stands for
            columns = [one for one in columns if one[0] < SYNONYM]
        best = tables[0][0] if tables else SYNONYM + 1
        for level, table in tables[:MOST_TABLES]:
            if level <= best + 1:
                rivals = sum(other == level for other, _ in tables) > 1
                yield Span(start, end, "TABLE", table, (f"table:{level}", *["table:rival"] * rivals))
        if columns:
            options = tuple((ColumnRef(table, column), level) for level, table, column in columns[:MOST_OPTIONS])
            level = options[0][1]
            signs = [f"col:{level}"]
            signs += ["col:weak_verb"] * (level >= WEAK and low.endswith(english().verb_endings))
            signs += ["col:also_table"] * (best <= level)
            if (low,) in english().phrases and any(c == "AGGREGATE" for c, _ in english().phrases[low,]):
                signs.append("col:also_aggregate")
            yield Span(start, end, "COL", Ref(options), tuple(signs))
            if end == start + 1 and low.endswith(english().verb_endings[0]):
                yield from self._done(start, options)

    def _undone(self, start: int) -> Iterator[Span]:
        """ "unpaid", "inactive": a date or a flag that says no."""
        low = self.tokens[start].low
        for beginning in english().negations:
            rest = low.removeprefix(beginning)
            targets = self.catalog.words.get((stem(rest),), {}) if rest != low and len(rest) > 3 else {}
            told = [(ref, level) for ref, level in targets.items() if isinstance(ref, ColumnRef)]
            told = [(ref, level) for ref, level in told if self.catalog.kind(ref) in (DATE, FLAG)]
            if told and stem(low) not in self.catalog.first_words:
                ordered = sorted(told, key=lambda one: (one[1], one[0].table, one[0].column))
                yield Span(start, start + 1, "UNDONE", Ref(tuple(ordered)), (f"col:{ordered[0][1]}",))

    def _done(self, start: int, options: tuple[tuple[ColumnRef, int], ...]) -> Iterator[Span]:
        """What has happened to a row, where a date or a flag says whether: "shipped orders"."""
        told = tuple((ref, level) for ref, level in options if self.catalog.kind(ref) in (DATE, FLAG))
        if told:
            yield Span(start, start + 1, "DONE", Ref(told), (f"col:{told[0][1]}",))

    # ------------------------------------------------------------ values
    def _values(self, start: int) -> Iterator[Span]:
        for end in range(start + 1, min(start + LONGEST_VALUE, self.size) + 1):
            part = self.tokens[start:end]
            if part[-1].kind is TokenKind.QUOTED:
                break
            words = value_words(" ".join(t.text for t in part).replace(" 's", "'s"))
            if words and part[-1].kind is not TokenKind.MARK:
                yield from self._value(start, end, words)
            if len(part) == 2:
                yield from self._people(start, end, words)

    def _value(self, start: int, end: int, words: tuple[str, ...]) -> Iterator[Span]:
        part = self.tokens[start:end]
        if len(part) == 1 and part[0].kind is TokenKind.NUMBER:
            return
        capital = part[0].text[:1].isupper() and (start > 0 or len(part) > 1)
        sign, held = self._held(words, capital=capital)
        if not held or (part[-1].text == "'s" and sign != "exact"):
            return
        lexicon = english()
        common = len(words) == 1 and (
            words[0] in lexicon.common_values or words[0] in lexicon.fillers or len(words[0]) < 2
        )
        phrases = {category for category, _ in lexicon.phrases.get(words, ())}
        if len(words) == 1 and phrases - ALSO_A_STATE and not part[0].text[:1].isupper():
            return
        short = (
            words[0] in lexicon.fillers
            and not part[0].text.isupper()
            and (sign != "exact" or len(words[0]) < _SHORTEST_NAMED_FILLER)
        )
        if common and (short or (len(words[0]) < 2 and not capital)):
            return
        signs = [f"val:{sign}", "val:capital" if capital else "val:plain"]
        signs += ["val:long"] * (len(words) > 1) + ["val:common"] * common
        if any(s.category in ("TABLE", "COL") and s.end == end for s in self.spans[start]) or self.catalog.words.get(
            tuple(s for word in words for s in stems_of_word(word))
        ):
            signs.append("val:also_name")
        yield Span(start, end, "VAL", Value(tuple(held.items()), " ".join(t.text for t in part)), tuple(signs))

    def _held(self, words: tuple[str, ...], *, capital: bool) -> tuple[str, Mapping[ColumnRef, str]]:
        """The columns that hold the words as a value, and how they do."""
        catalog, last = self.catalog, words[-1]
        if held := catalog.values.get(words):
            return "exact", held
        for single in singulars(last):
            if held := catalog.values.get((*words[:-1], single)):
                return "plural", held
        if len(words) == 1:
            if held := self._gender(last):
                return "gender", held
            if last not in english().verbs and (held := catalog.value_stems.get(stem(last))):
                return "stem", held
        if held := self._otherwise(" ".join(words).removeprefix("the ")):
            return "alias", held
        if len(words) == 1 and not capital and words not in catalog.words and (held := catalog.endings.get(last)):
            return "ending", held
        if capital and len(words[0]) > 2 and last not in english().fillers and (held := catalog.beginnings.get(words)):
            return "beginning", held
        return "", {}

    def _otherwise(self, name: str) -> Mapping[ColumnRef, str]:
        """Values that mean the same: Germany for "german"; codes only in columns that are called like what they are."""
        found: dict[ColumnRef, str] = {}
        for meaning in BY_NAME.get(name, ()):
            told = {stem(word) for word in meaning.told_by}
            for other in meaning.names:
                found |= self.catalog.values.get(value_words(other), {})
            for code in meaning.codes if not found else ():
                held = self.catalog.values.get(value_words(code), {})
                found |= {ref: text for ref, text in held.items() if told & set(self.catalog.column(ref).words)}
        return found

    def _gender(self, word: str) -> Mapping[ColumnRef, str]:
        letters = english().genders.get(word, ())
        return {ref: value for ref, seen in self.catalog.genders.items() for value in seen if value.lower() in letters}

    def _people(self, start: int, end: int, words: tuple[str, ...]) -> Iterator[Span]:
        """A first and a last name that two columns of one table hold."""
        for split in range(1, len(words)):
            firsts, lasts = (self.catalog.values.get(part, {}) for part in (words[:split], words[split:]))
            for table in self.catalog.facts.tables.values():
                if table.person is not None and table.person[0] in firsts and table.person[1] in lasts:
                    pair = zip(table.person, (firsts, lasts), strict=True)
                    names = tuple(Value(((ref, held[ref]),), held[ref]) for ref, held in pair)
                    yield Span(start, end, "PERSON", names, ("val:person",))

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
        if stem(self.tokens[start].low) in self.catalog.role_words:
            for span in self.spans[start + 1]:
                if span.category == "TABLE":  # the "shipping address", which one of two references leads to
                    yield Span(start, span.end, "TABLE", span.meaning, (*span.evidence, "table:role"))

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
            self.spans[start] = [s for s in spans if s.category != "MONEY" or s.end not in named]

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
        """Features of the whole question: what was put right, and that it asks whether something is so of all."""
        lexicon = english()
        lows = [token.low for token in self.tokens]
        whether_all = bool(lows) and lows[0] in lexicon.auxiliaries and not lexicon.universals.isdisjoint(lows)
        who = bool(lows) and lows[0] in lexicon.persons
        return (*["question:who"] * who, *["spell:fixed"] * len(self.fixes), *["question:whether_all"] * whether_all)


def _inside(span: Span, name: Span) -> bool:
    return name.start <= span.start < name.end and not (span.start == name.start and span.end >= name.end)


def _without_end(tokens: Sequence[Token]) -> tuple[Token, ...]:
    end = len(tokens)
    while end and tokens[end - 1].text in "?.!;,:":
        end -= 1
    return tuple(tokens[:end])
