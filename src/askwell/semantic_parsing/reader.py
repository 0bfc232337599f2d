"""Questions without a language model: the rules first, and what they leave to the parser."""

from __future__ import annotations

from datetime import datetime

from sqlglot import exp

from askwell.mdl.semantic_model import SampledValues, SemanticModel
from askwell.semantic_parsing.catalog import Catalog
from askwell.semantic_parsing.notes import assumptions_of
from askwell.semantic_parsing.parser import Candidate, SemanticParser
from askwell.semantic_parsing.scoring import weights
from askwell.semantic_parsing.trust import is_covered, probability
from askwell.sql.rules import Abstention, RulesMode, RuleTranslator, Translation, accepts
from askwell.sql.rules.facts import ModelFacts

# On databases that no fit had seen 356 of 372 readings that were said to be at least as sure were right; of those that
# the rules had left, 22 of 24.
LEAST_SURE = 0.9
STRICTLY_SURE = 0.96
# No answer, but said to whoever asked as what the question would have been read as: of those between this and
# four in five, two in three were right.
WORTH_TELLING = 0.7
# Fitted on questions that somebody thought of; nobody has thought of all.
_SUREST = 0.95
# Where the rules only did not understand; of all else they know that it has several meanings, or none.
_NOT_UNDERSTOOD = frozenset(
    {"unplaced_words", "no_reading", "adjective_of_what", "superlative_of_what", "sort_by_what", "most_common_what"}
    | {"nothing_to_show", "negation_over_a_join", "value_without_column", "share_of_what", "top_of_what"}
    | {"too_much_at_once", "no_name"}
)


class QuestionReader:
    """Reads questions about one semantic model. Building it costs time; then several threads may use it at once."""

    def __init__(self, model: SemanticModel, values: SampledValues, dialect: str, *, bare: bool = False) -> None:
        """`bare`: no column is shown that was not asked for, as benchmarks want it."""
        self._rules = RuleTranslator(model, values, dialect)
        self._dialect, self._bare = dialect, bare
        catalog = Catalog(self._rules.facts, self._rules.graph, self._rules.lexicon)
        self._parser = SemanticParser(catalog, dialect, weights())

    @property
    def quick(self) -> RuleTranslator:
        """The rules alone, for asks that a language model goes on with where they do not understand."""
        return self._rules

    @property
    def facts(self) -> ModelFacts:
        """What is known about the model."""
        return self._rules.facts

    def translate(self, question: str, *, now: datetime) -> Translation | Abstention:
        """SQL over the model with the probability that it is right, or why there is none. Takes milliseconds, seldom
        half a second: call it on a thread."""
        by_rules = self._rules.translate(question, now=now)
        if isinstance(by_rules, Translation) and accepts(by_rules, RulesMode.BALANCED):
            return by_rules
        if isinstance(by_rules, Abstention) and by_rules.reason not in _NOT_UNDERSTOOD:
            return by_rules
        parsed = self.parsed(question)
        if parsed is None or not (parsed.modes or parsed.probability >= WORTH_TELLING):
            return by_rules
        return parsed

    def parsed(self, question: str) -> Translation | None:
        """The parser's first reading, with the modes in which it stands as an answer: none where it leaves a word of
        substance out or is not sure enough. None where there is no reading."""
        candidates = self._parser.candidates(question, bare=self._bare)
        if not candidates:
            return None
        sure = probability(candidates, len(question.split()))
        if not is_covered(candidates[0].features):
            return self._translation(candidates[0], 0.0, frozenset())
        modes = {RulesMode.STRICT: STRICTLY_SURE, RulesMode.BALANCED: LEAST_SURE}
        return self._translation(candidates[0], sure, frozenset(mode for mode, least in modes.items() if sure >= least))

    def _translation(self, candidate: Candidate, sure: float, modes: frozenset[RulesMode]) -> Translation:
        return Translation(
            sql=candidate.sql,
            probability=min(sure, _SUREST),
            assumptions=assumptions_of(candidate, self._parser.catalog),
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
        keys = [exp.alias_(by.this.copy(), f"rank_{place}") for place, by in enumerate(order.expressions, 1)]
        return tree.select(*keys, append=False).limit(int(limit.expression.this) + 1).sql(dialect=self._dialect)
