"""The body of `GET /usage`."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel


class UsageDay(BaseModel):
    """The asks that were accepted on a day, in UTC. `unfinished` are those that have not
    ended: they are being answered, or wait for an answer to what was asked back."""

    date: date
    asks: int
    answered: int
    failed: int
    stopped: int
    unfinished: int
    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


class FailedAsk(BaseModel):
    query_id: str
    query: str


class Cause(BaseModel):
    """Asks that failed with a code, and the last of them."""

    code: str
    count: int
    examples: list[FailedAsk]


class Source(BaseModel):
    """Answers whose SQL has this source."""

    source: str
    count: int


class Usage(BaseModel):
    """A project's asks in numbers."""

    days: list[UsageDay]
    causes: list[Cause]
    sources: list[Source]
