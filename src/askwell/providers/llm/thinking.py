"""Reasoning models on plain servers write their thinking into the reply, between <think> and </think>."""

from __future__ import annotations

from askwell.providers.llm.base import OnDelta
from askwell.providers.llm.call_options import call_options

_OPEN, _CLOSE = "<think>", "</think>"


def without_thinking(text: str) -> str:
    """The reply proper. Some servers leave out the opening mark; a mark that never closes leaves no reply."""
    before, closed, after = text.rpartition(_CLOSE)
    if closed and (_OPEN in before or "<" not in before):
        return after.lstrip()
    return "" if text.lstrip().startswith(_OPEN) else text


class StreamWithoutThinking:
    """An `OnDelta` that passes on what comes after the thinking, which goes to `on_thought` of the call options."""

    def __init__(self, on_delta: OnDelta) -> None:
        self._on_delta = on_delta
        self._on_thought = call_options().on_thought
        self._thought = 0
        self._held = ""
        self._passing = False

    def __call__(self, piece: str) -> None:
        if self._passing:
            self._on_delta(piece)
            return
        self._held += piece
        start = self._held.lstrip()
        if start.startswith(_OPEN):
            thought, closed, reply = start.partition(_CLOSE)
            self._think(thought.removeprefix(_OPEN).lstrip(), is_whole=bool(closed))
            if closed and reply.strip():
                self._pass(reply.lstrip())
        elif not _OPEN.startswith(start):
            self._pass(self._held)

    def _think(self, thought: str, *, is_whole: bool) -> None:
        """Tell what is new of the thought. Its end is held back while it could be the beginning of the closing mark."""
        end = len(thought) if is_whole else max(len(thought) - len(_CLOSE) + 1, self._thought)
        if self._on_thought is not None and end > self._thought:
            self._on_thought(thought[self._thought : end])
        self._thought = end

    def finish(self) -> None:
        """The stream has ended: what was held back because it could have become thinking is let go."""
        if not self._passing and self._held and not self._held.lstrip().startswith(_OPEN):
            self._pass(self._held)

    def _pass(self, text: str) -> None:
        self._passing, self._held = True, ""
        self._on_delta(text)
