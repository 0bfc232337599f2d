"""Questions to SQL without a language model: read by the grammar, sure enough or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from askwell.mdl.semantic_model import SampledValues, SemanticModel
from askwell.question.follow_ups import is_possessive, is_whole, leans, may_lean, refers_back
from askwell.question.lexicon import english
from askwell.question.periods import impossible_day
from askwell.question.tokens import NO_TEXT, TokenKind, tokenize
from askwell.question.words import changing_words
from askwell.semantic_parsing.abstentions import abstention, ambiguity, twins, uncovered, whose, without_reading
from askwell.semantic_parsing.alternatives import alternatives_of
from askwell.semantic_parsing.coverage import is_covered
from askwell.semantic_parsing.earlier import Earlier, EarlierReader, times_of
from askwell.semantic_parsing.forms import Metric, Value
from askwell.semantic_parsing.linking import Names
from askwell.semantic_parsing.model.catalog import DATE, Catalog, Target
from askwell.semantic_parsing.model.facts import ModelFacts
from askwell.semantic_parsing.notes import assumptions_of, said_as_taught, still_assumed
from askwell.semantic_parsing.parser import LONGEST, Candidate, Parse, SemanticParser
from askwell.semantic_parsing.siblings import siblings_of, which_sibling, with_siblings
from askwell.semantic_parsing.taught import NOTHING, Meant, Taught, applicable, key_of, why_not_taught
from askwell.semantic_parsing.translation import Abstention, RulesMode, Translation, Turn
from askwell.semantic_parsing.trust import probability, weights
from askwell.semantic_parsing.unknown_words import (
    Near,
    Read,
    Similarities,
    Unknown,
    nearest,
    surely_meant,
    unknown_words,
    with_meanings_of_unknown_words,
)
from askwell.sql.bindings import FREE, Bindings, Meaning

# Of 4,048 questions of Spider, over half about databases that the fit had seen, strict answered 20.9%, and 94.7% of
# these answers showed what was asked for; balanced answered 49.4%, and 90.1% did. Fits that had not seen the database
# of a question did as well.
LEAST_SURE = {RulesMode.STRICT: 0.93, RulesMode.BALANCED: 0.7}
# No answer, but asked back as what the question would be read as: of 40 readings of databases that no fit had seen with
# 0.6 to 0.7, 24 showed what was asked for, and of 10 with 0.5 to 0.6 two. What somebody chose needs less.
WORTH_TELLING, _CHOSEN = 0.6, 0.5
# Fitted on questions that somebody thought of; nobody has thought of all.
_SUREST = 0.98
_MOST_CHARACTERS = 4_000
# Where a value would stand in a saved question.
_PLACEHOLDER = re.compile(r"\{[^{}]{0,60}\}?|\}")


class QuestionReader:
    """Reads questions about one semantic model. Building it costs time; then several threads may use it at once."""

    def __init__(self, model: SemanticModel, values: SampledValues, dialect: str, *, bare: bool = False) -> None:
        """`bare`: no column is shown that was not asked for, as benchmarks want it."""
        self._catalog = Catalog.of(model, values)
        self._dialect, self._bare = dialect, bare
        self._parser = SemanticParser(self._catalog, dialect, weights())
        self._siblings = siblings_of(self._catalog)
        self._earlier = EarlierReader(self._catalog, self._parser, dialect)

    @property
    def facts(self) -> ModelFacts:
        """What is known about the model."""
        return self._catalog.facts

    @property
    def catalog(self) -> Catalog:
        """The words of the model."""
        return self._catalog

    def translate(
        self,
        question: str,
        *,
        unsure: bool = False,
        bound: Bindings = FREE,
        before: Sequence[Turn] = (),
        taught: Taught = NOTHING,
    ) -> Translation | Abstention:
        """SQL over the model with the probability that it is right, or why there is none. A translation that answers in
        no mode is only worth telling. `unsure`: what leaves nothing out is told whatever its probability, as
        evaluations want it. `bound` is what somebody said that the question means. `before` are earlier questions,
        oldest first, to which it may add. `taught` are words that somebody has said the meaning of. Takes milliseconds,
        seldom half a second: call it on a thread."""
        if (unasked := self._no_question(question)) is not None:
            return unasked
        question = self._catalog.read_aloud(question)
        before = [replace(turn, question=self._catalog.read_aloud(turn.question)) for turn in before]
        names = self._names(taught, bound)
        # What a follow-up adds to, and what keeps to `bound`, may be any of the candidates.
        complete = bool(before or bound)
        parse = self._parser.parse(question, bare=self._bare, bound=bound, taught=names, complete=complete)
        alone = self._judged(question, parse, bound, unsure=unsure)
        owned = _names_owner(parse)
        if not before:
            return abstention("nothing_before") if refers_back(question) and not _names_rows(parse) else alone
        if _stands_alone(question, parse, alone, owned=owned):
            return alone
        earlier = self._earlier.of(before, names, bare=self._bare)
        if earlier is None:
            return abstention("lost_before") if leans(question) or is_possessive(question) else alone
        asked = earlier.before.of_times([one for one in bound.columns if self._catalog.kind(one) == DATE])
        parse = self._parser.parse(question, before=asked, bare=self._bare, bound=bound, taught=names)
        added = self._judged(question, parse, bound, unsure=unsure, earlier=earlier)
        if isinstance(added, Abstention) and owned:
            return alone
        return replace(added, follows=True) if isinstance(added, Translation) else added

    def asking_back(
        self,
        question: str,
        given: Abstention,
        *,
        bound: Bindings = FREE,
        before: Sequence[Turn] = (),
        taught: Taught = NOTHING,
        likeness: Similarities = (),
    ) -> Abstention:
        """The abstention that `translate` has `given`, with what its unknown words could mean, where saying it would
        lead to an answer. Takes up to some tenths of a second: call it on a thread."""
        read = self._read_with(question, bound, before, taught)
        question = self._catalog.read_aloud(question)
        asked = with_siblings(question, given, bound, self._catalog, self._siblings, read)
        if asked.asks_back:
            return asked
        near = self._near(question, given, likeness)
        return with_meanings_of_unknown_words(question, given, near, self._catalog, read)

    def surely_meant(
        self,
        question: str,
        given: Abstention,
        likeness: Similarities,
        *,
        bound: Bindings = FREE,
        before: Sequence[Turn] = (),
        taught: Taught = NOTHING,
    ) -> Bindings:
        """What unknown words mean, where that is so likely that nobody has to be asked; nothing else. Takes as long as
        `translate`."""
        near = self._near(self._catalog.read_aloud(question), given, likeness)
        return surely_meant(near, self._read_with(question, bound, before, taught), self._catalog)

    def unknown_words(self, question: str, given: Abstention) -> Unknown | None:
        """The words that an abstention is over, and what they could mean; None where it is over no such words."""
        return unknown_words(self._catalog.read_aloud(question), given, self._catalog)

    def _near(self, question: str, given: Abstention, likeness: Similarities) -> list[Near]:
        unknown = unknown_words(question, given, self._catalog)
        return nearest(unknown, likeness, self._catalog) if unknown is not None else []

    def _read_with(self, question: str, bound: Bindings, before: Sequence[Turn], taught: Taught) -> Read:
        """What `translate` makes of the question where more is said of it."""
        return lambda said: self.translate(question, bound=bound.with_meanings(said), before=before, taught=taught)

    def why_not_taught(self, said: str, target: Target | Metric) -> str | None:
        """See `taught.why_not_taught`."""
        return why_not_taught(self._catalog.read_aloud(said), target, self._catalog)

    def _no_question(self, question: str) -> Abstention | None:
        if len(question) > _MOST_CHARACTERS:
            return abstention("too_long")
        if NO_TEXT.search(question):
            return abstention("no_text")
        if (open_place := _PLACEHOLDER.search(question)) is not None:
            return abstention("placeholder", (open_place[0],))
        if (day := impossible_day(tokenize(question))) is not None:
            return abstention("no_such_day", (day,))
        tokens = [token for token in tokenize(question) if token.low not in english().fillers]
        if not tokens:
            return abstention("empty")
        if len(tokens) > 1 and tokens[0].low in changing_words() and key_of(tokens[0].low) not in self._catalog.words:
            return abstention("read_only")
        return abstention("too_long") if len(tokens) > LONGEST else None

    def _names(self, taught: Taught, bound: Bindings) -> Names:
        """What words mean beside the model's own names."""
        if not taught and not bound.meanings:
            return {}
        told = {**taught, **{key_of(one.said): Meant(_meant(one), firm=True) for one in bound.meanings}}
        return {key: meant.target for key, meant in applicable(self._catalog, told).items()}

    def _judged(
        self, question: str, parse: Parse, bound: Bindings, *, unsure: bool, earlier: Earlier | None = None
    ) -> Translation | Abstention:
        """The first reading, or why it is no answer. It may add to what was asked `earlier`, and is no surer."""
        if not parse.candidates:
            return without_reading(parse, self._catalog)
        first = parse.candidates[0]
        if not is_covered(first.features):
            return uncovered(parse, self._catalog)
        read = [token for token in first.lattice.tokens if token.kind is not TokenKind.MARK]
        sure = probability(parse.candidates, min(len(question.split()), len(read)))
        least_sure = {**LEAST_SURE, RulesMode.BALANCED: _CHOSEN} if bound else LEAST_SURE
        before = earlier.sure if earlier is not None else 1.0
        confirmed = before < LEAST_SURE[RulesMode.BALANCED]  # nobody is given such an answer unasked
        modes = frozenset(m for m, least in least_sure.items() if sure >= least and (confirmed or before >= least))
        if unsure:
            return self._translation(first, min(sure, before), modes, bound, earlier)
        several = twins(parse.candidates, self._catalog)
        several = several or (whose(parse.candidates, self._catalog) if not bound.columns and earlier is None else None)
        several = several or ambiguity(parse.candidates, self._catalog, sure=bool(modes))
        several = several or which_sibling(question, first, bound, self._catalog, self._siblings)
        if several is not None:
            return several
        if sure < WORTH_TELLING and not modes:
            return abstention("unsure", (), first.tables)
        return self._translation(first, min(sure, before), modes, bound, earlier)

    def _translation(
        self,
        candidate: Candidate,
        sure: float,
        modes: frozenset[RulesMode],
        bound: Bindings,
        earlier: Earlier | None,
    ) -> Translation:
        assumptions = assumptions_of(candidate, self._catalog)
        if earlier is not None:
            assumptions = (*assumptions, *still_assumed(earlier.assumptions, candidate, assumptions))
        return Translation(
            sql=candidate.sql,
            probability=min(sure, _SUREST),
            assumptions=assumptions,
            tables=candidate.tables,
            ordered=candidate.ordered,
            ranking=self._ranking(candidate.tree),
            modes=modes,
            taught=tuple(dict.fromkeys(said_as_taught(candidate))),
            times=times_of(candidate, self._catalog),
            alternatives=alternatives_of(candidate, assumptions, bound, self._catalog, self._siblings),
        )

    def _ranking(self, tree: exp.Query) -> str | None:
        """Where only the first few rows are shown: what they are sorted by, of these and of the next one."""
        limit, order = tree.args.get("limit"), tree.args.get("order")
        if not isinstance(tree, exp.Select) or limit is None or order is None or tree.args.get("distinct"):
            return None
        named = {one.unalias(): one.alias for one in tree.selects if one.alias}
        keys = [
            exp.alias_(by.this.copy(), named.get(by.this) or by.this.alias_or_name or f"rank_{place}")
            for place, by in enumerate(order.expressions, 1)
        ]
        return tree.select(*keys, append=False).limit(int(limit.expression.this) + 1).sql(dialect=self._dialect)


def _meant(one: Meaning) -> Target | Value:
    if one.value is None or isinstance(one.target, str):
        return one.target
    return Value(((one.target, one.value),), one.value)


def _names_rows(parse: Parse) -> bool:
    """Whether a question names a table, which its pronouns may be about."""
    return parse.lattice is not None and any(s.category == "TABLE" for spans in parse.lattice.spans for s in spans)


def _names_owner(parse: Parse) -> bool:
    """Whether the likeliest reading names a table before what is said to belong to it: "customers and their
    countries"."""
    for first in parse.candidates[:1]:
        said = [place for place, token in enumerate(first.lattice.tokens) if is_possessive(token.low)]
        named = [leaf.end for leaf in first.reading.leaves() if leaf.category == "TABLE"]
        return bool(said and named) and min(named) <= said[0]
    return False


def _stands_alone(question: str, parse: Parse, alone: Translation | Abstention, *, owned: bool) -> bool:
    """Whether a question adds to nothing, by how it begins and by whether it says of which table it is. `owned`: it
    names the table that "their" is about."""
    if leans(question) or (is_possessive(question) and not owned):
        return False
    if is_whole(question) and not refers_back(question):
        return True
    answers = isinstance(alone, Translation) and bool(alone.modes)
    if may_lean(question):
        return answers and any(leaf.category == "TABLE" for leaf in parse.candidates[0].reading.leaves())
    return parse.lattice is None or _names_rows(parse) or answers or (isinstance(alone, Abstention) and alone.asks_back)
