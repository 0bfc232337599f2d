"""What the program offers is described, and what is described is what the program offers."""

from __future__ import annotations

import copy
import json
import re
import sqlite3
import tomllib
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import NoneType
from typing import Any, get_args

import pytest
import yaml
from pydantic import BaseModel, SecretStr
from pydantic_core import PydanticUndefined

from askwell.asks.result import AskResult
from askwell.cli.main import COMMANDS
from askwell.config import Config, Settings, SignInConfig, load_config
from askwell.config.checks import AZURE_KEY, OPENAI_KEY
from askwell.config.schema import TracingConfig
from askwell.config.sign_in import OidcConfig
from askwell.mdl.manifest import Cube, Manifest, Metric, Model, ModelColumn, RelationshipEntry
from askwell.mdl.validation import read_manifest, warnings_against
from askwell.mdl.view import authorised_view
from askwell.providers.engine.factory import create_engine
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Translation
from askwell.services.value_sampling import SamplingBounds, sample_values
from askwell.sql.checker import Executed, SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.planner import Planner, unsafe_parts
from askwell.web.app import create_app
from tests.docs.option_tables import options, with_tables
from tests.support.tables import case_table
from tests.web.fakes import FakeServices

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"
CONFIGURATION = (DOCS / "configuration" / "README.md").read_text()
ENV_EXAMPLE = (REPOSITORY / ".env.example").read_text()
EXAMPLES = sorted((DOCS / "configuration").glob("*.yaml"))

# Filled by the loader, not written by people.
_INTERNAL = {"api_key", "connection_info", "headers", "public_key", "secret_key"}
# How the documentation calls the names that people choose.
_CHOSEN = {"llm": "NAME", "pipelines": "PIPELINE", "data_sources": "PROJECT", "sign_in.properties": "NAME"}


def keys(section: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every key of the configuration with its default."""
    for name, info in section.model_fields.items():
        if name in _INTERNAL:
            continue
        inner = info.annotation
        path = f"{prefix}{name}"
        if path in _CHOSEN:
            inner, path = get_args(inner)[1], f"{path}.{_CHOSEN[path]}"
        if NoneType in get_args(inner):
            # A section that may be left out.
            inner = next(
                (kind for kind in get_args(inner) if isinstance(kind, type) and issubclass(kind, BaseModel)), inner
            )
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from keys(inner, f"{path}.")
        else:
            yield path, info.get_default(call_default_factory=True)


def documented() -> Mapping[str, str]:
    """The keys in the tables of docs/configuration with the default that stands there."""
    rows = re.findall(r"^\| `([^`]+)` \| (?:`([^`]*)`|) ?\|", CONFIGURATION, re.MULTILINE)
    return dict(rows)


class TestConfiguration:
    def test_every_key_is_described_and_no_other(self) -> None:
        assert sorted(documented()) == sorted(key for key, _ in keys(Config))

    def test_the_defaults_are_the_ones_that_are_described(self) -> None:
        told = documented()
        wrong = {}
        for key, default in keys(Config):
            said = yaml.safe_load(told[key]) if told[key] else None
            real = default.get_secret_value() if isinstance(default, SecretStr) else default
            real = None if real is PydanticUndefined else str(real) if isinstance(real, Path) else real
            real = list(real) if isinstance(real, tuple) else real
            if said != real:
                wrong[key] = (said, real)
        assert wrong == {}

    def test_every_key_stands_in_the_commented_default(self) -> None:
        text = (REPOSITORY / "config.yaml").read_text()
        names = {key.rpartition(".")[2] for key, _ in keys(Config)}
        assert [name for name in sorted(names) if not re.search(rf"\b{name}:", text)] == []

    @pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
    def test_every_example_loads(self, example: Path) -> None:
        keys_of = ("OPENAI", "AZURE_OPENAI", "OPENROUTER", "VLLM")
        environ = {f"{vendor}_API_KEY": "sk-x" for vendor in keys_of} | {"WAREHOUSE_URL": "postgresql://u:p@h/d"}
        config = load_config(example, {**environ, "LAKE_CONNECTION": "{}"})
        assert config.data_sources
        assert f"({example.name})" in CONFIGURATION

    def test_there_are_examples(self) -> None:
        assert len(EXAMPLES) >= 4

    def test_the_variables_of_the_env_example_are_keys(self) -> None:
        lines = re.findall(r"^# (ASKWELL_\w+|OPENAI_API_KEY)=(.*)$", ENV_EXAMPLE, re.MULTILINE)
        assert len(lines) > 5
        environ = {name: value or "sk-x" for name, value in lines if name != "ASKWELL_CONFIG"}
        assert load_config(REPOSITORY / "config.yaml", environ).data_sources["default"].shared is True

    def test_every_variable_that_is_read_without_being_named_is_in_the_env_example(self) -> None:
        tracing = TracingConfig()
        keys = {OPENAI_KEY, AZURE_KEY, tracing.public_key_env, tracing.secret_key_env, tracing.headers_env}
        assert {*keys, "ASKWELL_CONFIG", "ASKWELL_HOME"} <= set(re.findall(r"(?m)^(?:# )?(\w+)=", ENV_EXAMPLE))


class TestRoutes:
    def test_every_route_is_described_and_no_other(self) -> None:
        issuer = OidcConfig(issuer="https://login.example.org", audiences=("askwell",))
        document = create_app(FakeServices(), sign_in=SignInConfig(keys=True, oidc=issuer)).openapi()
        real = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
        cells = re.findall(r"^\| (`[A-Z]+ /[^|]*) \|", (DOCS / "api.md").read_text(), re.MULTILINE)
        assert set(re.findall(r"`([A-Z]+ /\S+)`", "\n".join(cells))) == real

    def test_every_field_of_a_result_is_described_and_no_other(self) -> None:
        section = (DOCS / "api.md").read_text().partition("\n## The result of an ask\n")[2].partition("\n## ")[0]
        assert sorted(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == sorted(AskResult.__annotations__)


class TestCommands:
    def test_every_command_and_option_is_described_and_no_other(self, golden: Callable[[Path, str], None]) -> None:
        golden(DOCS / "cli.md", with_tables((DOCS / "cli.md").read_text()))

    def test_every_option_is_explained_by_its_command(self) -> None:
        assert [one for one in options() if not one.is_explained] == []

    def test_the_readme_names_every_command(self) -> None:
        readme = (REPOSITORY / "README.md").read_text()
        assert [name for name in COMMANDS if f"askwell {name}" not in readme and f"make {name}" not in readme] == []


class TestArchitecture:
    def test_every_room_is_described_and_no_other(self) -> None:
        source = REPOSITORY / "src" / "askwell"
        rooms = {path.name for path in source.iterdir() if (path / "__init__.py").exists()}
        rooms |= {path.name for path in source.glob("*.py") if not path.name.startswith("__")}
        tree = (DOCS / "architecture.md").read_text().partition("```\nsrc/askwell/")[2].partition("```")[0]
        assert set(re.findall(r"^  ([\w.]+?)/? ", tree, re.MULTILINE)) == rooms

    def test_every_dependency_has_its_reason(self) -> None:
        project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
        wanted = [
            *project["dependencies"],
            *(one for extra in project["optional-dependencies"].values() for one in extra),
        ]
        names = {match[0] for one in wanted if (match := re.match(r"[\w-]+", one))}
        reasons = (DOCS / "architecture.md").read_text().partition("## What we use, and why")[2]
        assert [name for name in sorted(names) if not re.search(rf"\b{re.escape(name)}\b", reasons)] == []

    def test_every_decision_is_listed(self) -> None:
        listed = (DOCS / "adr" / "README.md").read_text()
        assert [path.name for path in (DOCS / "adr").glob("0*.md") if f"({path.name})" not in listed] == []


# -- The examples of the page on semantic models are models, and what the page says of them is so.


PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
BLOCKS = re.findall(r"^```json ?([^\n]*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
EXAMPLES_OF_MODELS = DOCS / "examples"
EXAMPLE = json.loads((EXAMPLES_OF_MODELS / "bikes.json").read_text())
WHOLE = [*(json.loads(text) for what, text in BLOCKS if not what), EXAMPLE]
PARTS = [(what, json.loads(text)) for what, text in BLOCKS if what]
_LISTS = case_table(__file__, "lists")
CONTEXT = QueryContext(datetime(2026, 3, 4, 12, 0, tzinfo=UTC), "UTC")


def put_into(manifest: dict[str, Any], what: str, part: dict[str, Any]) -> None:
    """Put a part of a model where the page says that it belongs, in place of one of the same name."""
    kind, _, owner = what.partition(" of ")
    place = next(model for model in manifest["models"] if model["name"] == owner) if owner else manifest
    known = place.setdefault(_LISTS[kind], [])
    known[:] = [entry for entry in known if entry["name"] != part["name"]] + [part]


def read(mdl: dict[str, Any]) -> Manifest:
    """The manifest of a model about which there is nothing to say."""
    reading = read_manifest(mdl, data_source="SQLITE")
    assert [str(line) for line in (*reading.problems, *reading.warnings)] == []
    assert reading.manifest is not None
    assert unsafe_parts(reading.manifest, "sqlite") == ()
    return reading.manifest


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "bikes.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript((EXAMPLES_OF_MODELS / "bikes.sql").read_text())
    return path


def test_there_are_examples() -> None:
    assert len(WHOLE) == 2
    assert {what.partition(" of ")[0] for what, _ in PARTS} == set(_LISTS)


@pytest.mark.parametrize("mdl", WHOLE)
def test_whole_examples_are_models(mdl: dict[str, Any]) -> None:
    read(mdl)


@pytest.mark.parametrize(("what", "part"), PARTS, ids=[f"{what} {part['name']}" for what, part in PARTS])
async def test_parts_fit_into_the_example_and_its_database(what: str, part: dict[str, Any], database: Path) -> None:
    mdl = copy.deepcopy(EXAMPLE)
    put_into(mdl, what, part)
    manifest = read(mdl)
    engine = create_engine("sqlite", database)
    try:
        assert warnings_against(manifest, await engine.introspect()) == ()
    finally:
        await engine.close()


async def test_everything_in_it_can_be_selected_and_the_rules_answer_what_the_page_says(database: Path) -> None:
    mdl = copy.deepcopy(EXAMPLE)
    for what, part in PARTS:
        if "columnLevelAccessControl" not in part and not what.startswith("rule"):
            put_into(mdl, what, part)
    manifest = read(mdl)
    model = authorised_view(manifest, "h")
    engine = create_engine("sqlite", database)
    try:
        checker = SqlChecker(model, Planner(model, manifest, "sqlite"), engine)
        for table in model:
            done = await checker.execute(f"SELECT * FROM {table.name}", context=CONTEXT, row_limit=9, timeout=20)
            assert isinstance(done, Executed), done
        sampled = await sample_values(model, checker, bounds=SamplingBounds(), on_progress=lambda *_: None)
        rules = QuestionReader(model, sampled.values, "sqlite")
        questions = re.findall(r"^- (.*\?)$", PAGE, re.MULTILINE)
        assert len(questions) >= 4
        for question in questions:
            translation = rules.translate(question)
            assert isinstance(translation, Translation), (question, translation)
            assert translation.probability >= Settings().confidence_threshold, question
            done = await checker.execute(translation.sql, context=CONTEXT, row_limit=9, timeout=20)
            assert isinstance(done, Executed), done
            assert done.rows.rows
    finally:
        await engine.close()


def test_the_line_that_explains_problems_is_one() -> None:
    mdl = copy.deepcopy(EXAMPLE)
    mdl["models"] = [mdl["models"][0], mdl["models"][4], mdl["models"][3], *mdl["models"][1:3]]
    columns = mdl["models"][2]["columns"]
    wrong = {"name": "start_city", "type": "VARCHAR", "isCalculated": True, "expression": "from_station.citty"}
    columns[:] = [column for column in columns if column["name"] != "start_city"]
    columns.insert(4, wrong)
    (problem,) = read_manifest(mdl).problems
    assert str(problem) in PAGE


def test_every_key_is_described() -> None:
    described = set(re.findall(r"`(\w+)`", PAGE))
    for kind in (Manifest, Model, ModelColumn, RelationshipEntry, Metric, Cube):
        keys = {info.alias or name for name, info in kind.model_fields.items()}
        in_examples = set(re.findall(r'"(\w+)":', PAGE + json.dumps(EXAMPLE)))
        assert keys - described - in_examples == set(), kind.__name__
