"""Sections whose parts belong together: where the index, the record and traces are, where jobs go on, who may call.

Secrets come from the environment, and show nowhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from askwell.config import load_config, record_place
from tests.config.reading import CANARY, load, problems, shown

QDRANT = {"provider": "qdrant", "location": "http://qdrant:6333/"}
RECORD = {"url": "postgresql://askwell@db/askwell"}
RECORD_URL = f"postgresql://askwell:{CANARY}@db:5433/askwell"
KEY = f"{CANARY}{'k' * 32}"
ISSUER = {"issuer": "https://login.example.org/realms/shop", "audiences": ["askwell"]}
BROWSER = {**ISSUER, "client_id": "askwell", "redirect_url": "https://askwell.example.org/v1/sign-in/callback"}
SESSION = {"ASKWELL_SIGN_IN__SESSION_SECRET": "0123456789abcdef0123456789abcdef"}
COLLECTOR = "http://collector:4318"
LANGFUSE = {"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": CANARY}


def oidc(**change: Any) -> dict[str, Any]:
    return {"oidc": {name: value for name, value in {**BROWSER, **change}.items() if value is not None}}


NO_REDIS = "redis: has to be the URL of a Redis"
NO_RECORD = "url: has to be `sqlite`, or the URL of a PostgreSQL database"
NO_SECRET = "session_secret_env: the environment variable X"
# Section, what stands in it, the environment, and how the problem begins behind the section's name, or a part of it.
WRONG: list[tuple[str, Any, dict[str, str], str]] = [
    ("document_store", {"provider": "qdrant"}, {}, "location: is missing: the URL of the Qdrant server"),
    ("document_store", QDRANT | {"location": ":memory:"}, {}, "for an index in memory use the provider memory"),
    ("document_store", QDRANT | {"location": "./index"}, {}, "starts with http:// or https://"),
    ("document_store", QDRANT | {"api_key": CANARY}, {}, "name that in `api_key_env`"),
    ("document_store", QDRANT | {"api_key_env": "X"}, {}, "api_key_env: the environment variable X is not set"),
    ("document_store", QDRANT | {"collection_prefix": "a/b"}, {}, "collection_prefix: has to be letters, digits"),
    ("document_store", QDRANT | {"timeout": 0}, {}, "timeout: has to be more than 0"),
    ("document_store", {"location": "http://q"}, {}, "location: is a key of the provider qdrant only."),
    ("document_store", {"timeout": 5}, {}, "timeout: is a key of the provider qdrant only."),
    ("document_store", {"provider": "qdrnt"}, {}, 'Did you mean "qdrant"?'),
    ("knowledge", {"url": RECORD_URL}, {}, "url: holds a password"),
    ("knowledge", {"url": f"postgresql://u@h/d?password={CANARY}"}, {}, "url: holds a password"),
    *[("knowledge", {"url": f"{one}"}, {}, NO_RECORD) for one in ("postgres://u@h/d", "mysql://u@h/d")],
    *[("knowledge", {"url": f"postgresql://u@{one}"}, {}, NO_RECORD) for one in ("h", "h:port/d")],
    ("knowledge", {}, {"ASKWELL_KNOWLEDGE__URL": CANARY}, NO_RECORD),
    ("knowledge", {"url_env": "X"}, {}, "url_env: the environment variable X is not set"),
    ("knowledge", {"url_env": "X"}, {"X": CANARY}, "url_env: the environment variable X has to be `sqlite`"),
    ("knowledge", {"url": "sqlite", "url_env": "X"}, {"X": RECORD_URL}, "keep one of the two"),
    ("jobs", {"redis": f"redis://:{CANARY}@h:6379/0"}, {}, "redis: holds a password"),
    ("jobs", {"redis": f"redis://h:6379/0?username=u&password={CANARY}"}, {}, "redis: holds a password"),
    *[("jobs", {"redis": f"redis://{one}"}, {}, NO_REDIS) for one in ("h:0/0", "h:65536/0", f"h:{CANARY}/0", "/0")],
    # What counts requests for all processes knows no sockets of this scheme.
    *[("jobs", {"redis": one}, {}, NO_REDIS) for one in (f"unix://:{CANARY}@/tmp/redis.sock", "http://h:6379")],
    ("jobs", {"work": False}, {}, "nothing would ever be answered"),
    ("jobs", {}, {"ASKWELL_JOBS__WORK": "false"}, "nothing would ever be answered"),
    ("sign_in", {"admin_key": KEY}, {}, "a key does not belong here"),
    ("sign_in", {"admin_key_env": "X"}, {}, "the environment variable X is not set"),
    ("sign_in", {"admin_key_env": "X"}, {"X": CANARY}, "X has to be 32 to 512"),
    ("sign_in", {}, {"ASKWELL_SIGN_IN__ADMIN_KEY": CANARY}, "has to be 32 to 512"),
    ("sign_in", {}, {"ASKWELL_SIGN_IN__ADMIN_KEY": f"{KEY} x"}, "without blanks"),
    ("sign_in", {"open": True, "keys": True}, {}, "keep one of the two"),
    ("sign_in", {"open": True}, {"ASKWELL_SIGN_IN__ADMIN_KEY": KEY}, "keep one of the two"),
    ("sign_in", {"open": True, "oidc": ISSUER}, {}, "keep one of the two"),
    ("sign_in", {"properties": {"region": {"claim": "r", "type": "date"}}}, {}, "is not one of the choices"),
    ("sign_in", {"database_role": {"default": "x"}}, {}, "database_role.claim: is missing"),
    ("sign_in", {"limits": {"asks": -1}}, {}, "has to be at least 0"),
    ("sign_in", {"kyes": True}, {}, 'Did you mean "keys"'),
    ("sign_in", oidc(), {}, "session_secret: is needed to sign browsers in"),
    *[
        ("sign_in", oidc() | {"session_secret_env": "X"}, {} if one is None else {"X": one}, NO_SECRET)
        for one in (None, "", CANARY, f"{SESSION['ASKWELL_SIGN_IN__SESSION_SECRET']} {CANARY}")
    ],
    ("sign_in", oidc(), {"ASKWELL_SIGN_IN__SESSION_SECRET": CANARY}, "session_secret: has to be 32 characters"),
    (
        "sign_in",
        oidc(issuer="http://login.example.org"),
        SESSION,
        "oidc.issuer: has to be a URL that starts with https",
    ),
    ("sign_in", oidc(issuer="https://"), SESSION, "oidc.issuer"),
    ("sign_in", oidc(issuer=f"https://a:{CANARY}@login.example.org"), SESSION, "oidc.issuer"),
    ("sign_in", oidc(issuer=f"https://login.example.org?x={CANARY}"), SESSION, "without a query"),
    ("sign_in", oidc(jwks_url=f"file:///etc/{CANARY}"), SESSION, "oidc.jwks_url"),
    ("sign_in", oidc(issuer=None), SESSION, "oidc.issuer"),
    ("sign_in", oidc(algorithms=["HS256"]), SESSION, '"HS256" is not one of the choices'),
    ("sign_in", oidc(algorithms=["none"]), SESSION, '"none" is not one of the choices'),
    ("sign_in", oidc(algorithms=[]), SESSION, "oidc.algorithms"),
    ("sign_in", oidc(token_types=["logout+jwt"]), SESSION, "oidc.token_types"),
    ("sign_in", oidc(audiences=[], redirect_url=None), SESSION, "needs `audiences`"),
    ("sign_in", oidc(client_id=None), SESSION, "needs the `client_id`"),
    ("sign_in", oidc(redirect_url="https://askwell.example.org/"), SESSION, "/v1/sign-in/callback"),
    ("sign_in", oidc(redirect_url="http://a.example.org/v1/sign-in/callback"), SESSION, "redirect_url"),
    ("sign_in", oidc(scopes=["profile"]), SESSION, '"openid" among them'),
    ("sign_in", oidc(role={"roles": {"staff": "root"}}), SESSION, '"root" is not one of the choices'),
    ("sign_in", oidc(client_secret=CANARY), SESSION, "does not belong here"),
    ("sign_in", oidc(audience="askwell"), SESSION, 'Did you mean "audiences"?'),
    ("tracing", {"provider": "otpl"}, {}, "otlp"),
    (
        "tracing",
        {"provider": "otlp"},
        {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
        "is 'grpc', and traces are sent as http",
    ),
    ("tracing", {"provider": "otlp"}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4317"}, "ENDPOINT has to be a URL"),
    ("tracing", {"provider": "otlp", "headers_env": "X"}, {}, "the environment variable X is not set"),
    ("tracing", {"provider": "otlp", "headers_env": "X"}, {"X": f"Bearer {CANARY}"}, "X has to be headers like"),
    ("tracing", {"provider": "otlp", "headers": {"x": CANARY}}, {}, "headers: a key does not belong here"),
    ("tracing", {"provider": "langfuse", "secret_key": CANARY}, LANGFUSE, "secret_key: a key does not belong here"),
    (
        "tracing",
        {"provider": "langfuse", "secret_key_env": "X"},
        LANGFUSE,
        "secret_key_env: the environment variable X",
    ),
]


@pytest.mark.parametrize(("section", "written", "environ", "words"), WRONG)
def test_what_is_wrong_is_said_with_its_key_and_without_a_secret(
    tmp_path: Path, section: str, written: dict[str, Any], environ: dict[str, str], words: str
) -> None:
    record = {"knowledge": RECORD} if section == "jobs" else {}
    found = problems(tmp_path, record | {section: written}, environ)
    assert [one for one in found if words in one and (f"{section}." in one or f"{section}:" in one)], found


@pytest.mark.parametrize(
    ("section", "written", "environ", "path", "value"),
    [
        ("document_store", QDRANT | {"api_key_env": "X"}, {"X": CANARY}, "document_store.api_key", CANARY),
        ("document_store", QDRANT | {"timeout": 2.5}, {}, "document_store.timeout", 2.5),
        ("document_store", QDRANT, {}, "document_store.location", "http://qdrant:6333"),
        ("knowledge", {}, {"ASKWELL_KNOWLEDGE__URL": RECORD_URL}, "knowledge.url", RECORD_URL),
        ("knowledge", {"url": "sqlite"}, {"ASKWELL_KNOWLEDGE__URL": RECORD_URL}, "knowledge.url", RECORD_URL),
        ("knowledge", {"url_env": "X"}, {"X": RECORD_URL}, "knowledge.url", RECORD_URL),
        ("knowledge", {"url_env": "OTHER"}, {"ASKWELL_KNOWLEDGE__URL": RECORD_URL}, "knowledge.url", RECORD_URL),
        ("knowledge", {"url_env": "OTHER"}, {"ASKWELL_KNOWLEDGE__URL": RECORD_URL}, "knowledge.url_env", None),
        *[
            ("knowledge", RECORD, {"ASKWELL_JOBS__REDIS": url}, "jobs.redis", url)
            for url in (f"redis://:{CANARY}@h:6379/0", f"rediss://h/0?password={CANARY}")
        ],
        ("sign_in", {}, {}, "sign_in.is_on", False),
        ("sign_in", {"open": True}, {}, "sign_in.is_on", False),
        ("sign_in", {"keys": True}, {}, "sign_in.is_on", True),
        ("sign_in", {}, {"ASKWELL_SIGN_IN__ADMIN_KEY": KEY}, "sign_in.is_on", True),
        ("sign_in", {"admin_key_env": "X"}, {"X": KEY}, "sign_in.admin_key", KEY),
        ("sign_in", {"oidc": ISSUER}, {}, "sign_in.is_on", True),
        ("sign_in", {"oidc": ISSUER}, {}, "sign_in.oidc.takes_bearer_tokens", True),
        ("sign_in", {"oidc": ISSUER}, {}, "sign_in.oidc.signs_in_browsers", False),
        ("sign_in", {"oidc": ISSUER}, {}, "sign_in.oidc.algorithms", ("RS256", "ES256", "PS256", "EdDSA")),
        ("sign_in", oidc(client_secret_env="X"), SESSION | {"X": CANARY}, "sign_in.oidc.client_secret", CANARY),
        (
            "sign_in",
            oidc(),
            SESSION | {"ASKWELL_SIGN_IN__OIDC__CLIENT_SECRET": CANARY},
            "sign_in.oidc.client_secret",
            CANARY,
        ),
        (
            "sign_in",
            oidc() | {"session_secret_env": "X"},
            {"X": f"{KEY} {KEY}"},
            "sign_in.session_secret",
            f"{KEY} {KEY}",
        ),
        # On this machine it goes without https.
        (
            "sign_in",
            oidc(issuer="http://127.0.0.1:8080/realms/shop", redirect_url="http://localhost:5555/v1/sign-in/callback"),
            SESSION,
            "sign_in.oidc.issuer",
            "http://127.0.0.1:8080/realms/shop",
        ),
        *[
            ("tracing", {"provider": written}, LANGFUSE, "tracing.provider", providers)
            for written, providers in [
                ("none", ()),
                ([], ()),
                ("otlp", ("otlp",)),
                ("langfuse", ("langfuse",)),
                (["langfuse", "otlp"], ("langfuse", "otlp")),
            ]
        ],
        ("tracing", {"provider": "langfuse"}, {"ASKWELL_TRACING__PROVIDER": "none"}, "tracing.provider", ()),
        (
            "tracing",
            {"provider": "none"},
            {"ASKWELL_TRACING__PROVIDER": "langfuse,otlp", **LANGFUSE},
            "tracing.provider",
            ("langfuse", "otlp"),
        ),
    ],
)
def test_what_is_given_is_there_and_secrets_show_nowhere(
    tmp_path: Path, section: str, written: dict[str, Any], environ: dict[str, str], path: str, value: object
) -> None:
    config = load(tmp_path, {section: written}, environ)
    found: Any = config
    for part in path.split("."):
        found = getattr(found, part)
    assert (found.get_secret_value() if hasattr(found, "get_secret_value") else found) == value
    assert CANARY not in shown(config)


def test_without_a_word_the_index_is_in_memory_and_the_record_a_file_in_home(tmp_path: Path) -> None:
    config = load(tmp_path)
    assert (config.document_store.provider, config.document_store.location) == ("memory", None)
    assert record_place(config.knowledge) is None
    server = load(tmp_path, "", {"ASKWELL_KNOWLEDGE__URL": RECORD_URL.replace(":", "+psycopg:", 1)})
    assert record_place(server.knowledge) == "postgresql askwell at db:5433"


def test_a_process_that_only_takes_requests_needs_a_redis(tmp_path: Path) -> None:
    environ = {"ASKWELL_JOBS__WORK": "false", "ASKWELL_JOBS__REDIS": "redis://h:6379/0"}
    assert load(tmp_path, {"knowledge": RECORD}, environ).jobs.work is False


def test_all_of_single_sign_on_may_come_from_the_environment(tmp_path: Path) -> None:
    environ = {
        "ASKWELL_SIGN_IN__OIDC__ISSUER": str(ISSUER["issuer"]),
        "ASKWELL_SIGN_IN__OIDC__AUDIENCES": "askwell,another",
        "ASKWELL_SIGN_IN__OIDC__ROLE__CLAIM": "groups",
        "ASKWELL_SIGN_IN__OIDC__SESSION_TTL": "600",
    }
    found = load(tmp_path, "{}", environ).sign_in.oidc
    assert found is not None
    assert (found.audiences, found.role.claim, found.session_ttl) == (("askwell", "another"), "groups", 600)


@pytest.mark.parametrize(
    ("endpoint", "environ", "wanted"),
    [
        (None, {}, "http://localhost:4318/v1/traces"),
        (COLLECTOR, {}, f"{COLLECTOR}/v1/traces"),
        (f"{COLLECTOR}/v1/traces", {}, f"{COLLECTOR}/v1/traces"),
        (f"{COLLECTOR}/otel/", {}, f"{COLLECTOR}/otel/v1/traces"),
        (None, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://other:4318/"}, "http://other:4318/v1/traces"),
        (
            None,
            {"OTEL_EXPORTER_OTLP_ENDPOINT": COLLECTOR, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://other/t"},
            "http://other/t",
        ),
        (COLLECTOR, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://other:4318"}, f"{COLLECTOR}/v1/traces"),
        (COLLECTOR, {"ASKWELL_TRACING__ENDPOINT": "http://ours:4318"}, "http://ours:4318/v1/traces"),
        # Of the variables the first that is set counts, and none where the configuration says it.
        (
            None,
            {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "http://localhost:4318/v1/traces",
        ),
        (None, {"OTEL_EXPORTER_OTLP_PROTOCOL": ""}, "http://localhost:4318/v1/traces"),
        (COLLECTOR, {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, f"{COLLECTOR}/v1/traces"),
    ],
)
def test_the_configuration_wins_over_opentelemetrys_variables(
    tmp_path: Path, endpoint: str | None, environ: dict[str, str], wanted: str
) -> None:
    tracing = {"provider": "otlp"} | ({"endpoint": endpoint} if endpoint else {})
    assert load(tmp_path, {"tracing": tracing}, environ).tracing.endpoint == wanted


def test_headers_of_traces_are_the_environments(tmp_path: Path) -> None:
    written = {"tracing": {"provider": "otlp", "headers_env": "MINE"}}
    config = load(tmp_path, written, {"MINE": f"authorization=Bearer%20{CANARY}%2Cy, x-team = data"})
    headers = {name: value.get_secret_value() for name, value in config.tracing.headers.items()}
    assert headers == {"authorization": f"Bearer {CANARY},y", "x-team": "data"}
    assert CANARY not in shown(config)
    assert load(tmp_path, {"tracing": {"provider": "otlp"}}).tracing.headers == {}
    # Nothing is asked of the variables where nothing is sent.
    assert load_config(None, {"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4317"})
