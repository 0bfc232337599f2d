"""Language models and the embedder."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from askwell.errors import ModelUnavailable
from askwell.messages import say
from askwell.providers.embedder.base import Embedder, NoEmbedder
from askwell.providers.embedder.minilm_export import missing_for_export
from askwell.providers.embedder.minilm_files import MinilmFiles
from askwell.providers.llm.base import Capabilities, JsonFormat, LanguageModel
from askwell.providers.llm.reachability import Reachability
from askwell.services.health.finding import Finding, failed, not_set_up, ok, warning

NO_MODEL = "none configured: rules answer alone"
NO_EMBEDDER = "none: search is by words only"
_JSON = {
    JsonFormat.SCHEMA: "JSON by schema",
    JsonFormat.OBJECT: "JSON objects, their shape told in words",
    JsonFormat.TEXT: "JSON among words",
}


async def model_answers(make: Callable[[], LanguageModel | None], context_window: int, name: str) -> Finding:
    """What the model that `make` connects really does, for a few tokens, beside the configured `context_window`
    (tokens). `name` is its own in the configuration."""
    model = make()
    if model is None:
        return not_set_up(NO_MODEL)
    try:
        seen = await model.probe()
    finally:
        await model.close()
    told = f"{model.name}: {_described(seen)}"
    if seen.json_format is None:
        return warning(*say("health.model_without_json", told=told, name=name))
    if seen.context_length is not None and seen.context_length < context_window:
        length = seen.context_length
        return warning(*say("health.model_window", told=told, length=length, configured=context_window, name=name))
    return ok(told)


def _described(seen: Capabilities) -> str:
    facts = [_JSON[seen.json_format]] if seen.json_format else []
    facts.append("streams" if seen.streams else "does not stream")
    facts.append("counts tokens" if seen.usage else "counts no tokens, so answers carry no usage")
    if seen.usage and seen.streams and not seen.usage_when_streaming:
        facts[-1] += " except in streams"
    if seen.context_length is not None:
        facts.append(f"context of {seen.context_length:,} tokens")
    return f"{', '.join(facts)}; a tiny answer took {seen.seconds:.1f} s"


async def models_are_reached(reachability: Reachability, names: Sequence[str]) -> Finding:
    """Whether the servers of the models in use take connections, for everybody; looked at every now and then."""
    if not names:
        return not_set_up(NO_MODEL)
    try:
        await reachability.require()
    except ModelUnavailable:
        return failed(*say("health.model_away", names=", ".join(names)))
    return ok(", ".join(names))


async def embedder_embeds(make: Callable[[], Awaitable[Embedder]], provider: str, home: Path) -> Finding:
    """Whether the embedder gives vectors of the dimension that is configured. Writes no files: those of the default one
    are made when the service starts."""
    if provider == "none":
        return not_set_up(NO_EMBEDDER)
    if provider == "minilm" and (lacking := await asyncio.to_thread(_lacking_files, home)):
        return lacking
    embedder = await make()
    try:
        vectors = await embedder.embed(["How many orders were there last month?"])
    finally:
        await embedder.close()
    return ok(f"{embedder.identity} gives vectors of {vectors.shape[1]} dimensions")


async def similar_questions_are_known(measured: Callable[[], Awaitable[Embedder | None]], provider: str) -> Finding:
    """Whether `history_match: similar` can do more than `exact`: by `provider` itself, or the local embedder beside it.
    Whether the files of the former are there is another check's."""
    if provider != "minilm":
        local = await measured()
        if local is None:
            return warning(*say("health.history_exact"))
        await local.close()
    return ok("similar: by the local embedder")


def _lacking_files(home: Path) -> Finding | None:
    files = MinilmFiles.of_home(home)
    if files.valid():
        return None
    state = "damaged" if files.present() else "not there"
    found = f"The embedder's files in {files.folder} are {state}"
    if missing := missing_for_export():
        return warning(*say("health.embedder_not_made", found=found, missing=", ".join(missing)))
    return warning(*say("health.embedder_to_be_made", found=found))


async def embedder_is_loaded(embedder: Embedder) -> Finding:
    """Which embedder there is, for everybody."""
    is_none = embedder.identity == NoEmbedder.identity
    return not_set_up(NO_EMBEDDER) if is_none else ok(embedder.identity)
