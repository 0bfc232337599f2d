"""The section `sign_in`: what turns it on, and that no key stands in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwell.config import load_config
from askwell.errors import ConfigurationError

KEY = "k" * 32


def loaded(folder: Path, text: str, **environ: str) -> object:
    (folder / "config.yaml").write_text(text)
    return load_config(folder / "config.yaml", environ).sign_in


@pytest.mark.parametrize(
    ("text", "environ", "is_on"),
    [
        ("", {}, False),
        ("sign_in: {open: true}", {}, False),
        ("sign_in: {keys: true}", {}, True),
        ("", {"ASKWELL_SIGN_IN__ADMIN_KEY": KEY}, True),
        ("sign_in: {admin_key_env: FIRST}", {"FIRST": KEY}, True),
    ],
)
def test_what_turns_it_on(tmp_path: Path, text: str, environ: dict[str, str], is_on: bool) -> None:
    section = loaded(tmp_path, text, **environ)
    assert section.is_on is is_on  # type: ignore[attr-defined]
    assert KEY not in repr(section)


@pytest.mark.parametrize(
    ("text", "environ", "words"),
    [
        (f"sign_in: {{admin_key: {KEY}}}", {}, "a key does not belong here"),
        ("sign_in: {admin_key_env: FIRST}", {}, "the environment variable FIRST is not set"),
        ("sign_in: {admin_key_env: FIRST}", {"FIRST": "short-canary"}, "FIRST has to be 32 to 512"),
        ("", {"ASKWELL_SIGN_IN__ADMIN_KEY": "short-canary"}, "has to be 32 to 512"),
        ("", {"ASKWELL_SIGN_IN__ADMIN_KEY": f"{KEY} canary"}, "without blanks"),
        ("sign_in: {open: true, keys: true}", {}, "keep one of the two"),
        ("sign_in: {open: true}", {"ASKWELL_SIGN_IN__ADMIN_KEY": KEY}, "keep one of the two"),
        ("sign_in: {properties: {region: {claim: r, type: date}}}", {}, "is not one of the choices"),
        ("sign_in: {database_role: {default: x}}", {}, "sign_in.database_role.claim: is missing"),
        ("sign_in: {limits: {asks: -1}}", {}, "has to be at least 0"),
        ("sign_in: {kyes: true}", {}, 'Did you mean "keys"'),
    ],
)
def test_what_is_wrong_is_said_without_the_key(tmp_path: Path, text: str, environ: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        loaded(tmp_path, text, **environ)
    assert words in caught.value.message
    assert "canary" not in caught.value.message
    assert KEY not in caught.value.message
