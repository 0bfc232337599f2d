"""What candidates and correction make of a language model that is right with a known probability, against theory.

    python -m benchmarks.voting [--asks 200] [--right 0.5 0.7]

Whatever is not right is one of ten kinds of errors, equally often: five that no check finds, each with a result of its
own, and five that every check finds. Theory: what a plurality of independent candidates decides, counted out over all
that they may say.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import math
import random
import tempfile
from collections import Counter
from pathlib import Path

from tests.fakes.openai_server import Answer, ChatRequest, ChatServer
from tests.support.service import running_service, write_config

_QUESTION = "Who among our customers is the keenest spender, roughly?"
_RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
_SILENT = (
    "SELECT name FROM customers ORDER BY total_spent LIMIT 1",  # the wrong end
    "SELECT country FROM customers ORDER BY total_spent DESC LIMIT 1",  # another column
    "SELECT name FROM customers ORDER BY total_spent DESC",  # no limit
    "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1 OFFSET 1",  # the second
    "SELECT max(total_spent) FROM customers",  # the figure in place of who has it
)
_SEEN = (
    Answer(json={"sql": "SELECT shoe_size FROM customers"}),  # a column that is not there
    Answer(json={"sql": "SELECT name FROM warehouses"}),  # a table that is not there
    Answer(json={"sql": "SELECT name FROM WHERE total_spent"}),  # no SQL
    Answer(text="I would look at what each customer has spent."),  # words
    Answer(refusal="I cannot help with that."),
)
_ATTEMPTS = 4
_AT_ONCE = 8


class _Unsure(ChatServer):
    """Writes right SQL with this probability, each time anew."""

    def __init__(self, right: float, seed: int) -> None:
        super().__init__()
        self._right = right
        self._random = random.Random(seed)

    def said(self, request: ChatRequest, answer: Answer) -> Answer:
        if request.stage not in ("sql_generation", "sql_correction"):
            return answer
        if self._random.random() < self._right:
            return Answer(json={"sql": _RIGHT})
        wrong = self._random.randrange(len(_SILENT) + len(_SEEN))
        return Answer(json={"sql": _SILENT[wrong]}) if wrong < len(_SILENT) else _SEEN[wrong - len(_SILENT)]


async def _measured(right: float, candidates: int, corrections: int, asks: int) -> tuple[float, float]:
    """The share of asks that end right, and the calls of one."""
    settings = {
        "candidates": candidates,
        "max_sql_correction_retries": corrections,
        "allow_intent_classification": False,
        "allow_sql_generation_reasoning": False,
        "concurrency": _AT_ONCE,
    }
    with tempfile.TemporaryDirectory() as folder:
        async with _Unsure(right, seed=candidates * 10 + corrections) as server:
            config = write_config(Path(folder), api_base=server.api_base, settings=settings)
            async with running_service(config) as service:
                await service.prepare()
                ids = [await service.ask(_QUESTION, execute=True) for _ in range(asks)]
                ends = [await service.end(one, within=300) for one in ids]
    good = sum(end.get("data", {}).get("rows") == [["Ada Lovelace"]] for end in ends)
    return good / asks, server.calls() / asks


def _expected(right: float, candidates: int, corrections: int) -> float:
    """What theory gives for the same."""
    seen = (1 - right) * len(_SEEN) / (len(_SEEN) + len(_SILENT))
    silent = (1 - right - seen) / len(_SILENT)
    tries = sum(seen**attempt for attempt in range(corrections + 1))
    # 0 is right, -1 is nothing, the others are wrong in a way of their own.
    chances = {0: right * tries, -1: seen ** (corrections + 1)}
    chances |= dict.fromkeys(range(1, len(_SILENT) + 1), silent * tries)
    won = 0.0
    for said in itertools.product(chances, repeat=candidates):
        votes = Counter(one for one in said if one >= 0)
        # Of equal groups the earliest wins, which is how a counter orders them.
        if votes and votes.most_common(1)[0][0] == 0:
            won += math.prod(chances[one] for one in said)
    return won


async def main() -> None:
    """Print a line for each setting."""
    parser = argparse.ArgumentParser(description="Votes and corrections against theory.")
    parser.add_argument("--asks", type=int, default=200)
    parser.add_argument("--right", type=float, nargs="*", default=[0.5, 0.7])
    chosen = parser.parse_args()
    print("right at first  candidates  corrections  measured (95%)     theory  calls", flush=True)
    for right, corrections, candidates in itertools.product(chosen.right, (0, _ATTEMPTS - 1), (1, 3, 5)):
        share, calls = await _measured(right, candidates, corrections, chosen.asks)
        theory = _expected(right, candidates, corrections)
        spread = 1.96 * math.sqrt(max(share * (1 - share), 1e-9) / chosen.asks)
        told = f"{share:8.3f} ± {spread:.3f}  {theory:9.3f}  {calls:5.1f}"
        print(f"{right:14.2f}  {candidates:10}  {corrections:11}  {told}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
