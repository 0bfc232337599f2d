"""Replies that were cut, or that nobody can read: the model is asked twice more, and no oftener."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwell.errors import ModelUnavailable
from tests.fakes.model_at import scripted
from tests.fakes.openai_server import Answer, ChatServer
from tests.fakes.recording_model import reply_of
from tests.support.service import running_service, write_config

HTML = {"Content-Type": "text/html"}
ROLE = 'data: {"choices": [{"delta": {"role": "assistant"}}]}\n\n'
CUT, UNREADABLE = "broke the connection off", "is not a chat completion"
GOOD = Answer(text="one two three")

WHOLE = {
    "cut before": (Answer(drop="before"), CUT),
    "cut": (Answer(drop="middle"), CUT),
    "half its JSON": (Answer(raw='{"choices": ['), UNREADABLE),
    "no JSON": (Answer(raw="<html>sign in</html>", headers=HTML), UNREADABLE),
    "mistyped": (Answer(raw="<html>sign in</html>"), UNREADABLE),
    "empty": (Answer(raw=""), UNREADABLE),
    "another object": (Answer(raw='{"hello": "there"}'), UNREADABLE),
    "a list": (Answer(raw="[1]"), UNREADABLE),
    "not what it says to be": (Answer(raw="plain", headers={"Content-Encoding": "gzip"}), UNREADABLE),
    "without end": (Answer(raw=" " * 9_000_000), UNREADABLE),
}
STREAMS = {
    "cut before": WHOLE["cut before"],
    "cut": (Answer(raw=f'{ROLE}data: {{"cho', drop="middle"), CUT),
    "half its JSON": (Answer(raw=f'{ROLE}data: {{"cho'), UNREADABLE),
    "no stream": WHOLE["no JSON"],
    "mistyped": (Answer(raw="<html>sign in</html>"), UNREADABLE),
    "empty": (Answer(raw=""), UNREADABLE),
    "another object": (Answer(raw='data: {"hello": "there"}\n\ndata: [DONE]\n\n'), UNREADABLE),
    "an error": (Answer(raw='data: {"error": {"message": "no"}}\n\n'), CUT),
    "not what it says to be": (Answer(raw="data: plain", headers={"Content-Encoding": "gzip"}), UNREADABLE),
}
ALL = pytest.mark.parametrize(
    ("broken", "words", "streamed"),
    [
        pytest.param(*case, streamed, id=f"{'stream' if streamed else 'whole'}: {name}")
        for streamed, cases in ((False, WHOLE), (True, STREAMS))
        for name, case in cases.items()
    ],
)


@pytest.mark.deep
@ALL
async def test_it_is_asked_again(broken: Answer, words: str, streamed: bool) -> None:
    pieces: list[str] = []
    async with scripted("sql_reasoning", broken, GOOD) as (model, server):
        reply = await reply_of(
            model, system="Task: sql_reasoning", user="u", on_delta=pieces.append if streamed else None
        )
    assert (reply.text, server.calls(), reply.usage.llm_calls) == ("one two three", 2, 2)
    assert "".join(pieces) == ("one two three" if streamed else "")


@pytest.mark.deep
@ALL
async def test_and_no_oftener(broken: Answer, words: str, streamed: bool) -> None:
    async with scripted("sql_reasoning", broken) as (model, server):
        with pytest.raises(ModelUnavailable, match=words):
            await reply_of(model, system="Task: sql_reasoning", user="u", on_delta=print if streamed else None)
    assert server.calls() == 3


async def test_an_ask_survives_a_cut_reply_and_counts_both_calls(tmp_path: Path) -> None:
    right = Answer(json={"sql": "SELECT name FROM customers"})
    async with ChatServer({"sql_generation": [Answer(drop="middle"), right]}) as server:
        async with running_service(write_config(tmp_path, api_base=server.api_base)) as service:
            await service.prepare()
            result = await service.answer("Who among our customers is the keenest spender, roughly?")
    assert (result["status"], server.calls("sql_generation"), server.calls()) == ("finished", 2, 4)
    assert result["usage"]["llm_calls"] == 4
