"""Which columns hold secrets, by the model's word or by their names."""

from __future__ import annotations

from itertools import pairwise

from askwell.mdl.names import words
from askwell.mdl.semantic_model import Column

_SECRET_WORDS = """
    password passwords passwd pwd passcode passphrase secret secrets token tokens credential credentials salt hash
    ssn iban cvv cvc otp pin apikey
"""
_WORDS = frozenset(_SECRET_WORDS.split())
# Two words of a name that are secret together.
_PAIRS = frozenset({("api", "key"), ("private", "key")})


def is_secret(column: Column) -> bool:
    """Whether its values are shown to nobody who did not ask for them: by the model's word, or by the column's name."""
    named = words(column.name)
    return column.sensitive or not _WORDS.isdisjoint(named) or not _PAIRS.isdisjoint(pairwise(named))
