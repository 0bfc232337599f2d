"""Questions with what they should give, read from Spider's, BIRD's or anybody's own file.

A file is a JSON list, or a JSON object a line. Of each object:

- `question`, and `db_id` unless all questions are about one database
- the gold as `sql`, `query` (Spider) or `SQL` (BIRD), or its `rows` themselves; `sql_alternatives` are right too. A
  list in `sql` has several that are right, and an empty one says that the database does not hold the answer
- `evidence` (BIRD) or `instruction`: what one has to know to answer it
- `id` or `question_id`; without one, the number of the object in the file
- `gold_exec`: what came of the gold before, `ok` or else; without it the gold is run first
- `ordered`: whether the order of the rows counts; without it, whether the gold's outermost query has ORDER BY
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell.errors import InvalidRequest
from askwell.evaluation.scoring import Row
from askwell.evaluation.text2sql import unreadable

_HINT = (
    "It holds a JSON list of objects, or a JSON object a line: a question, its db_id (unless --databases is one "
    "file, or --project is given), and its gold as sql, query, SQL or rows."
)
_SQL_KEYS = ("sql", "query", "SQL")


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question, and statements (`golds`) each of whose results is right, or the right `rows`. `hint` is what one has
    to know to answer it, else empty. `ordered` is None where the gold's own ORDER BY decides. `is_checked`: the gold is
    known to give rows; `is_scorable`: it is not known to give none; `has_answer`: the database holds what is asked."""

    id: str
    db_id: str
    question: str
    golds: tuple[str, ...] = ()
    rows: tuple[Row, ...] | None = None
    hint: str = ""
    ordered: bool | None = None
    is_checked: bool = False
    is_scorable: bool = True
    has_answer: bool = True


def read_gold_questions(path: Path, *, only_database: str | None = None) -> list[GoldQuestion]:
    """All questions of a file, in its order; with `only_database` they are all about that one, whatever they say.
    Raises `InvalidRequest` with the place of what cannot be used."""
    questions: list[GoldQuestion] = []
    for place, row in _objects(path):
        try:
            questions.append(_question(row, len(questions), only_database))
        except (ValueError, KeyError, TypeError, AttributeError) as broke:
            said = str(broke) if type(broke) is ValueError else unreadable(broke)
            raise InvalidRequest(f"{path} cannot be used: {place} {said}.", _HINT) from broke
    if not questions:
        raise InvalidRequest(f"{path} holds no question.", _HINT)
    repeated = [key for key, count in Counter(one.id for one in questions).items() if count > 1]
    if repeated:
        raise InvalidRequest(
            f"{path} cannot be used: the id “{repeated[0]}” is there twice.",
            "Results are kept by id: give each question its own, or leave all ids out.",
        )
    return questions


def _objects(path: Path) -> Iterator[tuple[str, Any]]:
    """Each object with its place in words."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as broke:
        raise InvalidRequest(f"{path} cannot be read: {broke.strerror}.", "Name a file of questions.") from broke
    except ValueError as broke:
        raise InvalidRequest(f"{path} is not text in UTF-8.", _HINT) from broke
    if text.lstrip().startswith("["):
        try:
            rows = json.loads(text)
        except ValueError as broke:
            raise InvalidRequest(f"{path} {unreadable(broke)}.", _HINT) from broke
        yield from ((f"object {number}", row) for number, row in enumerate(rows, 1))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except ValueError as broke:
                raise InvalidRequest(f"{path} cannot be used: line {number} {unreadable(broke)}.", _HINT) from broke


def _question(row: Mapping[str, Any], number: int, only_database: str | None) -> GoldQuestion:
    given = row.get("id", row.get("question_id"))
    executed = row.get("gold_exec")
    rows = row.get("rows")
    golds = tuple(_golds(row))
    has_answer = row.get("sql") != [] or bool(golds) or rows is not None
    if has_answer and not golds and rows is None:
        raise ValueError("has no gold: no sql, query, SQL or rows")
    question, hint = str(row["question"]).strip(), row.get("evidence") or row.get("instruction") or ""
    if not question:
        raise ValueError("has an empty question")
    return GoldQuestion(
        id=str(number if given is None else given),
        db_id=only_database or str(row["db_id"]),
        question=question,
        golds=golds,
        rows=None if rows is None else tuple(map(_row, rows)),
        hint=str(hint).strip(),
        ordered=bool(row["ordered"]) if "ordered" in row else None,
        is_checked=executed == "ok" or rows is not None or not has_answer,
        is_scorable=executed in (None, "ok"),
        has_answer=has_answer,
    )


def _row(row: Any) -> Row:
    if not isinstance(row, list):
        raise ValueError("has rows that are no lists of values")
    return tuple(row)


def _golds(row: Mapping[str, Any]) -> Iterator[str]:
    """Each statement once. Spider's `sql` is a parsed tree beside the text in `query`."""
    written = next((row[key] for key in _SQL_KEYS if isinstance(row.get(key), str | list)), None)
    told = [*(written if isinstance(written, list) else [written]), *(row.get("sql_alternatives") or ())]
    yield from dict.fromkeys(sql.strip().rstrip(";") for sql in told if isinstance(sql, str) and sql.strip())
