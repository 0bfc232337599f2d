"""docs/prompts.md says for every rule which golden file shows it reaching the model. It has to be true."""

from __future__ import annotations

import re
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "prompts.md"
GOLDEN = Path(__file__).parent / "golden"

_ROW = re.compile(r"\| (?P<rule>.+?) \| (?P<words>.+) \| (?P<file>[\w-]+) \|")


def _lines() -> list[str]:
    """The rows of tables of rules; other tables say other things."""
    found, inside = [], False
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        inside = line.startswith("| rule |") or (inside and line.startswith("|"))
        if inside and not re.match(r"\|( rule |---)", line):
            found.append(line)
    return found


def _rows() -> list[tuple[str, str, str]]:
    found = [_ROW.fullmatch(line) for line in _lines()]
    return [(row["rule"], row["words"], row["file"]) for row in found if row]


def _plain(text: str) -> str:
    """One line, without the backticks that keep Markdown from hiding tags."""
    return " ".join(text.replace("`", "").split())


def test_the_words_of_every_rule_reach_the_model() -> None:
    golden = {path.stem: _plain(path.read_text(encoding="utf-8")) for path in GOLDEN.glob("*.md")}
    rows = _rows()
    assert rows
    assert [row for row in rows if _plain(row[1]) not in golden.get(row[2], "")] == []


def test_no_table_row_is_overlooked() -> None:
    assert len(_lines()) == len(_rows())


def test_every_golden_prompt_is_a_witness() -> None:
    named = {file for _, _, file in _rows()}
    prompts = {path.stem.partition("-")[0] for path in GOLDEN.glob("*.md") if not path.stem.startswith("dialect")}
    assert prompts == {file.partition("-")[0] for file in named if not file.startswith("dialect")}
