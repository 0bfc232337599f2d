from __future__ import annotations

import pytest

from askwell.mdl.names import words


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("orderItems_2", ("order", "items", "2")),
        ("HTTPServer", ("http", "server")),
        ("Größe", ("größe",)),
        ("ÖPNVKarte", ("öpnv", "karte")),
        ("Łódź_Nr", ("łódź", "nr")),
        ("客户表_id", ("客户表", "id")),
        ("_", ()),
    ],
)
def test_words_of_identifiers_in_any_alphabet(identifier: str, expected: tuple[str, ...]) -> None:
    assert words(identifier) == expected
