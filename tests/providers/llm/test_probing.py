"""What a probe finds out about servers of each vendor, and what is made of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from aiohttp import web

from askwell.errors import ModelUnavailable
from askwell.providers.llm.base import Capabilities, JsonFormat, JsonSchema
from askwell.providers.llm.reachability import BackgroundProbes
from tests.fakes.chat_script import PROBE, Answer, ChatScript
from tests.fakes.model_at import model_at
from tests.fakes.openai_server import ChatServer
from tests.fakes.recording_model import RecordingModel, reply_of
from tests.fakes.vendors import (
    AZURE_FILTERED,
    AzureVendor,
    LmStudioVendor,
    OllamaVendor,
    OpenRouterVendor,
    VllmVendor,
    openrouter_failure_in_stream,
)

SCHEMA = JsonSchema("sql_generation", {"type": "object", "properties": {"sql": {"type": "string"}}})
LONG = "word " * 8_000  # 10,000 tokens by the estimate, 13,000 by vLLM's


_model = partial(model_at, context_window=100_000)


async def _probed(server: ChatServer, name: str = "test", **settings: Any) -> Capabilities:
    async with server, _model(server, name, **settings) as model:
        found = await model.probe()
        assert model.context_window == min(found.context_length or 100_000, 100_000)
    return found


class LlamaCpp(ChatServer):
    def routes(self) -> list[web.RouteDef]:
        async def props(_: web.Request) -> web.Response:
            return web.json_response({"default_generation_settings": {"n_ctx": 8192}, "total_slots": 1})

        return [*super().routes(), web.get("/props", props)]


class TestWhatIsFound:
    @pytest.mark.parametrize("accepts", ["json_schema", "json_object", "text"])
    async def test_the_strictest_json_that_is_taken(self, accepts: Any) -> None:
        server = ChatServer(ChatScript(accepts=accepts))
        found = await _probed(server)
        assert found.json_format is JsonFormat(accepts)
        assert (found.streams, found.usage, found.usage_when_streaming) == (True, True, True)
        assert (found.context_length, server.calls()) == (None, 0)
        assert found.seconds > 0

    @pytest.mark.parametrize(
        ("answers", "way"),
        [
            ([Answer(text="Yes."), Answer(text="Yes."), Answer(json={"answer": "Yes"}, fenced=True)], JsonFormat.TEXT),
            ([Answer(json={"answer": "Yes"}, fenced=True), Answer(json={"answer": "Yes"})], JsonFormat.OBJECT),
            ([Answer(json={"reply": "Yes"}), Answer(json={"answer": "Yes"})], JsonFormat.OBJECT),
            ([Answer(text='<think>Wet?</think>\n{"answer": "Yes"}')], JsonFormat.SCHEMA),
            ([Answer(text="Yes.")], None),
        ],
    )
    async def test_json_that_is_promised_and_not_kept(self, answers: list[Answer], way: JsonFormat | None) -> None:
        server = ChatServer(ChatScript({PROBE: answers}))
        async with server, _model(server) as model:
            assert (await model.probe()).json_format is way
            await reply_of(model, system="Task: sql_generation", user="?", schema=SCHEMA)
        # Where nothing gave JSON, the strictest way that the server takes helps most.
        expected = None if way is JsonFormat.TEXT else (way or JsonFormat.SCHEMA).value
        assert server.requests[-1].response_format == expected

    async def test_no_streams_and_no_tokens(self) -> None:
        found = await _probed(ChatServer(ChatScript(streams=False, usage=False)))
        assert (found.streams, found.usage, found.usage_when_streaming) == (False, False, False)

    async def test_a_server_without_stream_options(self) -> None:
        server = ChatServer(ChatScript(stream_options=False))
        found = await _probed(server)
        assert (found.streams, found.usage, found.usage_when_streaming) == (True, True, False)

    @pytest.mark.parametrize(
        ("make", "name", "length"),
        [
            (lambda: OllamaVendor("qwen3-coder:30b"), "qwen3-coder:30b", 4096),
            (lambda: OllamaVendor("qwen3:latest"), "qwen3:latest", 4096),
            (lambda: OllamaVendor("m", tells_room=False, num_ctx=8192), "m", 8192),
            (lambda: OllamaVendor("m", tells_room=False), "m", None),
            (lambda: VllmVendor("Qwen/Qwen3", max_model_len=32768), "Qwen/Qwen3", 32768),
            (lambda: VllmVendor("Qwen/Qwen3", max_model_len=262144), "Qwen/Qwen3", 262144),
            (lambda: LmStudioVendor("qwen/qwen3"), "qwen/qwen3", 16384),
            (lambda: LlamaCpp(), "test", 8192),
        ],
    )
    async def test_how_much_is_read_at_once(self, make: Callable[[], ChatServer], name: str, length: int) -> None:
        assert (await _probed(make(), name)).context_length == length

    async def test_openrouter_tells_what_the_provider_reads(self) -> None:
        async with OpenRouterVendor("qwen/qwen3-coder") as server:
            async with _model(server, "qwen/qwen3-coder", api_base=server.api_base.replace("/v1", "/api/v1")) as model:
                found = await model.probe()
        assert (found.context_length, found.json_format) == (65536, JsonFormat.OBJECT)
        assert found.streams

    async def test_lm_studio_counts_no_tokens_in_streams(self) -> None:
        found = await _probed(LmStudioVendor("m"), "m")
        assert (found.json_format, found.usage, found.usage_when_streaming) == (JsonFormat.SCHEMA, True, False)

    async def test_azure(self) -> None:
        async with AzureVendor("chat") as server:
            async with _model(server, "chat", provider="azure_openai", api_base=server.endpoint) as model:
                found = await model.probe()
        assert (found.json_format, found.streams, found.context_length) == (JsonFormat.SCHEMA, True, None)


class TestWhatIsMadeOfIt:
    async def test_a_smaller_context_is_said_once(self, caplog: pytest.LogCaptureFixture) -> None:
        async with VllmVendor("m", max_model_len=8192) as server, _model(server, "m") as model:
            await model.probe()
            await model.probe()
            assert model.context_window == 8192
        assert caplog.text.count("reads 8192 tokens at once") == 1

    async def test_a_prompt_that_ollama_would_cut_is_not_sent(self) -> None:
        """Without a probe too: what the server has set aside is asked for after the first answer."""
        async with OllamaVendor("m") as server, _model(server, "m") as model:
            await reply_of(model, system="Task: sql_generation", user="short")
            with pytest.raises(ModelUnavailable, match="too long"):
                await reply_of(model, system="Task: sql_generation", user=LONG)
        assert (server.cut, server.calls()) == (0, 1)

    async def test_an_answer_about_a_prompt_that_ollama_cut_is_not_taken(self) -> None:
        async with OllamaVendor("m") as server, _model(server, "m") as model:
            with pytest.raises(ModelUnavailable, match="too long"):
                await reply_of(model, system="Task: sql_generation", user=LONG)
        assert (server.cut, server.calls()) == (1, 1)

    async def test_answers_that_come_while_the_context_is_looked_up_wait_for_it(self) -> None:
        class Slow(OllamaVendor):
            async def _models(self, http: web.Request) -> web.Response:
                await self._until(lambda: sum(bool(request.outcome) for request in self.requests) == 2, 10)
                return await super()._models(http)

        async with Slow("m") as server, _model(server, "m") as model:
            both = (reply_of(model, system="Task: sql_generation", user=LONG) for _ in range(2))
            ends = await asyncio.gather(*both, return_exceptions=True)
        assert [str(end) for end in ends if "too long" in str(end)] == [str(end) for end in ends]
        assert (server.cut, server.looks) == (2, 1)

    async def test_a_prompt_that_vllm_refuses_is_too_long(self) -> None:
        async with VllmVendor("m", max_model_len=8192) as server, _model(server, "m") as model:
            with pytest.raises(ModelUnavailable, match="too long"):
                await reply_of(model, system="Task: sql_generation", user=LONG)

    async def test_what_was_found_is_not_tried_again(self) -> None:
        async with ChatServer(ChatScript(accepts="json_object")) as server, _model(server) as model:
            await model.probe()
            reply = await reply_of(model, system="Task: sql_generation\nJSON", user="?", schema=SCHEMA)
        assert (reply.usage.llm_calls, server.requests[0].response_format) == (1, "json_object")

    @pytest.mark.parametrize(
        ("name", "near"),
        [("qwen3-coder", "such as qwen3-coder:30b"), ("llama", "such as qwen3-coder:30b, gemma4:12b")],
    )
    async def test_a_model_that_is_not_there_and_names_like_it(self, name: str, near: str) -> None:
        async with OllamaVendor("qwen3-coder:30b", "gemma4:12b") as server, _model(server, name) as model:
            with pytest.raises(ModelUnavailable, match=f"does not know {name}") as caught:
                await model.probe()
        assert near in caught.value.hint

    async def test_a_model_id_that_openrouter_refuses(self) -> None:
        async with OpenRouterVendor("qwen/qwen3-coder") as server:
            async with _model(server, "qwen3-coder", api_base=server.api_base.replace("/v1", "/api/v1")) as model:
                with pytest.raises(ModelUnavailable, match="does not know qwen3-coder") as caught:
                    await model.probe()
        assert "qwen/qwen3-coder" in caught.value.hint

    async def test_failures_are_the_usual_ones(self) -> None:
        async with ChatServer(ChatScript(api_key="another")) as server, _model(server) as model:
            with pytest.raises(ModelUnavailable, match="refused the API key"):
                await model.probe()
        async with _model(server) as model:
            with pytest.raises(ModelUnavailable, match="cannot be reached"):
                await model.probe()

    async def test_a_wrong_key_wins_over_a_wrong_name(self) -> None:
        """Some servers list their models to everybody."""
        async with ChatServer(ChatScript(api_key="another", models=["m"])) as server, _model(server, "n") as model:
            with pytest.raises(ModelUnavailable, match="refused the API key"):
                await model.probe()

    async def test_a_name_that_this_key_may_not_use(self) -> None:
        refusal = Answer(status=403, error={"message": "no access", "code": "model_not_found"})
        async with ChatServer({PROBE: [refusal]}) as server, _model(server) as model:
            with pytest.raises(ModelUnavailable, match="does not let this key use test"):
                await model.probe()


class TestHowVendorsFail:
    async def test_a_deployment_that_does_not_exist(self) -> None:
        async with AzureVendor("chat") as server:
            async with _model(server, "gpt-6", provider="azure_openai", api_base=server.endpoint) as model:
                for call in (model.probe(), reply_of(model, system="", user="")):
                    with pytest.raises(ModelUnavailable, match="does not know gpt-6") as caught:
                        await call
                    assert "the deployment's name" in caught.value.hint

    @pytest.mark.parametrize(
        "answer", [Answer(status=400, error=AZURE_FILTERED), Answer(text="Half of", finish_reason="content_filter")]
    )
    @pytest.mark.parametrize("streams", [True, False])
    async def test_a_content_filter(self, answer: Answer, streams: bool) -> None:
        async with AzureVendor("chat", script=ChatScript({"*": [answer]})) as server:
            async with _model(server, "chat", provider="azure_openai", api_base=server.endpoint) as model:
                with pytest.raises(ModelUnavailable, match="content filter"):
                    await reply_of(model, system="", user="", on_delta=(lambda _: None) if streams else None)
        assert server.calls() == 1

    async def test_too_many_calls_are_tried_again_when_azure_says(self) -> None:
        busy = Answer(status=429, error={"code": "429", "message": "Slow down."}, headers={"Retry-After": "0"})
        async with AzureVendor("chat", script=ChatScript({"*": [busy, Answer(text="Yes.")]})) as server:
            settings = {"provider": "azure_openai", "api_version": "2024-10-21", "api_base": server.endpoint}
            async with _model(server, "chat", **settings) as model:
                assert (await reply_of(model, system="", user="")).text == "Yes."
        assert server.calls() == 2

    async def test_an_error_in_the_middle_of_a_stream(self) -> None:
        pieces: list[str] = []
        async with ChatServer({"*": [openrouter_failure_in_stream("One ")]}) as server, _model(server) as model:
            with pytest.raises(ModelUnavailable, match=r"failed \(502\)"):
                await reply_of(model, system="", user="", on_delta=pieces.append)
        assert (pieces, server.calls()) == (["One "], 1)

    async def test_an_error_that_is_only_a_text(self) -> None:
        async with LmStudioVendor("m", script=ChatScript({PROBE: [Answer(text="Yes.")]})) as server:
            async with _model(server, "m") as model:
                assert (await model.probe()).json_format is None
        # json_object was refused in words that only the body holds, and stepped over.
        assert [probe.response_format for probe in server.probes] == ["json_schema", "json_object", None, None]


class TestInTheBackground:
    async def test_a_server_that_comes_later_is_probed_then(self, caplog: pytest.LogCaptureFixture) -> None:
        async with ChatServer() as server:
            pass
        async with _model(server) as model:
            probes = BackgroundProbes([model], first_pause=0.02)
            probes.start()
            async with asyncio.timeout(10):
                while "cannot be reached" not in caplog.text:
                    await asyncio.sleep(0.01)
            async with ChatServer(port=int(server.api_base.rpartition(":")[2].removesuffix("/v1"))) as back:
                await back.probed()
            await probes.stop()
        assert caplog.text.count("cannot be reached") == 1

    async def test_stopping_gives_up_and_closes_the_connection(self) -> None:
        async with ChatServer({PROBE: [Answer(hang=True)]}) as server, _model(server) as model:
            probes = BackgroundProbes([model])
            probes.start()
            async with asyncio.timeout(10):
                while not server.probes:
                    await asyncio.sleep(0.01)
            await probes.stop()
            await probes.stop()
            assert await server.ended(server.probes[0]) == "abandoned"

    async def test_a_probe_that_breaks_is_logged_and_stops_nothing(self, caplog: pytest.LogCaptureFixture) -> None:
        class Broken(RecordingModel):
            async def probe(self) -> Capabilities:
                raise ValueError("the prompt")

        probes = BackgroundProbes([Broken()])
        probes.start()
        async with asyncio.timeout(10):
            while "unexpected error" not in caplog.text:
                await asyncio.sleep(0)
        await probes.stop()
        assert "the prompt" not in caplog.text
