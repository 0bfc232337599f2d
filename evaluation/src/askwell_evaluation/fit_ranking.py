"""Fits the weights by which tables are ranked (`settings.ranking`) to questions with their gold tables:

    python -m askwell_evaluation.fit_ranking SCHEMAS.json QUESTIONS.jsonl [--config CONFIG.yaml]

Prints the weights, and how good they are on databases that a fold was not fitted to. Who likes them writes them into
`config/schema.py`, `config.yaml` and docs/configuration. It takes some minutes.

A listwise softmax (Cao et al., "Learning to Rank: From Pairwise Approach to Listwise Approach", 2007) says how probable
each table is, from its signals; the loss is the cross entropy to the gold tables, with a ridge. A benchmark's names are
clear, its schemas small, all of their keys declared, and its questions use the names' own words; other people's do not.
So the same questions are also put to the catalogue without its schemas, with its names shortened, and with its names
run together and no keys; and with a third of their words unknown, as synonyms are, to all but the vectors.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import random
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from askwell.config import Config, RankingConfig, load_config
from askwell.errors import InvalidRequest
from askwell.mdl.names import words
from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.pipelines.indexing.documents import own_name
from askwell.pipelines.retrieval.ranking import Neighbourhoods, TableWords, signals_of_tables
from askwell.providers.document_store.base import Kind
from askwell_evaluation.catalogue import Catalogue, LinkedQuestion, read_catalogue, read_linked_questions
from askwell_evaluation.offline_retrieval import OfflineParts, opened_parts
from askwell_evaluation.questions import hash_of
from askwell_evaluation.report import say

FOLDS = 5
RIDGE = 3.0
# What each form of the catalogue weighs in all.
SHARES = {"as it is": 0.4, "without schemas": 0.2, "shortened": 0.1, "run together": 0.1, "in other words": 0.2}
# Questions that are put to each changed catalogue.
CHANGED_QUESTIONS = 2_000
# Tables that a question's gold tables are compared with: the best by the weights that there are.
CANDIDATES = 60
STEPS = 20

# Values are not there to be named: a file of schemas has none.
SIGNALS = tuple(name for name in RankingConfig.model_fields if name not in ("method", "values"))
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Examples:
    """Questions put to one form of the catalogue. `signals` has a row for each question, of each table all signals; of
    each question `golds` are the rows of its tables, and `folds` the fold that its database is in."""

    signals: NDArray[np.float16]
    golds: tuple[tuple[int, ...], ...]
    folds: NDArray[np.intp]
    share: float

    def some(self, chosen: NDArray[np.bool_]) -> Examples:
        """Only some of the questions."""
        golds = tuple(gold for gold, taken in zip(self.golds, chosen, strict=True) if taken)
        return Examples(self.signals[chosen], golds, self.folds[chosen], self.share)

    def scores(self, weights: Floats) -> Floats:
        """The score of each table for each question."""
        scores: Floats = self.signals.astype(np.float32) @ weights
        return scores


def fold_of(db_id: str, folds: int) -> int:
    """The fold of a database: by a hash of its name, so it is the same everywhere and for ever."""
    return hash_of(db_id) % folds


def fit(examples: Sequence[Examples]) -> RankingConfig:
    """The weights that make the gold tables most probable; signals that would weigh less than nothing are left out."""
    taken = np.ones(len(SIGNALS), bool)
    while True:
        weights = np.zeros(len(SIGNALS), np.float32)
        weights[taken] = _fitted(examples, np.flatnonzero(taken))
        if (weights >= 0).all():
            rounded = {name: round(float(weight), 1) for name, weight in zip(SIGNALS, weights, strict=True)}
            return RankingConfig.model_validate(rounded)
        taken &= weights >= 0


def fitted_without_fold(examples: Sequence[Examples], fold: int) -> RankingConfig:
    """Weights that no database of the fold had a part in. Raises `InvalidRequest` where there is no other one."""
    others = [one.some(one.folds != fold) for one in examples]
    if not all(one.golds for one in others):
        raise InvalidRequest(
            "All questions are about databases of one fold, so there are no others to fit weights to.",
            "Take questions about more databases, or another number of folds.",
        )
    return fit(others)


def found_at_ten(examples: Examples, ranking: RankingConfig) -> list[tuple[float, bool]]:
    """For each question the share of its gold tables among the first ten, and whether that is all."""
    first = np.argsort(-examples.scores(_as_array(ranking)), axis=1, kind="stable")[:, :10]
    shares = [len(set(gold) & set(row)) / len(gold) for gold, row in zip(examples.golds, first.tolist(), strict=True)]
    return [(share, share == 1) for share in shares]


async def examples_of(
    catalogue: Catalogue,
    questions: Sequence[LinkedQuestion],
    here: OfflineParts,
    *,
    folds: int = FOLDS,
) -> list[Examples]:
    """The questions put to each form of the catalogue. Raises what the embedder raises."""
    rows = {name: row for row, name in enumerate(catalogue.model.tables)}
    some = list(questions)
    if len(some) > CHANGED_QUESTIONS:
        some = random.Random(0).sample(some, CHANGED_QUESTIONS)
    found = []
    for name, changed, asked in (
        ("as it is", catalogue.model, list(questions)),
        ("shortened", _renamed(catalogue.model, shortened), some),
        ("run together", replace(_renamed(catalogue.model, run_together), relationships=()), some),
        ("in other words", catalogue.model, some),
    ):
        say(f"{len(asked)} questions, the catalogue {name} ...")
        rewrite = in_other_words if name == "in other words" else str
        signals = await _signals(changed, name, asked, rewrite, here)
        golds = tuple(tuple(sorted(rows[table] for table in one.tables)) for one in asked)
        of_database = np.array([fold_of(one.db_id, folds) for one in asked], np.intp)
        found.append(Examples(signals, golds, of_database, SHARES[name]))
    return [*found, _without_schemas(found[0])]


def shortened(name: str) -> str:
    """A name as in a database that is short of letters: long words cut, or without their vowels."""
    return "_".join(map(_short, words(name))) or name


def run_together(name: str) -> str:
    """A name without a sign of where its words begin."""
    return "".join(words(name)) or name


def in_other_words(question: str) -> str:
    """A question of which every third word or so, always the same ones, is an unknown one."""
    return " ".join(
        word[::-1] if hashlib.sha256(word.lower().encode()).digest()[1] % 3 == 0 else word for word in question.split()
    )


async def _signals(
    model: SemanticModel,
    name: str,
    questions: Sequence[LinkedQuestion],
    rewrite: Callable[[str], str],
    here: OfflineParts,
) -> NDArray[np.float16]:
    model = replace(model, content_hash=f"{model.content_hash} {name}")
    section = await here.indexing.model_section(f"fit {name}", model)
    table_words, neighbourhoods = TableWords(model), Neighbourhoods(model)
    signals = np.zeros((len(questions), len(model.tables), len(SIGNALS)), np.float16)
    for row, one in enumerate(questions):
        vector = (await here.embedder.embed([one.question]))[0] if here.embedder.dimension else None
        asked = rewrite(one.question)
        tables = await here.store.search(section, Kind.TABLE, asked, vector)
        columns = await here.store.search(section, Kind.COLUMN, asked, vector)
        found = signals_of_tables(asked, tables, columns, table_words, neighbourhoods).signals
        signals[row] = np.stack([found[signal] for signal in SIGNALS], axis=-1)
    return signals


def _without_schemas(examples: Examples) -> Examples:
    signals = examples.signals.copy()
    signals[..., [place for place, name in enumerate(SIGNALS) if name.startswith("schema")]] = 0
    return replace(examples, signals=signals, share=SHARES["without schemas"])


def _renamed(model: SemanticModel, rename: Callable[[str], str]) -> SemanticModel:
    """With other names, each of them still the only one of its kind, and without readable ones."""
    now = {table.name: f"{rename(own_name(table))}{row}" for row, table in enumerate(model)}
    tables = {now[table.name]: _renamed_table(table, now[table.name], rename) for table in model}
    links = tuple(replace(link, left=now[link.left], right=now[link.right]) for link in model.relationships)
    return replace(model, tables=tables, relationships=links)


def _renamed_table(table: Table, name: str, rename: Callable[[str], str]) -> Table:
    columns = tuple(replace(column, name=rename(column.name), display_name=None) for column in table.columns)
    return replace(table, name=name, display_name=None, columns=columns)


def _short(word: str) -> str:
    if len(word) <= 4:
        return word
    if hashlib.sha256(word.encode()).digest()[0] % 2:
        return word[: 4 if len(word) < 9 else 5]
    return word[0] + re.sub("[aeiou]", "", word[1:])


def _as_array(ranking: RankingConfig) -> Floats:
    return np.array([getattr(ranking, name) for name in SIGNALS], np.float32)


def _fitted(examples: Sequence[Examples], taken: NDArray[np.intp]) -> Floats:
    """Newton's method, with halved steps where a whole one leads astray."""
    parts = [_candidates(one, taken) for one in examples]
    signals = np.concatenate([signals for signals, _ in parts])
    golds = np.concatenate([golds for _, golds in parts])
    shares = [np.full(len(of_one), one.share / len(of_one)) for one, (_, of_one) in zip(examples, parts, strict=True)]
    # A question weighs 1 on average, whatever form of the catalogue it is put to.
    weight = (np.concatenate(shares) * len(golds)).astype(np.float32)[:, None]
    found = np.zeros(len(taken))
    loss, likely = _loss(found, signals, golds, weight)
    for _ in range(STEPS):
        gradient = np.einsum("qtf,qt->f", signals, weight * (likely - golds), optimize=True) + RIDGE * found
        mean = np.einsum("qtf,qt->qf", signals, likely, optimize=True)
        curvature = np.einsum("qtf,qtg->fg", signals * (weight * likely)[..., None], signals, optimize=True)
        step = np.linalg.solve(curvature - (mean * weight).T @ mean + RIDGE * np.eye(len(taken)), gradient)
        size = 1.0
        while (better := _loss(found - size * step, signals, golds, weight))[0] > loss and size > 1e-3:
            size /= 2
        gain, found = loss - better[0], found - size * step
        loss, likely = better
        if gain < 1e-4 * abs(loss):
            break
    return found.astype(np.float32)


def _candidates(examples: Examples, taken: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """The signals of the best tables for each question, gold ones among them, and how much of the gold each is."""
    scores = examples.scores(_as_array(RankingConfig()))
    for row, gold in enumerate(examples.golds):
        scores[row, list(gold)] += 1e6
    size = min(CANDIDATES, scores.shape[1])
    best = np.argpartition(-scores, size - 1, axis=1)[:, :size]
    rows = np.arange(len(best))[:, None]
    is_gold = scores[rows, best] > 1e5
    golds = (is_gold / is_gold.sum(axis=1, keepdims=True)).astype(np.float32)
    return examples.signals[rows, best][..., taken].astype(np.float32), golds


def _loss(weights: NDArray[np.float64], signals: Floats, golds: Floats, weight: Floats) -> tuple[float, Floats]:
    """The loss, and how probable each table is."""
    scores = signals @ weights.astype(np.float32)
    scores -= scores.max(axis=1, keepdims=True)
    powers = np.exp(scores)
    totals = powers.sum(axis=1, keepdims=True)
    loss = -(weight * golds * (scores - np.log(totals))).sum() + 0.5 * RIDGE * weights @ weights
    return float(loss), powers / totals


async def _report(catalogue: Catalogue, questions: Sequence[LinkedQuestion], config: Config) -> str:
    async with opened_parts(config) as here:
        examples = await examples_of(catalogue, questions, here)
    lines = []
    found: list[tuple[float, bool]] = []
    for fold in range(FOLDS):
        held = examples[0].some(examples[0].folds == fold)
        if held.golds:
            found += (of_fold := found_at_ten(held, fitted_without_fold(examples, fold)))
            lines.append(f"fold {fold}: {_figures(of_fold)}")
    lines.append(f"all folds: {_figures(found)}")
    fitted = fit(examples)
    lines.append(f"fitted to all: {_figures(found_at_ten(examples[0], fitted))}")
    return "\n".join([*lines, *(f"{name}: {getattr(fitted, name)}" for name in SIGNALS)])


def _figures(found: Sequence[tuple[float, bool]]) -> str:
    shares, whole = np.array(found, float).T
    return f"{len(found)} questions, R@10 {shares.mean():.2%}, all tables in 10 {whole.mean():.2%}"


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> None:
    """Fit, and print folds and weights."""
    parser = argparse.ArgumentParser(prog="python -m askwell_evaluation.fit_ranking")
    parser.add_argument("schemas", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--config", type=Path)
    given = parser.parse_args(arguments)
    catalogue = read_catalogue([given.schemas])
    questions = read_linked_questions([given.questions], catalogue)
    report = asyncio.run(_report(catalogue, questions, load_config(given.config, environ)))
    sys.stdout.write(report + "\n")


if __name__ == "__main__":
    main(sys.argv[1:], os.environ)
