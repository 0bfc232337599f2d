"""The issuer's keys: parsed once, kept for a while, and fetched again when a token names one that is not known."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from askwell.errors import Unavailable
from askwell.messages import say

logger = logging.getLogger(__name__)

# Seconds for which keys are simply used; after that they are fetched anew meanwhile.
_FRESH = 600.0
# After this many the fetch is waited for; where it fails, known keys go on, until they are too old to be believed.
_STALE = 3_600.0
_TOO_OLD = 86_400.0
# Between two fetches: strangers who invent names of keys cannot make us hammer the issuer.
_PAUSE = 10.0
_MOST_KEYS = 100
# The type and curve of the key that goes with an algorithm (RFC 7518, section 6; RFC 8037).
_KINDS: Mapping[str, tuple[str, str | None]] = {
    **{f"{family}{size}": ("RSA", None) for family in ("RS", "PS") for size in (256, 384, 512)},
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
}


# What comes of a member that is missing, of another type, or no point of its curve.
_UNUSABLE = (PyJWTError, UnsupportedAlgorithm, ValueError, TypeError, KeyError, AttributeError)


class KeySet:
    """Public keys for checking signatures, by name and algorithm."""

    def __init__(self, document: Mapping[str, Any], algorithms: Sequence[str]) -> None:
        """`document` is a JSON Web Key Set; what in it is of no use for `algorithms` is passed over."""
        self._keys: dict[tuple[str | None, str], list[PyJWK]] = {}
        found = document.get("keys")
        for jwk in found[:_MOST_KEYS] if isinstance(found, list) else ():
            for key in _usable(jwk, algorithms) if isinstance(jwk, dict) else ():
                name = jwk.get("kid")
                same = self._keys.setdefault((name if isinstance(name, str) else None, key.algorithm_name), [])
                if all(key.key != other.key for other in same):
                    same.append(key)

    def find(self, name: str | None, algorithm: str) -> PyJWK | None:
        """The key for a token: the one of that name, or for a token that names none the only one there is. None
        where there is none, or where it is not clear which."""
        if name is None:
            keys = [key for (_, of), several in self._keys.items() if of == algorithm for key in several]
        else:
            keys = self._keys.get((name, algorithm), [])
        return keys[0] if len(keys) == 1 else None

    def __len__(self) -> int:
        return len({name for name, _ in self._keys})

    @property
    def ambiguous(self) -> list[str]:
        """Names that more than one key has, so that neither is used."""
        return sorted({str(name) for (name, _), keys in self._keys.items() if len(keys) > 1})


def _usable(jwk: dict[str, Any], algorithms: Sequence[str]) -> Iterator[PyJWK]:
    uses, operations = jwk.get("use", "sig"), jwk.get("key_ops", ["verify"])
    if uses != "sig" or not isinstance(operations, list) or "verify" not in operations or "d" in jwk:
        return
    for algorithm in algorithms:
        kind, curve = _KINDS[algorithm]
        if jwk.get("kty") != kind or jwk.get("alg", algorithm) != algorithm:
            continue
        if curve is not None and jwk.get("crv") != curve:
            continue
        with contextlib.suppress(*_UNUSABLE):
            yield PyJWK(jwk, algorithm)


class IssuerKeys:
    """The keys that `fetch` gives, as they are now. `clock` gives seconds."""

    def __init__(
        self,
        fetch: Callable[[], Awaitable[dict[str, Any]]],
        algorithms: Sequence[str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._algorithms = tuple(algorithms)
        self._clock = clock
        self._keys: KeySet | None = None
        self._fetched_at = self._tried_at = float("-inf")
        self._failure: Unavailable | None = None
        self._task: asyncio.Task[None] | None = None

    async def find(self, name: str | None, algorithm: str) -> PyJWK | None:
        """The key for a token, as `KeySet.find`. Raises `Unavailable` where it may be one of keys that cannot be
        fetched now."""
        age = self._clock() - self._fetched_at
        if self._keys is None or age > _TOO_OLD:
            self._keys = None
            await self._refresh()
            if self._keys is None:
                raise self._failure or Unavailable(*say("sign_in.issuer_keys_not_known_yet"))
        elif age > _FRESH:
            task = self._begin()
            if task is not None and age > _STALE and self._failure is None:
                await asyncio.shield(task)
        keys: KeySet = self._keys
        found = keys.find(name, algorithm)
        if found is not None:
            return found
        await self._refresh()
        if self._failure is not None:
            raise self._failure
        return self._keys.find(name, algorithm)

    async def close(self) -> None:
        """End a fetch that goes on."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _refresh(self) -> None:
        task = self._begin()
        if task is not None:
            # Whoever goes away does not end the fetch that others wait for.
            await asyncio.shield(task)

    def _begin(self) -> asyncio.Task[None] | None:
        """The fetch that goes on, or a new one; None where the last one began a moment ago."""
        if self._task is not None and not self._task.done():
            return self._task
        if self._clock() - self._tried_at < _PAUSE:
            return None
        self._tried_at = self._clock()
        self._task = asyncio.create_task(self._fetch_now(), name="issuer keys")
        return self._task

    async def _fetch_now(self) -> None:
        try:
            keys = KeySet(await self._fetch(), self._algorithms)
        except Unavailable as error:
            logger.warning("the issuer's keys could not be fetched", extra={"error": error.message})
            self._failure = error
            return
        self._keys, self._failure, self._fetched_at = keys, None, self._clock()
