"""Where traces go: by the configuration, and by OpenTelemetry's variables where it leaves that open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from askwell.config import Config, load_config
from askwell.errors import ConfigurationError

COLLECTOR = "http://collector:4318"
KEYS = {"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk"}


def load(tmp_path: Path, tracing: Any, environ: dict[str, str] | None = None) -> Config:
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump({"tracing": tracing}))
    return load_config(path, environ or {})


def problem(tmp_path: Path, tracing: Any, environ: dict[str, str] | None = None) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, tracing, environ)
    return caught.value.message


@pytest.mark.parametrize(
    ("written", "providers"),
    [
        ("none", ()),
        ([], ()),
        ("otlp", ("otlp",)),
        ("langfuse", ("langfuse",)),
        (["langfuse", "otlp"], ("langfuse", "otlp")),
    ],
)
def test_providers_are_one_or_several(tmp_path: Path, written: Any, providers: tuple[str, ...]) -> None:
    assert load(tmp_path, {"provider": written}, KEYS).tracing.provider == providers


def test_the_environment_chooses_them_too(tmp_path: Path) -> None:
    both = {"ASKWELL_TRACING__PROVIDER": "langfuse,otlp", **KEYS}
    assert load(tmp_path, {"provider": "none"}, both).tracing.provider == ("langfuse", "otlp")
    none = {"ASKWELL_TRACING__PROVIDER": "none"}
    assert load(tmp_path, {"provider": "langfuse"}, none).tracing.provider == ()


def test_an_unknown_one_is_told_with_the_nearest(tmp_path: Path) -> None:
    assert "otlp" in problem(tmp_path, {"provider": "otpl"})


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
    ],
)
def test_the_configuration_wins_over_opentelemetrys_variables(
    tmp_path: Path, endpoint: str | None, environ: dict[str, str], wanted: str
) -> None:
    tracing = {"provider": "otlp"} | ({"endpoint": endpoint} if endpoint else {})
    assert load(tmp_path, tracing, environ).tracing.endpoint == wanted


def test_variables_that_do_not_fit_are_told(tmp_path: Path) -> None:
    told = problem(tmp_path, {"provider": "otlp"}, {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})
    assert "OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc', and traces are sent as http/protobuf only" in told
    told = problem(tmp_path, {"provider": "otlp"}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4317"})
    assert "OTEL_EXPORTER_OTLP_ENDPOINT has to be a URL" in told
    of_traces = {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
    for fits in (of_traces, {"OTEL_EXPORTER_OTLP_PROTOCOL": ""}):
        assert load(tmp_path, {"provider": "otlp"}, fits).tracing.endpoint == "http://localhost:4318/v1/traces"
    # Nothing is asked of them where nothing is sent, or the configuration says it.
    assert load(tmp_path, {"provider": "none"}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4317"})
    assert load(tmp_path, {"provider": "otlp", "endpoint": COLLECTOR}, {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})


def test_headers_are_the_environments_and_never_shown(tmp_path: Path) -> None:
    named = {"provider": "otlp", "headers_env": "MINE"}
    tracing = load(tmp_path, named, {"MINE": "authorization=Bearer%20x%2Cy, x-team = data"}).tracing
    assert {name: value.get_secret_value() for name, value in tracing.headers.items()} == {
        "authorization": "Bearer x,y",
        "x-team": "data",
    }
    assert "Bearer" not in repr(tracing)
    assert load(tmp_path, {"provider": "otlp"}).tracing.headers == {}
    assert "the environment variable MINE is not set" in problem(tmp_path, named)
    told = problem(tmp_path, named, {"MINE": "Bearer CANARY"})
    assert "MINE has to be headers like `name=value,name=value`" in told
    assert "CANARY" not in told
    told = problem(tmp_path, {"provider": "otlp", "headers": {"authorization": "CANARY"}})
    assert "tracing.headers: a key does not belong here" in told
    assert "CANARY" not in told
