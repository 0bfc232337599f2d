"""Every rule of the prompts reaches the model: rules.yaml says in which golden file its words stand."""

from __future__ import annotations

from pathlib import Path

from tests.support.tables import case_file

GOLDEN = Path(__file__).parent / "golden"
RULES = [(row["rule"], row["words"], row["golden"]) for rows in case_file(__file__).values() for row in rows]


def _plain(text: str) -> str:
    """One line, without the backticks around tags."""
    return " ".join(text.replace("`", "").split())


def test_the_words_of_every_rule_reach_the_model() -> None:
    golden = {path.stem: _plain(path.read_text(encoding="utf-8")) for path in GOLDEN.glob("*.md")}
    assert RULES
    assert [row for row in RULES if _plain(row[1]) not in golden.get(row[2], "")] == []


def test_every_golden_prompt_is_a_witness() -> None:
    named = {file.partition("-")[0] for _, _, file in RULES if not file.startswith("dialect")}
    prompts = {path.stem.partition("-")[0] for path in GOLDEN.glob("*.md") if not path.stem.startswith("dialect")}
    assert prompts == named
