"""Reading config.yaml and the environment: what comes out, and what is said when nothing can. Secrets show nowhere."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from askwell.config import DataSourceConfig, database_name, load_config, record_place, whereabouts
from askwell.container import Container
from askwell.errors import ConfigurationError
from askwell.pipelines.conversation.build import ConversationPipelines
from askwell.pipelines.generation.build import GenerationPipelines
from askwell.prompts.loader import OURS
from askwell.providers.llm import create_language_model
from askwell.providers.llm.base import LanguageModel, ModelCall, ModelReply, Usage
from tests.config.reading import CANARY, load, problems, shown
from tests.config.reading import CANARY as PASSWORD
from tests.fakes.openai_server import Answer, ChatScript, ChatServer
from tests.fakes.recording_model import reply_of
from tests.support.tables import case_rows

REPOSITORY = Path(__file__).parents[2]


def value_at(config: BaseModel, path: str, folder: Path) -> Any:
    found: Any = config
    for part in path.split("."):
        found = found[part] if isinstance(found, Mapping) else getattr(found, part)
    if isinstance(found, Path):
        return str(found.relative_to(folder))
    if isinstance(found, Mapping):
        return dict(found)
    found = found.get_secret_value() if hasattr(found, "get_secret_value") else found
    return list(found) if isinstance(found, tuple) else found


@pytest.mark.parametrize(
    ("written", "environ", "values"), case_rows(__file__, "given", "written", "environ", "values", lists=True)
)
def test_what_is_given_is_there_and_secrets_show_nowhere(
    tmp_path: Path, written: Any, environ: dict[str, str] | None, values: dict[str, Any]
) -> None:
    config = load(tmp_path, written or "", environ)
    assert {path: value_at(config, path, tmp_path) for path in values} == values
    assert CANARY not in shown(config)


@pytest.mark.parametrize(("written", "problem"), case_rows(__file__, "exactly", "written", "problem"))
def test_one_problem_in_words(tmp_path: Path, written: str, problem: str) -> None:
    assert problems(tmp_path, written) == [f"config.yaml:{problem}"]


@pytest.mark.parametrize(
    ("written", "environ", "words", "at", "count"),
    case_rows(__file__, "wrong", "written", "environ", "words", "at", "problems", lists=True),
)
def test_what_is_wrong_is_said_with_its_key_and_without_a_secret(
    tmp_path: Path, written: Any, environ: dict[str, str] | None, words: str, at: str | None, count: int | None
) -> None:
    found = problems(tmp_path, written or "", environ)
    assert len(found) == (count or 1), found
    assert [one for one in found if words in one and (at or "") in one], found


@pytest.mark.parametrize(
    ("written", "environ", "name", "where"),
    case_rows(__file__, "names", "written", "environ", "name", "where", lists=True),
)
def test_what_a_database_is_called_and_where_it_is(
    tmp_path: Path, written: Any, environ: dict[str, str] | None, name: str | None, where: str | None
) -> None:
    config = load(tmp_path, written, environ)
    source = config.data_sources["default"]
    assert database_name(source) == name
    assert where in (None, whereabouts(source))
    assert CANARY not in shown(config) + whereabouts(source)


def test_the_repositorys_own_file_is_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ours, none = load_config(REPOSITORY / "config.yaml", {}), load_config(None, {})
    assert ours.model_dump(exclude={"home"}) == none.model_dump(exclude={"home"})
    assert (none.has_language_model, none.rules_mode) == (False, "balanced")
    assert (none.home, none.server.host, none.server.port) == (tmp_path / ".askwell", "127.0.0.1", 5555)
    assert none.embedder.default.provider == "minilm"
    assert record_place(none.knowledge) is None


def test_the_file_is_the_one_in_the_working_directory_or_one_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.yaml").write_text("settings: {row_limit: 7}")
    (tmp_path / "other.yaml").write_text("settings: {row_limit: 8}")
    monkeypatch.chdir(tmp_path)
    assert load_config(None, {}).settings.row_limit == 7
    assert load_config(None, {"ASKWELL_CONFIG": str(tmp_path / "other.yaml")}).settings.row_limit == 8


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.yaml does not exist"):
        load_config(tmp_path / "nowhere.yaml", {})
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_config(tmp_path, {})
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        load_config(binary, {})


def test_it_cannot_be_changed(tmp_path: Path) -> None:
    config = load(tmp_path, "data_sources: {default: {engine: duckdb, path: x}}")
    with pytest.raises(ValidationError):
        config.settings.row_limit = 5  # type: ignore[misc]
    with pytest.raises(TypeError):
        config.llm["other"] = config.llm["default"]  # type: ignore[index]


def test_a_project_uses_its_own_database_or_a_shared_default(tmp_path: Path) -> None:
    text = "data_sources: {default: {engine: duckdb, path: a, shared: %s}, sales: {engine: sqlite, path: b}}"
    shared = load(tmp_path, text % "true")
    assert shared.data_source_for("sales") == shared.data_sources["sales"]
    assert shared.data_source_for("other") == shared.data_sources["default"]
    private = load(tmp_path, text % "false")
    assert private.data_source_for("default") == private.data_sources["default"]
    assert private.data_source_for("other") is None


@pytest.mark.parametrize(
    ("host", "projects", "admitted"),
    [
        *((host, "", {"sales", "new"}) for host in ("127.0.0.1", "127.0.0.2", "'::1'", "localhost")),
        *((host, "", set()) for host in ("0.0.0.0", "'::'", "db.example.internal", "10.0.0.1")),
        ("127.0.0.1", "projects: []", set()),
        ("127.0.0.1", "projects: [sales]", {"sales"}),
        ("0.0.0.0", "projects: [sales, 7]", {"sales", "7"}),
        ("0.0.0.0", "projects: open", {"sales", "new", "7"}),
    ],
)
def test_who_may_share_a_database(tmp_path: Path, host: str, projects: str, admitted: set[str]) -> None:
    sources = "data_sources: {default: {engine: duckdb, path: a, shared: true}}"
    config = load(tmp_path, f"server: {{host: {host}}}\n{sources}\n{projects}\n")
    assert config.data_source_for("default") is not None
    for project in ("sales", "new", "7"):
        assert (config.data_source_for(project) is not None) == (project in admitted or "new" in admitted)


def test_a_pipeline_uses_default_unless_it_names_another_model(tmp_path: Path) -> None:
    models = "llm: {default: {model: big, api_base: 'http://x'}, fast: {model: small, api_base: 'http://x'}}"
    config = load(tmp_path, f"{models}\npipelines: {{intent_classification: {{llm: fast}}}}\n")
    assert config.llm_for("intent_classification") == "fast"
    assert config.llm_for("sql_generation") == "default"


def test_all_problems_come_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = "pipelines:\n  sql_genration: {llm: none}\nsettings:\n  row_limit: 0\n  scope_gat: true\nserver: {port: x}"
    lines = [line.partition(": ")[0] for line in problems(tmp_path, text, {"ASKWELL_SERVER__HOST": ""})]
    assert lines == [*(f"config.yaml:{n}" for n in (2, 2, 4, 5, 6)), "environment variable ASKWELL_SERVER__HOST"]


def test_the_record_on_a_server_is_told_without_a_password(tmp_path: Path) -> None:
    server = load(tmp_path, "", {"ASKWELL_KNOWLEDGE__URL": f"postgresql+psycopg://askwell:{CANARY}@db:5433/askwell"})
    assert record_place(server.knowledge) == "postgresql askwell at db:5433"


def test_headers_of_traces_are_the_environments(tmp_path: Path) -> None:
    written = {"tracing": {"provider": "otlp", "headers_env": "MINE"}}
    config = load(tmp_path, written, {"MINE": f"authorization=Bearer%20{CANARY}%2Cy, x-team = data"})
    headers = {name: value.get_secret_value() for name, value in config.tracing.headers.items()}
    assert headers == {"authorization": f"Bearer {CANARY},y", "x-team": "data"}
    assert CANARY not in shown(config)
    assert load(tmp_path, {"tracing": {"provider": "otlp"}}).tracing.headers == {}
    # Nothing is asked of the variables where nothing is sent.
    assert load_config(None, {"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4317"})


# -- OPENAI_API_KEY goes to OpenAI and nowhere else.


SECRET = "sk-belongs-to-openai"


@pytest.mark.parametrize(("named", "sent"), [(None, "Bearer no-key"), ("OPENAI_API_KEY", f"Bearer {SECRET}")])
async def test_another_server_gets_the_key_only_when_it_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: str | None, sent: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    script = ChatScript({"*": [Answer(text="hello")]})
    async with ChatServer(script) as server:
        lines = [f"    api_base: {server.api_base}", *([f"    api_key_env: {named}"] if named else [])]
        path = tmp_path / "config.yaml"
        path.write_text("\n".join(["llm:", "  default:", "    model: test", *lines]))
        chosen = load_config(path, {"OPENAI_API_KEY": SECRET}).llm["default"]
        model = create_language_model(chosen)
        assert model is not None
        await reply_of(model, system="Be brief.", user="Hello?")
        await model.close()
        assert server.requests[0].authorization == sent


def test_a_container_can_be_built_from_every_provider_at_once(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "llm: {default: {model: a}, local: {model: b, api_base: 'http://127.0.0.1:1/v1'}, off: {provider: none}}\n"
        "pipelines: {sql_generation: {llm: local}}\n"
        "embedder: {default: {provider: none}}\n"
    )
    assert Container(load_config(path, {"OPENAI_API_KEY": SECRET}))


# -- The pipelines that config.yaml can name are the ones that exist.


class SilentModel:
    """Fits the door of a language model; nothing is asked of it here."""

    name = "silent"
    context_window = 8_000

    async def reply(self, call: ModelCall) -> ModelReply:
        return ModelReply("", Usage())

    async def close(self) -> None:
        pass


def test_every_pipeline_with_a_model_can_be_configured(tmp_path: Path) -> None:
    names: set[str] = set()

    def llm_for(name: str) -> LanguageModel:
        names.add(name)
        return SilentModel()

    GenerationPipelines(llm_for)
    ConversationPipelines(llm_for, lambda _: OURS, {})
    path = tmp_path / "config.yaml"
    lines = [f"  {name}: {{llm: default}}" for name in sorted(names)]
    path.write_text("\n".join(["llm: {default: {provider: none}}", "pipelines:", *lines]))
    assert set(load_config(path, {}).pipelines) == names

    path.write_text("llm: {default: {provider: none}}\npipelines: {no_such_pipeline: {llm: default}}")
    with pytest.raises(ConfigurationError) as caught:
        load_config(path, {})
    known = caught.value.message.partition("Known here: ")[2].rstrip(".").split(", ")
    assert set(known) == names


# -- Entries of `data_sources`, whatever is written in them: a password is never repeated.


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


class TestOnesOwnFile:
    """~/.config/askwell: a configuration for all folders, and keys."""

    @pytest.fixture
    def home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        (own := tmp_path / ".config/askwell").mkdir(parents=True)
        (own / "config.yaml").write_text(
            "llm: {default: {model: mine, api_base: 'http://x/v1', api_key_env: X}}\nsettings: {row_limit: 7}"
        )
        (own / "keys").write_text(f"# mine\nX={CANARY}\n")
        (work := tmp_path / "work").mkdir()
        monkeypatch.chdir(work)
        return tmp_path

    def test_it_counts_where_there_is_no_other_and_means_the_working_directory(self, home: Path) -> None:
        config = load_config(None, {"HOME": str(home)})
        assert (config.llm["default"].model, config.settings.row_limit) == ("mine", 7)
        assert config.home == home / "work" / ".askwell"
        assert config.llm["default"].api_key is not None
        assert config.llm["default"].api_key.get_secret_value() == CANARY
        assert CANARY not in shown(config)

    def test_only_its_models_count_beside_another_and_only_where_that_has_none(self, home: Path) -> None:
        (home / "work/config.yaml").write_text("settings: {export_row_limit: 8}")
        beside = load_config(None, {"HOME": str(home)})
        assert (beside.llm["default"].model, beside.settings.row_limit) == ("mine", 1_000)
        (home / "work/config.yaml").write_text("llm: {default: {provider: none}}")
        assert not load_config(None, {"HOME": str(home)}).has_language_model

    def test_the_environment_wins_over_both(self, home: Path) -> None:
        environ = {"XDG_CONFIG_HOME": str(home / ".config"), "X": "other", "ASKWELL_LLM__DEFAULT__MODEL": "theirs"}
        model = load_config(None, environ).llm["default"]
        assert (model.model, model.api_key and model.api_key.get_secret_value()) == ("theirs", "other")

    def test_what_is_wrong_with_it_is_said_with_its_line(self, home: Path) -> None:
        (home / ".config/askwell/config.yaml").write_text("llm:\n  default: {modle: x}")
        (home / "work/config.yaml").write_text("settings: {row_limit: 9}")
        with pytest.raises(ConfigurationError, match=r"\.config/askwell/config\.yaml:2: llm\.default\.modle"):
            load_config(None, {"HOME": str(home)})
