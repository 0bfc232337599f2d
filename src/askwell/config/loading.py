"""`load_config`: file and environment in, a `Config` or one error that lists every problem out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from askwell.config import checks
from askwell.config.databases import check_databases
from askwell.config.environment import lay_over
from askwell.config.problems import Origins, Problem, in_words
from askwell.config.problems import Path as KeyPath
from askwell.config.reading import Reading, with_values
from askwell.config.schema import Config
from askwell.config.user_files import user_config, with_kept_keys
from askwell.config.yaml_source import read_yaml
from askwell.errors import ConfigurationError
from askwell.messages import say

HINT = "Every key is described in docs/configuration/README.md."
DEFAULT_FILE = "config.yaml"

# For `llm` sections of the provider `local`, and the time of an ask with one.
LOCAL_MODEL, LOCAL_WINDOW = "qwen2.5-coder-1.5b", 16_384
_LOCAL_MODEL = {"model": LOCAL_MODEL, "context_window": LOCAL_WINDOW, "timeout": 900}
_LOCAL_ASK_SECONDS = 1_800


def load_config(path: Path | None, environ: Mapping[str, str]) -> Config:
    """The configuration of a file and an environment; the environment wins.

    Without a `path`, the file that the variable `ASKWELL_CONFIG` names is read, or a config.yaml in the working
    directory, or the person's own. Where it has no `llm` section, that of the person's own counts. Relative paths mean
    the file's folder; in one's own file, and when there is none, the working directory. A key that a variable should
    hold may be in the person's key file. Raises `ConfigurationError` with every problem at once: file and line (or
    variable), key, what is wrong, and the nearest valid name.
    """
    file, own = configuration_file(path, environ), user_config(environ)
    origins = Origins(str(file) if file is not None else "configuration")
    data, problems = read_yaml(_text(file), origins) if file is not None else ({}, [])
    if data.get("llm") is None and own is not None and own != file and own.is_file():
        problems += _take_own_models(own, data, origins)
    problems += lay_over(data, environ, origins, Config)
    _fill_in_language_model(data, environ)
    _fill_in_local_models(data)

    reading = Reading(data, with_kept_keys(environ), origins, problems)
    config = _validated(reading)
    for check in _CHECKS:
        check(reading)
    if reading.problems or config is None:
        raise ConfigurationError(_listing(file, reading.problems), HINT)
    base = file.parent if file is not None and file != own else Path()
    finished: Config = with_values(config, reading.found | _absolute(config, base))
    return finished


_CHECKS = (
    checks.check_references,
    checks.check_servers,
    check_databases,
    checks.check_tracing,
    checks.check_record,
    checks.check_document_store,
    checks.check_sign_in,
    checks.check_jobs,
)


def configuration_file(path: Path | None, environ: Mapping[str, str]) -> Path | None:
    """The file that `load_config` reads, whether it is there or not; None where none is named or found."""
    named = path or (Path(environ["ASKWELL_CONFIG"]) if environ.get("ASKWELL_CONFIG") else None)
    if named is not None:
        return named
    own = user_config(environ)
    return next((one for one in (Path(DEFAULT_FILE), own) if one is not None and one.is_file()), None)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigurationError(*say("config.file_missing", file=file)) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ConfigurationError(*say("config.file_unreadable", file=file, reason=reason)) from None


def _take_own_models(own: Path, data: dict[str, Any], origins: Origins) -> list[Problem]:
    """Take the language models of the person's own file; the problems with its form."""
    theirs = Origins(str(own))
    found, problems = read_yaml(_text(own), theirs)
    if found.get("llm") is not None:
        data["llm"] = found["llm"]
        origins.places |= {path: place for path, place in theirs.places.items() if path[0] == "llm"}
    return problems


def _fill_in_language_model(data: dict[str, Any], environ: Mapping[str, str]) -> None:
    """Without an `llm` section a key in the environment is enough to turn the default model on."""
    if data.get("llm") is None:
        data["llm"] = {"default": {"provider": "openai" if environ.get(checks.OPENAI_KEY) else "none"}}
    # An empty section (`data_sources:` with everything under it commented out) means the defaults.
    for section in [name for name, value in data.items() if value is None]:
        del data[section]


def _fill_in_local_models(data: dict[str, Any]) -> None:
    """What is usual for models on this machine's own processors, which take minutes where servers take seconds."""
    models = data["llm"].values() if isinstance(data["llm"], dict) else ()
    local = [model for model in models if isinstance(model, dict) and model.get("provider") == "local"]
    for model in local:
        model.update(_LOCAL_MODEL | model)
    settings = data.setdefault("settings", {}) if local else None
    if isinstance(settings, dict):
        settings.setdefault("ask_deadline", _LOCAL_ASK_SECONDS)


def _validated(reading: Reading) -> Config | None:
    try:
        return Config.model_validate(reading.data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            # A chosen name that does not suit is reported by pydantic as (…, name, "[key]").
            path = tuple(part for part in detail["loc"] if part != "[key]")
            reading.report(path, in_words(detail, Config))
        return None


def _absolute(config: Config, base: Path) -> dict[KeyPath, Path]:
    """The paths that the configuration names, made absolute."""
    named: dict[KeyPath, Path | None] = {
        ("home",): config.home,
        ("lessons_file",): config.lessons_file,
        ("sql_pairs_path",): config.sql_pairs_path,
        ("prompts_path",): config.prompts_path,
        ("sign_in", "audit", "path"): config.sign_in.audit.path,
        **{("data_sources", name, "path"): source.path for name, source in config.data_sources.items()},
    }
    return {key: base.resolve() / path.expanduser() for key, path in named.items() if path}


def _listing(file: Path | None, problems: list[Problem]) -> str:
    subject = f"{file}" if file is not None else "The configuration"
    count = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
    return "\n  ".join(
        [f"{subject} has {count}:", *(str(problem) for problem in sorted(problems, key=lambda problem: problem.order))]
    )
