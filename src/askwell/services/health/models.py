"""Checks of language models, of the embedder, and of semantic models against their database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from askwell.errors import AskwellError, ModelUnavailable, RecordUnavailable
from askwell.knowledge.record import Record
from askwell.messages import say
from askwell.providers.embedder.base import Embedder, NoEmbedder
from askwell.providers.embedder.minilm_export import missing_for_export
from askwell.providers.embedder.minilm_files import MinilmFiles
from askwell.providers.llm.base import Capabilities, JsonFormat, LanguageModel
from askwell.providers.llm.reachability import Reachability
from askwell.services.database import Database, check_against_database
from askwell.services.health.backends import OpenRecord
from askwell.services.health.finding import Finding, State, failed, not_set_up, ok, skipped, warning, worst
from askwell.services.projects import NO_LONGER_PASSES, ProjectModels

NO_MODEL_YET = "no model yet"
_MOST_NAMED = 5
_MOST_TABLES = 3


async def models_fit(
    open_record: OpenRecord,
    projects_of: Callable[[Sequence[str]], list[str]],
    make: Callable[[], Database],
    admits: Callable[[str], bool],
) -> Finding:
    """Whether the current models of a database's projects are valid, and all their tables and columns are there.

    `projects_of` picks, from all projects that have a model, those whose database it is, and may name one that has none
    as yet; `make` makes that database. `admits` says whether the configuration lets a project use it.
    """
    try:
        record = await open_record()
    except AskwellError:
        return skipped("the record cannot be read")
    if record is None:
        return warning(*say("health.no_model"))
    try:
        if not await record.has_everything():
            return skipped("the record is of an earlier Askwell, until the service has been started once")
        projects = projects_of(await record.models.projects())
        found = [warning(*say("health.project_not_named", project=one)) for one in projects if not admits(one)]
        return await _all_fit(record, [one for one in projects if admits(one)], make, found)
    finally:
        await record.close()


async def models_are_served(record: Record, projects: ProjectModels, *, still_looking: bool) -> Finding:
    """The same for everybody, cheap: whether there are any, and whether some were refused when they were loaded, which
    takes a while after a start (`still_looking`). That of one project keeps the service from nothing else."""
    if not await _has_models(record):
        return not_set_up(NO_MODEL_YET)
    if projects.refused == 1:
        return warning(*say("health.model_refused"))
    if projects.refused:
        return warning(*say("health.models_refused", count=projects.refused))
    return ok(
        "the stored ones are still being looked at" if still_looking else "every model that was loaded can be used"
    )


async def _has_models(record: Record) -> bool:
    """Whether any project has a model, as far as that can be known: another check tells of a record that is away."""
    try:
        return bool(await record.models.projects())
    except RecordUnavailable:
        return True


async def _all_fit(
    record: Record, projects: Sequence[str], make: Callable[[], Database], known: Sequence[Finding]
) -> Finding:
    try:
        database = make()
    except AskwellError:
        return skipped("the database cannot be used")
    try:
        found = [*known, *[await _fits(record, project, database) for project in projects]]
    finally:
        await database.engine.close()
    severest = worst(found)
    hint = severest.hint or next((one.hint for one in found if one.hint), "")
    return replace(severest, message="\n".join(one.message for one in found), hint=hint)


async def _fits(record: Record, project: str, database: Database) -> Finding:
    current = await record.models.resolve(project, None)
    stored = None if current is None else await record.models.find(project, *current)
    if stored is None:
        return warning(*say("health.no_model_of_project", project=project, more=_for(project)))
    named = f"{project}: the model {stored.label}"
    # A thousand tables take a third of a second.
    reading = await asyncio.to_thread(database.read, stored.manifest)
    if reading.manifest is None:
        return _told(f"{named} is not served: it {NO_LONGER_PASSES}:", reading.problems, project)
    found = await check_against_database(database.placed(reading.manifest), database)
    if not found.reached:
        return skipped(f"{named} cannot be compared with its database")
    if not found.warnings:
        count = len(reading.manifest.models)
        tables = "its table is" if count == 1 else f"all its {count} tables are"
        fits = f"{named} fits: {tables} there, with {'its' if count == 1 else 'their'} columns"
        return _fitting(fits, found.without_model)
    return _told(f"{named} does not fit its database:", found.warnings, project)


def _fitting(fits: str, without_model: Sequence[str]) -> Finding:
    """Tables that the model leaves out may be left out on purpose: they are told, and nothing is wrong."""
    if not without_model:
        return ok(fits)
    count, more = len(without_model), len(without_model) - _MOST_TABLES
    named = f"{', '.join(without_model[:_MOST_TABLES])}{f' and {more} more' if more > 0 else ''}"
    which = "1 table of the database is" if count == 1 else f"{count} tables of the database are"
    return Finding(State.OK, *say("health.tables_without_model", fits=fits, which=which, names=named))


def _told(what: str, problems: Sequence[object], project: str) -> Finding:
    shown = [str(problem) for problem in problems[:_MOST_NAMED]]
    if len(problems) > _MOST_NAMED:
        shown.append(f"… and {len(problems) - _MOST_NAMED} more.")
    return failed(*say("health.model_unfit", problems="\n".join([what, *shown]), more=_for(project)))


def _for(project: str) -> str:
    return "" if project == "default" else f' with "project_id": "{project}"'


NO_MODEL = "none configured: rules answer alone"
NO_EMBEDDER = "none: search is by words only"
_JSON = {
    JsonFormat.SCHEMA: "JSON by schema",
    JsonFormat.OBJECT: "JSON objects, their shape described in words",
    JsonFormat.TEXT: "JSON among words",
}


async def model_answers(make: Callable[[], LanguageModel | None], context_window: int, name: str) -> Finding:
    """Compare what the model that `make` connects does, for a few tokens, with the configured `context_window`
    (tokens). `name` is its own in the configuration."""
    model = make()
    if model is None:
        return not_set_up(NO_MODEL)
    try:
        seen = await model.probe()
    finally:
        await model.close()
    state = f"{model.name}: {_described(seen)}"
    if seen.json_format is None:
        return warning(*say("health.model_without_json", state=state, name=name))
    if seen.context_length is not None and seen.context_length < context_window:
        length = seen.context_length
        return warning(*say("health.model_window", state=state, length=length, configured=context_window, name=name))
    return ok(state)


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
