"""What is recommended for the sample shop, to be read in a diff. `pytest --update-golden` rewrites the file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from askwell.sample.shop import generate_shop, shop_manifest
from askwell.services.recommendations.questions import QuestionLimits, RulesAnswers, recommend_by_templates
from askwell.sql.context import QueryContext
from tests.services.recommendations.conftest import NOW, open_project

GOLDEN = Path(__file__).parent / "golden"


async def test_the_questions_for_the_sample_shop(tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    generate_shop(tmp_path / "shop.duckdb", date(2026, 11, 17))
    async with open_project(tmp_path / "shop.duckdb", shop_manifest(), "duckdb") as project:
        assert project.rules is not None
        answers = RulesAnswers(project, QueryContext(now=NOW), 10.0, wants_rows=True)
        limits = QuestionLimits(max_questions=8, max_categories=4)
        grown = [
            questions
            async for questions in recommend_by_templates(
                project.rules.facts, project.values, limits, answers.candidate
            )
        ]
    lines = [f"{one.category}: {one.question}" for one in grown[-1]]
    golden(GOLDEN / "sample_shop.md", "\n".join(sorted(lines, key=lambda line: line.partition(":")[0])) + "\n")
