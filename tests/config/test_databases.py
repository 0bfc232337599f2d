"""Entries of `data_sources`: each engine has its own keys, and no secret stands in the file or shows anywhere."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from askwell.config import DataSourceConfig, database_name, load_config, whereabouts
from askwell.errors import ConfigurationError
from tests.config.reading import CANARY, load, problems, shown

PASSWORD = CANARY
IBIS = "engine: wren_ibis, api_base: 'http://ibis:8000', data_source: POSTGRES, connection_info_env: IBIS"


def one(tmp_path: Path, entry: str, environ: dict[str, str] | None = None) -> DataSourceConfig:
    return load(tmp_path, f"data_sources:\n  default: {{{entry}}}\n", environ).data_sources["default"]


def wrong(tmp_path: Path, entry: str, environ: dict[str, str] | None = None) -> list[str]:
    return problems(tmp_path, f"data_sources:\n  default: {{{entry}}}\n", environ)


class TestNames:
    @pytest.mark.parametrize(
        ("url", "name"),
        [
            ("postgresql://reader@db.internal:5433/sales", "sales"),
            ("postgresql://reader@db.internal/sales%20figures", "sales figures"),
            ("mysql://reader@db.internal/shop?charset=utf8mb4", "shop"),
            ("postgresql://reader@db.internal", None),
        ],
    )
    def test_a_server_is_called_by_its_database_alone(self, tmp_path: Path, url: str, name: str | None) -> None:
        assert database_name(one(tmp_path, "engine: sqlalchemy, url_env: DB", {"DB": url})) == name

    def test_no_part_of_an_address_or_a_path_is_told(self, tmp_path: Path) -> None:
        url = f"postgresql://reader:{PASSWORD}@db.internal:5433/sales"
        assert database_name(one(tmp_path, "engine: sqlalchemy, url_env: DB", {"DB": url})) == "sales"
        assert database_name(one(tmp_path, f"engine: sqlite, path: {tmp_path}/north wind.sqlite")) == "north wind"
        assert database_name(one(tmp_path, IBIS, {"IBIS": '{"database": "x"}'})) is None


class TestServers:
    def test_a_url_without_a_password_may_stand_in_the_file(self, tmp_path: Path) -> None:
        source = one(tmp_path, "engine: sqlalchemy, url: 'postgresql://reader@db:5433/sales'")
        assert source.url is not None
        assert source.url.get_secret_value() == "postgresql://reader@db:5433/sales"
        assert source.path is None
        assert whereabouts(source) == "postgresql at db:5433"

    @pytest.mark.parametrize(
        ("entry", "environ"),
        [
            ("engine: sqlalchemy, url_env: SALES", {"SALES": f"mysql://u:{PASSWORD}@db/sales"}),
            ("engine: sqlalchemy", {"ASKWELL_DATA_SOURCES__DEFAULT__URL": f"mysql://u:{PASSWORD}@db/sales"}),
            (
                "engine: sqlalchemy, url_env: NOT_SET",
                {"ASKWELL_DATA_SOURCES__DEFAULT__URL": f"mysql://u:{PASSWORD}@db/sales"},
            ),
            (
                "engine: sqlalchemy, url: 'mysql://nobody@nowhere/x'",
                {"ASKWELL_DATA_SOURCES__DEFAULT__URL": f"mysql://u:{PASSWORD}@db/sales"},
            ),
        ],
    )
    def test_a_url_with_a_password_comes_from_the_environment_and_shows_nowhere(
        self, tmp_path: Path, entry: str, environ: dict[str, str]
    ) -> None:
        config = load(tmp_path, f"data_sources:\n  default: {{{entry}}}\n", environ)
        source = config.data_sources["default"]
        assert source.url is not None
        assert source.url.get_secret_value() == f"mysql://u:{PASSWORD}@db/sales"
        assert PASSWORD not in shown(config) + whereabouts(source)
        assert whereabouts(source) == "mysql at db:3306"

    @pytest.mark.parametrize(
        "url",
        [
            f"postgresql://u:{PASSWORD}@db/sales",
            "postgresql://u:@db/sales",
            f"postgresql://u@db/sales?password={PASSWORD}",
            f"snowflake://u@account/db?private_key={PASSWORD}",
            f"trino://u@h/c?access_token={PASSWORD}",
        ],
    )
    def test_a_password_in_the_file_is_refused_and_not_repeated(self, tmp_path: Path, url: str) -> None:
        [problem] = wrong(tmp_path, f"engine: sqlalchemy, url: '{url}'")
        assert problem.startswith("config.yaml:2: data_sources.default.url: holds a password")
        assert "`url_env`" in problem

    def test_what_is_no_url_is_not_repeated_either(self, tmp_path: Path) -> None:
        [problem] = wrong(tmp_path, "engine: sqlalchemy, url_env: SALES", {"SALES": PASSWORD})
        assert problem == (
            "config.yaml:2: data_sources.default.url_env: the environment variable SALES has to be a SQLAlchemy URL, "
            "such as postgresql://reader@db.example.internal/sales."
        )
        [problem] = wrong(tmp_path, "engine: sqlalchemy, url_env: 'postgresql://u:p@h/d'")
        assert "has to be the name of an environment variable" in problem
        assert "u:p@h" not in problem


class TestIbisServers:
    def test_connection_information_comes_from_the_environment_and_shows_nowhere(self, tmp_path: Path) -> None:
        secret = f'{{"host": "db", "password": "{PASSWORD}"}}'
        config = load(tmp_path, f"data_sources:\n  default: {{{IBIS}}}\n", {"IBIS": secret})
        source = config.data_sources["default"]
        assert source.connection_info is not None
        assert source.connection_info.get_secret_value() == secret
        assert PASSWORD not in shown(config) + whereabouts(source)
        assert whereabouts(source) == "POSTGRES by an ibis-server at ibis:8000"

    @pytest.mark.parametrize("text", ["{", "[1]", "5", "'x'", PASSWORD])
    def test_what_is_no_json_object_is_not_repeated(self, tmp_path: Path, text: str) -> None:
        [problem] = wrong(tmp_path, IBIS, {"IBIS": text})
        assert "connection_info_env: the environment variable IBIS has to hold a JSON object" in problem


class TestWrenUis:
    def test_only_its_address_is_needed(self, tmp_path: Path) -> None:
        source = one(tmp_path, "engine: wren_ui, api_base: 'http://ui:3000'")
        assert whereabouts(source) == "database by a Wren UI at ui:3000"
        source = one(tmp_path, "engine: wren_ui, api_base: 'http://ui:3000/', data_source: BIGQUERY, project_id: 2")
        assert source.project_id == 2
        assert whereabouts(source) == "BIGQUERY by a Wren UI at ui:3000"


class TestSchemaMap:
    def test_it_leads_from_schemas_to_schemas(self, tmp_path: Path) -> None:
        source = one(tmp_path, "engine: duckdb, path: x, schema_map: {main: gold, a.b: lake.raw, '': x, y: ''}")
        assert dict(source.schema_map) == {"main": "gold", "a.b": "lake.raw", "": "x", "y": ""}

    def test_one_entry_may_come_from_the_environment(self, tmp_path: Path) -> None:
        environ = {"ASKWELL_DATA_SOURCES__DEFAULT__SCHEMA_MAP__MAIN": "gold"}
        assert dict(one(tmp_path, "engine: duckdb, path: x", environ).schema_map) == {"main": "gold"}

    @pytest.mark.parametrize("place", ["a.b.c", "a b", ".", "a."])
    def test_a_place_is_a_schema_or_a_catalog_and_a_schema(self, tmp_path: Path, place: str) -> None:
        [problem] = wrong(tmp_path, f"engine: duckdb, path: x, schema_map: {{main: '{place}'}}")
        assert problem == (
            "config.yaml:2: data_sources.default.schema_map.main: has to be a schema, or catalog.schema, "
            "or empty text for none."
        )


WRONG = [
    (
        "engine: sqlalchemy",
        "url: is missing: the SQLAlchemy URL of the database, for example "
        "postgresql://reader@db.example.internal/sales; or name in `url_env` the environment variable that holds it.",
    ),
    (
        "engine: duckdb, path: x, url: 'postgresql://h/d'",
        "url: is not a key of the engine duckdb. Known here: engine, shared, privacy, path, schema_map, tables, "
        "pool_size, memory_mb.",
    ),
    (
        "engine: duckdb, path: x, tables:",
        "tables: lists no table: list those that models may read, or leave the key out for all of them.",
    ),
    (
        "engine: duckdb, path: x, tables: []",
        "tables: lists no table: list those that models may read, or leave the key out for all of them.",
    ),
    ("engine: duckdb, path: x, tables: orders", "tables: has to be a list, not text."),
    (
        "engine: duckdb, path: x, tables: [ord*]",
        "tables.0: may have a `*` only for all tables of a schema, as in sales.*.",
    ),
    (
        "engine: duckdb, path: x, tables: [a..b]",
        "tables.0: has to be table, schema.table or catalog.schema.table, spelled as in the database, without quotes.",
    ),
    (
        f"{IBIS}, memory_mb: 512",
        "memory_mb: is not a key of the engine wren_ibis. Known here: engine, shared, privacy, api_base, data_source, "
        "connection_info_env, schema_map, tables, pool_size.",
    ),
    ("engine: wren_ui", "api_base: is missing."),
    ("engine: wren_ui, api_base: 'ui:3000'", "api_base: has to be a URL that starts with http:// or https://."),
    ("engine: wren_ui, api_base: 'http://ui:3000', project_id: x", "project_id: has to be a whole number, not text."),
    (
        "engine: wren_ui, api_base: 'http://ui:3000', tables: [a]",
        "tables: is not a key of the engine wren_ui.",
    ),
    (
        "engine: sqlalchemy, url_env: HOME_URL, connection_info_env: HOME_URL",
        'connection_info_env: is not a key of the engine sqlalchemy. Did you mean "url_env"?',
    ),
    (
        "engine: sqlalchemy, url_env: HOME_URL, url: 'mysql://h/d'",
        "url_env: stands beside `url`: keep one of the two.",
    ),
    ("engine: sqlalchemy, url_env: NOT_SET", "url_env: the environment variable NOT_SET is not set."),
    ("engine: sqlalchemy, url: 'sqlite:///x.db'", "url: leads to a file: use the engine sqlite with a path."),
    *[
        (
            f"engine: {name}, url_env: HOME_URL",
            f"engine: has to be sqlalchemy for this kind of server, with `url: {begins}://…`, or `url_env` where it "
            "has a password.",
        )
        for name, begins in (("postgres", "postgresql"), ("MySQL", "mysql"), ("sqlserver", "mssql"))
    ],
    ("engine: sqlalchemy, url: 5", "url: has to be text, not a number."),
    (
        "engine: wren_ibis, api_base: 'http://h', data_source: POSTGRES",
        "connection_info_env: is missing.",
    ),
    (
        IBIS.replace("POSTGRES", "POSTGRE"),
        'data_source: "POSTGRE" is not one of the choices. Did you mean "POSTGRES"?',
    ),
    (
        f"{IBIS}, connection_info: {{password: {PASSWORD}}}",
        "connection_info: does not belong here: put it into an environment variable, name that in "
        "`connection_info_env`.",
    ),
    ("engine: duckdb, path: x, pool_size: 0", "pool_size: has to be at least 1, not 0."),
    ("engine: duckdb, path: x, memory_mb: 8", "memory_mb: has to be at least 64, not 8."),
    ("engine: duckdb, path: x, poolsize: 2", 'poolsize: unknown key. Did you mean "pool_size"?'),
    ("engine: duckdb, path: x, schema_map: gold", "schema_map: has to be a section with keys of its own, not text."),
    ("engine: duckdb, path: x, schema_map: {main: }", "schema_map.main: has to be text, not nothing."),
]


@pytest.mark.parametrize(("entry", "expected"), WRONG, ids=[expected[:60] for _, expected in WRONG])
def test_one_problem_in_words(tmp_path: Path, entry: str, expected: str) -> None:
    found = wrong(tmp_path, entry, {"HOME_URL": "postgresql://h/d", "IBIS": "{}"})
    assert any(problem.startswith(f"config.yaml:2: data_sources.default.{expected}") for problem in found), found


KEYS = st.sampled_from([*DataSourceConfig.model_fields, "nonsense"])
ENGINES = st.sampled_from(["duckdb", "sqlite", "sqlalchemy", "wren_ibis", "wren_ui", "other"])
VALUES = st.one_of(
    st.none(),
    st.integers(),
    st.text(max_size=6),
    st.just(f"postgresql://u:{PASSWORD}@h/d"),
    st.dictionaries(st.text(max_size=3), st.just(PASSWORD), max_size=2),
    st.lists(st.just(PASSWORD), max_size=2),
)


@given(engine=ENGINES, entry=st.dictionaries(KEYS, VALUES, max_size=5))
def test_whatever_is_written_a_password_is_never_repeated(engine: str, entry: dict[str, object]) -> None:
    said = _said_of({**entry, "engine": engine})
    # Schemas are no secrets, and neither is the path of a file.
    if not entry.get("schema_map") and not entry.get("path"):
        assert PASSWORD not in said


def _said_of(entry: dict[str, object]) -> str:
    """What is said of the entry, or shown of the configuration with it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        path.write_text(yaml.safe_dump({"data_sources": {"default": entry}}))
        try:
            config = load_config(path, {})
        except ConfigurationError as error:
            return error.message
        return f"{config!r} {config.model_dump()} {whereabouts(config.data_sources['default'])}"
