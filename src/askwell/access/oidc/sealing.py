"""Cookies that nobody but this service, on whichever machine, can read or write.

Fernet (cryptography) encrypts and signs them. Each purpose has a key of its own, made from the configured secrets by
HKDF (RFC 5869), so that a cookie of one purpose is nothing for another.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

# What browsers keep of a cookie is 4096 bytes, its name and attributes included.
MOST_BYTES = 3_800


class Seal:
    """Seals objects of JSON for one purpose. The first secret seals; all of them open."""

    def __init__(self, secrets: Sequence[str], purpose: str) -> None:
        self._fernet = MultiFernet([Fernet(_key(secret, purpose)) for secret in secrets])

    def close(self, content: Mapping[str, Any]) -> str:
        """The content as letters that fit into a cookie."""
        return self._fernet.encrypt(json.dumps(content, separators=(",", ":")).encode()).decode()

    def open(self, sealed: str) -> dict[str, Any] | None:
        """The content; None where it was not sealed by one of the secrets for this purpose."""
        if len(sealed) > MOST_BYTES or not sealed.isascii():
            return None
        try:
            if base64.urlsafe_b64encode(base64.urlsafe_b64decode(sealed)).decode() != sealed:
                return None  # another spelling of the same bytes
            found = json.loads(self._fernet.decrypt(sealed))
        except (InvalidToken, ValueError):
            return None
        return found if isinstance(found, dict) else None


def _key(secret: str, purpose: str) -> bytes:
    derived = HKDF(SHA256(), 32, salt=None, info=f"askwell {purpose}".encode()).derive(secret.encode())
    return base64.urlsafe_b64encode(derived)
