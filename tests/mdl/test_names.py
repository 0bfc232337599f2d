from __future__ import annotations

import pytest

from askwell.mdl.names import words
from tests.support.tables import case_rows


@pytest.mark.parametrize(
    ("identifier", "expected"),
    case_rows(__file__, "words_of_identifiers_in_any_alphabet", "identifier", "expected"),
)
def test_words_of_identifiers_in_any_alphabet(identifier: str, expected: tuple[str, ...]) -> None:
    assert words(identifier) == expected
