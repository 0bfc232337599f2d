"""`load_config`: file and environment in, a `Config` or one error that lists every problem out.

What belongs together in `document_store`: a Qdrant server's place, and its key, which only the environment holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import SecretStr, ValidationError

from askwell.config.databases import check_databases, database_secrets
from askwell.config.environment import lay_over
from askwell.config.jobs import check_jobs
from askwell.config.named_variables import named_variable
from askwell.config.oidc import oidc_secrets
from askwell.config.problems import Origins, Problem, did_you_mean, in_words
from askwell.config.problems import Path as KeyPath
from askwell.config.record import record_url
from askwell.config.schema import PIPELINES, Config
from askwell.config.servers import OPENAI_KEY, check_servers, server_keys
from askwell.config.sign_in import SignInConfig, admin_key
from askwell.config.tracing import tracing_keys
from askwell.config.yaml_source import read_yaml
from askwell.errors import ConfigurationError

_QDRANT_ONLY = ("location", "api_key_env", "timeout", "collection_prefix")


def document_store_key(
    data: Mapping[str, Any], environ: Mapping[str, str], origins: Origins
) -> tuple[dict[str, SecretStr], list[Problem]]:
    """`api_key`, where the section names the variable that holds it, and what is wrong with the section as a whole."""
    section = data.get("document_store")
    if not isinstance(section, Mapping):
        return {}, []
    here = "document_store"
    problems: list[Problem] = []
    if "api_key" in section:
        problems.append(origins.misplaced_key((here, "api_key")))
    if section.get("provider") != "qdrant":
        what = "is a key of the provider qdrant only."
        return {}, problems + [origins.problem((here, key), what) for key in _QDRANT_ONLY if key in section]
    if section.get("location") is None:
        what = "is missing: the URL of the Qdrant server, for example http://qdrant:6333."
        problems.append(origins.problem((here, "location"), what))
    key, missing = named_variable((here, "api_key_env"), section.get("api_key_env"), environ, origins)
    return ({"api_key": SecretStr(key)} if key else {}), problems + missing


HINT = "Every key is described in docs/configuration/README.md."
DEFAULT_FILE = "config.yaml"


def load_config(path: Path | None, environ: Mapping[str, str]) -> Config:
    """The configuration of a file and an environment; the environment wins.

    Without a `path`, the variable `ASKWELL_CONFIG` or a config.yaml in the working directory is read if it is there.
    Relative paths mean the file's folder, or the working directory when there is no file. Raises `ConfigurationError`
    with every problem at once: file and line (or variable), key, what is wrong, and the nearest valid name.
    """
    file = configuration_file(path, environ)
    origins = Origins(str(file) if file is not None else "configuration")
    data, problems = read_yaml(_text(file), origins) if file is not None else ({}, [])
    problems += lay_over(data, environ, origins, Config)
    _fill_in_language_model(data, environ)

    config, found = _validated(data, origins)
    problems += found
    problems += _references(data, origins)
    keys, missing = server_keys(data, environ, origins)
    secrets, wrong = database_secrets(data, environ, origins)
    traces, untraced = tracing_keys(data, environ, origins)
    record, unrecorded = record_url(data, environ, origins)
    index, unindexed = document_store_key(data, environ, origins)
    who, unknown = admin_key(data, environ, origins)
    sessions, client, unsigned = oidc_secrets(data, environ, origins)
    problems += missing + check_servers(data, origins) + check_databases(data, origins)
    problems += wrong + untraced + unrecorded + unindexed + unknown + unsigned + check_jobs(data, origins)
    if problems or config is None:
        raise ConfigurationError(_listing(file, problems), HINT)
    base = file.parent.resolve() if file is not None else Path.cwd()
    return _finished(config, keys, secrets, traces, record, index, (who | sessions, client), base=base)


def configuration_file(path: Path | None, environ: Mapping[str, str]) -> Path | None:
    """The file that `load_config` reads, whether it is there or not; None where none is named or found."""
    named = path or (Path(environ["ASKWELL_CONFIG"]) if environ.get("ASKWELL_CONFIG") else None)
    if named is not None:
        return named
    return Path(DEFAULT_FILE) if Path(DEFAULT_FILE).is_file() else None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigurationError(
            f"The configuration file {file} does not exist.",
            "Check the path, or start without --config to use the defaults.",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ConfigurationError(f"The configuration file {file} cannot be read: {reason}.", HINT) from None


def _fill_in_language_model(data: dict[str, Any], environ: Mapping[str, str]) -> None:
    """Without an `llm` section a key in the environment is enough to turn the default model on."""
    if data.get("llm") is None:
        data["llm"] = {"default": {"provider": "openai" if environ.get(OPENAI_KEY) else "none"}}
    # An empty section (`data_sources:` with everything under it commented out) means the defaults.
    for section in [name for name, value in data.items() if value is None]:
        del data[section]


def _validated(data: Mapping[str, Any], origins: Origins) -> tuple[Config | None, list[Problem]]:
    try:
        return Config.model_validate(data), []
    except ValidationError as error:
        problems = []
        for detail in error.errors(include_url=False):
            # A chosen name that does not suit is reported by pydantic as (…, name, "[key]").
            path = tuple(part for part in detail["loc"] if part != "[key]")
            problems.append(origins.problem(path, in_words(detail, Config)))
        return None, problems


def _references(data: Mapping[str, Any], origins: Origins) -> list[Problem]:
    """Names that point to other parts of the configuration."""
    problems = []
    models = data["llm"] if isinstance(data["llm"], Mapping) else {}
    if models and "default" not in models:
        what = "is missing: every pipeline that names no other model uses it."
        problems.append(origins.problem(("llm", "default"), what))
    pipelines = data.get("pipelines")
    for name, pipeline in pipelines.items() if isinstance(pipelines, Mapping) else ():
        here = ("pipelines", name)
        if name not in PIPELINES:
            what = f"unknown pipeline.{did_you_mean(name, PIPELINES)}"
            problems.append(origins.problem(here, what))
        model = pipeline.get("llm") if isinstance(pipeline, Mapping) else None
        if isinstance(model, str) and model and model not in models:
            what = f'names the model "{model}", which is not in `llm`.{did_you_mean(model, list(models))}'
            problems.append(origins.problem((*here, "llm"), what))
        elif isinstance(model, str) and _is_off(models.get(model)) and not _is_off(models.get("default")):
            what = f'names the model "{model}", whose provider is none.'
            problems.append(origins.problem((*here, "llm"), what))
    return problems


def _is_off(model: object) -> bool:
    return isinstance(model, Mapping) and model.get("provider") == "none"


def _finished(
    config: Config,
    keys: Mapping[KeyPath, SecretStr],
    secrets: Mapping[str, dict[str, SecretStr]],
    traces: Mapping[str, Any],
    record: Mapping[str, SecretStr | None],
    index: Mapping[str, SecretStr],
    who: tuple[Mapping[str, SecretStr], Mapping[str, SecretStr]],
    base: Path,
) -> Config:
    """Secrets put in, paths made absolute."""
    llm = {name: model.model_copy(update={"api_key": keys.get(("llm", name))}) for name, model in config.llm.items()}
    embedder = config.embedder.default.model_copy(update={"api_key": keys.get(("embedder", "default"))})
    sources = {
        name: source.model_copy(
            update=secrets.get(name, {}) | ({"path": base / source.path.expanduser()} if source.path else {})
        )
        for name, source in config.data_sources.items()
    }
    return config.model_copy(
        update={
            "home": base / config.home.expanduser(),
            "lessons_file": base / config.lessons_file.expanduser() if config.lessons_file else None,
            "sql_pairs_path": base / config.sql_pairs_path.expanduser() if config.sql_pairs_path else None,
            "prompts_path": base / config.prompts_path.expanduser() if config.prompts_path else None,
            "document_store": config.document_store.model_copy(update=index),
            "llm": MappingProxyType(llm),
            "embedder": config.embedder.model_copy(update={"default": embedder}),
            "data_sources": MappingProxyType(sources),
            "tracing": config.tracing.model_copy(update=traces),
            "sign_in": _signed_in(config.sign_in, *who, base),
            "knowledge": config.knowledge.model_copy(update=record),
        }
    )


def _signed_in(
    section: SignInConfig, secrets: Mapping[str, SecretStr], client: Mapping[str, SecretStr], base: Path
) -> SignInConfig:
    path = section.audit.path
    audit = section.audit.model_copy(update={"path": base / path.expanduser() if path else None})
    oidc = section.oidc.model_copy(update=client) if section.oidc else None
    return section.model_copy(update={**secrets, "audit": audit, "oidc": oidc})


def _listing(file: Path | None, problems: list[Problem]) -> str:
    subject = f"{file}" if file is not None else "The configuration"
    count = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
    return "\n  ".join(
        [f"{subject} has {count}:", *(str(problem) for problem in sorted(problems, key=lambda problem: problem.order))]
    )
