"""Reasoning models on plain servers write their thinking into the reply, between <think> and </think>."""

from __future__ import annotations

from askwell.providers.llm.base import OnDelta

_OPEN, _CLOSE = "<think>", "</think>"


def without_thinking(text: str) -> str:
    """The reply proper. Some servers leave out the opening mark; a mark that never closes leaves no reply."""
    before, closed, after = text.rpartition(_CLOSE)
    if closed and (_OPEN in before or "<" not in before):
        return after.lstrip()
    return "" if text.lstrip().startswith(_OPEN) else text


class StreamWithoutThinking:
    """An `OnDelta` that passes on what comes after the thinking."""

    def __init__(self, on_delta: OnDelta) -> None:
        self._on_delta = on_delta
        self._held = ""
        self._passing = False

    def __call__(self, piece: str) -> None:
        if self._passing:
            self._on_delta(piece)
            return
        self._held += piece
        start = self._held.lstrip()
        if start.startswith(_OPEN):
            _, closed, reply = start.partition(_CLOSE)
            if closed and reply.strip():
                self._pass(reply.lstrip())
        elif not _OPEN.startswith(start):
            self._pass(self._held)

    def finish(self) -> None:
        """The stream has ended: what was held back because it could have become thinking is let go."""
        if not self._passing and self._held and not self._held.lstrip().startswith(_OPEN):
            self._pass(self._held)

    def _pass(self, text: str) -> None:
        self._passing, self._held = True, ""
        self._on_delta(text)
