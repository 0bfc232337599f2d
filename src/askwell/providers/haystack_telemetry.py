"""Haystack reports usage over the network, and writes to the home directory, unless told not to before its import."""

from __future__ import annotations

import os


def switch_off() -> None:
    """Call before any import of haystack, which for its cost belongs inside the function that needs it."""
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
