"""What the reader answers of questions whose rows are known: those it is sure enough of, and whether they are right."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import RulesMode, Translation
from askwell_evaluation.databases import DraftedModel, sampled_values, shows

Rows = list[tuple[Any, ...]]


@dataclass(slots=True)
class Tally:
    """The questions that were answered rightly, wrongly (with their SQL), and not at all."""

    right: list[str] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)


def database_of(script: str) -> sqlite3.Connection:
    """A database in memory, as a script makes it."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(script)
    return connection


def reader_of(database: sqlite3.Connection) -> QuestionReader:
    """Reads questions about a database that nobody has described."""
    model = DraftedModel(database, None).model
    return QuestionReader(model, sampled_values(database, model), "sqlite")


def answer_of(reader: QuestionReader, question: str) -> Translation | None:
    """The answer that somebody who asks without a language model gets; None where there is none."""
    outcome = reader.translate(question)
    return outcome if isinstance(outcome, Translation) and outcome.answers_in(RulesMode.BALANCED) else None


def answers_rightly(
    reader: QuestionReader, database: sqlite3.Connection, asked: Sequence[tuple[str, Rows]], least: int
) -> None:
    """Assert that at least so many of the questions are answered, and none wrongly."""
    found = tally(reader, database, asked)
    assert found.wrong == [], found.wrong
    assert len(found.right) >= least, found.unanswered


def tally(reader: QuestionReader, database: sqlite3.Connection, asked: Sequence[tuple[str, Rows]]) -> Tally:
    """Ask every question and compare rows; further columns do no harm, the order of rows does not matter."""
    found, drafted = Tally(), DraftedModel(database, None)
    for question, rows in asked:
        answer = answer_of(reader, question)
        if answer is None:
            found.unanswered.append(question)
        elif shows(rows, database.execute(drafted.on_file(answer.sql)).fetchall(), ordered=False):
            found.right.append(question)
        else:
            found.wrong.append((question, answer.sql))
    return found
