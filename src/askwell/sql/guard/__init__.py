"""The guard: nothing but a checked, read-only query reaches a database."""

from askwell.sql.guard.guard import Guard
from askwell.sql.guard.nodes import DIALECTS
from askwell.sql.guard.outcome import NAME_RULES, Allowed, GuardPass, GuardRefusal, Rule
from askwell.sql.names import fold

__all__ = ["DIALECTS", "NAME_RULES", "Allowed", "Guard", "GuardPass", "GuardRefusal", "Rule", "fold"]
