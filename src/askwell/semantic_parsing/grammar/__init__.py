"""The grammar: each rule is a category, its patterns, and what the whole means."""

from askwell.semantic_parsing.grammar import (
    clauses,
    figures,
    numbers,
    questions,
    rankings,
    states,
    tails,
    times,
    values,
)
from askwell.semantic_parsing.grammar.base import GRAMMAR

__all__ = ["GRAMMAR", "clauses", "figures", "numbers", "questions", "rankings", "states", "tails", "times", "values"]
