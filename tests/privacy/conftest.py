"""The words that services of these tests read at their start, read before: on a busy machine they take many seconds."""

from __future__ import annotations

import pytest

from askwell.services.private_values import everyday_vocabulary


@pytest.fixture(scope="session", autouse=True)
def _words() -> None:
    everyday_vocabulary()
