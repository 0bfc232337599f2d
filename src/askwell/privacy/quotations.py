"""Values that stand in quotation marks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from askwell.privacy.figures import value_of
from askwell.privacy.tokens import TOKEN, Found
from askwell.privacy.vocabulary import Vocabulary

_QUOTED = re.compile(
    r"\"(?P<a>[^\"\n]{1,500})\"|“(?P<b>[^”\n]{1,500})”|„(?P<c>[^“”\n]{1,500})[“”]|«(?P<d>[^»\n]{1,500})»"
    r"|‘(?P<e>[^’\n]{1,500})’|(?<!\w)'(?P<g>(?:[^'\n]|'(?=\w)){1,500})'(?!\w)"
)


def quoted(text: str, vocabulary: Vocabulary) -> Iterator[Found | tuple[int, int]]:
    """The values that stand in quotation marks, and the places of names of the model that do."""
    for one in _QUOTED.finditer(text):
        group = next(name for name, inner in one.groupdict().items() if inner is not None)
        inner = one[group]
        if vocabulary.has_name(inner.strip()) or not any(map(str.isalnum, inner)):
            yield one.span(group)
        elif not TOKEN.search(inner):
            # French sets blanks beside its marks, and so do people by mistake: the value has none.
            value = inner.strip()
            start = one.start(group) + len(inner) - len(inner.lstrip())
            yield Found(start, start + len(value), value_of(value))
        else:
            yield from _between_tokens(inner, one.start(group))


def _between_tokens(text: str, at: int) -> Iterator[Found]:
    """What stands in quotation marks beside a token."""
    ends = [0, *(end for one in TOKEN.finditer(text) for end in one.span()), len(text)]
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        piece = text[start:end]
        if any(map(str.isalnum, piece)):
            start += len(piece) - len(piece.lstrip())
            end -= len(piece) - len(piece.rstrip())
            yield Found(at + start, at + end, value_of(text[start:end]))
