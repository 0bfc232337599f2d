"""Language models. `base.LanguageModel` is the door; one vendor a file stands behind it."""

from __future__ import annotations

from askwell.providers.llm.factory import ModelOptions, create_language_model

__all__ = ["ModelOptions", "create_language_model"]
