"""A question as tokens: words, numbers, quoted text, punctuation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from askwell.question.words import CONTRACTIONS, CURRENCIES, ONES, REWORDINGS, SCALES


class TokenKind(StrEnum):
    WORD = "word"
    NUMBER = "number"
    QUOTED = "quoted"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is as written, without quotes and, in numbers, without thousands separators; `low` is its lower case."""

    kind: TokenKind
    text: str
    low: str


_QUOTES = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'", "´": "'", "–": "-", "—": "-"})
_CONTRACTION = re.compile("|".join(rf"\b{re.escape(c)}\b" for c in CONTRACTIONS), re.IGNORECASE)
_REWORDED = tuple((re.compile(said, re.IGNORECASE), meant) for said, meant in REWORDINGS)
_QUOTED = r"""
      "(?P<double>[^"]+)"
    | (?<![A-Za-z0-9])'(?P<single>[^']+(?:'s\ [^']+)?)'(?![A-Za-z])
"""
_TEXT = re.compile(_QUOTED, re.VERBOSE)
_KEPT = re.compile(r'"([0-9]+)"')
_TOKEN = re.compile(
    rf"""
    {_QUOTED}
    | (?P<date>\d{{4}}-\d{{1,2}}-\d{{1,2}}(?:[ T]\d{{1,2}}:\d{{2}}(?::\d{{2}})?)?)
    | (?<![\d:.])(?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d)(?![\d:])|(?=\ ?[ap]\.?m\b))
      (?:\ ?(?P<half>[ap])\.?m\b\.?)?
    | (?P<number>(?:(?<![\w)\]."'-])-)?\d[\d,]*(?:\.\d+)?(?![A-Za-z\d]))(?P<percent>%?)
    | (?P<word>[^\W]+(?:'[A-Za-z]+)?)
    | (?P<mark>[,;?.:()!/&%$€£-])
    """,
    re.VERBOSE | re.IGNORECASE,
)
MAX_TOKENS = 120
# No statement may have these, so no value that is compared with has them either.
NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def tokenize(question: str) -> tuple[Token, ...]:
    """At most `MAX_TOKENS` + 1 tokens: the caller turns longer questions away."""
    text = question.translate(_QUOTES).replace("``", '"').replace("''", '"')
    found: list[Token] = []
    for match in _TOKEN.finditer(_reworded(text)):
        found += _tokens(match)
        _join_number(found)
        if len(found) > MAX_TOKENS:
            break
    return tuple(found)


def _reworded(text: str) -> str:
    """The question in the words that the rest knows. What is quoted is data and stays as it is: numbers in quotes
    stand for it meanwhile."""
    quoted: list[str] = []

    def keep(match: re.Match[str]) -> str:
        quoted.append(match[0])
        return f'"{len(quoted) - 1}"'

    text = _TEXT.sub(keep, text)
    for said, meant in _REWORDED:
        text = said.sub(meant, text)
    text = _CONTRACTION.sub(lambda match: CONTRACTIONS[match[0].lower()], text)
    return _KEPT.sub(lambda match: quoted[int(match[1])], text)


def _join_number(found: list[Token]) -> None:
    """ "5 million" and "a million" are numbers."""
    if len(found) > 1 and found[-1].low in CURRENCIES and found[-2].low in ONES:
        found[-2:] = [_token(TokenKind.NUMBER, "1"), _token(TokenKind.WORD, "dollars")]  # "more than a dollar"
        return
    if len(found) < 2 or found[-1].low not in SCALES:
        return
    before, scale = found[-2], SCALES[found[-1].low]
    if before.kind is TokenKind.NUMBER:
        value = plain_number(before.text)
    else:
        value = 1 if before.low in ONES else None
    if value is not None:
        found[-2:] = [_token(TokenKind.NUMBER, f"{(Decimal(str(value)) * scale).normalize():f}")]


# A 64-bit integer has 18 digits and any first one.
_MOST_DIGITS = 18


def plain_number(text: str) -> int | float | None:
    """The number that the digits of a token stand for; None for a day, and for more digits before the point than every
    database has integers for."""
    whole, point, _ = text.partition(".")
    if "-" in text[1:] or len(whole.removeprefix("-")) > _MOST_DIGITS:
        return None
    return float(text) if point else int(text)


def _tokens(match: re.Match[str]) -> list[Token]:
    if quoted := match["double"] or match["single"]:
        return [_token(TokenKind.QUOTED, quoted.strip())]
    if match["date"]:
        return [_token(TokenKind.NUMBER, match["date"])]
    if hour := match["hour"]:
        hours = int(hour) % 12 + 12 * (match["half"].lower() == "p") if match["half"] else int(hour)
        return [_token(TokenKind.WORD, f"{hours:02}:{match['minute'] or '00'}")]
    if number := match["number"]:
        tokens = [_token(TokenKind.NUMBER, number.rstrip(",").replace(",", ""))]
        return [*tokens, _token(TokenKind.MARK, ",")] if number.endswith(",") else tokens
    if match["mark"] and match["mark"] in "%$€£":
        return []
    if word := match["word"]:
        if word.lower().endswith("'s"):
            return [_token(TokenKind.WORD, word[:-2]), _token(TokenKind.WORD, "'s")]
        return [_token(TokenKind.WORD, word)]
    return [_token(TokenKind.MARK, match["mark"])]


def _token(kind: TokenKind, text: str) -> Token:
    return Token(kind, text, text.lower())
