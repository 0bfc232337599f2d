"""Files of questions with what they should give: Spider's, BIRD's, business users' or anybody's own.

A file is a JSON list, or a JSON object a line. Of each object:

- `question`, and `db_id` unless all questions are about one database
- the gold as `sql`, `query` (Spider) or `SQL` (BIRD), or its `rows` themselves; `sql_alternatives` are right too. A
  list in `sql` has several that are right, and an empty one says that the database does not hold the answer
- `evidence` (BIRD) or `instruction`: what one has to know to answer it
- `id` or `question_id`; without one, the number of the object in the file
- `gold_exec`: what came of the gold before, `ok` or else
- `ordered`: whether the order of the rows counts
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from askwell.errors import InvalidRequest
from askwell.sql.same_result import Row
from askwell_evaluation.report import say

TUNING_SHARE = 0.6

_KEYS = (
    "a question, its db_id (unless --databases is one file, or --project is given), and its gold as sql, query, SQL or "
    "rows"
)
_SQL_KEYS = ("sql", "query", "SQL")


class OfDatabase(Protocol):
    """Whatever is about one database."""

    @property
    def db_id(self) -> str: ...


Made = TypeVar("Made")
Item = TypeVar("Item")
About = TypeVar("About", bound=OfDatabase)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and statements (`golds`) each of whose results is right, or the right `rows`. `hint` is what one has
    to know to answer it, else empty. `ordered` is None where the file does not say. `is_checked`: the gold is known to
    give rows; `is_scorable`: it is not known to give none; `has_answer`: the database holds what is asked."""

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

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from the others of its file."""
        return self.db_id, self.id


def read_questions(path: Path, *, only_database: str | None = None) -> list[Question]:
    """All questions of a file, in its order; with `only_database` they are all about that one, whatever they say.
    Raises `InvalidRequest` with the place of what cannot be used."""
    numbers = itertools.count()
    return read_rows(path, lambda row: _question(row, next(numbers), only_database), _KEYS)


def read_checked(path: Path, *, split: str = "all") -> list[Question]:
    """The questions whose golds are known to give rows, of the databases of a split. Raises `InvalidRequest`."""
    questions = read_questions(path)
    return [one for one in questions if one.is_checked and one.golds and in_split(one.db_id, split)]


def sample(items: list[Item], limit: int | None, seed: int) -> list[Item]:
    """All of them in order, or `limit` drawn with `seed`."""
    return items if limit is None else random.Random(seed).sample(items, min(limit, len(items)))


def read_rows(path: Path, made: Callable[[Any], Made], keys: str) -> list[Made]:
    """What `made` makes of each object of a JSON list, or of each line; `keys` says in words what an object has to
    hold. Raises `InvalidRequest` with the file, the place and what is wrong there, and for a file without any."""
    hint = f"It holds a JSON object a line, or a JSON list of them: {keys}."
    text = read_text(path, hint)
    is_list = text.lstrip().startswith("[")
    rows = []
    place = ""
    try:
        for number, written in enumerate(json.loads(text) if is_list else text.split("\n"), 1):
            place = f"{'object' if is_list else 'line'} {number}"
            if is_list or written.strip():
                rows.append(made(written if is_list else json.loads(written)))
    except (ValueError, KeyError, TypeError, AttributeError) as broke:
        reason = str(broke) if type(broke) is ValueError else unreadable(broke)
        raise InvalidRequest(f"{path} cannot be read: {' '.join(filter(None, (place, reason)))}.", hint) from broke
    if not rows:
        raise InvalidRequest(f"{path} is empty.", hint)
    return rows


def read_json(path: Path, made: Callable[[Any], Made], form: str) -> Made:
    """What `made` makes of a JSON file; `form` says what it holds. Raises `InvalidRequest`."""
    text = read_text(path, f"It holds {form}.")
    try:
        return made(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError) as broke:
        raise InvalidRequest(f"{path} {unreadable(broke)}.", f"It holds {form}.") from broke


def read_text(path: Path, hint: str = "Save it as UTF-8.") -> str:
    """The text of a file. Raises `InvalidRequest` where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as broke:
        raise InvalidRequest(f"{path} cannot be read: {broke.strerror}.", "Name a file.") from broke
    except ValueError as broke:
        raise InvalidRequest(f"{path} is not text in UTF-8.", hint) from broke


def unreadable(broke: Exception) -> str:
    """Why JSON could not be used, in words that fit after the name of its place."""
    match broke:
        case json.JSONDecodeError():
            at = f"line {broke.lineno}, column {broke.colno}" if broke.lineno > 1 else f"column {broke.colno}"
            return f"is not JSON at {at}"
        case KeyError():
            return f"has no “{broke.args[0]}”"
        case _:
            return "holds something else"


def by_database(rows: Iterable[About], databases: Path) -> dict[Path, list[About]]:
    """The rows by the file of their database, in order. Raises `InvalidRequest` where a file is missing."""
    found: dict[Path, list[About]] = {}
    for row in rows:
        path = databases / f"{row.db_id}.sqlite"
        if path not in found and not path.exists():
            raise InvalidRequest(f"There is no {path}.", "The folder of databases holds <db_id>.sqlite files.")
        found.setdefault(path, []).append(row)
    return found


def each_database(rows: Iterable[About], databases: Path) -> Iterator[tuple[Path, list[About]]]:
    """The pairs of `by_database`; prints how many are done."""
    found = by_database(rows, databases)
    for number, pair in enumerate(found.items(), 1):
        yield pair
        if number % 10 == 0 or number == len(found):
            say(f"{number} of {len(found)} databases")


def split_of(db_id: str) -> str:
    """`tuning` or `validation`: decided by a hash of the database's name, so it is the same everywhere and for ever."""
    return "tuning" if hash_of(db_id) / 2**32 < TUNING_SHARE else "validation"


def in_split(db_id: str, split: str) -> bool:
    """Whether a database belongs to a split: all, tuning or validation."""
    return split in ("all", split_of(db_id))


def hash_of(name: str) -> int:
    """A number below 2³² for a name, the same everywhere."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")


def _question(row: Mapping[str, Any], number: int, only_database: str | None) -> Question:
    given = row.get("id", row.get("question_id"))
    executed = row.get("gold_exec")
    rows = row.get("rows")
    golds = tuple(_golds(row))
    has_answer = row.get("sql") != [] or bool(golds) or rows is not None
    question, hint = str(row["question"]).strip(), row.get("evidence") or row.get("instruction") or ""
    if not question:
        raise ValueError("has an empty question")
    db_id = only_database or str(row["db_id"])
    if has_answer and not golds and rows is None:
        raise ValueError("has no gold: no sql, query, SQL or rows")
    return Question(
        id=str(number if given is None else given),
        db_id=db_id,
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
    every = [*(written if isinstance(written, list) else [written]), *(row.get("sql_alternatives") or ())]
    yield from dict.fromkeys(sql.strip().rstrip(";") for sql in every if isinstance(sql, str) and sql.strip())
