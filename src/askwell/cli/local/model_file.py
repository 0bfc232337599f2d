"""Semantic models in files."""

from __future__ import annotations

from pathlib import Path

from askwell.errors import ConfigurationError


def read_model_file(path: Path) -> str:
    """The text of a file with MDL JSON. Raises `ConfigurationError` where there is none that can be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigurationError(f"There is no file {path}.", "Write one with `askwell model init`.") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ConfigurationError(f"The file {path} cannot be read: {reason}.", "Name a file with MDL JSON.") from None
