"""Which words of a question are cell values, or parts of a name that is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import Stems
from askwell.question.tokens import Token, TokenKind
from askwell.sql.rules.facts import ModelFacts
from askwell.sql.rules.lexicon import Lexicon, value_words
from askwell.sql.rules.spans import END, Span, Thing
from askwell.sql.rules.words.fillers import COMMON_WORDS, FEMALE_WORDS, FILLERS, MALE_WORDS, STATES
from askwell.sql.world import DEMONYMS

_SAYING = frozenset({"is", "are", "was", "were", "still", "currently", "yet", "now"})


class CellValues:
    """The values of one model's columns, as questions write them. Read-only after construction."""

    def __init__(self, facts: ModelFacts, lexicon: Lexicon) -> None:
        self._facts = facts
        self._lexicon = lexicon
        self._single = tuple(words[0] for words in lexicon.values if len(words) == 1 and len(words[0]) > 3)

    def near(self, word: str) -> str | None:
        """The cell value that is written most like a word, where one is close."""
        from rapidfuzz import fuzz, process

        if len(word) < 4:
            return None
        found = process.extractOne(word.lower(), self._single, scorer=fuzz.ratio, score_cutoff=75)
        if found is None or (abs(len(found[0]) - len(word)) > 2 and not word.lower().startswith(found[0])):
            return None
        return next(iter(self._lexicon.values[(found[0],)].values()))

    def with_names(self, spans: Sequence[Span]) -> list[Span]:
        """ "the song Bohemian Rhapsody", where there are too many names to have looked at: a name all the same."""
        found: list[Span] = []
        for span in spans:
            before = found[-1] if found else END
            tables = found[-2].tables if before.kind is Thing.QUOTED and len(found) > 1 else before.tables
            named = span.kind is Thing.UNKNOWN and span.capital and bool(tables.keys() & self._lexicon.unknown_names)
            if named and before.kind is Thing.QUOTED and not before.values:
                found[-1] = replace(before, text=f"{before.text} {span.text}")
            elif named and before.tables and not before.low.endswith("s"):
                found.append(Span(Thing.QUOTED, span.text))
            else:
                found.append(span)
        return found

    def inflected(self, span: Span) -> Span:
        """ "the beverage" of a category "Beverages", "fitters" of a job "Fitter": a word that means nothing else."""
        word = span.low
        if len(word) < 4:
            return span
        for country in DEMONYMS.get(word, ()):
            if (held := self._lexicon.values.get(value_words(country))) is not None:
                return Span(Thing.ENTITY, span.text, values=held)
        forms = [f"{word}s", f"{word}es", word.removesuffix("s"), word.removesuffix("es")]
        if word.endswith("ies"):
            forms.append(word.removesuffix("ies") + "y")
        found = (self._lexicon.values[(form,)] for form in forms if form != word and (form,) in self._lexicon.values)
        values = next(found, None)
        return Span(Thing.ENTITY, span.text, values=values) if values else span

    def of(self, part: Sequence[Token], capital: bool) -> Mapping[ColumnRef, str]:
        """The columns that hold the tokens as a value; `capital`: written like a name."""
        words = value_words(" ".join(t.low for t in part).replace(" 's", "'s"))
        if not words or (len(part) == 1 and part[0].kind is TokenKind.NUMBER):
            return {}
        found = self._lexicon.values.get(words)
        if found is None and len(words) > 1 and words[-1].endswith("s") and words[-1] not in FILLERS:
            found = self._lexicon.values.get((*words[:-1], words[-1][:-1]))  # "the sales managers"
        if found is None and len(part) == 1 and len(words[0]) > 3 and words[0].endswith("s"):
            found = None if not capital else self._lexicon.values.get((words[0][:-1],))
        if not found:
            return {}
        if len(part) == 1:
            word = words[0]
            shouted = capital and part[0].text.isupper() and len(word) > 1
            if (word in FILLERS and not (capital and len(word) > 3) and not shouted) or (
                not capital and (word in COMMON_WORDS or len(word) < 2)
            ):
                return {}
        return found

    def beside(self, tokens: Sequence[Token], part: Sequence[Token], i: int) -> Mapping[ColumnRef, str]:
        """ "high priority", "status open": a plain word is a value beside the name of the column that holds it."""
        if len(part) > 1 or part[0].kind is not TokenKind.WORD:
            return {}
        held = self._lexicon.values.get((part[0].low,), {})
        if not held:
            return {}
        near = [tokens[k] for k in (i - 1, i + 1) if 0 <= k < len(tokens)]
        named = {ref for token in near for ref in self._lexicon.named_by((token,)).columns}
        tables: set[str] = set()
        if part[0].low in STATES:  # "open tickets", "tickets that are still open"
            said = i > 0 and tokens[i - 1].low in _SAYING
            tables = {
                table for token in (tokens if said else near) for table in self._lexicon.named_by((token,)).tables
            }
        return {ref: value for ref, value in held.items() if ref in named or ref.table in tables}

    def quoted(self, text: str) -> list[Span]:
        """Quoted text as a value, or as a first and a last name."""
        words = value_words(text)
        values = self._lexicon.values.get(words, {})
        if not values and len(words) == 2:
            if (pair := self._full_name(words)) is not None:
                return pair
        return [Span(Thing.QUOTED, text, values=values)]

    def _full_name(self, words: Stems) -> list[Span] | None:
        """ "Ada Byron" as a first and a last name of the same table."""
        firsts = self._lexicon.values.get(words[:1], {})
        lasts = self._lexicon.values.get(words[1:], {})
        people = [
            table.person
            for table in self._facts.tables.values()
            if table.person is not None and table.person[0] in firsts and table.person[1] in lasts
        ]
        if not people:
            return None
        first = {person[0]: firsts[person[0]] for person in people}
        last = {person[1]: lasts[person[1]] for person in people}
        return [Span(Thing.QUOTED, next(iter(found.values())), values=found) for found in (first, last)]

    def person(self, tokens: Sequence[Token], i: int) -> list[Span] | None:
        """An unquoted full name, where its words are no longer name together."""
        pair = tokens[i : i + 2]
        if len(pair) < 2 or not all(t.kind is TokenKind.WORD and t.text[:1].isupper() for t in pair):
            return None
        return self._full_name(tuple(t.low for t in pair))

    def gender(self, token: Token) -> Span | None:
        """Words such as "women" for a column of genders that holds only letters."""
        letter = "m" if token.low in MALE_WORDS else "f" if token.low in FEMALE_WORDS else None
        if letter is None:
            return None
        values = {
            ref: value
            for ref, seen in self._lexicon.genders.items()
            for value in seen
            if value.lower() in ((letter, "male") if letter == "m" else (letter, "female"))
        }
        return Span(Thing.ENTITY, token.text, values=values) if values else None
