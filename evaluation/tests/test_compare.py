"""`askwell eval compare`: two results files side by side, and what is said of files that cannot be compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from askwell_evaluation.report import mcnemar_p, share_of
from evaluation.tests.marina import evaluated, figures, run_eval


def write_results(path: Path, verdicts: str, **more: Any) -> Path:
    """A results file with a letter for each question: c(orrect), w(rong), f(ailed) or o(utage)."""
    words = {"c": "correct", "w": "wrong", "f": "failed", "o": "outage"}
    run = {"language_models": [path.stem], "settings": {"row_limit": 1000}}
    rows = [
        {
            "id": str(n), "db_id": "marina", "question": f"How many, {n}?", "verdict": words[letter],
            "contained": letter == "c", "ms": 10.0 * (n + 1), "usage": {"prompt_tokens": 100, "llm_calls": 1},
        } | more
        for n, letter in enumerate(verdicts)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in [{"run": run}, *rows]))
    return path


def compared(first: Path, second: Path) -> dict[str, Any]:
    return figures(run_eval("compare", str(first), str(second), "--json"))


def test_pairs_flips_and_the_chance_of_so_large_a_difference(tmp_path: Path) -> None:
    first = write_results(tmp_path / "small.jsonl", "ccwwwwwwwwfo")
    second = write_results(tmp_path / "large.jsonl", "cwccccccccfc")
    found = compared(first, second)
    assert (found["pairs"], found["unpaired"]) == (11, 1)
    # 2 · (1 + 9) / 2⁹
    assert found["strict"] == {"both": 1, "only_a": 1, "only_b": 8, "neither": 1, "p": 0.039062}
    assert [one["id"] for one in found["flips"]] == ["2", "3", "4", "5", "6", "7", "8", "9", "1"]
    assert found["flips"][0]["a"] == "wrong"
    assert found["different"] == ["language_models: ['small'] | ['large']"]
    assert (found["a"]["prompt_tokens"], found["b"]["prompt_tokens"]) == (1100, 1100)
    assert found["a"]["p50_ms"] == 60.0

    table = run_eval("compare", str(first), str(second)).stdout
    assert "9 questions flipped" in table
    assert "p = 0.0391" in table


def test_the_results_of_real_runs_compare(folder: Path) -> None:
    for name, mode in (("a", "strict"), ("b", "balanced")):
        config = {"settings": {"rules_mode": mode}}
        figures(evaluated(folder, config, "--llm", "none", "--json", "--out", str(folder / name)))
    found = compared(folder / "a", folder / "b")
    assert found["pairs"] == 4
    assert found["different"] == ["settings.rules_mode: strict | balanced"]
    assert found["strict"]["both"] + found["strict"]["only_a"] + found["strict"]["only_b"] == max(
        found["a"]["correct"], found["b"]["correct"]
    )


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({"verdicts": "cc"}, {"verdicts": "cc", "db_id": "fleet"}, "no question in common"),
        ({"verdicts": "cc"}, {"verdicts": "cc", "question": "How much?"}, "different questions"),
        ({"verdicts": "cc"}, {"verdicts": "cc", "golds": ["SELECT 2"]}, "different questions, or golds"),
        ({"verdicts": "oc"}, {"verdicts": "co"}, "No question was scored in both runs"),
        ({"verdicts": "cc"}, {"verdicts": "cc", "verdict": "fine"}, "line 2 holds no result"),
    ],
)
def test_what_cannot_be_compared_is_told(
    tmp_path: Path, first: dict[str, Any], second: dict[str, Any], words: str
) -> None:
    paths = [write_results(tmp_path / name, **given) for name, given in (("a", first), ("b", second))]
    said = run_eval("compare", *map(str, paths))
    assert (said.exit_code, said.stdout) == (2, "")
    assert words in said.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "does not begin with what was run"),
        ('{"id": "q1"}\n', "does not begin with what was run"),
        ("no json\n", "line 1 is not JSON"),
        ('{"run": {}}\n[]\n', "line 2 holds no result"),
    ],
)
def test_a_file_that_holds_no_results_is_told(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "notes.txt").write_text(content)
    said = run_eval("compare", str(write_results(tmp_path / "a", "c")), str(tmp_path / "notes.txt"))
    assert said.exit_code == 2
    assert words in said.stderr
    assert "eval asks --out" in said.stderr


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    said = run_eval("compare", str(tmp_path / "a"), str(tmp_path / "b"))
    assert said.exit_code == 2
    assert f"There is no {tmp_path / 'a'} and no {tmp_path / 'b'}." in said.stderr


def test_the_intervals_are_wilsons() -> None:
    # Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20 and 1 of 29.
    assert (share_of(81, 263).low, share_of(81, 263).high) == (0.2553, 0.3662)
    assert (share_of(15, 148).low, share_of(15, 148).high) == (0.0624, 0.1605)
    assert (share_of(0, 20).low, share_of(0, 20).high) == (0.0, 0.1611)
    assert (share_of(1, 29).low, share_of(1, 29).high) == (0.0061, 0.1718)


def test_as_many_flips_in_both_directions_are_chance() -> None:
    assert mcnemar_p(5, 5) == 1.0
    assert mcnemar_p(0, 0) == 1.0
    assert mcnemar_p(0, 6) == mcnemar_p(6, 0) == 0.03125
