"""What each rule of the grammar is worth: the questions whose first reading uses it, read again without it.

    python -m askwell.evaluation.ablation CANDIDATES.jsonl [--spider FOLDER] [--business FOLDER] [--json]

The file comes from `reading_candidates`; the folders hold the databases of its benchmark and its business questions.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell.evaluation.reading_candidates import Asked, Judge
from askwell.evaluation.text2sql import introspected_model, read_spider_tables, sampled_values
from askwell.semantic_parsing.coverage import is_covered
from askwell.semantic_parsing.grammar import GRAMMAR
from askwell.semantic_parsing.model.catalog import Catalog
from askwell.semantic_parsing.parser import SemanticParser
from askwell.semantic_parsing.scoring import weights


@dataclass(slots=True)
class Worth:
    """`used`: first readings that use the rule. Without it `lost` are no longer right and `gained` are; `wrong` are
    wrong readings that the gate lets through only with it (negative: only without)."""

    used: int = 0
    lost: int = 0
    gained: int = 0
    wrong: int = 0


def ablate(
    rows: Sequence[Mapping[str, Any]],
    folder: Callable[[bool], Path],
    spider: Mapping[str, Any],
    progress: Callable[[str], None],
) -> dict[str, Worth]:
    """The worth of every rule on these rows of `reading_candidates`. `folder` says where the databases of business
    questions (True) and of others are."""
    found = {name: Worth() for name in GRAMMAR.names}
    by_database: defaultdict[tuple[str, bool], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        by_database[row["db"], row["business"]].append(row)
    for number, ((db_id, business), mine) in enumerate(sorted(by_database.items()), 1):
        path = folder(business) / f"{db_id}.sqlite"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            model = introspected_model(connection, None if business else spider.get(db_id))
            catalog = Catalog.of(model, sampled_values(connection, model))
        judge = Judge(path)
        parsers: dict[str, SemanticParser] = {}
        for row in mine:
            for name in _rules_of(row):
                if name not in parsers:
                    parsers[name] = SemanticParser(catalog, "sqlite", weights(), GRAMMAR.without(name))
                _compare(found[name], row, parsers[name], judge)
        judge.close()
        progress(f"{number} of {len(by_database)} databases")
    return found


def _rules_of(row: Mapping[str, Any]) -> Iterator[str]:
    if row["candidates"]:
        features = row["candidates"][0]["features"]
        yield from (name for name in GRAMMAR.names if name in features)


def _compare(worth: Worth, row: Mapping[str, Any], parser: SemanticParser, judge: Judge) -> None:
    asked = Asked(row["id"], row["db"], row["question"], tuple(row["golds"]), False, row["business"])
    first = row["candidates"][0]
    without = parser.candidates(row["question"], bare=not row["business"])
    right = bool(without) and judge.verdict(asked, without[0].sql)[0]
    worth.used += 1
    worth.lost += first["right"] and not right
    worth.gained += right and not first["right"]
    shown = bool(without) and is_covered(without[0].features)
    worth.wrong += (is_covered(first["features"]) and not first["right"]) - (shown and not right)


def table(found: Mapping[str, Worth]) -> str:
    """The rules, those that are worth most first."""
    ranked = sorted(found.items(), key=lambda pair: (pair[1].gained - pair[1].lost, -pair[1].used))
    lines = [f"{'used':>6} {'lost':>6} {'gained':>7} {'wrong':>6}  rule"]
    lines += [f"{w.used:>6} {w.lost:>6} {w.gained:>7} {w.wrong:>6}  {name}" for name, w in ranked]
    unused = sum(not w.used for w in found.values())
    return "\n".join([*lines, f"{len(found)} rules, {unused} used by no first reading"])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--spider", type=Path, default=Path())
    parser.add_argument("--business", type=Path, default=Path())
    parser.add_argument("--limit", type=int)
    args = parser.parse_args(arguments)
    rows = [json.loads(line) for path in args.files for line in path.read_text("utf-8").splitlines()]
    doubled = [name for name, count in Counter(GRAMMAR.names).items() if count > 1]
    if doubled:
        print(f"declared twice: {', '.join(doubled)}", file=sys.stderr)  # noqa: T201
    folders = {True: args.business, False: args.spider}
    spider = read_spider_tables(args.spider.parent)
    found = ablate(
        rows[: args.limit],
        folders.__getitem__,
        spider,
        lambda text: print(text, file=sys.stderr),  # noqa: T201
    )
    print(table(found))  # noqa: T201


if __name__ == "__main__":
    main()
