"""A page about one run for reading: figures, and of every question its prompts, SQL and both results.

The page is one file that loads nothing. Everything from outside is escaped, and the page's own policy forbids scripts
and styles other than its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from askwell.errors import InvalidRequest
from askwell.evaluation.ask_outcomes import AskOutcome
from askwell.evaluation.asks_report import AsksReport

_TEMPLATE = "report.html.jinja"


def write_report(path: Path, report: AsksReport, run: Mapping[str, Any]) -> None:
    """Write the page; `run` is what a results file says of its run. Raises `InvalidRequest` where that fails."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shared = _shared_texts(report.outcomes)
    page = environment.get_template(_TEMPLATE).stream(
        run=run,
        settings=json.dumps(run, indent=2, ensure_ascii=False),
        table=report.as_table(),
        outcomes=report.outcomes,
        numbers={text: number for number, text in enumerate(shared, 1)},
    )
    try:
        with path.open("wb") as file:
            page.dump(file, encoding="utf-8", errors="replace")
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be written: {error.strerror}.", "Name a file in a folder that is there."
        ) from error


def _shared_texts(outcomes: Sequence[AskOutcome]) -> list[str]:
    """The system texts of more than one call, the most frequent first: the page has each of them once."""
    counts = Counter(call["system"] for outcome in outcomes for call in outcome.calls)
    return [text for text, count in counts.most_common() if count > 1]
