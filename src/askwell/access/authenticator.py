"""From what a caller sends to who they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from askwell.principal import Principal

# Longer ones are nobody's: a token of an issuer has a few kilobytes.
LONGEST_TOKEN = 16_384


class Authenticator(Protocol):
    """Knows the tokens of one kind."""

    async def principal(self, token: str) -> Principal | None:
        """Whose token this is; None for one that is wrong, over, or of another kind. Raises `Unavailable` where that
        cannot be found out now."""
        ...


class Authenticators:
    """Several, tried one after the other."""

    def __init__(self, tried: Sequence[Authenticator]) -> None:
        self._tried = tuple(tried)

    async def principal(self, token: str) -> Principal | None:
        """Whose token this is; None for nobody's. Raises `Unavailable`."""
        if not 0 < len(token) <= LONGEST_TOKEN:
            return None
        for one in self._tried:
            found = await one.principal(token)
            if found is not None:
                return found
        return None
