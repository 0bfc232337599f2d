"""How long an ask waits for a language model that takes a second for each call.

python -m benchmarks.waits
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import running_service, write_config

_SECONDS = 1.0
_TIMES = 3
_QUESTION = "Who among our customers is the keenest spender, roughly?"
_FOLLOWED = "Who among our customers of France is the keenest spender, roughly?"
_SQL = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
_INTENT = {"rephrased_question": _FOLLOWED, "reasoning": "It asks for a customer.", "intent": "TEXT_TO_SQL"}
_SAID: dict[str, Any] = {
    "intent_classification": _INTENT,
    "question_reformulation": {"question": _FOLLOWED},
    "sql_generation": {"intent": "TEXT_TO_SQL", "plan": "1. **Rank** customers.", "sql": _SQL},
}


async def _measure(name: str, **body: Any) -> None:
    stages = {stage: [Answer(json=said, delay=_SECONDS)] for stage, said in _SAID.items()}
    with tempfile.TemporaryDirectory() as folder:
        async with ChatServer(stages) as server:
            config = write_config(Path(folder), api_base=server.api_base)
            async with running_service(config) as service:
                await service.prepare()
                taken = []
                for _ in range(_TIMES):
                    server.requests.clear()
                    started = time.perf_counter()
                    result = await service.answer(execute=True, **body)
                    taken.append(time.perf_counter() - started)
                    assert result["status"] == "finished", result
    print(f"{name}: {', '.join(f'{one:.2f}' for one in taken)} s, {len(server.requests)} calls")


async def main() -> None:
    """Print the seconds of each kind of ask, several times."""
    followed = {"query": "and those of France?", "histories": [{"question": _QUESTION, "sql": _SQL}]}
    await _measure("first question", query=_QUESTION)
    await _measure("follow-up", **followed)


if __name__ == "__main__":
    asyncio.run(main())
