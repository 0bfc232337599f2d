"""Questions to SQL by rules, without a language model: scored, accounted for word by word, or not at all."""

from askwell.sql.rules.confidence import accepts
from askwell.sql.rules.translation import Abstention, Assumption, RulesMode, Translation
from askwell.sql.rules.translator import RuleTranslator

__all__ = ["Abstention", "Assumption", "RuleTranslator", "RulesMode", "Translation", "accepts"]
