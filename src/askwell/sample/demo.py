"""What the demo asks and what has to come of it, as `demo.yaml` has it."""

from __future__ import annotations

from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from askwell.errors import EngineUnavailable
from askwell.messages import say
from askwell.resources import words_file


class DemoQuestion(BaseModel):
    """A question of the kind `form`, which adds to the one before it where it `follows`. Its answer is the rows of the
    statement `reference`, in that order where it is `ordered`, and `source` has to give it without a language model.
    Where `refused` is set the ask has to fail with that code; `why` is for the reader of the demo."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    form: str
    text: str
    follows: bool = False
    reference: str = ""
    ordered: bool = False
    source: Literal["rules", "history", "view"] = "rules"
    refused: Literal["", "NO_RELEVANT_DATA", "NO_RELEVANT_SQL"] = ""
    why: str = ""

    def text_on(self, today: date) -> str:
        """The question as it is asked on that day."""
        return self.text.replace("$last_year", str(today.year - 1))


@cache
def demo_questions() -> tuple[DemoQuestion, ...]:
    """The file, read once."""
    return tuple(map(DemoQuestion.model_validate, words_file("askwell.sample", "demo.yaml")["questions"]))


def reference_rows(shop: Path, statement: str, today: date) -> list[tuple[Any, ...]]:
    """The right rows on `today`: the statement, run by plain DuckDB on the file itself, so nothing of the service takes
    part in it. Raises `EngineUnavailable` when the file cannot be read."""
    import duckdb

    query = statement.replace("$today", f"DATE '{today.isoformat()}'")
    try:
        with duckdb.connect(str(shop), read_only=True) as connection:
            rows: list[tuple[Any, ...]] = connection.execute(query).fetchall()
            return rows
    except duckdb.IOException:
        raise EngineUnavailable(*say("demo.sample_unreadable", shop=shop)) from None
