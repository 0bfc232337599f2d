"""`askwell eval asks` with a scripted language model: outages, cost, replies that are kept, and the page to read."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import askwell.prompts
from evaluation.tests.marina import COUNT, OLDEST, evaluated, figures, outcomes, run_eval, write_config
from tests.fakes.openai_server import Answer, ChatScript, ChatServer

pytestmark = pytest.mark.deep  # each starts a service

ELDEST = "SELECT name FROM boat ORDER BY id LIMIT 1"
AVERAGE = "What is the average length of boats?"
WRONG = "SELECT avg(length) + 1 FROM boat"
OTHERS = "SELECT h.name, count(*) + 1 FROM harbour h JOIN boat b ON b.berth = h.id GROUP BY h.name"
RIGHT = (
    Answer(when=OLDEST, json={"sql": ELDEST}),
    Answer(when=AVERAGE, json={"sql": WRONG}),
    Answer(when="each harbour have", json={"sql": OTHERS}),
    Answer(json={"sql": COUNT}),
)
# One call an ask: what is counted does not hang on which other stages there are.
ONE_CALL = {
    "rules_mode": "off",
    "scope_gate": False,
    "allow_intent_classification": False,
    "allow_sql_generation_reasoning": False,
    "max_sql_correction_retries": 0,
}


def script(*answers: Answer) -> ChatScript:
    return ChatScript(stages={"sql_generation": list(answers)})


def configured(server: ChatServer, **settings: Any) -> dict[str, Any]:
    model = {
        "provider": "openai",
        "model": "test",
        "api_base": server.api_base,
        "prices": {"prompt": 1_000, "completion": 1_000},
    }
    return {"llm": {"default": model}, "settings": ONE_CALL | settings}


async def run(folder: Path, server: ChatServer, *options: str, **settings: Any) -> Result:
    return await asyncio.to_thread(evaluated, folder, configured(server, **settings), "--json", *options)


def write_many(folder: Path, count: int) -> None:
    rows = [{"id": str(n), "db_id": "marina", "question": f"How many boats, {n}?", "sql": COUNT} for n in range(count)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))


class TestOutages:
    async def test_an_outage_is_not_scored_and_asked_again_by_resume(self, folder: Path) -> None:
        out = folder / "out.jsonl"
        async with ChatServer(script(Answer(when=AVERAGE, status=402), *RIGHT)) as server:
            found = figures(await run(folder, server, "--out", str(out)))
            assert (found["questions"], found["outages"], found["failed"]) == (4, 1, 0)
            assert found["accuracy"] == round(found["correct"] / 3, 4)
            assert found["failures"] == {"language_model": 1}
            assert outcomes(out)["q1"]["verdict"] == "outage"
            assert "no credit" in outcomes(out)["q1"]["why"]

            server.replace(script(*RIGHT))
            server.requests.clear()
            again = await run(folder, server, "--out", str(out), "--resume")
            assert [AVERAGE in request.user for request in server.requests] == [True]
        found = figures(again)
        assert (found["questions"], found["outages"], found["wrong"]) == (4, 0, 2)
        assert "3 of 4 questions are done; 1 are asked now" in again.stderr

    async def test_a_larger_sample_goes_on_with_a_smaller_one(self, folder: Path) -> None:
        write_many(folder, 9)
        options = ("--out", str(folder / "out.jsonl"), "--seed", "5", "--resume", "--limit")
        async with ChatServer(script(*RIGHT)) as server:
            figures(await run(folder, server, *options, "3"))
            found = figures(await run(folder, server, *options, "7"))
            assert len(server.requests) == 7
        assert (found["questions"], found["not_asked"]) == (7, 0)

    async def test_an_embedder_that_is_away_is_an_outage(self, folder: Path) -> None:
        embedder = {"provider": "openai", "model": "e", "dimensions": 8, "api_base": "http://127.0.0.1:9/v1"}
        config = {"embedder": {"default": embedder}}
        said = await asyncio.to_thread(evaluated, folder, config, "--llm", "none", "--json")
        assert said.exit_code == 1
        found = json.loads(said.stdout.splitlines()[-1])
        assert (found["outages"], found["failed"]) == (4, 0)
        assert found["failures"] == {"MODEL": 4}

    async def test_a_prompt_that_does_not_fit_is_a_failure(self, folder: Path) -> None:
        too_long = {"message": "too long", "code": "context_length_exceeded"}
        # Once more for every way of asking for less.
        refused = [Answer(when=AVERAGE, status=400, error=too_long)] * 5
        async with ChatServer(script(*refused, *RIGHT)) as server:
            found = figures(await run(folder, server))
        assert (found["outages"], found["failed"]) == (0, 1)

    async def test_many_outages_in_a_row_end_the_run(self, folder: Path) -> None:
        write_many(folder, 40)
        out = folder / "out.jsonl"
        async with ChatServer(script(Answer(status=401))) as server:
            said = await run(folder, server, "--out", str(out), concurrency=2)
        assert said.exit_code == 1
        found = json.loads(said.stdout.splitlines()[-1])
        assert found["outages"] + found["not_asked"] == 40
        assert found["not_asked"] >= 15
        assert found["accuracy"] == 0.0
        assert (found["strict"]["low"], found["strict"]["high"]) == (0.0, 1.0)

    async def test_results_of_another_model_or_other_settings_are_not_gone_on_with(self, folder: Path) -> None:
        out = folder / "out.jsonl"
        async with ChatServer(script(*RIGHT)) as server:
            figures(await run(folder, server, "--out", str(out)))
            before = out.read_text()
            other_model = await run(folder, server, "--out", str(out), "--resume", "--model", "larger")
            other_settings = await run(folder, server, "--out", str(out), "--resume", row_limit=7)
            written_over = await run(folder, server, "--out", str(out))
        assert [one.exit_code for one in (other_model, other_settings, written_over)] == [2, 2, 2]
        assert "language_models: ['test'] | ['larger']" in other_model.stderr
        assert "settings.row_limit: 1000 | 7" in other_settings.stderr
        assert "is there already" in written_over.stderr
        assert out.read_text() == before

    async def test_an_interrupted_run_keeps_what_had_ended_and_can_be_gone_on_with(self, folder: Path) -> None:
        out = folder / "out.jsonl"
        async with ChatServer(script(Answer(when=OLDEST, hang=True), *RIGHT)) as server:
            config = write_config(folder, configured(server, concurrency=4))
            given = ["--questions", str(folder / "questions.jsonl"), "--databases", str(folder / "databases")]
            words = ["eval", "asks", *given, "--config", str(config), "--out", str(out)]
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "askwell", *words),
                stderr=asyncio.subprocess.PIPE,
                env=dict(os.environ),
                # Shells have what they start in the background ignore it.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
            try:
                async with asyncio.timeout(60):
                    while not out.exists() or out.read_text().count("\n") < 4:
                        await asyncio.sleep(0.05)
                process.send_signal(signal.SIGINT)
                async with asyncio.timeout(60):
                    _, said = await process.communicate()
            finally:
                if process.returncode is None:
                    process.kill()
            assert process.returncode == 130
            assert f"What had ended is in {out}: --resume goes on with it." in said.decode()
            with out.open("a") as file:
                file.write('{"id": "q3", "verd')  # as a crash leaves it
            server.replace(script(*RIGHT))
            server.requests.clear()
            found = figures(await run(folder, server, "--out", str(out), "--resume"))
            assert len(server.requests) == 1
        assert found["questions"] == 4
        assert outcomes(out)["q3"]["verdict"] == "correct"


class TestCost:
    async def test_tokens_cost_and_waits_are_counted(self, folder: Path) -> None:
        async with ChatServer(script(Answer(json={"sql": COUNT}, cached=5))) as server:
            found = figures(await run(folder, server))
            sent = sum(len(one.system + one.user) // 4 for one in server.requests)
        assert (found["llm_calls"], found["cached_tokens"], found["prompt_tokens"]) == (4, 20, sent)
        assert found["waits_mean"] == 1.0
        assert found["cost_usd"] == found["spent_usd"]
        assert abs(found["cost_usd"] - (found["prompt_tokens"] + found["completion_tokens"]) / 1_000) < 1e-6
        assert found["stages"]["generation"]["asks"] == 4
        assert found["p95_ms"] >= found["p50_ms"] >= found["stages"]["generation"]["p50_ms"] > 0

    async def test_the_run_ends_when_the_money_is_spent(self, folder: Path) -> None:
        write_many(folder, 6)
        async with ChatServer(script(*RIGHT)) as server:
            said = await run(folder, server, "--max-cost", "0.000001", concurrency=1)
        found = figures(said)
        assert (found["questions"], found["not_asked"]) == (1, 5)

    async def test_what_a_model_was_asked_before_costs_nothing(self, folder: Path) -> None:
        cache = ("--reply-cache", str(folder / "replies"))
        async with ChatServer(script(*RIGHT)) as server:
            first = figures(await run(folder, server, *cache))
            asked = len(server.requests)
            again = figures(await run(folder, server, *cache))
            assert len(server.requests) == asked
            figures(await run(folder, server, *cache, "--model", "larger"))
            assert len(server.requests) == 2 * asked
            (folder / "rules.json").write_text('["Boats float."]')
            figures(await run(folder, server, *cache, "--instructions", str(folder / "rules.json")))
            assert len(server.requests) == 3 * asked
        without_server = figures(await run(folder, server, *cache))
        assert without_server["correct"] == first["correct"]
        assert again["replies_from_cache"] == asked
        assert (again["spent_usd"], again["timed"]) == (0.0, 0)
        same = ("correct", "wrong", "failed", "llm_calls", "prompt_tokens", "completion_tokens", "cost_usd")
        assert [again[key] for key in same] == [first[key] for key in same]

    async def test_replies_whose_plan_is_streamed_are_kept_too(self, folder: Path) -> None:
        cache = ("--reply-cache", str(folder / "replies"), "--out")
        settings = {"allow_sql_generation_reasoning": True, "prompt_style": "full"}
        async with ChatServer(script(*RIGHT)) as server:
            first = figures(await run(folder, server, *cache, str(folder / "first"), **settings))
            asked = len(server.requests)
            again = figures(await run(folder, server, *cache, str(folder / "again"), **settings))
            assert len(server.requests) == asked
        assert all(request.streamed for request in server.requests)
        assert again["correct"] == first["correct"] == 2

    async def test_the_same_question_to_the_model_in_one_ask_may_get_another_answer_when_it_is_kept(
        self, folder: Path
    ) -> None:
        """Half an object is asked for once more with the same words."""
        cache = ("--reply-cache", str(folder / "replies"))
        half = Answer(text='{"sql": "SELECT')
        async with ChatServer(script(half, *RIGHT)) as server:
            first = figures(await run(folder, server, *cache, concurrency=1))
            again = figures(await run(folder, server, *cache, concurrency=1))
        assert first["llm_calls"] == 5
        assert (again["llm_calls"], again["correct"]) == (5, first["correct"])


class TestPrompts:
    async def test_a_folder_of_prompts_stands_in_for_ours_and_its_results_are_told_apart(self, folder: Path) -> None:
        (folder / "mine" / "sql_generation").mkdir(parents=True)
        ours = Path(askwell.prompts.__file__).parent / "sql_generation" / "user.md.jinja"
        (folder / "mine" / "sql_generation" / "user.md.jinja").write_text(ours.read_text() + "\nMind the tide.\n")
        before, after = str(folder / "before"), str(folder / "after")
        async with ChatServer(script(*RIGHT)) as server:
            figures(await run(folder, server, "--out", before))
            assert not any("Mind the tide." in request.user for request in server.requests)
            server.requests.clear()
            figures(await run(folder, server, "--out", after, "--prompts", str(folder / "mine")))
            assert all("Mind the tide." in request.user for request in server.requests)
        (different,) = figures(run_eval("compare", before, after, "--json"))["different"]
        assert different.startswith("prompts: ")


class Page(HTMLParser):
    """The tags of a page with their attributes, and its text outside of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


class TestPage:
    async def test_it_shows_prompts_sql_and_both_results_and_loads_nothing(self, folder: Path) -> None:
        page = folder / "report.html"
        async with ChatServer(script(*RIGHT)) as server:
            figures(await run(folder, server, "--report", str(page)))
            prompt = server.requests[0]
        found = Page(page.read_text())
        assert " ".join(prompt.user.split()) in " ".join(found.text.split())
        assert " ".join(prompt.system.split()) in " ".join(found.text.split())
        assert ELDEST in found.text
        assert "Siren" in found.text
        verdicts = [
            dict(attrs)["data-verdict"] for tag, attrs in found.tags if tag == "details" and "data-verdict" in attrs
        ]
        assert sorted(map(str, verdicts)) == ["correct", "correct", "wrong", "wrong"]
        places = [attrs[key] or "" for _, attrs in found.tags for key in ("src", "href", "action") if key in attrs]
        assert all(place.startswith("#") for place in places)
        ids = {attrs["id"] for _, attrs in found.tags if "id" in attrs}
        assert {place.removeprefix("#") for place in places} <= ids
        assert "@import" not in page.read_text()

    async def test_what_is_asked_and_found_is_text_and_no_markup(self, folder: Path) -> None:
        attack = "<script>alert(1)</script><img src=x onerror=alert(2)>"
        row = {"id": attack, "db_id": "marina", "question": f"How many {attack} boats?", "sql": f"SELECT '{attack}'"}
        (folder / "questions.jsonl").write_text(json.dumps(row))
        page = folder / "report.html"
        async with ChatServer(script(Answer(json={"sql": f"SELECT '{attack}' AS \"{attack}\" FROM boat"}))) as server:
            figures(await run(folder, server, "--report", str(page)))
        found = Page(page.read_text())
        assert [tag for tag, _ in found.tags if tag in ("script", "img")] == ["script"]
        assert len(re.findall(re.escape(attack), found.text)) >= 4
