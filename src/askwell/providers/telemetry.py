"""What libraries would tell: Haystack and onnxruntime report usage over the network, and write to the home directory,
unless told not to before their import; OpenAI's SDK logs what passes through it."""

from __future__ import annotations

import logging
import os


def switch_off() -> None:
    """Call before any import of either, which for its cost belongs inside the function that needs it."""
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def silence_openai() -> None:
    """The SDK logs whole requests, prompts included, at DEBUG. It sets its level when imported: call this after."""
    import openai  # noqa: F401

    logging.getLogger("openai").setLevel(logging.WARNING)
