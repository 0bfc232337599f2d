"""Fixtures over `service`; none of them needs it to be of a wider scope than one check."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from tests.client_kit.bodies import Shop
from tests.client_kit.client import LegacyClient
from tests.client_kit.manifest import hash_of, manifest
from tests.client_kit.service import Service

# Models that are deployed, by (address, hash). A check that takes the model away empties this.
DEPLOYED: set[tuple[str, str]] = set()


@pytest.fixture
def deployed() -> set[tuple[str, str]]:
    """What this run has deployed; a check that removes a model clears it."""
    return DEPLOYED


@pytest.fixture
def client(service: Service) -> Iterator[LegacyClient]:
    """The legacy client. Project "1" where that client says so, and only where the service takes it for `default`."""
    made = LegacyClient(service.url, project="1" if service.wren_ui else None, headers=service.headers)
    yield made
    made.close()


@pytest.fixture
def foreigner(service: Service) -> Iterator[LegacyClient]:
    """A client of another project. With a foreign key it has that; else it names the project in each query string."""
    made = LegacyClient(service.url, project="kit_stranger", headers=service.foreign_headers or service.headers)
    if not service.foreign_headers:
        made.http.params = {"project_id": "kit_stranger"}
    yield made
    made.close()


@pytest.fixture
def shop(service: Service, client: LegacyClient) -> Shop:
    """The shop, deployed once for the run."""
    model = manifest(data_source=service.data_source)
    label = hash_of(model)
    if (service.url, label) not in DEPLOYED:
        client.deploy(model)
        DEPLOYED.add((service.url, label))
    return Shop(label, model, client.project)


@pytest.fixture(autouse=True)
def _calm(service: Service) -> Iterator[None]:
    """No failure that one check asked of the model server is left for the next."""
    yield
    if service.model_server is not None:
        service.model_server.fail_next(0, "500")


@pytest.fixture
def with_model(service: Service) -> None:
    if service.mode != "model":
        pytest.skip("only with a model")


@pytest.fixture
def no_model(service: Service) -> None:
    if service.mode != "no_model":
        pytest.skip("only without a model")


@pytest.fixture
def wren_ui(service: Service) -> None:
    if not service.wren_ui:
        pytest.skip("only with compatibility: wren_ui")


@pytest.fixture
def no_compatibility(service: Service) -> None:
    if service.wren_ui:
        pytest.skip("only without compatibility: wren_ui")


@pytest.fixture
def unknown_id() -> str:
    return str(uuid.uuid4())
