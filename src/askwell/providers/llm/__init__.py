"""Language models. `base.LanguageModel` is the interface, with one implementation a file."""

from __future__ import annotations

from askwell.providers import telemetry
from askwell.providers.llm.factory import create_language_model

# Modules of this package import Haystack, each when it is needed.
telemetry.switch_off()

__all__ = ["create_language_model"]
