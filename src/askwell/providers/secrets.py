"""Secrets in what servers say: in each form in which one may come back, whole, in part or masked, it stays hidden."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

HIDDEN = "…"
# So many characters of a secret in a row give it away. A secret with fewer is looked for as a whole, and one that may
# be a part of any word, as a word.
_PART, _WORD = 6, 4
# What other people's keys look like, and any key whose ends alone are shown.
_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|key|api|aiza|bearer|basic|token)[-_:=][\w.*+/=~-]{6,}|\b(?:bearer|basic) [\w.*+/=~-]{6,}"
    r"|\b(?:key|api|token)[: ]+(?=\S*[\d*])[\w.*+/=~-]{6,}|[\w*+/=~-]{32,}"
    r"|\S*(?:\*{2,}|•{2,})\S*|\S+(?:\.{3}|…)[\w-]\S*",
    re.I,
)
_SCHEME = re.compile(r"(?:bearer|basic|token|key|api-?key)[ :]+", re.I)


def server_secrets(key: str, address: str | None, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What nobody may see of a server's section: its key, what its address has of a user, a password and a query, and
    the values of headers and of a query that go out with every call."""
    parts = urlsplit(address or "")
    written = [parts.username, parts.password, *(value for _, value in parse_qsl(parts.query))]
    more = [settings.get(name) for name in ("extra_headers", "extra_query")]
    values = [str(value) for one in more if isinstance(one, Mapping) for value in one.values()]
    found = [key, *(unquote(one) for one in written if one), *values]
    bare = [_SCHEME.sub("", one, count=1) for one in found]
    return tuple(dict.fromkeys(one for one in (*found, *bare) if one.strip()))


def without_secrets(text: str, secrets: Collection[str]) -> str:
    """The text, on one line, with `HIDDEN` in the place of these secrets and of what looks like a key."""
    text = " ".join(text.split())
    lowered = _lower(text)
    forms = {form for secret in secrets for form in _forms(secret)}
    pieces = {form[start : start + _PART] for form in forms for start in range(len(form) - _PART + 1)}
    places = [at for at in range(len(text)) if lowered[at : at + _PART] in pieces]
    hidden = {at + step for at in places for step in range(_PART)}
    for form in (form for form in forms if len(form) < _PART):
        word = re.escape(form) if len(form) >= _WORD else rf"(?<!\w){re.escape(form)}(?!\w)"
        hidden.update(at for found in re.finditer(word, lowered) for at in range(*found.span()))
    shown = "".join("\0" if place in hidden else letter for place, letter in enumerate(text))
    return _KEY.sub(HIDDEN, re.sub("\0+=*", HIDDEN, shown))


def _forms(secret: str) -> Iterator[str]:
    """In lower case: as it is, as addresses, JSON and pages write it, in base64, and read in another encoding."""
    plain = " ".join(secret.split())
    written = secret.encode("utf-8", "replace")
    for form in (
        plain,
        quote(secret.strip(), safe=""),
        quote(secret.strip()),
        quote_plus(secret.strip()),
        json.dumps(plain)[1:-1],
        json.dumps(plain, ensure_ascii=False)[1:-1],
        html.escape(plain),
        base64.b64encode(written).decode().rstrip("="),
        " ".join(written.decode("latin-1").split()),
    ):
        if form:
            yield _lower(form)


def _lower(text: str) -> str:
    """In lower case, as long as before."""
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
