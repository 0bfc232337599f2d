"""Repair: what is certainly meant, put in place of what was written, before any model is asked."""

from askwell.sql.repair.dialect_words import misread_in_mysql
from askwell.sql.repair.functions import function_sentence, missing_functions
from askwell.sql.repair.grouping import aggregate_in_where
from askwell.sql.repair.other_databases import foreign_words
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
