"""Fitting the weights that tables are ranked by, on signals and a catalogue made here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from askwell.config import RankingConfig
from askwell_evaluation.fit_ranking import (
    SIGNALS,
    Examples,
    fit,
    fitted_without_fold,
    fold_of,
    found_at_ten,
    main,
    run_together,
    shortened,
)

QUESTIONS, TABLES = 300, 40


def examples(telling: str, folds: int = 1) -> Examples:
    """One signal tells the gold table; all others are chance."""
    chance = np.random.default_rng(1)
    signals = chance.random((QUESTIONS, TABLES, len(SIGNALS))).astype(np.float16)
    golds = [int(gold) for gold in chance.integers(0, TABLES, QUESTIONS)]
    signals[range(QUESTIONS), golds, SIGNALS.index(telling)] += np.float16(0.8)
    signals[range(QUESTIONS), golds, SIGNALS.index("words")] -= np.float16(0.3)
    fold = np.arange(QUESTIONS) % folds
    return Examples(signals, tuple((gold,) for gold in golds), fold.astype(np.intp), 1.0)


def test_the_signal_that_tells_gets_the_weight_and_one_that_misleads_gets_none() -> None:
    given = examples("joined_coverage")
    fitted = fit([given])
    weights = {name: getattr(fitted, name) for name in SIGNALS}
    assert max(weights, key=lambda name: weights[name]) == "joined_coverage"
    assert weights["words"] == 0
    assert min(weights.values()) == 0
    of_fit, of_others = (
        np.mean([share for share, _ in found_at_ten(given, ranking)])
        for ranking in (fitted, RankingConfig(joined_coverage=0))
    )
    assert of_fit > 0.9 > of_others


def test_a_fold_has_no_part_in_its_own_weights() -> None:
    """The fold's own questions say the opposite of the others."""
    others, own = examples("coverage"), examples("table_vector")
    folds = np.repeat([0, 1], QUESTIONS).astype(np.intp)
    both = Examples(np.concatenate([others.signals, own.signals]), others.golds + own.golds, folds, 1.0)
    assert fitted_without_fold([both], 1) == fit([others])
    assert fitted_without_fold([both], 0) == fit([own])


def test_a_database_is_always_in_the_same_fold() -> None:
    names = [f"database {number}" for number in range(200)]
    assert [fold_of(name, 5) for name in names] == [fold_of(name, 5) for name in names]
    assert {fold_of(name, 5) for name in names} == set(range(5))


@pytest.mark.parametrize("name", ["customerInvoices", "order_id", "straße", "_"])
def test_changed_names_are_names(name: str) -> None:
    assert shortened(name)
    assert len(shortened(name)) <= len(name) + 1
    assert run_together(name)
    assert "_" not in run_together("order_id")


def test_the_command_prints_folds_and_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["anchor", "barley", "candle", "dragon", "ember", "falcon", "garden", "harbour", "island", "jungle"]
    schemas = {f"db{n}": {word: [["id", "number"], [f"{word}_size", "number"]]} for n, word in enumerate(words)}
    rows = [
        {"id": str(n), "db_id": f"db{n}", "question": f"How big is the {word}?", "gold_tables": [word]}
        | {"gold_columns": [f"{word}.{word}_size"]}
        for n, word in enumerate(words)
    ]
    (tmp_path / "schema.json").write_text(json.dumps(schemas))
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "config.yaml").write_text("embedder: {default: {provider: none}}\n")
    paths = [str(tmp_path / name) for name in ("schema.json", "questions.jsonl", "config.yaml")]
    main([paths[0], paths[1], "--config", paths[2]], {})
    said = capsys.readouterr().out
    assert "all folds: 10 questions, R@10 100.00%, all tables in 10 100.00%" in said
    assert all(f"\n{name}: " in said for name in SIGNALS)
