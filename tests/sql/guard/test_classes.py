"""Classes of attack in which a name, a type, an operator or a sign makes the database call or read something else.

The lists were written by people who had not seen the guard, and verified on real databases where there was one; what
they broke was mended. With them go legitimate statements that look alike.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from askwell.sql.guard import DIALECTS
from askwell_evaluation.guard import run_guard

_FOLDER = Path(__file__).parent / "cases" / "classes"


def test_every_attack_of_each_class_is_refused_and_what_looks_alike_passes() -> None:
    report = run_guard(_FOLDER / "attacks.json", _FOLDER / "benign.json")
    assert report.figures["missed"] == report.figures["blocked"] == []
    assert {counts["refused"] == counts["of"] for counts in report.figures["by_class"].values()} == {True}


def test_each_dialect_has_cases_enough_to_mean_something() -> None:
    attacks = json.loads((_FOLDER / "attacks.json").read_text(encoding="utf-8"))
    calls = Counter(case["dialect"] for case in attacks if case["class"] == "call_without_parentheses")
    assert set(calls) == set(DIALECTS)
    assert min(calls.values()) >= 30
