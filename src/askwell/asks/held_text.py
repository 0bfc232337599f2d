"""Text for the ask's stream that is held back until it is known whether anybody is to read it."""

from __future__ import annotations

from askwell.jobs.text_stream import TextStream


class HeldText:
    """What a model writes and thinks: Markdown, with its thoughts as a quotation before the words."""

    def __init__(self, stream: TextStream, *, held: bool = False) -> None:
        self._stream = stream
        self._waiting: list[str] | None = [] if held else None
        self._thinking = False

    def append(self, piece: str) -> None:
        """Words of the reply."""
        if self._thinking:
            self._thinking = False
            self._pass("\n\n")
        self._pass(piece)

    def think(self, piece: str) -> None:
        """A part of the model's own reasoning."""
        quoted = piece.replace("\n", "\n> ")
        self._pass(quoted if self._thinking else f"> {quoted}")
        self._thinking = True

    def release(self) -> None:
        """Let go of what was held back, and hold nothing back from now on."""
        waiting, self._waiting = self._waiting, None
        for piece in waiting or ():
            self._stream.append(piece)

    def _pass(self, piece: str) -> None:
        if self._waiting is None:
            self._stream.append(piece)
        else:
            self._waiting.append(piece)
