"""The word that people are shown in place of a number of how sure an answer is."""

from __future__ import annotations

import pytest

from askwell.checking.finding import Finding, Severity
from askwell.checking.sureness import CLEAR, Source, Word, word_for


@pytest.mark.parametrize(
    ("sure", "severities", "source", "word"),
    [
        (CLEAR, [], "rules", "clear"),
        (CLEAR, [Severity.NOTE], "rules", "clear"),
        (CLEAR - 0.01, [], "rules", "guess"),
        (0.99, [Severity.NOTE, Severity.DOUBT], "rules", "guess"),
        (0.99, [Severity.WRONG], "llm", "guess"),
        (None, [], "llm", "guess"),
        (None, [Severity.DOUBT], "view", "checked"),
    ],
)
def test_what_is_said_against_an_answer_makes_it_a_guess(
    sure: float | None, severities: list[Severity], source: Source, word: Word
) -> None:
    findings = tuple(Finding("code", severity, "", "", "It is so.") for severity in severities)
    assert word_for(sure, findings, source) == word
