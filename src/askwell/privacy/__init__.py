"""Values that never leave: what prompts may hold, tokens in the place of values, and the way back."""

from __future__ import annotations

from askwell.privacy.current import (
    as_it_is,
    current_vault,
    holding,
    invented_tokens,
    is_decided,
    leaves_as_it_is,
    masked,
    masked_json,
    masked_statement,
    restored_statement,
    values_leave,
)
from askwell.privacy.vault import Vault
from askwell.privacy.vocabulary import Vocabulary, plain_words

__all__ = [
    "Vault",
    "Vocabulary",
    "as_it_is",
    "current_vault",
    "holding",
    "invented_tokens",
    "is_decided",
    "leaves_as_it_is",
    "masked",
    "masked_json",
    "masked_statement",
    "plain_words",
    "restored_statement",
    "values_leave",
]
