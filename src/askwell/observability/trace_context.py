"""The header `traceparent` of W3C Trace Context: of which trace a call is a part."""

from __future__ import annotations

from dataclasses import dataclass

HEADER = "traceparent"


@dataclass(frozen=True, slots=True)
class TraceContext:
    """A recorded span of a trace, by ids of 32 and 16 hex digits."""

    trace_id: str
    span_id: str

    def header(self) -> str:
        """The value of `traceparent`."""
        return f"00-{self.trace_id}-{self.span_id}-01"


def is_sampled(trace_id: str, rate: float) -> bool:
    """Return whether this is one of the share `rate` of traces, which its id alone decides: by its first eight digits,
    which are random."""
    return int(trace_id[:8], 16) < rate * 2**32
