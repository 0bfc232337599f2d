"""The compose file as Compose itself reads it, without a container engine: `make deploy-check`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
FOUND = shutil.which("docker-compose", path=f"{Path(sys.executable).parent}")
GIVEN = {"POSTGRES_PASSWORD": "5ecret", "ASKWELL_SIGN_IN__ADMIN_KEY": "4dmin", "REDIS_PASSWORD": "f0ur"}

pytestmark = pytest.mark.skipif(FOUND is None, reason="Compose is not installed: make deploy-check")


def compose(*arguments: str, folder: Path = REPOSITORY, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(FOUND), "--file", str(folder / "docker-compose.yml"), *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **environ},
        capture_output=True,
        text=True,
    )


def read(profile: str) -> dict[str, Any]:
    done = compose("config", "--format", "json", COMPOSE_PROFILES=profile, **GIVEN)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_one_box_is_one_askwell() -> None:
    services = read("box")["services"]
    assert services.keys() == {"askwell", "postgres", "qdrant"}
    [port] = services["askwell"]["ports"]
    assert (port["host_ip"], port["target"], port["published"]) == ("127.0.0.1", 5555, "5555")
    assert not {"ASKWELL_JOBS__REDIS", "ASKWELL_JOBS__WORK"} & services["askwell"]["environment"].keys()


def test_full_is_two_that_answer_and_two_that_work() -> None:
    found = read("full")
    services = found["services"]
    assert services.keys() == {"web", "worker", "proxy", "postgres", "qdrant", "redis"}
    assert {name: services[name]["scale"] for name in ("web", "worker")} == {"web": 2, "worker": 2}
    assert services["worker"]["command"][0] == "worker"
    assert services["web"]["command"] is None
    for name in ("web", "worker"):
        environment = services[name]["environment"]
        assert environment["ASKWELL_JOBS__REDIS"] == "redis://:f0ur@redis:6379/0"
        assert environment["ASKWELL_KNOWLEDGE__URL"] == "postgresql://askwell:5ecret@postgres:5432/askwell"
        # No volume of the home: there are several of each, and one lock on a home.
        assert "home" not in {volume["source"] for volume in services[name]["volumes"]}
    assert services["web"]["environment"]["ASKWELL_JOBS__WORK"] == "false"
    assert "ASKWELL_JOBS__WORK" not in services["worker"]["environment"]
    assert found["networks"]["inside"]["internal"] is True


def test_a_model_of_ones_own_stands_beside_one_box() -> None:
    services = read("box,local-model")["services"]
    assert services.keys() == {"askwell", "postgres", "qdrant", "local-model", "local-model-file"}
    assert services["local-model"]["networks"].keys() == {"inside"}


@pytest.mark.parametrize("missing", ["POSTGRES_PASSWORD", "ASKWELL_SIGN_IN__ADMIN_KEY"])
def test_nothing_starts_without_its_secrets(missing: str) -> None:
    given = {name: value for name, value in GIVEN.items() if name != missing}
    done = compose("config", "--quiet", COMPOSE_PROFILES="box", **given)
    assert done.returncode != 0
    assert f"{missing} is missing a value: set it in .env" in done.stderr


def test_the_example_of_the_environment_says_one_box(tmp_path: Path) -> None:
    for name in ("docker-compose.yml", "config.yaml"):
        shutil.copy(REPOSITORY / name, tmp_path)
    text = (REPOSITORY / ".env.example").read_text()
    for name, value in GIVEN.items():
        text = text.replace(f"\n{name}=\n", f"\n{name}={value}\n")
    (tmp_path / ".env").write_text(text)
    done = compose("config", "--services", folder=tmp_path)
    assert (done.returncode, sorted(done.stdout.split())) == (0, ["askwell", "postgres", "qdrant"])


def test_a_key_that_compose_does_not_know_is_refused(tmp_path: Path) -> None:
    """So what passes above was looked at."""
    text = (REPOSITORY / "docker-compose.yml").read_text().replace("stop_signal:", "stop_signl:")
    (tmp_path / "docker-compose.yml").write_text(text)
    done = compose("config", "--quiet", folder=tmp_path, COMPOSE_PROFILES="full", **GIVEN)
    assert done.returncode != 0
    assert "stop_signl" in done.stderr
