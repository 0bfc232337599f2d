"""What servers of OpenAI's protocol say when they refuse a request."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping

from openai import APIStatusError

# Where servers put a sentence for people, and what looks like a key.
_SENTENCES = ("message", "msg", "detail", "error", "errors", "title")
_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|key|api|aiza|bearer|basic|token)[-_ :=][\w.*+/=~-]{6,}|[\w*+/=~-]{32,}", re.I
)
_LONGEST = 240
# As many characters that a prompt has too are the prompt's.
_SHARED = 24


def words_of(error: APIStatusError) -> str:
    """Everything that the server said, for looking for words in it: some say it as a plain text or under names of their
    own, which the SDK leaves out of its message. Never for people: servers quote keys and prompts."""
    return f"{error.message} {json.dumps(error.body, default=str)}"


def quoted(error: APIStatusError, sent: Collection[str], keys: Collection[str]) -> str:
    """The server's own sentence for people, on one line, without `keys`, what looks like one, or texts that were `sent`
    to it; "" where it has none."""
    words = " ".join(_sentence(error.body).split())
    if words.startswith("<"):  # a page
        return ""
    for hidden in (*keys, *(line.strip() for text in sent for line in text.splitlines())):
        words = words.replace(hidden, "…") if len(hidden) > 3 else words
    for start in range(len(words) - _SHARED):
        if any(words[start : start + _SHARED] in text for text in sent):
            words = words[:start] + "…"
            break
    words = _KEY.sub("…", words)
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"


def _sentence(said: object) -> str:
    match said:
        case str():
            return said
        case list():
            return "; ".join(filter(None, map(_sentence, said[:3])))
        case Mapping():
            return next((found for name in _SENTENCES if (found := _sentence(said.get(name)))), "")
    return ""
