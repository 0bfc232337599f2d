"""Why a document is not read: a word that the service makes a sentence of."""

from __future__ import annotations


class Refused(Exception):
    """`reason` is one of `encrypted`, `damaged`, `no_text` and `too_large`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
