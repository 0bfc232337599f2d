"""The one door through which a manifest comes in: read, checked in full, every problem at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askwell.mdl.json_source import read_json
from askwell.mdl.manifest import Manifest
from askwell.mdl.problems import MAX_PROBLEMS, Findings, Problem, TooManyProblems
from askwell.mdl.shape import read_shape


@dataclass(frozen=True, slots=True)
class ManifestReading:
    """`manifest` is there if and only if there are no `problems`. `warnings` never stand in its way."""

    manifest: Manifest | None
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def read_manifest(source: str | bytes | dict[str, Any], *, data_source: str | None = None) -> ManifestReading:
    """Read MDL JSON and check everything that can be checked without a database.

    `data_source` is the configured engine's; a manifest that names another is refused, one that names none takes it.
    Total: whatever JSON value (or text, or bytes) comes in, problems come out, never an exception. It takes about 10 ms
    for a hundred models: call it off the event loop.
    """
    findings = Findings()
    manifest = None
    try:
        value = read_json(source, findings)
        if value is not None:
            manifest = read_shape(value, findings).manifest
    except TooManyProblems:
        findings.problems.append(
            Problem("manifest", f"has more than {MAX_PROBLEMS} problems", "Correct these, then try again.")
        )
    return ManifestReading(
        manifest=None if findings.problems else manifest,
        problems=tuple(findings.problems),
        warnings=tuple(findings.warnings),
    )
