"""What the demo asks and what has to come of it, as `demo.yaml` has it: single questions, and a conversation."""

from __future__ import annotations

from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from askwell.errors import EngineUnavailable
from askwell.messages import say
from askwell.resources import words_file


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DemoQuestion(_Part):
    """A question of the kind `form`. Its answer is the rows of the statement `reference`, in that order where it is
    `ordered`, and `source` has to give it without a language model. Where `refused` is set the ask has to fail with
    that code; `why` is for the reader of the demo."""

    form: str
    text: str
    reference: str = ""
    ordered: bool = False
    source: Literal["rules", "history", "view"] = "rules"
    refused: Literal["", "NO_RELEVANT_DATA", "NO_RELEVANT_SQL"] = ""
    why: str = ""

    def text_on(self, today: date) -> str:
        """The question as it is asked on that day."""
        return self.text.replace("$last_year", str(today.year - 1))


class ScriptedCall(_Part):
    """A call of a tool. Templates in `arguments`, and in later texts, name what it gave by `name`."""

    name: str
    tool: str
    arguments: dict[str, Any] = {}


class ScriptedReply(_Part):
    """What the stand-in says when it is asked once: calls, or a text that ends the turn."""

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()


class ExpectedFigures(_Part):
    """The message has to have every value of the rows of `reference`, written in `form` where it is a number."""

    reference: str
    form: Literal["count", "money"] = "count"


class Expected(_Part):
    """What a turn has to come to. `rows` are statements by the name of a call, over the physical tables, whose rows are
    the right ones (`$today` is the day); `refused` the codes of calls that have to fail; `cites` ids of documents."""

    asks_back: bool = False
    figures: tuple[ExpectedFigures, ...] = ()
    rows: dict[str, str] = {}
    refused: dict[str, str] = {}
    cites: tuple[str, ...] = ()
    remembers: dict[str, str] = {}
    chart: bool = False
    holds_back: str = ""
    suggestions: int = 0

    @property
    def statements(self) -> frozenset[str]:
        """All statements that give the right values."""
        return frozenset([*self.rows.values(), *(one.reference for one in self.figures)])


class ScriptedTurn(_Part):
    """One message and its answer. `alone` is the message as it stands alone, where it leans on earlier ones; `choice`
    the label of the option that the person takes when they are asked back."""

    form: str
    message: str
    alone: str = ""
    choice: str = ""
    replies: tuple[ScriptedReply, ...]
    suggestions: tuple[str, ...] = ()
    expected: Expected = Expected()

    @property
    def question(self) -> str:
        """The message as the agent's model reads it."""
        return self.alone or self.message


class SampleDocument(_Part):
    id: str
    title: str
    text: str


class DemoScript(_Part):
    """`questions` are asked one by one; the rest is the conversation. `replies` are what the stand-in says at stages
    that are no turns, by the stage's name."""

    questions: tuple[DemoQuestion, ...] = ()
    agent: dict[str, Any]
    documents: tuple[SampleDocument, ...]
    replies: dict[str, Any]
    turns: tuple[ScriptedTurn, ...]


@cache
def demo_script() -> DemoScript:
    """The file, read once."""
    return DemoScript.model_validate(words_file("askwell.sample", "demo.yaml"))


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
