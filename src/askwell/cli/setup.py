"""`askwell setup`: finds the language models that somebody has, tries one, and writes the configuration."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
import yaml

from askwell import local_model
from askwell.cli.local_model import show_progress
from askwell.cli.messages import INTERRUPTED, failures_told, shown, status_of_work
from askwell.cli.options import with_option_groups
from askwell.cli.waiting import until_signalled
from askwell.config import Config, configuration_file, load_config
from askwell.config.hosts import is_web_address, without_secrets
from askwell.config.loading import LOCAL_MODEL
from askwell.config.user_files import (
    keep_key,
    kept_keys,
    key_file,
    models_in,
    user_config,
    with_default_model,
    with_kept_keys,
    write_whole,
)
from askwell.errors import AskwellError, ConfigurationError, ModelUnavailable
from askwell.messages import say
from askwell.observability.logging import configure_logging
from askwell.providers.llm import create_language_model
from askwell.providers.llm.discovery import (
    ModelSource,
    catalogue,
    find_sources,
    full_address,
    known_source,
    refuses_key,
    with_models,
)
from askwell.providers.llm.listing import ListedModel, ModelListing
from askwell.providers.model_server import Late, NotConnected
from askwell.resources import words_file

_SHOWN_MODELS, _SHOWN_CHOICES = 3, 20
# The variable of a key for a server that no provider is known of.
_OWN_KEY = "MODEL_API_KEY"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# The question of the demo that a model is tried with.
_FORM = "having"


@dataclass(frozen=True, kw_only=True)
class SetupOptions:
    """What is chosen beforehand, and what is done with it."""

    provider: Annotated[
        str | None, typer.Option(help="The provider, such as openai, anthropic or ollama; an unknown name lists them.")
    ] = None
    model: Annotated[
        str | None, typer.Option(help="The model's name at the provider; by default the first that fits.")
    ] = None
    url: Annotated[
        str | None, typer.Option(help="The address of a server with OpenAI's API, without a password or key.")
    ] = None
    key_env: Annotated[
        str | None, typer.Option(metavar="NAME", help="The variable that holds the key, never the key itself.")
    ] = None
    keep_key: Annotated[
        bool, typer.Option("--keep-key", help="Copy the key from its variable into a file that only you can read.")
    ] = False
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Ask nothing: take the first model found, and overwrite the configuration."),
    ] = False
    print_only: Annotated[bool, typer.Option("--print", help="Print the configuration, and write nothing.")] = False
    no_try: Annotated[bool, typer.Option("--no-try", help="Don't ask the model anything.")] = False
    fetch: Annotated[bool, typer.Option("--fetch", help="Download the built-in model where it isn't here yet.")] = False
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            "-c",
            dir_okay=False,
            help="The configuration file to write; by default your own, for all folders.",
        ),
    ] = None

    @property
    def asks(self) -> bool:
        """Whether somebody is there to be asked."""
        return not self.yes and sys.stdin.isatty() and sys.stderr.isatty()


@dataclass(frozen=True, slots=True)
class _Choice:
    """A model of a source with its key, and whether that was typed, so that it is in no variable."""

    source: ModelSource
    model: str
    key: str = field(default="", repr=False)
    is_typed: bool = False


@with_option_groups
def setup(options: SetupOptions) -> None:
    """Find the language models that you have, try one with a question about the sample shop, and write it down for all
    commands.

    Status 0 when it is written (or printed), 1 when the model does not answer, 2 for what cannot be used.
    """
    configure_logging("error", as_json=False)
    with failures_told(status_of_work):
        _set_up(options)


def _set_up(options: SetupOptions) -> None:
    file = options.config or user_config(os.environ)
    if file is None:
        raise ConfigurationError(*say("cli.setup_no_home"))
    before = file.read_text(encoding="utf-8") if file.is_file() else ""
    there = models_in(before).get("default")
    model_there = there.get("model", "") if isinstance(there, dict) else ""
    if there is not None and not (options.yes or options.asks or options.print_only):  # before anything is paid for
        raise ConfigurationError(*say("cli.setup_exists", file=file, model=model_there))
    choice = _chosen(options, with_kept_keys(os.environ))
    section, is_local = choice.source.settings(choice.model), choice.source.provider == "local"
    if not options.no_try and not (is_local and options.print_only):  # which writes nothing, its file neither
        if is_local:
            _require_local_model(options, choice.model)
        section = asyncio.run(until_signalled(_tried(options, choice, section)))
    text = with_default_model(before, section)
    if options.print_only:
        typer.echo(text, nl=False)
        return
    replace_it = there is None or options.yes
    if not (replace_it or _agreed("replace", file=file, model=model_there, new=choice.model)):
        raise typer.Exit(INTERRUPTED)
    _keep_key(options, choice)
    write_whole(file, text)
    _tell("written", model=choice.model, file=file)
    _say_what_wins(file)
    _tell("next")


def _require_local_model(options: SetupOptions, name: str) -> None:
    """Have the file of a built-in model here: it is downloaded only where somebody said so. Raises `AskwellError`."""
    model = local_model.known_model(name)
    wanted = options.fetch or model.is_fetched
    if not wanted and options.asks:
        wanted = _agreed("fetch", model=name, download=model.download)
        if not wanted:
            raise typer.Exit(INTERRUPTED)
    if not wanted:
        raise ConfigurationError(*say("cli.setup_download", model=name, download=model.download))
    local_model.fetch(name, progress=show_progress())


# -- choosing -------------------------------------------------------------------------------------------------------


def _chosen(options: SetupOptions, environ: dict[str, str]) -> _Choice:
    """The model that the options name, or that somebody chooses. Raises `ConfigurationError`."""
    if options.key_env is not None and not _VARIABLE.fullmatch(options.key_env):
        raise ConfigurationError(*say("cli.setup_key_env"))
    source = _source(options, environ)
    _require_address(source)
    key, is_typed = environ.get(source.variable, ""), False
    if source.is_hosted and not key:
        if not options.asks:
            raise ConfigurationError(*say("cli.setup_no_key", title=source.title, variable=source.variable))
        key, is_typed = _typed_key(source.title), True
    if options.no_try and options.model is not None:
        return _Choice(source, options.model, key, is_typed)
    if not source.is_listed and source.failure is None:
        source = asyncio.run(with_models(source, {**environ, source.variable: key}))
    if refuses_key(source.failure) and not key and options.asks:
        source = replace(source, variable=_OWN_KEY)
        key, is_typed = _typed_key(source.title), True
        source = asyncio.run(with_models(source, {**environ, source.variable: key}))
    _require_reached(source, key, is_typed=is_typed)
    return _Choice(source, _model(options, source), key, is_typed)


def _source(options: SetupOptions, environ: dict[str, str]) -> ModelSource:
    """Where the model is."""
    local = _local_source()
    if options.provider == "local":
        if local is None:
            raise ConfigurationError(*say("cli.setup_no_local"))
        return local
    if options.provider is not None:
        try:
            source = known_source(options.provider, environ)
        except KeyError:
            known = ", ".join([*catalogue()["hosted"], *catalogue()["servers"], "local"])
            raise ConfigurationError(*say("cli.setup_provider", provider=options.provider, known=known)) from None
        address = options.url and (options.url if source.provider != "openai" else full_address(options.url))
        return replace(source, api_base=address or source.api_base, variable=options.key_env or source.variable)
    if options.url is not None:
        return _server_at(options.url, options.key_env)
    _tell("looking")
    found = asyncio.run(find_sources(environ)) + ((local,) if local is not None else ())
    if options.model is not None:
        found = tuple(one for one in found if options.model in [model.name for model in one.models]) or found
    if options.asks:
        return _asked_source(found, environ)
    _list([(one.title, _detail(one)) for one in found])
    if not found:
        raise ConfigurationError(*say("cli.setup_nothing_found"))
    if not options.yes:
        raise ConfigurationError(*say("cli.setup_choose", first=found[0].id))
    return found[0]


def _local_source() -> ModelSource | None:
    """The models that run by themselves; None where what runs them is not installed."""
    if not local_model.available():
        return None
    known = local_model.known_models()
    models = tuple(ListedModel(name) for name in sorted(known, key=lambda name: name != LOCAL_MODEL))
    first = known[LOCAL_MODEL]
    note = "" if first.is_fetched else _word("to_fetch", download=first.download)
    return ModelSource("local", _word("local"), "", provider="local", models=models, is_listed=True, note=note)


def _server_at(url: str, variable: str | None) -> ModelSource:
    address = full_address(url)
    _require_web_address(address)
    return ModelSource("other", urlsplit(address).netloc.rpartition("@")[2], address, variable or "")


def _asked_source(found: Sequence[ModelSource], environ: dict[str, str]) -> ModelSource:
    more = [(_word("another_provider"), ""), (_word("another_server"), "")]
    if not found:
        _tell("nothing")
    place = _number(_word("which"), [*((one.title, _detail(one)) for one in found), *more])
    if place < len(found):
        return found[place]
    if place > len(found):
        return _server_at(typer.prompt(_word("address"), err=True), None)
    names = list(catalogue()["hosted"])
    titles = [(catalogue()["hosted"][name]["title"], "") for name in names]
    source = known_source(names[_number(_word("which_provider"), titles)], environ)
    return source if source.api_base else replace(source, api_base=typer.prompt(_word("address"), err=True))


def _detail(source: ModelSource) -> str:
    names = [model.name for model in source.models]
    models = ", ".join(names[:_SHOWN_MODELS])
    if len(names) > _SHOWN_MODELS:
        models = _word("more", names=models, count=len(names) - _SHOWN_MODELS)
    key = source.variable and _word("key_in", variable=source.variable)
    return "; ".join(filter(None, (models, key, source.note)))


def _require_address(source: ModelSource) -> None:
    """Raises `ConfigurationError` where there is none, or one with a secret in it, which would stand in the file."""
    if source.provider == "local":
        return
    if not source.api_base:
        raise ConfigurationError(*say("cli.setup_no_address", title=source.title))
    _require_web_address(source.api_base)
    parts = urlsplit(source.api_base)
    if "@" in parts.netloc or parts.query:
        raise ConfigurationError(*say("cli.setup_secret_address", url=without_secrets(source.api_base)))


def _require_web_address(url: str) -> None:
    if not is_web_address(url):
        raise ConfigurationError(*say("cli.no_address", url=without_secrets(url), example="http://127.0.0.1:11434/v1"))


def _require_reached(source: ModelSource, key: str, *, is_typed: bool) -> None:
    """Raises `ConfigurationError`, which says why a source lists no models, where that is a reason to stop."""
    title, url = source.title, source.api_base
    if isinstance(source.failure, NotConnected | Late):
        away = say("cli.setup_no_internet", title=title, url=url)
        raise ConfigurationError(*(away if source.is_hosted else say("cli.setup_no_server", title=title, url=url)))
    # Anthropic wants the key in another header for its list than for its answers.
    if refuses_key(source.failure) and not (key and source.models):
        refused = say("cli.setup_key_refused", title=title, variable=source.variable)
        refused = say("cli.setup_key_typed", title=title) if is_typed else refused
        raise ConfigurationError(*(refused if key else say("cli.setup_wants_key", title=title)))


def _model(options: SetupOptions, source: ModelSource) -> str:
    listing = ModelListing(source.models)
    if options.model is not None:
        if source.is_listed and listing.find(options.model) is None:
            near = ", ".join(listing.near(options.model))
            raise ConfigurationError(
                *say("cli.setup_unknown_model", title=source.title, model=options.model, near=near)
            )
        return options.model
    if not listing.names:
        if not options.asks:
            raise ConfigurationError(*say("cli.setup_no_models", title=source.title))
        return str(typer.prompt(_word("deployment" if source.provider != "openai" else "which_model"), err=True))
    if not options.asks or len(listing.names) == 1 or not source.is_listed:
        return listing.names[0]
    shown_names = listing.names[:_SHOWN_CHOICES]
    return shown_names[_number(_word("which_model"), [(name, "") for name in shown_names])]


# -- trying ---------------------------------------------------------------------------------------------------------


async def _tried(options: SetupOptions, choice: _Choice, section: dict[str, Any]) -> dict[str, Any]:
    """The section, with the window that the server was found to have; somebody has seen how the model answers. Raises
    `AskwellError` where it does not answer at all."""
    _tell("trying", model=choice.model)
    model = create_language_model(_trial_config(choice, section).llm["default"])
    assert model is not None
    try:
        seen = await model.probe()
    except ModelUnavailable as error:
        raise _in_words_of_setup(error) from None
    finally:
        await model.close()
    if choice.source.provider != "local":  # whose window is set aside as it is configured
        window = seen.context_length or section.get("context_window") or catalogue()["unknown_window"]
        section = {**section, "context_window": min(window, section.get("context_window", window))}
        if window < catalogue()["unknown_window"]:
            _tell("small_window", title=choice.source.title, window=window)
    if not await _answers_rightly(_trial_config(choice, section)):
        _tell("not_good")
        if options.asks and not _agreed("anyway"):
            raise typer.Exit(1)
    return section


def _trial_config(choice: _Choice, section: dict[str, Any]) -> Config:
    """The configuration of the model alone, without rules, and without what is not needed for one question."""
    alone = {"embedder": {"default": {"provider": "none"}}, "settings": {"rules_mode": "off"}}
    with tempfile.TemporaryDirectory(prefix="askwell-setup-") as folder:
        file = Path(folder) / "config.yaml"
        file.write_text(yaml.safe_dump({"llm": {"default": section}, **alone}), encoding="utf-8")
        return load_config(file, {choice.source.variable: choice.key})


def _in_words_of_setup(error: AskwellError) -> AskwellError:
    """The error with the options of this command in place of sections of the configuration."""
    hint = error.hint
    for said, instead in words_file("askwell.cli", "words.yaml")["setup_options"].items():
        hint = hint.replace(said, instead)
    return AskwellError(error.message, hint)


async def _answers_rightly(config: Config) -> bool:
    """Whether the model answers a question about the sample shop; how it went is printed. Raises `AskwellError` where
    the model does not reply."""
    from askwell.cli.local.trial import trial
    from askwell.sample.demo import demo_questions, reference_rows
    from askwell.sample.shop import generate_shop, shop_manifest
    from askwell.sql.query_result import QueryResult, shows

    question, today = next(one for one in demo_questions() if one.form == _FORM), datetime.now(UTC).date()
    with tempfile.TemporaryDirectory(prefix="askwell-shop-") as folder:
        shop = Path(folder) / "shop.duckdb"
        await asyncio.to_thread(generate_shop, shop, today)
        async with trial(config, {"shop": shop}) as asked:
            await asked.prepare("shop", shop_manifest())
            _tell("question", question=question.text_on(today))
            reply = await asked.ask("shop", question.text_on(today))
            error = reply.result.get("error") or {}
            if error.get("code") == AskwellError.code:
                raise _in_words_of_setup(AskwellError(error["message"], error.get("hint", "")))
            sql = reply.result.get("planned_sql", "")
            given = await asked.rows("shop", sql) if reply.result["status"] == "finished" and sql else None
        right = await asyncio.to_thread(reference_rows, shop, question.reference, today)
    is_right = isinstance(given, QueryResult) and shows(right, given.rows, ordered=question.ordered)
    usage = reply.result.get("usage") or {}
    cost = usage.get("cost_usd", 0.0)
    tokens = usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0)
    facts = {
        "seconds": reply.seconds,
        "tokens": _word("counted", tokens=tokens) if tokens else "",
        "cost": _word("costing", cost=cost) if cost else "",
    }
    outcome = "right" if is_right else "wrong" if given is not None else "unanswered"
    _tell(outcome, **facts, reason=error.get("message", ""))
    return is_right


# -- writing --------------------------------------------------------------------------------------------------------


def _keep_key(options: SetupOptions, choice: _Choice) -> None:
    """Keep the key in a file where it was typed or that is wanted; else say where it stays."""
    variable = choice.source.variable
    if not choice.key or (not choice.is_typed and kept_keys(os.environ).get(variable) == choice.key):
        return
    wanted = choice.is_typed or options.keep_key
    if not wanted and options.asks:
        wanted = _agreed("keep_key", file=key_file(os.environ), variable=variable)
    if wanted:
        _tell("kept_key", file=keep_key(os.environ, variable, choice.key))
    else:
        _tell("key_stays", variable=variable)


def _say_what_wins(written: Path) -> None:
    """Say where another file has its own language models, in this folder."""
    file = configuration_file(None, os.environ)
    if file is not None and file.resolve() != written.resolve() and file.is_file() and models_in(file.read_text()):
        _tell("shadowed", file=file)


# -- words ----------------------------------------------------------------------------------------------------------


def _word(code: str, /, **values: object) -> str:
    text: str = words_file("askwell.cli", "words.yaml")["setup"][code]
    return text.format(**values)


def _tell(code: str, /, **values: object) -> None:
    typer.echo(shown(_word(code, **values)), err=True)


def _agreed(code: str, /, **values: object) -> bool:
    return typer.confirm(_word(code, **values), err=True)


def _list(entries: Sequence[tuple[str, str]]) -> None:
    width = max((len(title) for title, _ in entries), default=0)
    for number, (title, detail) in enumerate(entries, 1):
        typer.echo(shown(f"  {number}. {title:<{width}}  {detail}".rstrip()), err=True)


def _number(question: str, entries: Sequence[tuple[str, str]]) -> int:
    """The place of the entry that somebody chooses by its number."""
    _list(entries)
    number = 0
    while not 0 < number <= len(entries):
        number = typer.prompt(question, type=int, default=1, err=True)
    return number - 1


def _typed_key(title: str) -> str:
    return str(typer.prompt(_word("key", title=title), hide_input=True, err=True)).strip()
