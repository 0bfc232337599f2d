"""What `askwell doctor` looks at: a check for each configured part, made by the same factories as the service's own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from askwell import parts
from askwell.config import Config, DataSourceConfig, LlmConfig, record_place, record_setting
from askwell.config.sign_in import OidcConfig
from askwell.config.user_files import state_file
from askwell.knowledge.record import FILE_NAME, Record
from askwell.messages import say
from askwell.providers.document_store.base import DocumentStore
from askwell.providers.llm import create_language_model
from askwell.services.database import Database
from askwell.services.health.backends import (
    home_is_writable,
    record_opens,
    redis_answers,
    store_answers,
    traces_can_be_sent,
    what_models_are_told,
)
from askwell.services.health.databases import database_answers, port_is_free, sign_in_is_said
from askwell.services.health.finding import Check, Finding, State, failed, ok, warning
from askwell.services.health.models import embedder_embeds, model_answers, models_fit, similar_questions_are_known
from askwell.services.sql_pair_file import read_pair_file
from askwell.services.uploads import uploaded_projects

T = TypeVar("T")

# Lists of everyday words are read, which waits for all that the other looks do at the same time.
_WORDS_SECONDS = 30.0
# A server that has to load a model first takes longer than one that only has to answer.
_MODEL_SECONDS = 30.0
_MODEL_LATE = "A model that its server loads first is late once: run this again. Else take a faster one."
_DATABASE_SECONDS = 15.0
# A server that is away says so after five.
_RECORD_SECONDS = 8.0
# Three requests, and what a connection takes.
_ISSUER_SECONDS = 25.0
# By so much clocks differ without anybody's fault; tokens are taken with twice as much.
_CLOCK_SECONDS = 30.0


def checks(config: Config, file: Path | None) -> dict[str, Check]:
    """By part. None of them changes anything, or takes anything from a service that runs. `file` is where the
    configuration was read from. Takes a second or two, for libraries: no check's time limit should pay for them."""
    read = f"{file}, without a problem" if file is not None else "no file: defaults and the environment"
    place, record_file = _place(config)
    found = {
        "configuration": Check(partial(_said, ok(read))),
        "server": Check(partial(port_is_free, config.server)),
        "sign_in": Check(partial(sign_in_is_said, config.server, config.sign_in)),
        "home": Check(partial(home_is_writable, config.home, has_record=record_file is not None)),
        "record": Check(partial(record_opens, partial(_record, config), place, record_file), _RECORD_SECONDS),
        **_workers(config),
        **_models(config),
        "embedder": Check(
            partial(embedder_embeds, partial(parts.embedder, config), config.embedder.default.provider, config.home),
            _DATABASE_SECONDS,
        ),
        **_history(config),
        "document_store": Check(
            partial(_store, _made(partial(parts.document_store, config)), config.document_store.name)
        ),
    }
    if config.sql_pairs_path is not None:
        found["sql_pairs"] = Check(partial(_pairs, config.sql_pairs_path))
    for name, source in config.data_sources.items():
        answers = partial(database_answers, _made(partial(_database, source)), source)
        found[f"data_source.{name}"] = Check(answers, _DATABASE_SECONDS)
        database, projects = _made(partial(_database, source)), partial(_projects_of, config, name)
        fit = partial(models_fit, partial(_record, config), projects, database, config.admits)
        found[f"semantic_model.{name}"] = Check(fit, _DATABASE_SECONDS)
    if not config.data_sources:
        none = warning("There is none, so nothing can be asked.", "Name a database under `data_sources`.")
        found["data_source"] = Check(partial(_said, none))
    servers = {
        "langfuse": (config.tracing.host, "tracing.host"),
        "otlp": (config.tracing.endpoint or "", "tracing.endpoint"),
    }
    chosen: dict[str, tuple[str, str]] = {name: servers[name] for name in config.tracing.provider}
    found["privacy"] = Check(partial(what_models_are_told, config), _WORDS_SECONDS)
    found["tracing"] = Check(partial(traces_can_be_sent, _made(partial(parts.tracing, config)), chosen))
    if config.sign_in.oidc is not None:
        found["issuer"] = Check(partial(_issuer, config.sign_in.oidc), _ISSUER_SECONDS)
    return found


def _workers(config: Config) -> dict[str, Check]:
    if (redis := config.jobs.redis) is None:
        return {}
    return {"redis": Check(partial(redis_answers, redis.get_secret_value()))}


def _models(config: Config) -> dict[str, Check]:
    found = {}
    for name in parts.models_in_use(config) or ["default"]:
        chosen = config.llm[name]
        model = _made(partial(create_language_model, chosen))
        answers = partial(_with_quality, partial(model_answers, model, chosen.context_window, name), chosen)
        found[f"language_model.{name}"] = Check(answers, _MODEL_SECONDS, _MODEL_LATE)
    return found


async def _with_quality(look: Callable[[], Awaitable[Finding]], chosen: LlmConfig) -> Finding:
    """What `askwell measure` found of the model that answers, beside what is found now."""
    finding = await look()
    if finding.state is not State.OK or not finding.is_set_up:
        return finding
    quality = say("health.not_measured").message
    file = state_file(os.environ, "measured.json")
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(file.read_text(encoding="utf-8")) if file is not None else {}
        if finding.message.startswith(f"{kept['model']}: ") and kept["api_base"] == (chosen.api_base or ""):
            right, unsaid = kept["right"] + kept["right_unsure"], kept["wrong_unsaid"]
            quality = say(
                "health.measured", day=kept["at"][:10], right=right, asked=kept["asked"], unsaid=unsaid
            ).message
    return replace(finding, message=f"{finding.message}; {quality}")


def _history(config: Config) -> dict[str, Check]:
    if config.settings.history_match == "exact":
        return {}
    measured, provider = partial(parts.measured_embedder, config), config.embedder.default.provider
    return {"history_match": Check(partial(similar_questions_are_known, measured, provider))}


def _made(make: Callable[[], T]) -> Callable[[], T]:
    """What `make` gives, made now; where that fails, its caller gets the reason."""
    try:
        made = make()
    except Exception as error:  # noqa: BLE001 - one broken part must not hide the others
        failure = error

        def fails() -> T:
            raise failure

        return fails
    return lambda: made


async def _said(finding: Finding) -> Finding:
    return finding


async def _record(config: Config) -> Record | None:
    knowledge = config.knowledge
    return await Record.look(knowledge.url.get_secret_value(), config.home, setting=record_setting(knowledge))


async def _pairs(path: Path) -> Finding:
    file = await asyncio.to_thread(read_pair_file, path)
    count = sum(map(len, file.pairs.values()))
    line = f"{path}: {count} SQL {'pair' if count == 1 else 'pairs'} to load"
    if not file.problems:
        return ok(line)
    return warning(f"{line}, and {len(file.problems)} that can't be: {file.problems[0]}", "Correct them in the file.")


async def _issuer(oidc: OidcConfig) -> Finding:
    facts = await parts.issuer_facts(oidc)
    line = f"{oidc.issuer}: {facts.keys} {'key' if facts.keys == 1 else 'keys'} for {', '.join(oidc.algorithms)}"
    if not facts.keys:
        return failed(f"{line}; no token can be checked", "Add the issuer's algorithm to sign_in.oidc.algorithms.")
    if oidc.signs_in_browsers and not facts.has_sign_in:
        return failed(f"{line}; it does not say where people sign in", "Remove sign_in.oidc.redirect_url.")
    if facts.shared_names:
        names = ", ".join(facts.shared_names)
        return warning(f"{line}; several have the name {names}, and none of those is used", "Have the issuer fix it.")
    if facts.clock_off is not None and abs(facts.clock_off) > _CLOCK_SECONDS:
        which = "before" if facts.clock_off > 0 else "behind"
        return warning(
            f"{line}; its clock is {abs(facts.clock_off):.0f} seconds {which} ours", "Set both clocks by NTP."
        )
    return ok(line)


def _place(config: Config) -> tuple[str, Path | None]:
    """Where the record is, in words, and its file where it is one."""
    server, file = record_place(config.knowledge), config.home / FILE_NAME
    return (str(file), file) if server is None else (server, None)


async def _store(make: Callable[[], DocumentStore], provider: str) -> Finding:
    store = make()
    try:
        return await store_answers(store, provider)
    finally:
        await store.close()


def _projects_of(config: Config, name: str, with_model: Sequence[str]) -> list[str]:
    """The data source's own project; for a shared one also those that have a model and no data source, nor a file that
    was uploaded."""
    elsewhere = {*config.data_sources, *uploaded_projects(config.home)}
    shared = [one for one in with_model if one not in elsewhere] if config.data_sources[name].shared else []
    # A shared database may be there for other projects only.
    return shared if shared and name not in with_model else [name, *shared]


def _database(source: DataSourceConfig) -> Database:
    return parts.database(source, parts.engine(source))
