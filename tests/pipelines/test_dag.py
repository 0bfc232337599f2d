"""A pipeline runs as wired, refuses what does not fit, and leaves nothing running."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hamilton.ad_hoc_utils import create_temporary_module
from hamilton.lifecycle import NodeExecutionHook
from hamilton.lifecycle.base import BasePostGraphExecuteAsync, BasePostNodeExecuteAsync, BasePreGraphExecuteAsync

from askwell.errors import ModelUnavailable
from askwell.pipelines.dag import Dag, pipeline_name


def _module(*nodes: Callable[..., Any]) -> ModuleType:
    return create_temporary_module(*nodes)


def doubled(number: int) -> int:
    return number * 2


async def label(doubled: int, prefix: str = "n") -> str:
    await asyncio.sleep(0)
    return f"{prefix}{doubled}"


async def test_gives_the_final_nodes_value() -> None:
    dag: Dag[Any] = Dag(_module(doubled, label), result=label)
    assert await dag.run(number=4) == "n8"
    assert await dag.run(number=4, prefix="x") == "x8"


async def test_independent_nodes_run_at_the_same_time() -> None:
    both = asyncio.Barrier(2)

    async def left(number: int) -> int:
        await both.wait()
        return number

    async def right(number: int) -> int:
        await both.wait()
        return number + 1

    def total(left: int, right: int) -> int:
        return left + right

    dag: Dag[Any] = Dag(_module(left, right, total), result=total)
    assert await asyncio.wait_for(dag.run(number=1), 5) == 3


async def test_runs_do_not_mix() -> None:
    dag: Dag[Any] = Dag(_module(doubled, label), result=label)
    assert await asyncio.gather(*(dag.run(number=n) for n in range(50))) == [f"n{2 * n}" for n in range(50)]


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, "was not given number"),
        ({"number": 1, "nubmer": 2}, "takes no nubmer; it takes number, prefix"),
    ],
)
async def test_inputs_that_do_not_fit_are_named(inputs: dict[str, object], words: str) -> None:
    dag: Dag[Any] = Dag(_module(doubled, label), result=label)
    with pytest.raises(TypeError, match=words):
        await dag.run(**inputs)


def test_a_forgotten_underscore_is_found_when_the_pipeline_is_built() -> None:
    def helper(text: str) -> str:
        return text

    with pytest.raises(ValueError, match=r"label does not need helper"):
        Dag[Any](_module(doubled, label, helper), result=label).build()


async def test_a_failing_node_cancels_its_siblings_and_its_error_is_untouched() -> None:
    ended: list[str] = []
    started = asyncio.Event()

    async def slow(number: int) -> int:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("slow")
        return number

    async def failing(number: int) -> int:
        await started.wait()
        raise ModelUnavailable("It is down.", "Start it.")

    def after_slow(slow: int) -> int:
        ended.append("never")
        return slow

    def total(after_slow: int, failing: int) -> int:
        return after_slow + failing

    dag: Dag[Any] = Dag(_module(slow, failing, after_slow, total), result=total)
    before = asyncio.all_tasks()
    with pytest.raises(ModelUnavailable, match="It is down") as caught:
        await asyncio.wait_for(dag.run(number=1), 5)
    assert caught.value.hint == "Start it."
    assert ended == ["slow"]
    assert asyncio.all_tasks() == before


async def test_a_plain_function_that_fails_cancels_what_runs_too() -> None:
    ended: list[str] = []

    async def aslow(number: int) -> int:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("slow")
        return number

    def broken(number: int) -> int:
        raise ModelUnavailable("No.")

    def total(aslow: int, broken: int) -> int:
        return aslow + broken

    dag: Dag[Any] = Dag(_module(aslow, broken, total), result=total)
    before = asyncio.all_tasks()
    with pytest.raises(ModelUnavailable):
        await dag.run(number=1)
    assert asyncio.all_tasks() == before


async def test_cancelling_a_run_ends_every_node() -> None:
    ended: list[str] = []
    started = asyncio.Event()

    async def slow(number: int) -> int:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("slow")
        return number

    async def other(number: int) -> int:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("other")
        return number

    def total(slow: int, other: int) -> int:
        return slow + other

    dag: Dag[Any] = Dag(_module(slow, other, total), result=total)
    before = asyncio.all_tasks()
    run = asyncio.create_task(dag.run(number=1))
    await started.wait()
    await asyncio.sleep(0)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert sorted(ended) == ["other", "slow"]
    assert asyncio.all_tasks() == before


async def test_a_failure_does_not_log_what_went_into_the_node(caplog: pytest.LogCaptureFixture) -> None:
    async def reply(prompt: str) -> str:
        raise ModelUnavailable("No.")

    def plain(reply: str, prompt: str) -> str:
        return reply

    def sync_reply(prompt: str) -> str:
        raise ModelUnavailable("No.")

    with caplog.at_level(logging.DEBUG):
        for dag in (Dag[Any](_module(reply, plain), result=plain), Dag[Any](_module(sync_reply), result=sync_reply)):
            with pytest.raises(ModelUnavailable):
                await dag.run(prompt="the-secret-prompt")
    assert "the-secret-prompt" not in caplog.text


async def test_adapters_see_each_run_and_its_nodes_and_what_the_pipeline_is_called() -> None:
    seen: list[str] = []

    class Watching(BasePreGraphExecuteAsync, BasePostGraphExecuteAsync, BasePostNodeExecuteAsync):  # type: ignore[misc]
        async def pre_graph_execute(self, **_: Any) -> None:
            seen.append(f"{pipeline_name()} begins")

        async def post_node_execute(self, *, node_: Any, success: bool, **_: Any) -> None:
            seen.append(f"{node_.name} {success}")

        async def post_graph_execute(self, *, success: bool, **_: Any) -> None:
            seen.append(f"ended {success}")

    dag: Dag[Any] = Dag(_module(doubled, label), result=label, name="labelling", adapters=[Watching()])
    await dag.run(number=1)
    assert seen == ["labelling begins", "doubled True", "label True", "ended True"]


def test_a_plain_node_hook_is_refused() -> None:
    class Plain(NodeExecutionHook):
        def run_before_node_execution(self, **facts: Any) -> None: ...

        def run_after_node_execution(self, **facts: Any) -> None: ...

    with pytest.raises(ValueError, match="plain node hooks"):
        Dag[Any](_module(doubled), result=doubled, adapters=[Plain()]).build()


@pytest.mark.deep
def test_hamilton_is_imported_without_pandas_and_only_for_a_graph() -> None:
    code = """
import sys
from askwell.pipelines.conversation.build import ConversationPipelines
from askwell.pipelines.generation.build import GenerationPipelines
from askwell.pipelines.retrieval.retrieval import Retrieval
from askwell.config import LlmConfig
from askwell.providers.llm import create_language_model
GenerationPipelines(lambda _: create_language_model(LlmConfig(model="m", api_base="http://localhost/v1")))
print([name for name in ("aiohttp", "hamilton", "haystack", "jinja2", "openai") if name in sys.modules])
import askwell.pipelines.hamilton_driver
print("hamilton" in sys.modules, "pandas" in sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n")[:2] == ["[]", "True False"]
