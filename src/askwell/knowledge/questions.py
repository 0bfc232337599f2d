"""When two questions are the same text."""

from __future__ import annotations

import re
import unicodedata

# What stands between quotes is data: its letter case and spacing mean something.
_QUOTED = re.compile(r"""('(?:[^']*)'(?!\w)|"[^"]*"|“[^“”]*”)""")
_CLOSING = " \t?!.。？！…"


def normalise_question(question: str) -> str:
    """The question with letter case, spacing, Unicode form and closing punctuation made equal.

    Nothing that can change the meaning is touched: words, numbers, signs and the text inside quotes stay. Two questions
    with equal normal forms are the same question; an empty text has an empty normal form.
    """
    text = unicodedata.normalize("NFKC", question).strip().rstrip(_CLOSING)
    parts = _QUOTED.split(text)
    # Odd parts are the quoted ones.
    plain = (part if index % 2 else re.sub(r"\s+", " ", part.casefold()) for index, part in enumerate(parts))
    return "".join(plain).strip()
