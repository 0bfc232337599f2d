"""What the services of Wren have in common: they plan statements over a semantic model, run them, and speak HTTP.

SQL for them is the generic kind that their planners read, which is nearest to PostgreSQL's: they put the database's own
dialect in place themselves. Their planners find no other tables than those of the model, and sessions are theirs: of
the terms of a statement only `hides_rows` counts.
"""

from __future__ import annotations

import asyncio
import base64
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from askwell.errors import EngineUnavailable
from askwell.messages import say
from askwell.providers.engine.base import (
    ANY_TERMS,
    EngineLimits,
    QueryFailure,
    QueryRows,
    QueryTerms,
    ResultColumn,
)
from askwell.providers.engine.worker.outcomes import without_values
from askwell.providers.engine.worker.values import encode
from askwell.providers.model_server import (
    CONNECT_SECONDS,
    Address,
    CallFailed,
    ConnectTimedOut,
    Late,
    ModelServer,
    ServerRefused,
    TooMuch,
)
from askwell.providers.redirects import sends_on

# What no request takes longer than: each has a time of its own.
_LONGEST_SECONDS = 3_600.0
# What goes with JSON of another shape than a reply should have.
MALFORMED = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


class WrenEngine(ABC):
    """A database behind such a service. Connects to nothing before the first question, makes at most `pool_size`
    requests at once, and reads replies of at most `byte_limit` bytes.

    `data_source` is the manifest's name for the database, empty where any will do.
    """

    # sqlglot's name for what comes nearest to the SQL that the planner reads.
    dialect = "postgres"

    def __init__(self, api_base: str, data_source: str, limits: EngineLimits) -> None:
        self._http = ModelServer(
            Address(f"{api_base.rstrip('/')}/"), _LONGEST_SECONDS, limits.byte_limit, uses_proxy=False
        )
        self._byte_limit = limits.byte_limit
        self._free_slots = asyncio.Semaphore(limits.pool_size)
        self.data_source = data_source

    @abstractmethod
    async def _reply(self, sql: str, timeout: float, terms: QueryTerms, row_limit: int | None) -> Any:
        """The reply to a statement that is run for so many rows, or with None only proved; or a `QueryFailure`."""

    @abstractmethod
    def _result(self, reply: Any) -> tuple[list[ResultColumn], Sequence[Any]]:
        """Columns and rows of a reply. Raises what is `MALFORMED`."""

    @abstractmethod
    def _unusable(self, what: str) -> EngineUnavailable:
        """The error that says that the service cannot be used; `what` is a sentence without its full stop."""

    async def dry_run(self, sql: str, *, timeout: float, terms: QueryTerms = ANY_TERMS) -> QueryFailure | None:
        """Have the statement planned and prepared without running it. `timeout` in seconds, waiting included."""
        outcome = await self._reply(sql, timeout, terms, None)
        return outcome if isinstance(outcome, QueryFailure) else None

    async def execute(
        self, sql: str, *, row_limit: int, timeout: float, terms: QueryTerms = ANY_TERMS
    ) -> QueryRows | QueryFailure:
        """Run `sql` and return at most `row_limit` rows. A result of more bytes than the limit is a failure.

        `timeout` in seconds, waiting included. Cancelling the call closes the request; the query itself then ends with
        the server's time limit at the latest.
        """
        # One more than wanted shows whether there are more.
        reply = await self._reply(sql, timeout, terms, row_limit + 1)
        return reply if isinstance(reply, QueryFailure) else await asyncio.to_thread(self._rows, reply, row_limit)

    async def close(self) -> None:
        """Close the connections to the service, which all engines on it share. Safe to call twice."""
        await self._http.close()

    async def _request(
        self,
        path: str,
        timeout: float,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> str | ServerRefused:
        """The reply to a request, or the server's refusal. Raises `TimeoutError` after `timeout` seconds, waiting for a
        free connection included, `TooMuch`, and `EngineUnavailable`."""
        if self._http.is_closed:
            raise EngineUnavailable(*say("engine.closed"))
        try:
            async with (
                asyncio.timeout(timeout),
                self._free_slots,
                self._http.answer(path, body, timeout=timeout, query=query, headers=headers) as answer,
            ):
                return await answer.text()
        except ServerRefused as refused:
            if did := sends_on(refused.status, refused.headers.get("location")):
                raise self._unusable(f"It {did}") from None
            return refused
        except ConnectTimedOut as error:
            raise self._unusable(f"It takes no connection within {CONNECT_SECONDS:g} seconds") from error
        except Late as error:
            raise TimeoutError from error
        except CallFailed as error:
            raise self._unusable("It cannot be reached") from error
        except TooMuch:
            raise
        except ValueError as error:
            raise self._unusable("It gave no usable reply") from error

    async def _statement(
        self, sql: str, path: str, timeout: float, body: Mapping[str, Any], *more: Mapping[str, str]
    ) -> str | ServerRefused | QueryFailure:
        """The reply to a request that carries `sql`, or why there is none: it takes longer than `timeout` seconds,
        waiting included, or is too large. `more` are its query and its headers. Raises `EngineUnavailable`."""
        try:
            # Half a pair of surrogates is no text; JSON could carry it, and nobody knows what others make of it.
            sql.encode()
        except UnicodeEncodeError:
            return QueryFailure("error", "The statement holds a character that is no text.")
        try:
            return await self._request(path, timeout, body, *more)
        except TimeoutError:
            return QueryFailure("timeout", f"The statement did not finish within {timeout:g} seconds.")
        except TooMuch:
            return QueryFailure(
                "resources", f"The result is larger than {self._byte_limit:,} bytes. Ask for fewer rows or columns."
            )

    def _rows(self, reply: Any, row_limit: int) -> QueryRows:
        try:
            columns, data = self._result(reply)
            readers = [_reader(column.type) for column in columns]
            rows = tuple(
                tuple(None if value is None else read(value) for read, value in zip(readers, row, strict=True))
                for row in data[:row_limit]
            )
        except MALFORMED as error:
            raise self._unusable("It gave no usable reply to a query") from error
        return QueryRows(tuple(columns), rows, truncated=len(data) > row_limit)


# -- messages ---------------------------------------------------------------------------------------------------------

_MESSAGE_LENGTH = 300
# What follows lists names that nobody asked for.
_OTHER_NAMES = re.compile(r"\s*(Valid fields are|Did you mean|Column names are|Candidate).*", re.IGNORECASE | re.DOTALL)
# The planner puts the model's own catalog and schema before what it was asked for.
_OWN_SCHEMA = re.compile(r"'[\w-]+\.[\w-]+\.([^']+)'")
_PARSER = re.compile(r"ParserError\(\"(.*?)(?: at Line: \d+, Column: \d+)?\"\)", re.DOTALL)


def in_short(message: str, sql: str, secrets: Sequence[str] = ()) -> str:
    """The line that says what is wrong, without values of rows, other names or the statement that was made of ours."""
    for secret in secrets:
        message = message.replace(secret, "…")
    # The planner wraps errors: `… caused by`, then what is wrong, on a line of its own.
    message = _OTHER_NAMES.sub("", re.split(r"\bcaused by\s*\n", message)[-1])
    message = _OWN_SCHEMA.sub(r"'\1'", _PARSER.sub(r"\1", message))
    line = next((line.strip() for line in message.splitlines() if line.strip()), "The statement is not accepted.")
    return without_values(line, sql)[:_MESSAGE_LENGTH]


# -- values -----------------------------------------------------------------------------------------------------------

_DECIMAL = re.compile(r"decimal\d*\(\d+, (\d+)\)")


def _reader(arrow_type: str) -> Callable[[Any], Any]:
    if match := _DECIMAL.match(arrow_type):
        return lambda value: _decimal(value, int(match[1]))
    if arrow_type.startswith("timestamp"):
        return _timestamp
    if arrow_type.startswith(("int", "uint")):
        # Beside nulls the server has floats for integers.
        return lambda value: encode(int(value) if isinstance(value, float) and value.is_integer() else value)
    if arrow_type.startswith(("binary", "large_binary", "fixed_size_binary")):
        return lambda value: base64.b64encode(bytes.fromhex(value)).decode("ascii")
    return encode


def _decimal(value: Any, scale: int) -> str:
    try:
        number = Decimal(str(value))
        rounded = round(number, scale)
    except InvalidOperation:
        return str(value)
    # The server makes every decimal one of nine places; those at the end that say nothing are not the database's.
    text = format(rounded, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _timestamp(value: Any) -> str:
    """ISO 8601 of `2024-01-31 10:00:00.000000 UTC`; a zone that is not UTC, or an offset, stays as it is written."""
    match = re.fullmatch(r"(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?: (UTC|[+-]\d\d:?\d\d))?", str(value))
    if match is None:
        return str(value)
    day, time, fraction, zone = match.groups()
    fraction = f".{fraction}" if fraction and fraction.strip("0") else ""
    return f"{day}T{time}{fraction}{'+00:00' if zone == 'UTC' else zone or ''}"
