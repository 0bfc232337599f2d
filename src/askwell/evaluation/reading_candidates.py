"""What the semantic parser makes of questions with known answers: every candidate, executed, as a file of JSON lines
that `fit_readings` learns from and that people look at.

    python -m askwell.evaluation.reading_candidates QUESTIONS.jsonl DATABASES_DIR OUT.jsonl [--split tuning|validation]
        [--limit N] [--business]
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell.evaluation.business import shows
from askwell.evaluation.drafted import DraftedModel
from askwell.evaluation.scoring import QueryBroke, Row, SqliteReader, same_result
from askwell.evaluation.text2sql import (
    read_spider_tables,
    sampled_values,
    split_of,
)
from askwell.mdl.semantic_model import SampledValues
from askwell.semantic_parsing.model.catalog import Catalog
from askwell.semantic_parsing.parser import Candidate, SemanticParser
from askwell.semantic_parsing.scoring import weights

_EXECUTED = 10
_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with its golds; without any it must not be answered. `business`: further columns do no harm."""

    id: str
    db_id: str
    question: str
    golds: tuple[str, ...]
    ordered: bool
    business: bool


def read_asked(path: Path, *, business: bool, split: str, limit: int | None, seed: int = 0) -> list[Asked]:
    """The questions of a file that can be judged."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    asked = []
    for number, row in enumerate(rows):
        if not business and (row.get("gold_exec") != "ok" or split not in ("all", split_of(row["db_id"]))):
            continue
        golds = tuple(row["sql"]) if isinstance(row.get("sql"), list) else (row["sql"],)
        name = row.get("id") or f"{row['db_id']}-{number}"
        asked.append(Asked(name, row["db_id"], row["question"], golds, bool(row.get("ordered")), business))
    return random.Random(seed).sample(asked, min(limit, len(asked))) if limit else asked


class Judge:
    """Executes candidates on one database and says which are right."""

    def __init__(self, path: Path, drafted: DraftedModel) -> None:
        self._drafted = drafted
        self._reader = SqliteReader(path, _SECONDS)
        self._golds: dict[str, list[Row] | QueryBroke] = {}

    def verdict(self, asked: Asked, sql: str) -> tuple[bool, bool]:
        """Whether the statement gives what one of the golds gives, and whether it at least shows it: columns may be
        further ones, and in another order, which nobody who asks would call wrong."""
        got = self._reader.run(self._drafted.on_file(sql))
        shown = False
        for gold_sql in asked.golds if not isinstance(got, QueryBroke) else ():
            if gold_sql not in self._golds:
                self._golds[gold_sql] = self._reader.run(gold_sql)
            gold = self._golds[gold_sql]
            if isinstance(gold, QueryBroke) or isinstance(got, QueryBroke):
                continue
            if not asked.business and same_result(gold, got, ordered=asked.ordered):
                return True, True
            shown = shown or shows(gold, got, ordered=asked.ordered)
        return shown and asked.business, shown

    def close(self) -> None:
        self._reader.close()


def model_of(path: Path, spider: Any) -> tuple[DraftedModel, SampledValues]:
    """The drafted model of a SQLite file, with what Spider says of it, and its values."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        drafted = DraftedModel(connection, spider)
        return drafted, sampled_values(connection, drafted.model)


def judged(asked: Iterable[Asked], databases: Path, spider: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One object a question: what was asked, and its candidates with their features and whether they are right."""
    by_database: defaultdict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        by_database[one.db_id].append(one)
    for db_id, mine in sorted(by_database.items()):
        path = databases / f"{db_id}.sqlite"
        drafted, values = model_of(path, spider.get(db_id))
        parser = SemanticParser(Catalog.of(drafted.model, values), "sqlite", weights())
        judge = Judge(path, drafted)
        for one in mine:
            began = time.perf_counter()
            found = parser.candidates(one.question, bare=not one.business)
            ms = 1000 * (time.perf_counter() - began)
            yield {
                "id": one.id,
                "db": db_id,
                "question": one.question,
                "golds": list(one.golds),
                "business": one.business,
                "ms": round(ms, 2),
                "candidates": [_judged(one, candidate, judge, number) for number, candidate in enumerate(found)],
            }
        judge.close()


def _judged(asked: Asked, candidate: Candidate, judge: Judge, number: int) -> dict[str, Any]:
    right, shown = judge.verdict(asked, candidate.sql) if number < _EXECUTED else (False, False)
    features = dict(candidate.features)
    return {"sql": candidate.sql, "score": candidate.score, "features": features, "right": right, "shown": shown}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("questions", type=Path)
    parser.add_argument("databases", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--split", default="all")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--business", action="store_true")
    args = parser.parse_args(arguments)
    files = sorted(args.questions.glob("*.jsonl")) if args.questions.is_dir() else [args.questions]
    asked = [one for f in files for one in read_asked(f, business=args.business, split=args.split, limit=args.limit)]
    spider = read_spider_tables(args.databases.parent) if not args.business else {}
    count = first = among = answerable = 0
    times = []
    with args.out.open("w", encoding="utf-8") as out:
        for row in judged(asked, args.databases, spider):
            out.write(json.dumps(row) + "\n")
            count += 1
            answerable += bool(row["golds"])
            first += bool(row["candidates"]) and row["candidates"][0]["right"]
            among += any(candidate["right"] for candidate in row["candidates"])
            times.append(row["ms"])
    times.sort()
    print(  # noqa: T201 - a tool for people
        f"{count} questions, {answerable} with an answer: first right {first / max(answerable, 1):.3f}, "
        f"among the candidates {among / max(answerable, 1):.3f}; ms p50 {times[len(times) // 2]:.1f}, "
        f"p95 {times[len(times) * 95 // 100]:.1f}"
    )


if __name__ == "__main__":
    main()
