"""What an ask sends to a language model, by the number of tables and the model's window: calls, tokens, and how much
of a second question's prompts begins as the first one's, so that a server has read it before.

    python -m benchmarks.prefixes [--tables 10,27] [--windows 8,12] [--model NAME]

Tokens are four characters each. A scripted server stands in for the model, and refuses prompts that its window has no
room for: these are counted as "too long".
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

from tests.fakes.openai_server import Answer, ChatServer
from tests.fakes.openai_wire import ChatRequest
from tests.support import wide_model
from tests.support.service import running_service, write_config

TABLES, WINDOWS = (10, 27, 30, 200), (8, 12, 16, 32)


@dataclass(frozen=True, slots=True)
class Sent:
    """What a question's ask sent: the texts of its prompts, in the order in which they arrived."""

    prompts: tuple[str, ...]

    @property
    def tokens(self) -> int:
        """About how many tokens all prompts are."""
        return sum(map(len, self.prompts)) // 4


def text_of(request: ChatRequest) -> str:
    """What the model reads, in its order."""
    return "\n".join(str(message["content"]) for message in request.messages)


def share_read(before: Sequence[str], prompts: Sequence[str]) -> float:
    """The part of the prompts that begins as one sent before did."""
    read = sum(max((_same(one, other) for other in before), default=0) for one in prompts)
    return read / sum(map(len, prompts))


def _same(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


async def measure(
    folder: Path, tables: int, window: int, model: str = "qwen2.5-coder-1.5b", settings: dict[str, Any] | None = None
) -> list[Sent]:
    """What each of some questions sends, to a model of that name that reads `window` tokens."""
    wide_model.make_database(folder / "wide.sqlite", tables)
    wrote = {"sql": f"SELECT name FROM {wide_model.table_names(tables)[0]}"}
    async with ChatServer({"sql_generation": [Answer(json=wrote)]}) as server:
        config = write_config(
            folder,
            llm={
                "default": {
                    "provider": "openai",
                    "model": model,
                    "api_base": server.api_base,
                    "context_window": window * 1024,
                }
            },
            settings={"rules_mode": "off", "scope_gate": False, **(settings or {})},
            data_sources={
                "default": {"engine": "sqlite", "path": str(folder / "wide.sqlite"), "shared": True},
            },
        )
        sent = []
        async with running_service(config) as service:
            assert (await service.prepare(wide_model.manifest(tables)))["status"] == "finished"
            for question in wide_model.questions(tables):
                server.requests.clear()
                await service.answer(question)
                sent.append(Sent(tuple(map(text_of, server.requests))))
    return sent


async def main() -> None:
    """Print a row for each size and window."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", default=",".join(map(str, TABLES)))
    parser.add_argument("--windows", default=",".join(map(str, WINDOWS)), help="thousands of tokens")
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    chosen = parser.parse_args()
    print("| tables | window | calls | prompt tokens | read before, second question | mean of the others |")
    print("|---|---|---|---|---|---|")
    for tables in map(int, chosen.tables.split(",")):
        for window in map(int, chosen.windows.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                sent = await measure(Path(folder), tables, window, chosen.model)
            shares = [share_read(before.prompts, after.prompts) for before, after in pairwise(sent)]
            calls = sum(len(one.prompts) for one in sent) / len(sent)
            tokens = sum(one.tokens for one in sent) // len(sent)
            mean = sum(shares) / len(shares)
            print(f"| {tables} | {window}k | {calls:.1f} | {tokens} | {shares[0]:.0%} | {mean:.0%} |", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
