"""Text for the ask's stream that is held back until it is known whether anybody is to read it."""

from __future__ import annotations

from collections.abc import Sequence

from askwell.asks.citations import Citation, MarkedText
from askwell.jobs.text_stream import TextStream
from askwell.pipelines.generation.question import PromptPassage


class HeldText:
    """What a model writes and thinks: Markdown, with its thoughts as a quotation before the words. Marks name the
    `passages` that the model was shown: others do not get into the stream."""

    def __init__(self, stream: TextStream, *, held: bool = False, passages: Sequence[PromptPassage] = ()) -> None:
        self._stream = stream
        self._waiting: list[str] | None = [] if held else None
        self._thinking = False
        self._marked = MarkedText(passages, len(stream.text()) if passages else 0)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Of the marks in the stream, with their places in all of it."""
        return self._marked.citations

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

    def end(self) -> None:
        """No more comes: what could have become a mark is none."""
        self._let_out(self._marked.rest())

    def _pass(self, piece: str) -> None:
        self._let_out(self._marked.add(piece))

    def _let_out(self, piece: str) -> None:
        if self._waiting is None:
            self._stream.append(piece)
        else:
            self._waiting.append(piece)
