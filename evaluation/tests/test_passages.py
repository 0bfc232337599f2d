"""What `askwell eval passages` counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwell.config import load_config
from askwell_evaluation.passages import run_passages
from evaluation.tests.marina import write_rows
from tests.support.service import write_config

RULES = "# Loans\n\nA book may be kept for three weeks.\n\n# Fees\n\nEach day costs ten cents."
QUESTIONS = [
    {"question": "how long may a book be kept", "document": "rules.md", "quote": "kept for three weeks"},
    {"question": "what does it cost each day", "document": "rules.md", "quote": "costs ten cents"},
    {"question": "zebra crossing", "document": "rules.md", "quote": "ten cents"},
]


def folder_of(tmp_path: Path, questions: list[dict[str, str]]) -> Path:
    folder = tmp_path / "set"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "rules.md").write_text(RULES)
    write_rows(folder / "questions.jsonl", questions)
    write_rows(folder / "unrelated.jsonl", [{"question": "giraffe"}, {"question": "a book about weeks"}])
    return folder


def test_found_and_kept_out_are_counted(tmp_path: Path) -> None:
    """Two of three are found first; of two that nothing answers one finds something."""
    config = load_config(write_config(tmp_path), {})
    report = run_passages(folder_of(tmp_path, QUESTIONS), config).figures
    assert (report["documents"], report["passages"], report["questions"]) == (1, 2, 3)
    assert (report["first"], report["among_five"]) == (0.6667, 0.6667)
    assert (report["none_found"], report["missed"]) == (0.5, ["zebra crossing"])


def test_words_that_stand_nowhere_are_an_error(tmp_path: Path) -> None:
    """A set that asks for what its documents do not say measures nothing."""
    config = load_config(write_config(tmp_path), {})
    wrong = [{"question": "a", "document": "rules.md", "quote": "never said"}]
    with pytest.raises(ValueError, match="never said"):
        run_passages(folder_of(tmp_path, wrong), config)
