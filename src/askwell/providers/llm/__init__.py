"""Language models. `base.LanguageModel` is the door; one vendor a file stands behind it."""

from __future__ import annotations

from askwell.providers import telemetry
from askwell.providers.llm.factory import ModelOptions, create_language_model

# Modules of this package import Haystack, each when it is needed.
telemetry.switch_off()

__all__ = ["ModelOptions", "create_language_model"]
