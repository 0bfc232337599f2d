"""Repair: what is certainly meant, put in place of what was written, before any model is asked."""

from askwell.sql.repair.functions import foreign_words, function_sentence, misread_in_mysql, missing_functions
from askwell.sql.repair.grouping import aggregate_in_where
from askwell.sql.repair.repairer import Repaired, Repairer
from askwell.sql.repair.values import KnownValues

__all__ = [
    "KnownValues",
    "Repaired",
    "Repairer",
    "aggregate_in_where",
    "foreign_words",
    "function_sentence",
    "misread_in_mysql",
    "missing_functions",
]
