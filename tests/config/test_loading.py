"""Reading config.yaml and the environment: what comes out, and what is said when nothing can."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from askwell.config import DEFAULT_MODEL, load_config
from askwell.errors import ConfigurationError
from tests.config.reading import load, problems, shown

REPOSITORY = Path(__file__).parents[2]


class TestDefaults:
    def test_no_file_and_no_environment_is_a_service_without_a_language_model(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        config = load_config(None, {})
        assert not config.has_language_model
        assert config.rules_mode == "balanced"
        assert config.home == tmp_path / ".askwell"
        assert (config.server.host, config.server.port) == ("127.0.0.1", 5555)
        assert config.embedder.default.provider == "minilm"

    def test_an_openai_key_in_the_environment_turns_the_default_model_on(self, tmp_path: Path) -> None:
        config = load(tmp_path, "", {"OPENAI_API_KEY": "sk-secret"})
        assert config.llm["default"].provider == "openai"
        assert config.llm["default"].model == DEFAULT_MODEL
        assert config.rules_mode == "strict"
        assert config.llm["default"].api_key is not None
        assert config.llm["default"].api_key.get_secret_value() == "sk-secret"

    def test_the_model_can_be_turned_off_beside_a_key(self, tmp_path: Path) -> None:
        config = load(tmp_path, "llm: {default: {provider: none}}", {"OPENAI_API_KEY": "sk-secret"})
        assert not config.has_language_model

    def test_the_repositorys_own_file_is_the_defaults(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        ours, none = load_config(REPOSITORY / "config.yaml", {}), load_config(None, {})
        assert ours.model_dump(exclude={"home"}) == none.model_dump(exclude={"home"})

    def test_a_config_yaml_in_the_working_directory_is_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "config.yaml").write_text("settings: {row_limit: 7}")
        monkeypatch.chdir(tmp_path)
        assert load_config(None, {}).settings.row_limit == 7

    def test_the_file_can_be_named_by_the_environment(self, tmp_path: Path) -> None:
        path = tmp_path / "other.yaml"
        path.write_text("settings: {row_limit: 8}")
        assert load_config(None, {"ASKWELL_CONFIG": str(path)}).settings.row_limit == 8

    def test_empty_sections_mean_the_defaults(self, tmp_path: Path) -> None:
        assert load(tmp_path, "llm:\ndata_sources:\nsettings:\n").settings.row_limit == 1000


class TestValues:
    def test_it_cannot_be_changed(self, tmp_path: Path) -> None:
        config = load(tmp_path, "data_sources: {default: {engine: duckdb, path: x}}")
        with pytest.raises(ValidationError):
            config.settings.row_limit = 5  # type: ignore[misc]
        with pytest.raises(TypeError):
            config.llm["other"] = config.llm["default"]  # type: ignore[index]

    def test_relative_paths_mean_the_files_folder(self, tmp_path: Path) -> None:
        config = load(tmp_path, "home: here\ndata_sources: {default: {engine: sqlite, path: data/shop.db}}")
        assert config.home == tmp_path / "here"
        assert config.data_sources["default"].path == tmp_path / "data" / "shop.db"

    def test_a_project_uses_its_own_database_or_a_shared_default(self, tmp_path: Path) -> None:
        text = """
            data_sources:
              default: {engine: duckdb, path: a, shared: %s}
              sales: {engine: sqlite, path: b}
        """
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
    def test_who_may_share_a_database(self, tmp_path: Path, host: str, projects: str, admitted: set[str]) -> None:
        sources = "data_sources: {default: {engine: duckdb, path: a, shared: true}}"
        config = load(tmp_path, f"server: {{host: {host}}}\n{sources}\n{projects}\n")
        assert config.data_source_for("default") is not None
        for project in ("sales", "new", "7"):
            assert (config.data_source_for(project) is not None) == (project in admitted or "new" in admitted)

    def test_lists_come_from_the_environment_too(self, tmp_path: Path) -> None:
        environ = {"ASKWELL_PROJECTS": "[sales, 7]", "ASKWELL_DATA_SOURCES__DEFAULT__TABLES": "[orders, mart.*]"}
        config = load(tmp_path, "data_sources: {default: {engine: duckdb, path: a}}", environ)
        assert config.projects == ("sales", "7")
        assert config.data_sources["default"].tables == ("orders", "mart.*")

    @pytest.mark.parametrize(
        ("text", "projects"),
        [
            ("a,b", ("a", "b")),
            ("a, b", ("a", "b")),
            ('"a,b"', ("a", "b")),
            ("'a, b'", ("a", "b")),
            ('"a","b"', ("a", "b")),
            ('"[a, b]"', ("a", "b")),
            ('["a", "b"]', ("a", "b")),
            ("a", ("a",)),
            ('"a"', ("a",)),
            ("7", ("7",)),
            ("7,8", ("7", "8")),
            ("", ()),
            ('""', ()),
            ("open", "open"),
            ("OPEN", "open"),
            ('"Open"', "open"),
        ],
    )
    def test_lists_of_the_environment_may_stand_as_env_files_have_them(
        self, tmp_path: Path, text: str, projects: object
    ) -> None:
        assert load(tmp_path, "", {"ASKWELL_PROJECTS": text}).projects == projects

    def test_open_is_open_in_any_letter_case(self, tmp_path: Path) -> None:
        assert load(tmp_path, "projects: OPEN").projects == "open"

    def test_a_pipeline_uses_default_unless_it_names_another_model(self, tmp_path: Path) -> None:
        config = load(
            tmp_path,
            """
            llm:
              default: {model: big, api_base: "http://127.0.0.1:1/v1/"}
              fast: {model: small, api_base: "http://127.0.0.1:1/v1"}
            pipelines: {intent_classification: {llm: fast}}
            """,
        )
        assert config.llm_for("intent_classification") == "fast"
        assert config.llm_for("sql_generation") == "default"
        assert config.llm["default"].api_base == "http://127.0.0.1:1/v1"

    def test_off_may_be_written_bare(self, tmp_path: Path) -> None:
        assert load(tmp_path, "settings: {rules_mode: off}").rules_mode == "off"

    def test_the_openai_key_is_not_sent_to_another_server(self, tmp_path: Path) -> None:
        text = "llm: {default: {model: m, api_base: 'http://127.0.0.1:1/v1'}}"
        assert load(tmp_path, text, {"OPENAI_API_KEY": "sk-secret"}).llm["default"].api_key is None

    def test_an_embedder_has_a_key_of_its_own(self, tmp_path: Path) -> None:
        text = "embedder: {default: {provider: openai, model: m, dimensions: 8, api_base: 'http://x', api_key_env: K}}"
        config = load(tmp_path, text, {"K": "sk-e"})
        assert config.embedder.default.api_key is not None
        assert config.embedder.default.api_key.get_secret_value() == "sk-e"
        assert "sk-e" not in repr(config)

    def test_a_secret_shows_neither_in_text_nor_in_a_dump(self, tmp_path: Path) -> None:
        config = load(tmp_path, "", {"OPENAI_API_KEY": "sk-secret"})
        assert "sk-secret" not in shown(config)

    def test_merged_sections_and_anchors_are_yaml_as_usual(self, tmp_path: Path) -> None:
        config = load(
            tmp_path,
            """
            llm:
              default: &base {model: big, api_base: "http://127.0.0.1:1", timeout: 5}
              fast: {<<: *base, model: small}
            """,
        )
        assert (config.llm["fast"].model, config.llm["fast"].timeout) == ("small", 5)


class TestEnvironment:
    def test_it_wins_over_the_file(self, tmp_path: Path) -> None:
        environ = {"ASKWELL_SETTINGS__ROW_LIMIT": "5", "ASKWELL_HOME": "elsewhere", "ASKWELL_SERVER__PORT": "0"}
        config = load(tmp_path, "home: here\nsettings: {row_limit: 9, concurrency: 3}", environ)
        assert (config.settings.row_limit, config.settings.concurrency) == (5, 3)
        assert config.home == tmp_path / "elsewhere"
        assert config.server.port == 0

    def test_values_are_read_as_the_key_wants_them(self, tmp_path: Path) -> None:
        environ = {
            "OPENAI_API_KEY": "sk-secret",
            "ASKWELL_LLM__DEFAULT__MODEL": "4",
            "ASKWELL_LLM__DEFAULT__TIMEOUT": "12",
            "ASKWELL_LLM__DEFAULT__KWARGS": '{"temperature": 1, "top_p": 0.5}',
            "ASKWELL_SETTINGS__SCOPE_GATE": "false",
            "ASKWELL_SETTINGS__RULES_MODE": "off",
            "ASKWELL_DATA_SOURCES__SALES__ENGINE": "sqlite",
            "ASKWELL_DATA_SOURCES__SALES__PATH": "2024",
        }
        config = load(tmp_path, "", environ)
        assert config.llm["default"].model == "4"
        assert config.llm["default"].timeout == 12.0
        assert config.llm["default"].kwargs == {"temperature": 1, "top_p": 0.5}
        assert config.settings.scope_gate is False
        assert config.rules_mode == "off"
        assert config.data_sources["sales"].path == tmp_path / "2024"

    def test_names_people_chose_are_found_whatever_their_case(self, tmp_path: Path) -> None:
        text = "data_sources: {Sales: {engine: sqlite, path: a}}"
        config = load(tmp_path, text, {"ASKWELL_DATA_SOURCES__SALES__PATH": "b"})
        assert list(config.data_sources) == ["Sales"]
        assert config.data_sources["Sales"].path == tmp_path / "b"

    def test_an_unknown_variable_is_named_with_the_nearest_key(self, tmp_path: Path) -> None:
        found = problems(tmp_path, "", {"ASKWELL_SETTINGS__ROW_LIMTI": "5", "ASKWELL_SETINGS__ROW_LIMIT": "5"})
        assert len(found) == 2
        assert (
            'ASKWELL_SETINGS__ROW_LIMIT: setings.row_limit: unknown key "setings". Did you mean "settings"' in found[0]
        )
        assert found[1].startswith("environment variable ASKWELL_SETTINGS__ROW_LIMTI: settings.row_limti: unknown key")
        assert 'Did you mean "row_limit"?' in found[1]

    def test_a_wrong_value_is_laid_at_the_variables_door(self, tmp_path: Path) -> None:
        found = problems(tmp_path, "settings: {row_limit: 5}", {"ASKWELL_SETTINGS__ROW_LIMIT": "many"})
        assert found == [
            "environment variable ASKWELL_SETTINGS__ROW_LIMIT: settings.row_limit: has to be a whole number, not text."
        ]

    def test_what_kubernetes_sets_for_a_service_of_our_name_is_ignored(self, tmp_path: Path) -> None:
        load(
            tmp_path,
            "",
            {
                "ASKWELL_PORT": "tcp://10.0.0.1:5555",
                "ASKWELL_SERVICE_HOST": "10.0.0.1",
                "ASKWELL_PORT_5555_TCP_ADDR": "10.0.0.1",
                "ASKWELL_SERVICE_PORT_HTTP": "5555",
            },
        )

    def test_an_api_key_is_not_a_key_of_the_configuration(self, tmp_path: Path) -> None:
        found = problems(tmp_path, "", {"ASKWELL_LLM__DEFAULT__API_KEY": "sk-secret"})
        assert 'Did you mean "api_key_env"?' in found[0]
        assert "sk-secret" not in found[0]


WRONG = [
    ("settings: {row_limt: 5}", 'config.yaml:1: settings.row_limt: unknown key. Did you mean "row_limit"?'),
    ("settings:\n  row_limit: 0", "config.yaml:2: settings.row_limit: has to be at least 1, not 0."),
    ("settings: {row_limit: 1000000}", "config.yaml:1: settings.row_limit: has to be at most 100000, not 1000000."),
    ("settings: {row_limit: '5'}", "config.yaml:1: settings.row_limit: has to be a whole number, not text."),
    ("settings: {row_limit: true}", "config.yaml:1: settings.row_limit: has to be a whole number, not true or false."),
    ("settings: {row_limit: 1.5}", "config.yaml:1: settings.row_limit: has to be a whole number, not 1.5."),
    ("settings: {row_limit: [5]}", "config.yaml:1: settings.row_limit: has to be a whole number, not a list."),
    ("settings: {scope_gate: 1}", "config.yaml:1: settings.scope_gate: has to be true or false, not a number."),
    ("settings: {engine_timeout: 0}", "config.yaml:1: settings.engine_timeout: has to be more than 0, not 0."),
    ("settings: {engine_timeout: .nan}", "config.yaml:1: settings.engine_timeout: has to be at most 3600, not nan."),
    ("settings: {ask_deadline: .inf}", "config.yaml:1: settings.ask_deadline: has to be at most 86400, not inf."),
    (
        "settings: {rules_mode: strickt}",
        'config.yaml:1: settings.rules_mode: "strickt" is not one of the choices. Did you mean "strict"? '
        "Known here: auto, strict, balanced, off.",
    ),
    *[
        (
            f"settings: {{context_token_budget: {budget}}}",
            "config.yaml:1: settings.context_token_budget: has to be `auto`, or a whole number from 200 to 1000000.",
        )
        for budget in ("100", "1000001", "true", "1e3", "'2000'", "Auto", "[auto]")
    ],
    ("settings: 5", "config.yaml:1: settings: has to be a section with keys of its own, not a number."),
    *[
        (
            f"server: {{host: '{host}'}}",
            "config.yaml:1: server.host: has to be a name or an address of this machine, such as 127.0.0.1 or 0.0.0.0, "
            "without http:// and without a port, which is `server.port`.",
        )
        for host in ("http://0.0.0.0", "0.0.0.0:80", "localhost/")
    ],
    ("server: {port: 70000}", "config.yaml:1: server.port: has to be at most 65535, not 70000."),
    (
        "llm: {default: {provider: opnai}}",
        'config.yaml:1: llm.default.provider: "opnai" is not one of the choices. Did you mean "openai"? '
        "Known here: openai, azure_openai, none.",
    ),
    (
        "llm: {default: {model: m, api_base: 'localhost:1'}}",
        "config.yaml:1: llm.default.api_base: has to be a URL that starts with http:// or https://.",
    ),
    (
        "llm:\n  default: {provider: none}\npipelines:\n  sql_generation: {llm: fasd}",
        'config.yaml:4: pipelines.sql_generation.llm: names the model "fasd", which is not in `llm`. '
        "Known here: default.",
    ),
    (
        "llm: {default: {api_base: 'http://x'}, off: {provider: none}}\npipelines: {sql_generation: {llm: off}}",
        "config.yaml:2: pipelines.sql_generation.llm: has to be text, not true or false.",
    ),
    (
        "llm: {default: {api_base: 'http://x'}, no: {provider: none}}\npipelines: {sql_generation: {llm: 'no'}}",
        'config.yaml:2: pipelines.sql_generation.llm: names the model "no", whose provider is none.',
    ),
    (
        "llm: {fast: {provider: none}}",
        "config.yaml:1: llm.default: is missing: every pipeline that names no other model uses it.",
    ),
    (
        "llm: {default: {model: m}}",
        "config.yaml:1: llm.default.api_key_env: the environment variable OPENAI_API_KEY is not set.",
    ),
    (
        "llm: {default: {model: m, api_key_env: MY_KEY}}",
        "config.yaml:1: llm.default.api_key_env: the environment variable MY_KEY is not set.",
    ),
    (
        "embedder: {default: {provider: openai, model: m, api_base: 'http://x'}}",
        "config.yaml:1: embedder.default.dimensions: is missing: the provider openai needs it, for example 1536.",
    ),
    (
        "embedder: {default: {provider: openai, model: m, dimensions: 8}}",
        "config.yaml:1: embedder.default.api_key_env: the environment variable OPENAI_API_KEY is not set.",
    ),
    ("data_sources: {default: {engine: duckdb}}", "config.yaml:1: data_sources.default.path: is missing."),
    (
        "data_sources: {default: {engine: duckbd, path: x}}",
        'config.yaml:1: data_sources.default.engine: "duckbd" is not one of the choices. Did you mean "duckdb"? '
        "Known here: duckdb, sqlite, sqlalchemy, wren_ibis, wren_ui.",
    ),
    (
        "data_sources: {a/b: {engine: duckdb, path: x}}",
        "config.yaml:1: data_sources.a/b: is not a project id: letters, digits, `-`, `_` and `.`, 1 to 128 of them.",
    ),
    (
        "data_sources: {sales: {engine: duckdb, path: x, shared: true}}",
        "config.yaml:1: data_sources.sales.shared: only the data source `default` can be shared with other projects.",
    ),
    ("settings:\n  row_limit: 5\n  row_limit: 6", "config.yaml:3: settings.row_limit: stands twice (first on line 2)."),
    ("- a\n- b", "config.yaml:1: has to hold sections such as `llm:`."),
]


@pytest.mark.parametrize(("text", "budget"), [("auto", "auto"), ("2000", 2_000)])
def test_the_budget_of_a_schema_is_a_word_or_a_number_in_the_file_and_in_the_environment(
    tmp_path: Path, text: str, budget: object
) -> None:
    variable = {"ASKWELL_SETTINGS__CONTEXT_TOKEN_BUDGET": text}
    assert load(tmp_path, f"settings: {{context_token_budget: {text}}}").settings.context_token_budget == budget
    assert load(tmp_path, "", variable).settings.context_token_budget == budget


class TestProblems:
    @pytest.mark.parametrize(("text", "expected"), WRONG, ids=[text.replace("\n", " ")[:50] for text, _ in WRONG])
    def test_one_problem_in_words(self, tmp_path: Path, text: str, expected: str) -> None:
        assert problems(tmp_path, text) == [expected]

    def test_all_problems_come_at_once_in_the_order_of_the_file(self, tmp_path: Path) -> None:
        text = (
            "pipelines:\n  sql_genration: {llm: none}\nsettings:\n  row_limit: 0\n  scope_gat: true\nserver: {port: x}"
        )
        lines = [line.partition(": ")[0] for line in problems(tmp_path, text, {"ASKWELL_SERVER__HOST": ""})]
        assert lines == [
            "config.yaml:2",
            "config.yaml:2",
            "config.yaml:4",
            "config.yaml:5",
            "config.yaml:6",
            "environment variable ASKWELL_SERVER__HOST",
        ]

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("a: [1", 1),
            ("settings:\n  a: 1\n b: 2", 3),
            ("a: !!python/object:os.system x", 1),
            ("\tx: 1", 1),
            ("settings: &a {x: *a}", 1),
        ],
    )
    def test_text_that_is_not_yaml(self, tmp_path: Path, text: str, line: int) -> None:
        [problem] = problems(tmp_path, text)
        assert problem.startswith(f"config.yaml:{line}: is not valid YAML")

    @pytest.mark.parametrize("key", ["sk-live-123", "Bearer abc"])
    def test_a_key_written_where_its_variables_name_belongs_is_not_repeated(self, tmp_path: Path, key: str) -> None:
        [problem] = problems(tmp_path, f"llm: {{default: {{model: m, api_key_env: '{key}'}}}}")
        assert "has to be the name of an environment variable" in problem
        assert key not in problem

    def test_a_key_in_the_file_is_refused_and_not_repeated(self, tmp_path: Path) -> None:
        found = problems(tmp_path, "llm: {default: {model: m, api_base: 'http://x', api_key: sk-live-123}}")
        assert "put it into an environment variable" in found[0]
        assert "sk-live-123" not in "".join(found)

    def test_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match=r"nowhere\.yaml does not exist"):
            load_config(tmp_path / "nowhere.yaml", {})

    def test_a_folder_and_bytes_that_are_not_text(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="cannot be read"):
            load_config(tmp_path, {})
        binary = tmp_path / "binary.yaml"
        binary.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(ConfigurationError, match="not UTF-8"):
            load_config(binary, {})


class TestAzure:
    """A deployment at a resource: what it needs, and a version that YAML takes for a date."""

    ENVIRON = {"AZURE_OPENAI_API_KEY": "azure-key"}

    @pytest.mark.parametrize("version", ["2024-10-21", "'2024-10-21'", "2025-03-01-preview"])
    def test_a_deployment_with_the_key_of_azure(self, tmp_path: Path, version: str) -> None:
        section = (
            f"{{provider: azure_openai, model: gpt, api_base: 'https://r.openai.azure.com', api_version: {version}"
        )
        text = f"llm: {{default: {section}}}}}\nembedder: {{default: {section}, dimensions: 1536}}}}\n"
        config = load(tmp_path, text, {**self.ENVIRON, "OPENAI_API_KEY": "not-for-azure"})
        for chosen in (config.llm["default"], config.embedder.default):
            assert chosen.api_version == version.strip("'")
            assert chosen.api_key is not None
            assert chosen.api_key.get_secret_value() == "azure-key"

    @pytest.mark.parametrize(
        ("text", "keys"),
        [
            ("llm: {default: {provider: azure_openai}}", ["api_base", "model"]),
            ("embedder: {default: {provider: azure_openai}}", ["api_base", "model", "dimensions"]),
        ],
    )
    def test_what_is_missing_is_named(self, tmp_path: Path, text: str, keys: list[str]) -> None:
        found = problems(tmp_path, text, self.ENVIRON)
        assert [problem.split(": ")[1].rpartition(".")[2] for problem in found] == keys
        assert all("the provider azure_openai needs it" in problem for problem in found)

    def test_no_key(self, tmp_path: Path) -> None:
        text = "llm: {default: {provider: azure_openai, model: m, api_base: 'https://r.openai.azure.com'}}"
        [problem] = problems(tmp_path, text, {"OPENAI_API_KEY": "not-for-azure"})
        assert "AZURE_OPENAI_API_KEY is not set" in problem

    def test_a_version_that_is_none_or_somebody_elses(self, tmp_path: Path) -> None:
        azure = "provider: azure_openai, model: m, api_base: 'https://r.openai.azure.com'"
        [problem] = problems(tmp_path, f"llm: {{default: {{{azure}, api_version: latest}}}}", self.ENVIRON)
        assert "has to be a date such as" in problem
        [problem] = problems(tmp_path, "llm: {default: {model: m, api_base: 'http://x', api_version: 2024-10-21}}")
        assert "is a key of the provider azure_openai only" in problem


class TestNotYet:
    """What the design names and this version lacks is said to be missing, not unknown."""

    def test_compatibility_is_one_of_two(self, tmp_path: Path) -> None:
        assert load(tmp_path, "settings: {compatibility: none}").settings.compatibility == "none"
        assert load(tmp_path, "settings: {compatibility: wren_ui}").settings.compatibility == "wren_ui"
        environ = {"ASKWELL_SETTINGS__COMPATIBILITY": "wren_ui", "ASKWELL_SETTINGS__MODEL_VERSIONS": "5"}
        settings = load(tmp_path, "{}", environ).settings
        assert (settings.compatibility, settings.model_versions) == ("wren_ui", 5)
        [problem] = problems(tmp_path, "settings: {compatibility: wrenui}")
        assert 'Did you mean "wren_ui"?' in problem

    def test_tables_are_chosen_in_one_of_two_ways(self, tmp_path: Path) -> None:
        assert load(tmp_path, "{}").settings.table_selection == "retrieval"
        chosen = "settings: {table_selection: three_phase, three_phase_candidates: 20, max_tokens_per_call: 500}"
        settings = load(tmp_path, chosen, {"ASKWELL_SETTINGS__SELECTION_CONCURRENCY": "2"}).settings
        assert settings.table_selection == "three_phase"
        assert (settings.three_phase_candidates, settings.max_tokens_per_call) == (20, 500)
        assert settings.selection_concurrency == 2
        [problem] = problems(tmp_path, "settings: {table_selection: three_phases}")
        assert 'Did you mean "three_phase"?' in problem
        [problem] = problems(tmp_path, "settings: {selection_concurrency: 0}")
        assert "has to be at least 1" in problem
