"""Which traces are kept, where not all of them are: whoever is asked about the same id says the same."""

from __future__ import annotations


def is_sampled(trace_id: str, rate: float) -> bool:
    """Whether this is one of the share `rate` of traces. Of 32 random hex digits, the first eight decide."""
    return int(trace_id[:8], 16) < rate * 2**32
