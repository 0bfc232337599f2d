"""The header `traceparent` of W3C Trace Context: of which trace a request is a part."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

HEADER = "traceparent"
_SHAPE = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_SAMPLED = 1


@dataclass(frozen=True, slots=True)
class TraceContext:
    """A span of a trace, by ids of 32 and 16 hex digits. `is_sampled`: its maker records it."""

    trace_id: str
    span_id: str
    is_sampled: bool = True

    def header(self) -> str:
        """The value of `traceparent`."""
        return f"00-{self.trace_id}-{self.span_id}-{int(self.is_sampled):02x}"


def read_traceparent(value: str) -> TraceContext | None:
    """What a header says; None where it is not valid, which the specification has us ignore."""
    found = _SHAPE.fullmatch(value.strip())
    if found is None:
        return None
    version, trace_id, span_id, flags, more = found.groups()
    is_known = version != "ff" and (version != "00" or more is None)
    if not is_known or not trace_id.strip("0") or not span_id.strip("0"):
        return None
    return TraceContext(trace_id, span_id, bool(int(flags, 16) & _SAMPLED))


def new_trace_id() -> str:
    """For a request that is part of no trace as yet."""
    return secrets.token_hex(16)


def is_sampled(trace_id: str, rate: float) -> bool:
    """Return whether this is one of the share `rate` of traces, which its id alone decides: by its first eight digits,
    which are random."""
    return int(trace_id[:8], 16) < rate * 2**32
