"""The fixture `service`: Askwell as a process over the shop, in each of four settings, or a service that was started
elsewhere, from the environment.

ASKWELL_KIT_URL          where it listens, e.g. http://127.0.0.1:8000
ASKWELL_KIT_MODE         model | no_model
ASKWELL_KIT_WREN_UI      1 when it runs with `compatibility: wren_ui`, else 0
ASKWELL_KIT_KEY          (optional) bearer key
ASKWELL_KIT_FOREIGN_KEY  (optional) bearer key that is bound to another project
ASKWELL_KIT_MODEL        (optional) control address of the scripted model server:
                         POST {"n": 3, "how": "500"} to <address>/fail_next
ASKWELL_KIT_DATA_SOURCE  (optional) what the manifest says as dataSource; DUCKDB
ASKWELL_KIT_PATIENCE     (optional) seconds that a poll may take; 60
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import httpx2 as httpx
import pytest

from tests.client_kit.service import Failure, Service


class RemoteModelServer:
    """The control door of a scripted model server in another process."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def fail_next(self, n: int, how: Failure) -> None:
        httpx.post(f"{self._url}/fail_next", json={"n": n, "how": how}, trust_env=False).raise_for_status()


def _bearer(name: str) -> dict[str, str]:
    key = os.environ.get(name)
    return {"Authorization": f"Bearer {key}"} if key else {}


SETTINGS = ("no_model-none", "no_model-wren_ui", "model-none", "model-wren_ui")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every check in every setting, or as it is where the service is named."""
    if "setting" in metafunc.fixturenames and "ASKWELL_KIT_URL" not in os.environ:
        metafunc.parametrize(
            "setting",
            [pytest.param(name, marks=pytest.mark.deep, id=name) for name in SETTINGS],
        )


@pytest.fixture
def setting() -> str | None:
    """The name of the setting; None for a service that was started elsewhere."""
    return None


@pytest.fixture(scope="session")
def own_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Service]]:
    """Askwell in a setting, started when it is first asked for."""
    # A kit for other implementations does without Askwell's own code.
    from tests.client_kit import own_service as own

    running: dict[str, own.OwnService] = {}

    def started(name: str) -> Service:
        if name not in running:
            setting = next(one for one in own.SETTINGS if one.name == name)
            running[name] = own.OwnService(setting, tmp_path_factory.mktemp(name))
        if (end := running[name].process.end()) is not None:
            pytest.fail(end)
        return running[name].service

    yield started
    for one in running.values():
        one.close()


@pytest.fixture
def service(setting: str | None, request: pytest.FixtureRequest) -> Service:
    """The service that the checks are about."""
    if setting is None:
        return _named_service()
    started: Callable[[str], Service] = request.getfixturevalue("own_service")
    return started(setting)


def _named_service() -> Service:
    wanted = ("ASKWELL_KIT_URL", "ASKWELL_KIT_MODE", "ASKWELL_KIT_WREN_UI")
    absent = [name for name in wanted if name not in os.environ]
    if absent:
        pytest.fail(f"with ASKWELL_KIT_URL, set {', '.join(absent)} too (see tests/client_kit/README.md)")
    mode = os.environ["ASKWELL_KIT_MODE"]
    if mode not in ("model", "no_model"):
        pytest.fail(f"ASKWELL_KIT_MODE is model or no_model, not {mode!r}")
    control = os.environ.get("ASKWELL_KIT_MODEL")
    return Service(
        url=os.environ["ASKWELL_KIT_URL"],
        mode="model" if mode == "model" else "no_model",
        wren_ui=os.environ["ASKWELL_KIT_WREN_UI"].casefold() in ("1", "true", "yes"),
        model_server=RemoteModelServer(control) if control else None,
        headers=_bearer("ASKWELL_KIT_KEY"),
        foreign_headers=_bearer("ASKWELL_KIT_FOREIGN_KEY"),
        data_source=os.environ.get("ASKWELL_KIT_DATA_SOURCE", "DUCKDB"),
    )
