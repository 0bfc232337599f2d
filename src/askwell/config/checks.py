"""What belongs together in each section, and what the environment alone holds of it: keys, passwords, addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from pydantic import SecretStr

from askwell.config.databases import holds_secret, parsed_url
from askwell.config.hosts import is_web_address
from askwell.config.problems import Path, did_you_mean, words
from askwell.config.reading import Reading
from askwell.config.schema import PIPELINES, KnowledgeConfig, TracingConfig
from askwell.config.sign_in import check_admin_key, check_session_secret

# The variable that holds the key where `api_key_env` names none. OPENAI_API_KEY is sent to OpenAI only: another
# server's key has to be named, so that no key goes where it does not belong.
OPENAI_KEY = "OPENAI_API_KEY"
AZURE_KEY = "AZURE_OPENAI_API_KEY"
_EXAMPLES = {
    "model": {"openai": "text-embedding-3-small", "azure_openai": "the deployment's name"},
    "dimensions": {"openai": "1536", "azure_openai": "1536"},
    "api_base": {"azure_openai": "https://my-resource.openai.azure.com"},
}
# (section, provider) → the keys that it needs.
_NEEDED = {
    ("embedder", "openai"): ("model", "dimensions"),
    ("embedder", "azure_openai"): ("api_base", "model", "dimensions"),
    ("llm", "azure_openai"): ("api_base", "model"),
}
# What may stand beside `component`; all else belongs into `init`.
_BESIDE_COMPONENT = {
    "llm": {"component", "init", "timeout", "context_window", "prices"},
    "embedder": {"component", "init", "timeout", "dimensions"},
    "document_store": {"component", "init", "timeout"},
}
# What a component's parameters call where its server is, and names of secrets in them.
_ADDRESSES = ("url", "api_base_url", "base_url", "azure_endpoint", "endpoint", "host")
_SECRET = re.compile(
    r"(?:^|_)(?:(?:api|access|secret)_?key(?:_id)?|token|password|secret|authorization|credentials?)$", re.IGNORECASE
)
_QDRANT_ONLY = ("location", "api_key_env", "timeout", "collection_prefix")


def check_servers(reading: Reading) -> None:
    """Language models and the embedder: keys that a provider needs and lacks, or that only another one has."""
    for here, server in _servers(reading):
        if _is_component(reading, here):
            continue
        provider = str(server["provider"])
        if "api_key" in server:
            reading.refuse_key((*here, "api_key"))
        if provider in ("openai", "azure_openai"):
            reading.take_variable((*here, "api_key_env"), server.get("api_key_env") or _usual_key(server), "api_key")
        for key in _NEEDED.get((str(here[0]), provider), ()):
            if server.get(key) is None:
                reading.refuse((*here, key), "needed", provider=provider, example=_EXAMPLES[key][provider])
        if server.get("api_version") is not None and provider != "azure_openai":
            reading.refuse((*here, "api_version"), "azure_only")
        for key in ("api_base", "api_key_env") if provider == "local" else ():
            if server.get(key) is not None:
                reading.refuse((*here, key), "not_local")


def _is_component(reading: Reading, here: Path) -> bool:
    """Whether a section names a component of Haystack's ecosystem, which is checked as far as it goes without it."""
    section = reading.section(*map(str, here))
    is_named, init = section.get("component") is not None, section.get("init") or {}
    if not is_named:
        if section.get("provider") == "component":
            reading.refuse((*here, "component"), "component_missing")
        elif init:
            reading.refuse((*here, "init"), "init_only")
        return section.get("provider") == "component"
    for key in section.keys() - _BESIDE_COMPONENT[str(here[0])]:
        reading.refuse((*here, key), "beside_component")
    if here[0] == "embedder" and section.get("dimensions") is None:
        reading.refuse((*here, "dimensions"), "component_dimensions")
    reading.found[(*here, "provider")] = "component"
    if not isinstance(init, Mapping):
        return True  # reported already
    _check_init(reading, (*here, "init"), init)
    if here[0] != "document_store":
        name = init.get("model") or init.get("azure_deployment") or str(section["component"]).rpartition(".")[2]
        reading.found[(*here, "model")] = str(name)
        address = next((str(init[key]) for key in _ADDRESSES if init.get(key)), "")
        reading.found[(*here, "api_base")] = address if address.startswith("http") else None
    return True


def _check_init(reading: Reading, here: Path, init: Mapping[str, Any]) -> None:
    """Secrets among a component's parameters: named as variables that are set, never written out."""
    for key, value in init.items():
        path = (*here, str(key))
        if isinstance(value, Mapping):
            named = value.get("env_vars") or ()
            names = [named] if isinstance(named, str) else list(named)
            if names and value.get("strict", True) and not any(reading.environ.get(str(name)) for name in names):
                reading.variable(path, names[0])
            _check_init(reading, path, value)
        elif isinstance(value, str) and value and _SECRET.search(str(key)):
            reading.refuse(path, "secret_form")


def _usual_key(server: Mapping[str, Any]) -> str | None:
    if server["provider"] == "azure_openai":
        return AZURE_KEY
    return None if server.get("api_base") else OPENAI_KEY


def _servers(reading: Reading) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Every section that may name a server with a key, with its provider filled in."""
    for name, model in reading.sections("llm"):
        yield ("llm", name), {"provider": "openai", **model}
    for name, embedder in reading.sections("embedder"):
        if name == "default":
            yield ("embedder", name), {"provider": "minilm", **embedder}


def check_references(reading: Reading) -> None:
    """Names that point to other parts of the configuration."""
    models = reading.section("llm")
    if models and "default" not in models:
        reading.refuse(("llm", "default"), "default_model")
    for name, pipeline in reading.section("pipelines").items():
        here = ("pipelines", name)
        if name not in PIPELINES:
            reading.refuse(here, "unknown_pipeline", nearest=did_you_mean(name, PIPELINES))
        model = pipeline.get("llm") if isinstance(pipeline, Mapping) else None
        if isinstance(model, str) and model and model not in models:
            nearest = did_you_mean(model, list(models))
            reading.refuse((*here, "llm"), "model_unknown", model=model, nearest=nearest)
        elif isinstance(model, str) and _is_off(models.get(model)) and not _is_off(models.get("default")):
            reading.refuse((*here, "llm"), "model_off", model=model)


def _is_off(model: object) -> bool:
    return isinstance(model, Mapping) and model.get("provider") == "none"


def check_document_store(reading: Reading) -> None:
    """A Qdrant server's place, and its key."""
    here, section = "document_store", reading.section("document_store")
    if "api_key" in section:
        reading.refuse_key((here, "api_key"))
    if _is_component(reading, (here,)):
        return
    if section.get("provider") != "qdrant":
        for key in _QDRANT_ONLY:
            if key in section:
                reading.refuse((here, key), "qdrant_only")
        return
    if section.get("location") is None:
        reading.refuse((here, "location"), "qdrant_location")
    reading.take_variable((here, "api_key_env"), section.get("api_key_env"), "api_key")


# -- traces -----------------------------------------------------------------------------------------------------------

# OpenTelemetry's own variables, which say what the configuration leaves open: that of traces first.
_OF_TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
_OF_ALL = "OTEL_EXPORTER_OTLP_ENDPOINT"
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_PROTOCOL = "http/protobuf"
_COLLECTOR = "http://localhost:4318"
_TRACES_PATH = "/v1/traces"
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def check_tracing(reading: Reading) -> None:
    """Keys and headers of the chosen providers, and where traces are sent."""
    section = reading.section("tracing")
    for key in ("public_key", "secret_key", "headers"):
        if key in section:
            reading.refuse_key(("tracing", key))
    provider = section.get("provider")
    chosen = provider if isinstance(provider, list | tuple) else (provider,)
    if "langfuse" in chosen:
        for key in ("public_key", "secret_key"):
            variable = section.get(f"{key}_env", TracingConfig.model_fields[f"{key}_env"].default)
            reading.take_variable(("tracing", f"{key}_env"), variable, key)
    if "otlp" in chosen:
        reading.found["tracing", "endpoint"] = _endpoint(reading, section.get("endpoint"))
        _take_headers(reading, section)


def _take_headers(reading: Reading, section: Mapping[str, Any]) -> None:
    usual = TracingConfig.model_fields["headers_env"].default
    variable = section.get("headers_env", usual)
    if variable == usual and "headers_env" not in section and not reading.environ.get(usual):
        return
    headers = list(_headers(reading.variable(("tracing", "headers_env"), variable)))
    if None in headers:
        reading.refuse(("tracing", "headers_env"), "headers", variable=variable)
    reading.found["tracing", "headers"] = {name: SecretStr(value) for name, value in filter(None, headers)}


def _endpoint(reading: Reading, written: object) -> str:
    """Where traces are sent, path included."""
    if isinstance(written, str):
        base = written.rstrip("/")
        return base if base.endswith(_TRACES_PATH) else f"{base}{_TRACES_PATH}"
    environ, key = reading.environ, ("tracing", "endpoint")
    # The first that is set counts, and an empty one is none, by OpenTelemetry's own rules.
    protocol = next((name for name in _PROTOCOLS if environ.get(name)), None)
    if protocol is not None and environ[protocol] != _PROTOCOL:
        reading.refuse(key, "otlp_protocol", variable=protocol, value=environ[protocol], protocol=_PROTOCOL)
    name = next((name for name in (_OF_TRACES, _OF_ALL) if environ.get(name)), None)
    if name is None:
        return f"{_COLLECTOR}{_TRACES_PATH}"
    given = environ[name].strip()
    if not is_web_address(given):
        reading.refuse(key, "otlp_endpoint", variable=name)
    return given if name == _OF_TRACES else f"{given.rstrip('/')}{_TRACES_PATH}"


def _headers(text: str) -> Iterator[tuple[str, str] | None]:
    """Headers as OpenTelemetry's variables have them; None for what is no header."""
    for part in text.split(","):
        name, is_there, value = (piece.strip() for piece in part.partition("="))
        if part.strip():
            yield (name, unquote(value)) if is_there and _HEADER.fullmatch(name) else None


# -- the record and jobs ----------------------------------------------------------------------------------------------

IN_HOME = "sqlite"
_RECORD_DRIVERS = ("postgresql", "postgresql+psycopg")


def check_record(reading: Reading) -> None:
    """Where the record is: a file in `home`, or a PostgreSQL database whose password only the environment holds."""
    url = reading.take_url(("knowledge",), _wrong_record)
    if url is not None and ("knowledge", "url") not in reading.found:
        reading.found["knowledge", "url_env"] = None  # the URL comes from elsewhere


def record_setting(knowledge: KnowledgeConfig) -> str:
    """What says where the record is, in words for hints."""
    return knowledge.url_env or "`knowledge.url` (ASKWELL_KNOWLEDGE__URL)"


def record_place(knowledge: KnowledgeConfig) -> str | None:
    """Which database holds the record, for the operator: never with a user or a password. None for a file in `home`."""
    text = knowledge.url.get_secret_value()
    url = parsed_url(text) if text != IN_HOME else None
    if url is None:
        return None
    return f"postgresql {url.database or ''} at {url.host or 'its usual place'}:{url.port or 5432}"


def _wrong_record(text: str, may_hold_password: bool) -> str | None:
    """What is wrong with the address; it is never repeated, because it may hold a password."""
    if text == IN_HOME:
        return None
    url = parsed_url(text)
    if url is None or url.drivername not in _RECORD_DRIVERS or not url.database:
        return words("record")
    return words("record_password") if not may_hold_password and holds_secret(url) else None


def check_jobs(reading: Reading) -> None:
    """Where jobs go on: in this process, or in several that share a record on PostgreSQL and a Redis."""
    section, record, key = reading.section("jobs"), reading.section("knowledge"), ("jobs", "redis")
    written = section.get("redis")
    if written is None and section.get("work") is False:
        reading.refuse(("jobs", "work"), "no_worker")
    if not isinstance(written, str):
        return
    try:
        url = urlsplit(written)
        is_address = url.scheme in ("redis", "rediss") and bool(url.hostname) and url.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        reading.refuse(key, "redis")
    elif (url.password or "password" in parse_qs(url.query)) and not reading.origins.is_from_environment(key):
        reading.refuse(key, "redis_password")
    elif record.get("url", IN_HOME) == IN_HOME and not record.get("url_env"):
        reading.refuse(key, "needs_server")


def check_sign_in(reading: Reading) -> None:
    """The keys and secrets of sign-in, and what signing browsers in needs."""
    session = ("sign_in", "session_secret")
    reading.take_secret(session, check_session_secret)
    is_given = session in reading.found or reading.section("sign_in").get("session_secret") is not None
    is_named = reading.section("sign_in").get("session_secret_env") is not None
    reading.take_secret(("sign_in", "admin_key"), check_admin_key)
    reading.take_secret(("sign_in", "oidc", "client_secret"))
    if reading.section("sign_in", "oidc").get("redirect_url") and not is_given and not is_named:
        reading.refuse(session, "session_secret_missing")
