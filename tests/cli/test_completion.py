"""What Tab completes: in a real bash, and by what zsh and fish ask and are answered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tables import case_rows

BIN = Path(sys.executable).parent
ENVIRON = {"PATH": f"{BIN}:{os.environ['PATH']}", "NO_COLOR": "1"}


def in_bash(*words: str) -> list[str]:
    """What bash's own function offers for the last of these words."""
    listed = " ".join(f"'{word}'" for word in words)
    program = (
        'eval "$(askwell completion bash)"; complete -p askwell >/dev/null || exit 9; '
        f"COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; "
        "_askwell_completion askwell; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    said = subprocess.run(
        ["bash", "--norc", "-c", program], env=ENVIRON, capture_output=True, text=True, timeout=60, check=True
    )
    assert said.stderr == ""
    return [line for line in said.stdout.splitlines() if line]


@pytest.mark.parametrize(("words", "offered"), case_rows(__file__, "bash_completes", "words", "offered"))
def test_bash_completes(words: tuple[str, ...], offered: list[str]) -> None:
    assert in_bash(*words) == offered


@pytest.mark.parametrize(
    ("shell", "asks", "answer"),
    [
        ("zsh", {"_TYPER_COMPLETE_ARGS": "askwell doc"}, '"doctor":"Look at every configured part'),
        ("fish", {"_TYPER_COMPLETE_ARGS": "askwell doc", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}, "doctor\tLook at"),
    ],
)
def test_zsh_and_fish_are_answered(shell: str, asks: dict[str, str], answer: str) -> None:
    script = subprocess.run(["askwell", "completion", shell], env=ENVIRON, capture_output=True, text=True, check=True)
    assert f"_ASKWELL_COMPLETE=complete_{shell}" in script.stdout
    environ = ENVIRON | asks | {"_ASKWELL_COMPLETE": f"complete_{shell}"}
    said = subprocess.run(["askwell"], env=environ, capture_output=True, text=True, timeout=60, check=True)
    assert answer in said.stdout


def test_a_shell_that_is_not_known_is_status_2() -> None:
    said = subprocess.run(["askwell", "completion", "tcsh"], env=ENVIRON, capture_output=True, text=True, check=False)
    assert said.returncode == 2
    assert "'tcsh' is not one of 'bash', 'zsh'" in said.stderr
