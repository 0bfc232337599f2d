"""Questions to SQL without a language model: read by the grammar, sure enough or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.mdl.semantic_model import SampledValues, SemanticModel
from askwell.question.follow_ups import leans, may_lean
from askwell.question.tokens import NO_TEXT, tokenize
from askwell.semantic_parsing.abstentions import abstention, ambiguity, twins, uncovered, without_reading
from askwell.semantic_parsing.bound_readings import relationships_in
from askwell.semantic_parsing.coverage import is_covered
from askwell.semantic_parsing.model.catalog import Catalog
from askwell.semantic_parsing.model.facts import ModelFacts
from askwell.semantic_parsing.notes import assumptions_of
from askwell.semantic_parsing.parser import LONGEST, Before, Candidate, Parse, SemanticParser
from askwell.semantic_parsing.scoring import weights
from askwell.semantic_parsing.translation import Abstention, RulesMode, Translation, Turn
from askwell.semantic_parsing.trust import probability
from askwell.sql.bindings import FREE, Bindings

# Of 3,065 questions about databases that no fit had seen, strict answered 5.9%, and 95.1% of these answers showed what
# was asked for; balanced answered 42.6%, and 89.3% did. One of the 60 databases has a quarter of the surest errors:
# without it 18.5% could be answered with 95.6%, from 0.93 on.
LEAST_SURE = {RulesMode.STRICT: 0.96, RulesMode.BALANCED: 0.7}
# No answer, but said to whoever asked as what the question would have been read as.
WORTH_TELLING = 0.5
# Fitted on questions that somebody thought of; nobody has thought of all.
_SUREST = 0.98
_MOST_CHARACTERS = 4_000


class QuestionReader:
    """Reads questions about one semantic model. Building it costs time; then several threads may use it at once."""

    def __init__(self, model: SemanticModel, values: SampledValues, dialect: str, *, bare: bool = False) -> None:
        """`bare`: no column is shown that was not asked for, as benchmarks want it."""
        self._catalog = Catalog.of(model, values)
        self._dialect, self._bare = dialect, bare
        self._parser = SemanticParser(self._catalog, dialect, weights())

    @property
    def facts(self) -> ModelFacts:
        """What is known about the model."""
        return self._catalog.facts

    def translate(
        self, question: str, *, unsure: bool = False, bound: Bindings = FREE, before: Sequence[Turn] = ()
    ) -> Translation | Abstention:
        """SQL over the model with the probability that it is right, or why there is none. A translation that answers in
        no mode is only worth telling. `unsure`: what leaves nothing out is told whatever its probability, as
        evaluations want it. `bound` is what somebody said that the question means. `before` are earlier questions,
        oldest first, to which it may add. Takes milliseconds, seldom half a second: call it on a thread."""
        if (unasked := _no_question(question)) is not None:
            return unasked
        parse = self._parser.parse(question, bare=self._bare, bound=bound)
        alone = self._judged(question, parse, bound, unsure=unsure)
        if not before or _stands_alone(question, parse, alone):
            return alone
        asked = self._asked(before)
        if asked is None:
            return alone
        parse = self._parser.parse(question, before=asked, bare=self._bare, bound=bound)
        added = self._judged(question, parse, bound, unsure=unsure)
        return replace(added, follows=True) if isinstance(added, Translation) else added

    def _asked(self, turns: Sequence[Turn]) -> Before | None:
        """What was asked last: the reading of each question, alone or added to the one before, whose statement is the
        one that answered it. None where there is none."""
        asked: Before | None = None
        for turn in turns:
            tree, earlier = _tree(turn.sql, self._dialect), asked
            if tree is None:
                return None
            wanted, joined = tree.sql(dialect=self._dialect), relationships_in(tree, self._catalog.facts)
            ways = (None, earlier) if earlier is not None else (None,)
            said = Bindings(relationships=joined)
            parses = (self._parser.parse(turn.question, before=way, bare=self._bare, bound=said) for way in ways)
            readings = ((one, _tree(one.sql, self._dialect)) for parse in parses for one in parse.candidates)
            found = next((one for one, own in readings if own and own.sql(dialect=self._dialect) == wanted), None)
            asked = replace(Before.of(found, earlier), relationships=joined) if found is not None else None
        return asked

    def _judged(self, question: str, parse: Parse, bound: Bindings, *, unsure: bool) -> Translation | Abstention:
        """The first reading, or why it is no answer."""
        if not parse.candidates:
            return without_reading(parse, self._catalog)
        first = parse.candidates[0]
        if not is_covered(first.features):
            return uncovered(parse, self._catalog)
        sure = probability(parse.candidates, len(question.split()))
        least_sure = {**LEAST_SURE, RulesMode.BALANCED: WORTH_TELLING} if bound else LEAST_SURE
        modes = frozenset(mode for mode, least in least_sure.items() if sure >= least)
        if unsure:
            return self._translation(first, sure, modes)
        either = twins(parse.candidates, self._catalog)
        either = either or ambiguity(parse.candidates, self._catalog, sure=bool(modes))
        if either is not None:
            return either
        if sure < WORTH_TELLING:
            return abstention("unsure", (), first.tables)
        return self._translation(first, sure, modes)

    def _translation(self, candidate: Candidate, sure: float, modes: frozenset[RulesMode]) -> Translation:
        return Translation(
            sql=candidate.sql,
            probability=min(sure, _SUREST),
            assumptions=assumptions_of(candidate, self._catalog),
            tables=candidate.tables,
            ordered=candidate.ordered,
            ranking=self._ranking(candidate.tree),
            modes=modes,
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


def _no_question(question: str) -> Abstention | None:
    if len(question) > _MOST_CHARACTERS:
        return abstention("too_long")
    if NO_TEXT.search(question):
        return abstention("no_text")
    tokens = tokenize(question)
    if not tokens:
        return abstention("empty")
    return abstention("too_long") if len(tokens) > LONGEST else None


def _tree(sql: str, dialect: str) -> exp.Expr | None:
    try:
        return parse_one(sql, dialect=dialect)
    except SqlglotError:
        return None


def _stands_alone(question: str, parse: Parse, alone: Translation | Abstention) -> bool:
    """Whether a question adds to nothing, by how it begins and by whether it says of which table it is."""
    if leans(question):
        return False
    answers = isinstance(alone, Translation) and bool(alone.modes)
    if may_lean(question):
        return answers and any(leaf.category == "TABLE" for leaf in parse.candidates[0].reading.leaves())
    named = parse.lattice is None or any(s.category == "TABLE" for spans in parse.lattice.spans for s in spans)
    return named or answers or (isinstance(alone, Abstention) and len(alone.choices) > 1)
