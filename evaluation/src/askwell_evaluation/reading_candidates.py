"""What the semantic parser makes of questions with known answers: every candidate, executed, as a file of JSON lines
that `fit_readings` learns from and that people look at.

    python -m askwell_evaluation.reading_candidates QUESTIONS.jsonl DATABASES_DIR OUT.jsonl [--split tuning|validation]
        [--limit N] [--business]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from askwell.semantic_parsing.model.catalog import Catalog
from askwell.semantic_parsing.parser import Candidate, SemanticParser
from askwell.semantic_parsing.trust import weights
from askwell_evaluation.databases import Judge, Spider, SqliteReader, drafted_model, read_spider_tables
from askwell_evaluation.questions import Question, each_database, read_checked, read_questions, sample
from askwell_evaluation.report import percentile
from askwell_evaluation.rules import READING_SECONDS

_EXECUTED = 10


def judged(
    asked: Sequence[Question], databases: Path, spider: Mapping[str, Spider], *, business: bool
) -> Iterator[dict[str, Any]]:
    """One object a question: what was asked, and its candidates with their features and whether they are right;
    `business`: further columns do no harm."""
    for path, mine in each_database(sorted(asked, key=lambda one: one.db_id), databases):
        drafted, values = drafted_model(path, spider.get(path.stem))
        parser = SemanticParser(Catalog.of(drafted.model, values), "sqlite", weights())
        with closing(SqliteReader(path, READING_SECONDS)) as reader:
            judge = Judge(reader, drafted)
            for one in mine:
                began = time.perf_counter()
                found = parser.candidates(one.question, bare=not business)
                ms = 1000 * (time.perf_counter() - began)
                verdicts = [judge.verdict(one, candidate.sql) for candidate in found[:_EXECUTED]]
                verdicts += [(False, False)] * (len(found) - len(verdicts))
                yield {
                    "id": one.id,
                    "db": one.db_id,
                    "question": one.question,
                    "golds": list(one.golds),
                    "business": business,
                    "ms": round(ms, 2),
                    "candidates": [
                        _candidate(candidate, shown if business else right, shown)
                        for candidate, (right, shown) in zip(found, verdicts, strict=True)
                    ],
                }


def _candidate(candidate: Candidate, right: bool, shown: bool) -> dict[str, Any]:
    features = dict(candidate.features)
    return {"sql": candidate.sql, "score": candidate.score, "features": features, "right": right, "shown": shown}


def main(arguments: Sequence[str] | None = None) -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("databases", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--split", default="all")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--business", action="store_true")
    given = parser.parse_args(arguments)
    files = sorted(given.questions.glob("*.jsonl")) if given.questions.is_dir() else [given.questions]
    read = read_questions if given.business else lambda file: read_checked(file, split=given.split)
    asked = [one for file in files for one in sample(read(file), given.limit, 0)]
    spider = {} if given.business else read_spider_tables(given.databases.parent)
    answerable = first = among = 0
    times = []
    with given.out.open("w", encoding="utf-8") as out:
        for row in judged(asked, given.databases, spider, business=given.business):
            out.write(json.dumps(row) + "\n")
            right = [candidate["right"] for candidate in row["candidates"]]
            answerable += bool(row["golds"])
            first += any(right[:1])
            among += any(right)
            times.append(row["ms"])
    print(  # noqa: T201 - a tool for people
        f"{len(times)} questions, {answerable} with an answer: first right {first / max(answerable, 1):.3f}, "
        f"among the candidates {among / max(answerable, 1):.3f}; ms p50 {percentile(times, 50):.1f}, "
        f"p95 {percentile(times, 95):.1f}"
    )


if __name__ == "__main__":
    main()
