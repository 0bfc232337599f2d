"""What a model thinks, told apart from its reply, whatever marks stand around the thoughts.

Servers that know a model send its thoughts in a field of their own. Others leave them in the text: `<think>…</think>`,
`[THINK]…[/THINK]`, `◁think▷…◁/think▷`, harmony's channels, or marks of a model's own. A mark is a name in brackets.
What stands between two marks of one name before the reply is a thought, and so is all that stands before a closing mark
without an opening one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from askwell.resources import words_file

_THINKS, _REPLIES, _TEXT = words_file("askwell.providers.llm", "thinking.yaml").values()
_THOUGHT, _REPLY, _IS_TEXT = (re.compile(words, re.IGNORECASE) for words in (_THINKS, _REPLIES, _TEXT))
_END = re.compile(r"^(?:end|stop|close)[\W_]|[\W_](?:end|stop|close|suffix)$", re.IGNORECASE)
_SIDES = re.compile(r"^(?:begin|start|end|stop|open|close)[\W_](?:of[\W_])?|[\W_](?:start|end|prefix|suffix)$")
_OPENING, _CLOSING = "<◁⟨〈《【«‹", ">▷⟩〉》】»›"
_TOKEN = r"<(?:[|｜][\w▁]+[|｜]?|[\w▁]+[|｜]|unused\d+)>(?:\s*(?:assistant|model)\b)?"
_MARK = re.compile(
    rf"""
    (?:{_TOKEN}){{1,4}} [ \t]* (?P<channel>(?:{_THINKS}|{_REPLIES})\w*) (?:[ \t]+to=[^\s<]+)? [ \t]*
      (?:<\|constrain\|>[^<\n]{{0,20}})? (?:<\|message\|>|\n)
    | (?P<run>\b(?:assistant)+final(?=\W|(?-i:[A-Z])))
    | [{_OPENING}[{{]{{1,2}} [|｜]? (?P<slash>/?) (?P<name>[^\W\d_][\w▁:.-]{{0,40}}) (?P<more>\s[^<>\n]{{0,120}})?
      [|｜]? [{_CLOSING}\]}}]{{1,2}} (?:(?<=[|｜]>)\s*(?:assistant|model)\b)? (?!['"%])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PARTIAL = re.compile(
    rf"(?:[{_OPENING}]{{1,2}}(?:[|｜/]{{0,2}}(?:[^\W\d_][^<>\n]{{0,140}})?)?|[{{\[]{{1,2}}/?\w{{0,40}}|\ba(?:s\w{{0,12}})?)\Z"
)
_IS_TOKEN = re.compile(rf"{_TOKEN}|.{{1,2}}[|｜]", re.IGNORECASE)
# Behind a token the name of a channel may stand, in so many characters.
_CHANNEL_LENGTH = 100
# How SQL, alone or in an object or a fence, begins: between its quotes a mark is text.
_SQL = re.compile(r"\{|```|(?:SELECT|select|WITH)\b")
_BEGINNING = 8
_MOST_MARKS, _DEEPEST = 10_000, 50


class Piece(NamedTuple):
    """Words of the reply, or of a thought."""

    text: str
    is_thought: bool = False


class Thoughts:
    """Tells thoughts from words while they are written. `found`: there were thoughts. `unopened`: some had no opening
    mark, and were taken for the reply until they closed. With `waits` no word is passed on before that."""

    def __init__(self, *, waits: bool = False) -> None:
        self.found = self.unopened = False
        self._waits = waits
        self._held, self._last = "", "\n"
        self._open: list[str] = []
        self._opening, self._is_sure = "", False
        self._inside: list[str] = []
        self._since_closing: int | None = None
        self._reply: list[str] = []
        self._is_quoted = False
        self._reply_mark = ""
        self._only = Piece("")
        self._literal: set[str] = set()
        self._marks = 0

    @property
    def reply(self) -> str:
        """The words so far."""
        return "".join(self._reply)

    def add(self, piece: str, *, is_last: bool = False) -> list[Piece]:
        """What is known of a reply with this piece more."""
        held, at = self._held + piece, 0
        pieces: list[Piece] = []
        while (mark := self._next_mark(held, at)) is not None and (is_last or _is_whole(mark)):
            pieces += self._text(held[at : mark.start()])
            pieces += self._mark(mark)
            at = mark.end()
        partial = mark or (None if is_last else _PARTIAL.search(held, at))
        end = len(held) if partial is None else partial.start()
        pieces += self._text(held[at:end])
        self._held = held[end:]
        return [one for one in pieces if one.text]

    def _next_mark(self, held: str, at: int) -> re.Match[str] | None:
        return _MARK.search(held, at) if self._marks < _MOST_MARKS else None

    def finish(self) -> list[Piece]:
        """What is left to tell when the reply has ended."""
        pieces = self.add("", is_last=True)
        if self._open and not self._is_sure:
            self._open = []
            pieces += self._text(self._opening + "".join(self._inside))
        elif self._open and self._since_closing is not None:  # opened twice, closed once
            self._open, inside = [], self._inside[self._since_closing :]
            pieces += self._text("".join(inside))
        elif not self._open and not self.reply.strip() and self._only.text:
            self._reply = [self._only.text]
            pieces += [] if self._only.is_thought or self._waits else [Piece(self._only.text)]
        return [*pieces, Piece(self.reply)] if self._waits else pieces

    def _text(self, text: str) -> list[Piece]:
        self._last = text[-1:] or self._last
        if self._open:
            self._inside.append(text)
            return [Piece(text, is_thought=True)] if self._is_sure else []
        text = text if self._reply else text.lstrip()
        if text:
            self._is_quoted = (bool(self._reply) and self._is_quoted) != bool(text.count("'") % 2)
            self._reply.append(text)
        return [] if self._waits else [Piece(text)]

    def _mark(self, mark: re.Match[str]) -> list[Piece]:
        self._marks += 1
        name = mark["channel"] or mark["name"] or mark["run"]
        key = _SIDES.sub("", name.casefold())
        thinks = _THOUGHT.search(key + (mark["more"] or "")) is not None
        replies = not thinks and _REPLY.search(key) is not None
        closes = bool(mark["slash"] or mark["run"] or _END.search(name))
        is_token = _IS_TOKEN.match(mark[0]) is not None
        if self._open:
            if not self._is_closed(mark, key, thinks=thinks, closes=closes, is_token=is_token):
                return self._text(mark[0])
            if not mark["channel"]:
                return []
        is_in_sql = self._is_quoted and _SQL.match("".join(self._reply[:_BEGINNING]))
        if is_in_sql or (self._reply and self._last in "'\"%" and (is_token or mark["run"])):
            return self._text(mark[0])
        begins_line = self._last == "\n" or not self._reply or is_token
        is_other = not (thinks or replies or _IS_TEXT.fullmatch(name) or mark[0][0] in "[{" or key in self._literal)
        if closes:
            follows = mark.string[mark.end() : mark.end() + 1]
            if (thinks and key not in self._literal) or mark["run"] or (is_other and (begins_line or follows in "\n{")):
                return self._forget()
            if key == self._reply_mark:
                return []
        elif self._last not in "'\"%`":
            if replies and begins_line:
                self._reply_mark = key
                return self._forget() if self._reply else []
            if thinks or (is_other and not self._reply and not is_token):
                self._open, self._opening, self._inside, self._since_closing = [key], mark[0], [], None
                self._is_sure = thinks and begins_line
                self.found = self.found or self._is_sure
                return []
        if is_token:
            return []
        self._literal.add(key)
        return self._text(mark[0])

    def _is_closed(self, mark: re.Match[str], key: str, *, thinks: bool, closes: bool, is_token: bool) -> bool:
        """Whether a mark ends the thought that it stands in."""
        if mark["channel"] or mark["run"] or (is_token and not thinks and _IS_TOKEN.match(self._opening)):
            self._open = []
        elif closes and (thinks or key in self._open):
            self._open = self._open[: -1 - (self._open[::-1].index(key) if key in self._open else 0)]
            self._since_closing = len(self._inside) + 1
        elif thinks and not closes and len(self._open) < _DEEPEST:
            self._open.append(key)
        if self._open:
            return False
        has_reply = bool(self.reply)
        self._only = Piece(self.reply or ("" if self._is_sure else "".join(self._inside)), is_thought=has_reply)
        self._reply, self.found, self._waits = [], True, False
        return True

    def _forget(self) -> list[Piece]:
        """What was taken for the reply was a thought."""
        thought, self._reply = self.reply, []
        self.found = self.unopened = True
        pieces = [Piece(thought, is_thought=True)] if self._waits else []
        self._waits = False
        return pieces


# Thoughts at a reply's beginning in other dress: a fence, a fold, escaped marks, or a heading before an answer's.
_ASIDE = re.compile(
    rf"""\s*(?: ```[ \t]*(?:{_THINKS})\w*[ \t]*\n.*?\n```[ \t]*(?:\n|\Z)
    | <details[^>]*>\s*<summary>[^<]*?(?:{_THINKS})[^<]*</summary>.*?(?:</details>|\Z)
    | &lt;(?P<name>[\w:]*(?:{_THINKS})\w*)&gt;.*?(?:&lt;/(?P=name)&gt;|\Z)
    | [#*_>\ \t]*(?:my\ )?(?:{_THINKS})\w*(?:\ process)?[*_:\ \t]*\n
      .*\n[#*_>\ \t]*(?:final\ )?(?:{_REPLIES})[*_:\ \t]*(?=\s+(?:\{{|```|SELECT\b|WITH\b))
    )""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


def without_asides(text: str) -> str:
    """A whole reply without thoughts that stand at its beginning in other dress than marks."""
    aside = _ASIDE.match(text)
    return text[aside.end() :].lstrip() if aside else text


def is_thought_name(name: str) -> bool:
    """Whether a field or a part of a reply by this name holds thoughts."""
    return _THOUGHT.search(name) is not None


def _is_whole(mark: re.Match[str]) -> bool:
    """Whether what follows can no longer make another mark of it."""
    rest = mark.string[mark.end() : mark.end() + _CHANNEL_LENGTH]
    may_go_on = mark["channel"] is None and _IS_TOKEN.match(mark[0])
    return bool(rest) and not (may_go_on and "\n" not in rest and len(rest) < _CHANNEL_LENGTH)
