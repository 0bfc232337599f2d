"""The examples of single sign-on load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from askwell.config import load_config

PAGE = (Path(__file__).parents[2] / "docs" / "access.md").read_text()
SECTION = PAGE.partition("\n## Single sign-on\n")[2].partition("\n## ")[0]
EXAMPLES = re.findall(r"```yaml\n(.*?)```", SECTION, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_loads(tmp_path: Path, example: str) -> None:
    (tmp_path / "config.yaml").write_text(example)
    config = load_config(tmp_path / "config.yaml", {"ASKWELL_SIGN_IN__SESSION_SECRET": "x" * 32})
    assert config.sign_in.oidc is not None
    assert config.sign_in.oidc.takes_bearer_tokens
    assert config.sign_in.oidc.signs_in_browsers


def test_there_is_one_of_each_issuer_and_one_of_all() -> None:
    assert len(EXAMPLES) == 5
