"""How many questions the scope gate stops that belong, and that do not (`askwell eval scope`), with the service's own
retrieval, as it is configured.

A question that belongs is put to the catalogue of its own database, one that does not to each of the catalogues that
it is not about: `{question, kind?, db_id?, unless?}`, where `db_id` names the only one, and a catalogue that has one of
the words of `unless` in a table's or a column's name may well be what it is about.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from askwell.asks.overview import is_out_of_scope
from askwell.config import Config
from askwell.errors import InvalidRequest
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.providers.document_store.words import terms
from askwell_evaluation.offline_retrieval import OfflineParts, OfflineProject, opened_parts
from askwell_evaluation.questions import read_rows, sample
from askwell_evaluation.report import Report, ratio, say, wilson


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """`db_id` is the database that it belongs to, or the only one that it is put to; `unless` are words."""

    question: str
    db_id: str | None
    kind: str = ""
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a question put to a catalogue: whether the gate stops it without and with a language model."""

    question: AskedQuestion
    catalogue: str
    evidence: float
    stopped: bool
    stopped_with_model: bool


def _figures(inside: Sequence[Verdict], outside: Sequence[Verdict]) -> dict[str, Any]:
    """Of verdicts on questions that belong, and on those that do not. Shares are from 0 to 1; bounds count each
    question once, however many catalogues it was put to, since those verdicts are much alike."""
    return {
        "catalogues": len({verdict.catalogue for verdict in (*inside, *outside)}),
        "in": len(inside),
        "in_stopped_rate": _rate(inside),
        "in_stopped_bounds": _bounds(inside),
        "out": len({verdict.question for verdict in outside}),
        "out_verdicts": len(outside),
        "out_stopped_rate": _rate(outside),
        "out_stopped_bounds": _bounds(outside),
        "out_stopped_rate_with_language_model": ratio(sum(v.stopped_with_model for v in outside), len(outside)),
        "auc": round(area_under_curve([v.evidence for v in inside], [v.evidence for v in outside]), 4),
        "out_by_kind": _by(outside, lambda verdict: verdict.question.kind),
        "in_by_catalogue": _by(inside, lambda verdict: verdict.catalogue),
        "out_by_catalogue": _by(outside, lambda verdict: verdict.catalogue),
        "in_stopped": [f"{v.catalogue}: {v.question.question}" for v in inside if v.stopped],
    }


def _lines(figures: Mapping[str, Any]) -> list[str]:
    low, high = figures["in_stopped_bounds"]
    out_low, out_high = figures["out_stopped_bounds"]
    return [
        f"catalogues       {figures['catalogues']}",
        f"that belong      {figures['in']} questions, stopped {figures['in_stopped_rate']:.2%} "
        f"(95% bounds {low:.2%} to {high:.2%})",
        f"that do not      {figures['out']} questions, {figures['out_verdicts']} verdicts, stopped "
        f"{figures['out_stopped_rate']:.1%} (95% bounds {out_low:.1%} to {out_high:.1%}), with a language model "
        f"{figures['out_stopped_rate_with_language_model']:.1%}",
        f"area under curve {figures['auc']:.4f}",
        *(f"  {kind or 'of no kind':<16} {rate:.1%} stopped" for kind, rate in figures["out_by_kind"].items()),
        *(f"STOPPED          {question}" for question in figures["in_stopped"]),
    ]


def read_asked(path: Path) -> list[AskedQuestion]:
    """Questions, a JSON object a line. Raises `InvalidRequest` for a file that holds something else."""

    def asked(row: Mapping[str, Any]) -> AskedQuestion:
        db_id = row.get("db_id")
        return AskedQuestion(
            question=str(row["question"]),
            db_id=None if db_id is None else str(db_id),
            kind=str(row.get("kind", "")),
            unless=tuple(str(word) for word in row.get("unless", ())),
        )

    return read_rows(path, asked, "question, and db_id for those that belong")


def run_scope(
    inside: Sequence[AskedQuestion],
    outside: Sequence[AskedQuestion],
    models: Mapping[str, SemanticModel],
    config: Config,
    *,
    catalogues: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
) -> Report:
    """Put the questions to the databases that those which belong are of, or to `catalogues` of them. With `limit`, so
    many that belong are drawn with `seed`. Raises `InvalidRequest` for a database that `models` does not have, else
    what the embedder raises."""
    wanted = list(dict.fromkeys(catalogues or [question.db_id or "" for question in inside]))
    if missing := [name for name in wanted if name not in models]:
        raise InvalidRequest(f"The schemas have no database {missing[0]!r}.", "Each question has the db_id of one.")
    belonging = [question for question in inside if question.db_id in wanted]
    drawn, chosen = sample(belonging, limit, seed), {name: models[name] for name in wanted}
    figures = asyncio.run(_run(drawn, outside, chosen, config))
    return Report(figures, _lines(figures))


async def _run(
    inside: Sequence[AskedQuestion],
    outside: Sequence[AskedQuestion],
    models: Mapping[str, SemanticModel],
    config: Config,
) -> dict[str, Any]:
    belonging: list[Verdict] = []
    others: list[Verdict] = []
    async with opened_parts(config) as here:
        for number, (name, model) in enumerate(models.items(), 1):
            project = OfflineProject(name, PreparedModel(model, {}), here.engine)
            belonging += await _verdicts(here, config, project, [one for one in inside if one.db_id == name])
            others += await _verdicts(here, config, project, _elsewhere(outside, project))
            say(f"{number} of {len(models)} catalogues, {len(belonging) + len(others)} verdicts")
    return _figures(belonging, others)


def _elsewhere(questions: Sequence[AskedQuestion], project: OfflineProject) -> list[AskedQuestion]:
    names = project.prepared.scope_words.names
    return [
        one
        for one in questions
        if one.db_id in (None, project.project_id) and names.isdisjoint(terms(" ".join(one.unless)))
    ]


async def _verdicts(
    here: OfflineParts, config: Config, project: OfflineProject, questions: Iterable[AskedQuestion]
) -> list[Verdict]:
    retrieval = here.retrieval(config.settings)
    found: list[Verdict] = []
    for one in questions:
        scope = (await retrieval.run(project, one.question)).scope
        stopped = [is_out_of_scope(one.question, scope, has_model=has_model) for has_model in (False, True)]
        found.append(Verdict(one, project.project_id, scope.evidence, stopped[0], stopped[1]))
    return found


def area_under_curve(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """How often one of the positives is above one of the negatives (Mann and Whitney), ties counting half; 0 where
    there are none."""
    if not positives or not negatives:
        return 0.0
    ordered = np.sort(np.asarray(negatives))
    below = np.searchsorted(ordered, positives, "left")
    up_to = np.searchsorted(ordered, positives, "right")
    return float((below + up_to).sum()) / 2 / len(positives) / len(negatives)


def _rate(verdicts: Sequence[Verdict]) -> float:
    return ratio(sum(verdict.stopped for verdict in verdicts), len(verdicts))


def _bounds(verdicts: Sequence[Verdict]) -> tuple[float, float]:
    size = len({(verdict.question.question, verdict.question.db_id) for verdict in verdicts})
    return wilson(sum(verdict.stopped for verdict in verdicts) / len(verdicts), size) if size else (0.0, 1.0)


def _by(verdicts: Iterable[Verdict], key: Callable[[Verdict], str]) -> dict[str, float]:
    groups: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        groups[key(verdict)].append(verdict)
    return {name: _rate(group) for name, group in groups.items()}
