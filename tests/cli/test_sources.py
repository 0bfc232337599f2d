"""What an answer cites, for people who read it."""

from __future__ import annotations

import pytest

from askwell.cli.answer import show_answer

CITED = {
    "n": 1,
    "document_id": "d",
    "title": "Shop rules",
    "locator": "",
    "quote": "Thirty days.",
    "start": 12,
    "end": 15,
}
ANSWER = {"status": "finished", "type": "GENERAL", "citations": [CITED, CITED | {"start": 20, "end": 23}]}


@pytest.mark.parametrize(
    ("result", "quiet", "sources"),
    [(ANSWER, False, 1), (ANSWER, True, 0), (ANSWER | {"type": "TEXT_TO_SQL"}, False, 0)],
    ids=["words", "quiet", "a plan that is not shown"],
)
def test_each_source_is_told_once(
    result: dict[str, object], quiet: bool, sources: int, capsys: pytest.CaptureFixture[str]
) -> None:
    show_answer(result, rows=5, words="Thirty days [1]. So [1].", quiet=quiet)
    assert capsys.readouterr().out.count("[1] Shop rules: “Thirty days.”") == sources
