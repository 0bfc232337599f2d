"""Whether a question is about this data at all, and what to say when it is not."""

from __future__ import annotations

import re

from askwell.asks.overview import columns_in_words
from askwell.asks.states import AskError
from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.pipelines.retrieval.context import Scope
from askwell.pipelines.retrieval.scope_words import is_in_another_language

_MOST_TABLES = 3

# Wording about the service or the data as a whole: such a question need not name anything in the model. It has to be
# the whole question, since "what can I use instead of butter" begins like one. What follows is never read in a second
# way: "about it" could be two words or one, and a row of them would be read in all the ways there are.
_ABOUT_THE_SERVICE = re.compile(
    r"""\W* ((hi|hello|hey|please|ok|so|and) \W+)*
    ((can|could|would|will) \s+ you \s+ (please \s+)? (tell|show|explain|describe|give) \s+ (to \s+)? (me \s+|us \s+)?)?
    (
        help (\s+ me)? | who \s+ are \s+ you | (what|who) \s+ is \s+ askwell | what \s+ (is|are) \s+ (this|you)
      | what \s+ (can \s+ be \s+ asked | (you|i|we) \s+ can \s+ (do|ask|answer|tell|see))
      | what \s+ (else \s+)? (can|could|may|do|does|should) \s+ (you|i|we|askwell|this|it|one)
        \s+ (do|ask|asked|answer|answered|know|tell|find \s+ out|query|see|offer|cover|have|contain|support)
      | how \s+ (can|could|do|does|should) \s+ (you|i|we|askwell|this|it) \s+ (work|help|start|begin|ask|use)
        (\s+ (a \s+ question|questions))?
      | (what|which|how \s+ many) \s+ ((kind|kinds|sort|sorts|type|types) \s+ of \s+)? (other \s+)?
        (things|tables?|columns?|fields?|data|datasets?|data \s+ sets?|models?|views?|metrics?|questions?|topics
        |information)
        \s+ (is|are|do|does|can|could|may|should) (\s+ (there|available|here|you|i|we|it|this|askwell|exist))?
        (\s+ (have|ask|asked|know|see|query|answer|use|contain|cover|available|exist|hold|calculate|understand))?
      | (what|which) (\s+ (is|are) | ['’]s) \s+ (the \s+)? (available|here|(in|inside|behind) \s+ (here|_DATA_))
      | (where \s+ does \s+ _DATA_ \s+ come \s+ from | how \s+ (current|fresh|up \s+ to \s+ date|old) \s+ is \s+ _DATA_)
      | (describe|explain|list|show|introduce|summari[sz]e|tell \s+ (me|us) \s+ about)? \s* (me \s+|us \s+)?
        (an? \s+ (overview|summary) \s+ of \s+)? _DATA_
      | give \s+ (me|us) \s+ (an? \s+)? (overview|summary|examples?) (\s+ (of|about) \s+ _DATA_)?
      | (give|show|tell|suggest) \s+ (me \s+|us \s+)? (some \s+|an? \s+)? (example|sample)? \s* questions?
    )
    (?> \s+ (
        (with|from|about|in|for|of|to) \s+ (_DATA_|you|me|us|it|this|that|here|askwell)
      | you|me|us|it|this|that|here|there|about|available|exist|please|then|exactly|now|i \s+ can \s+ ask
    ) \b )*+
    \W*""".replace(
        "_DATA_",
        r"((the|your|this|my|our|all|all \s+ the|all \s+ your) \s+)?"
        r"(available \s+)? (data (\s+ model)?|database|db|tables|schema|models?|columns|fields|tool|service|project)",
    ),
    re.IGNORECASE | re.VERBOSE,
)


def asks_about_the_service(question: str) -> bool:
    """True for questions that the intent reading answers although they name no data."""
    return _ABOUT_THE_SERVICE.fullmatch(question) is not None


def is_out_of_scope(question: str, scope: Scope, *, has_model: bool) -> bool:
    """Whether a question that stands alone is to be stopped; `has_model`: a language model could look at it.

    A language model understands questions in other languages than the semantic model's, which no word and hardly a
    vector leads anywhere: they are left to it.
    """
    if scope.in_scope or asks_about_the_service(question):
        return False
    return not (has_model and is_in_another_language(question))


def nothing_relevant(scope: Scope, model: SemanticModel, *, has_model: bool) -> AskError:
    """The error for a question about nothing in `model`; `has_model`: a language model could look at it too."""
    nearest = [table for name in scope.nearest if (table := model.table(name)) is not None]
    tables: list[Table] = nearest or list(model)
    told = "; ".join(columns_in_words(table, model) for table in tables[:_MOST_TABLES])
    more = len(list(model)) - len(tables[:_MOST_TABLES])
    others = f"; and {more} more" if more else ""
    else_ = ", or let the language model decide (settings.scope_gate: false)" if has_model else ""
    return AskError(
        code="NO_RELEVANT_DATA",
        message="This question does not seem to be about the data: its words lead to no table, column or value.",
        hint=f"{'The nearest tables' if nearest else 'The tables'} are: {told}{others}. Ask in the words of the tables "
        f"and their columns, or ask “What can I ask?” to see all of them{else_}.",
        nl2sql_code="3003",
    )
