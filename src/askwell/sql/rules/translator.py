"""From a question to SQL by rules: link the words, read the clauses, join, account for every word, compile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from askwell.mdl.semantic_model import SampledValues, SemanticModel
from askwell.question.stems import stem, stem_set
from askwell.question.tokens import MAX_TOKENS, NO_TEXT, tokenize
from askwell.sql.rules.accounting import unplaced
from askwell.sql.rules.asides import without_asides
from askwell.sql.rules.assembly import assemble
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.comparability import refuse_misfits
from askwell.sql.rules.compiler import Compiler
from askwell.sql.rules.confidence import calibration
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.facts import ModelFacts
from askwell.sql.rules.features import features_of
from askwell.sql.rules.finding_facts import facts_of
from askwell.sql.rules.grammar.comparisons import read_averages, read_having
from askwell.sql.rules.grammar.filters import read_filters
from askwell.sql.rules.grammar.grouping import read_grouping
from askwell.sql.rules.grammar.names import read_names
from askwell.sql.rules.grammar.sorting import read_sorting
from askwell.sql.rules.grammar.superlatives import read_superlatives
from askwell.sql.rules.joining import JoinedQuery, join
from askwell.sql.rules.joins import JoinGraph
from askwell.sql.rules.lexicon import Lexicon
from askwell.sql.rules.linker import Linker
from askwell.sql.rules.messages import abstention
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.rivals import Barred, rival_words, several_readings, two_columns
from askwell.sql.rules.sentence import Sentence, readings
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.trade import with_trade
from askwell.sql.rules.translation import Abstention, Assumption, Translation
from askwell.sql.rules.words.verbs import CONTENT, DEALING

Clause = Callable[[Reader, Draft], Iterator[Draft]]

# In this order: later clauses read what earlier ones left.
_CLAUSES: tuple[Clause, ...] = (
    read_names,
    read_sorting,
    read_superlatives,
    read_averages,
    read_having,
    read_grouping,
    read_filters,
)
_MOST_FAILURES = 12
_MOST_CHARACTERS = 4_000
# Fitted on questions that somebody thought of; nobody has thought of all.
_SUREST = 0.98
# Readings that are as probable differ by what the question says least about, such as the side of a join.
_RIVAL_MARGIN = 0.005


@dataclass(frozen=True, slots=True)
class Reading:
    """One complete reading of a question: every word is accounted for, and it can be joined."""

    joined: JoinedQuery
    assumptions: tuple[Assumption, ...]
    features: frozenset[str]
    probability: float


class RuleTranslator:
    """Translates questions about one semantic model. Building it costs time; afterwards it is read-only and may be
    used by several threads at once."""

    def __init__(self, model: SemanticModel, values: SampledValues, dialect: str) -> None:
        self._facts = with_trade(facts_of(model, values))
        self.graph = JoinGraph(self._facts)
        self.lexicon = Lexicon.build(self._facts, values)
        self._linker = Linker(self._facts, self.lexicon, self.graph.role_words())
        self._compiler = Compiler(self._facts, dialect)
        self._dialect = dialect

    @property
    def facts(self) -> ModelFacts:
        """What is known about the model."""
        return self._facts

    def translate(self, question: str, *, now: datetime) -> Translation | Abstention:
        """SQL over the model with the probability that it is right, or why there is none.

        Periods such as "last month" are written relative to the database's clock, so the SQL means the same again
        later; `now` is the ask's own time."""
        del now
        reading = self.read(question)
        return reading if isinstance(reading, Abstention) else self.written(reading)

    def written(self, reading: Reading) -> Translation:
        """A reading as SQL in the translator's dialect."""
        return Translation(
            sql=self._compiler.sql(reading.joined),
            probability=min(reading.probability, _SUREST),
            assumptions=reading.assumptions,
            tables=reading.joined.tables,
            ordered=bool(reading.joined.query.sorts),
            ranking=self._compiler.ranking(reading.joined),
            benchmark_probability=calibration().benchmark.probability(reading.features),
        )

    def read(self, question: str) -> Reading | Abstention:
        """The most probable reading before it is written as SQL; calibration fits its weights on these."""
        if len(question) > _MOST_CHARACTERS:
            return Abstention("too_long", f"The question has more than {_MOST_CHARACTERS} characters.")
        if NO_TEXT.search(question):
            return Abstention("no_text", "The question has characters that are no text.")
        tokens = tokenize(without_asides(question))
        if not tokens:
            return Abstention("empty", "There is no question.")
        if len(tokens) > MAX_TOKENS:
            return Abstention("too_long", f"The question has more than {MAX_TOKENS} words.")
        failures: list[DeadEnd] = []
        sentences = list(readings(self._linker.link(tokens), self._facts))
        for number, sentence in enumerate(sentences):
            found = self._first(Reader(sentence, self._facts), failures, variant=number > 0)
            others = [*range(number), *range(number + 1, len(sentences))]
            barred = frozenset(end.barred for end in failures if end.barred is not None)
            if found is None and barred:
                found = self._first(Reader(sentence, self._facts, barred), failures, variant=number > 0)
                others.append(number)
            if found is not None:
                return self._several(found, sentences, others) or found
            if any(end.final for end in failures):
                break
        return self._with_near_value(abstention(failures, sentences[0]))

    def _several(self, found: Reading, sentences: Sequence[Sentence], others: Sequence[int]) -> Abstention | None:
        """Another complete reading that is more probable than the first one and gives other SQL: nobody knows which of
        them is meant. `others` are the sentences of which another reading may come with nothing barred."""
        sql = self._compiler.sql(found.joined)

        def rivals(sentence: Sentence, number: int, barred: Barred) -> Reading | None:
            other = self._first(Reader(sentence, self._facts, barred), [], variant=number > 0)
            if other is None or other.probability <= found.probability + _RIVAL_MARGIN:
                return None
            if len(other.joined.tables) > len(found.joined.tables):
                return None  # the country of customers is their own, and not that of who serves them
            return other if self._compiler.sql(other.joined) != sql else None

        for number in others:
            if rivals(sentences[number], number, frozenset()) is not None:
                return several_readings(sentences[0])
        for word, ref in rival_words(found.joined.query, sentences[0]):
            for number, sentence in enumerate(sentences):
                if (other := rivals(sentence, number, frozenset({ref}))) is not None:
                    return two_columns(word, ref, other.joined.query, sentence)
        return None

    def _with_near_value(self, found: Abstention) -> Abstention:
        """ "Brasil" is near a value that is there: say so, and leave it to the person."""
        for word in found.words:
            near = self._linker.near_value(word) if word[:1].isupper() else None
            if near is not None and near.lower() != word.lower() and found.reason == "unplaced_words":
                return replace(found, message=f"{found.message} Did you mean “{near}”?")
        return found

    def _first(self, reader: Reader, failures: list[DeadEnd], *, variant: bool) -> Reading | None:
        """The first complete reading of a sentence; why others failed is added to `failures`."""
        for draft in _drafts(reader, Draft(), _CLAUSES, failures):
            try:
                return self._complete(reader, draft, variant=variant)
            except DeadEnd as end:
                failures.append(end)
            if len(failures) >= _MOST_FAILURES:
                break
        return None

    def _dated(self, joined: JoinedQuery) -> set[str]:
        """The words of the dates that a query is sorted by or asks about: "the first employee hired"."""
        query = joined.query
        refs = [output.column for output in (*query.outputs, *(sort.output for sort in query.sorts))]
        refs += [condition.column for condition in query.conditions]
        columns = (self._facts.columns[ref] for ref in refs if ref is not None)
        return {word for column in columns if column.is_date for word in column.words}

    def _complete(self, reader: Reader, draft: Draft, *, variant: bool) -> Reading:
        assembled = assemble(reader, draft)
        left = unplaced(reader.sentence, assembled.used, timed=bool(assembled.shapes & {"time", "bucket"}))
        if left:
            raise DeadEnd("unplaced_words", *left)
        joined = join(assembled.query, self.graph, self._facts, reader.sentence.stems)
        refuse_misfits(joined, self._facts, self._dialect)
        dated = self._dated(joined)
        closing = [verb for verb in reader.sentence.closing_verbs if stem(verb.lower()) not in dated]
        if closing and len(joined.tables) == 1:
            # "how many members resigned?": there is no relation that the verb could say, so it is a condition
            raise DeadEnd("unplaced_words", *closing)
        trade = self._facts.trade
        if trade is not None and not {trade.document, trade.line} & set(joined.tables):
            if traded := [verb for verb in closing if stem(verb.lower()) in stem_set(DEALING)]:
                raise DeadEnd("unplaced_words", *traded)  # "how many tracks by Moss were sold?" is not all of them
        if trade is not None and "negated_join" in assembled.shapes:
            dealt = [s.text for s in reader.sentence.spans if stem(s.low) in stem_set(DEALING)]
            if dealt and not {trade.document, trade.line} & set(joined.tables):
                raise DeadEnd("unplaced_words", *dealt)  # "never sold to Germany" is not about who made it
        main, query = reader.sentence.main, joined.query
        figure = all(output.aggregate for output in query.outputs) and not (query.groups or query.everything)
        figure = figure and not any(output.aggregate in ("per", "share") for output in query.outputs)
        figure = figure and not any(a.kind == "sold_units" for a in assembled.assumptions)
        if main is not None and figure and main not in joined.tables:
            raise DeadEnd("left_out", self._facts.tables[main].readable)  # "how many customers ordered"
        kinds = {a.kind for a in (*assembled.assumptions, *joined.assumptions)}
        verbs = [s.text for i, s in enumerate(reader.sentence.spans) if s.loose_verb and i not in assembled.used]
        verbs += [s.text for s in reader.sentence.spans if s.low in CONTENT and s.kind is Thing.FILLER]
        if {"far_value", "bridge"} <= kinds and verbs:
            raise DeadEnd("unplaced_words", *verbs)  # "films that won an Oscar" are not rented by one
        if {"coordinated_table", "long_path"} <= kinds:
            raise DeadEnd(
                "table_in_the_list",
                *(self._facts.tables[table].readable for table in joined.tables[:1] + joined.tables[-1:]),
            )  # "readers and genres"
        placed = {reader.sentence.span(i).text for i in assembled.used} | {
            span.text for span in reader.sentence.spans if stem(span.low) in dated
        }
        passed = {assumption(kind, word) for word in placed for kind in ("loose_verb", "closing_verb")}
        said = (told for told in reader.sentence.assumptions if told not in passed)
        found = [*said, *assembled.assumptions, *joined.assumptions]
        if "superlative" in assembled.shapes and len(joined.tables) > 1:
            found.append(assumption("ranked_join"))
        assumptions = tuple(dict.fromkeys(found))
        features = features_of(reader.sentence, assumptions, assembled, joined, variant=variant)
        return Reading(joined, assumptions, features, calibration().business.probability(features))


def _drafts(reader: Reader, draft: Draft, clauses: Sequence[Clause], failures: list[DeadEnd]) -> Iterator[Draft]:
    """All drafts that the remaining clauses make of this one, the most likely first."""
    if not clauses:
        yield draft
        return
    try:
        for extended in clauses[0](reader, draft):
            yield from _drafts(reader, extended, clauses[1:], failures)
    except DeadEnd as end:
        failures.append(end)
