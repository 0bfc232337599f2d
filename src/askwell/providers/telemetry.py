"""What libraries would tell: Haystack and onnxruntime report usage over the network, and write to the home directory,
unless switched off before their import."""

from __future__ import annotations

import os


def switch_off() -> None:
    """Call before any import of either, which for its cost belongs inside the function that needs it."""
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
