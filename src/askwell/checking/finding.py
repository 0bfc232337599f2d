"""What a check says of a statement: findings, and the verdict that follows from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from pydantic import Field
from sqlglot import exp
from typing_extensions import TypedDict

from askwell.resources import words_file


class Severity(StrEnum):
    """`wrong`: the statement cannot be what was asked. `doubt`: it may be another question's. `note`: worth knowing."""

    WRONG = "wrong"
    DOUBT = "doubt"
    NOTE = "note"


class Verdict(StrEnum):
    """What the worst finding makes of a statement."""

    SOUND = "sound"
    DOUBTFUL = "doubtful"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The whole statement without what a finding is about, where that is provably what was asked; `said` is one plain
    sentence on what was changed."""

    tree: exp.Expr
    said: str


class FindingBody(TypedDict):
    """What speaks against a statement as the answer to its question, or is worth knowing."""

    code: str
    severity: Severity
    words: Annotated[str, Field(description="Words of the question that it is about; may be empty.")]
    sql: Annotated[str, Field(description="The part of the statement that it is about; may be empty.")]
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """`words` of the question and `sql` of the statement are what it is about (either may be empty); `message` is one
    plain sentence for people and for the model that corrects."""

    code: str
    severity: Severity
    words: str
    sql: str
    message: str
    rewrite: Rewrite | None = field(default=None, compare=False)

    def as_json(self) -> FindingBody:
        """As results and checks show it."""
        return FindingBody(code=self.code, severity=self.severity, words=self.words, sql=self.sql, message=self.message)


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, those that are `wrong` first and notes last."""
    order = tuple(Severity)
    return tuple(sorted(findings, key=lambda finding: order.index(finding.severity)))


def verdict_of(findings: tuple[Finding, ...]) -> Verdict:
    """The verdict of these findings."""
    severities = {finding.severity for finding in findings}
    if Severity.WRONG in severities:
        return Verdict.WRONG
    return Verdict.DOUBTFUL if Severity.DOUBT in severities else Verdict.SOUND


def finding(
    code: str,
    words: str = "",
    sql: str = "",
    severity: Severity | None = None,
    rewrite: Rewrite | None = None,
    **parts: object,
) -> Finding:
    """A finding with the message of `findings.yaml`, which `parts` stand in, and its severity where none is given."""
    usual, message = words_file("askwell.checking", "findings.yaml")[code]
    said = message.format(words=words, sql=sql, **parts)
    return Finding(code, severity or Severity(usual), words, sql, said, rewrite)
