"""What `askwell doctor` finds of an issuer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from askwell.config import load_config
from askwell.diagnosis import checks
from askwell.services.health.finding import Finding, State, examine
from tests.access.oidc.conftest import CALLBACK, SECRET
from tests.fakes.oidc_issuer import DISCOVERY, KEYS, FakeIssuer, Key
from tests.support.service import write_config


async def found(tmp_path: Path, issuer: FakeIssuer, **oidc: Any) -> Finding:
    section = {"issuer": issuer.url, "client_id": "x", "redirect_url": CALLBACK, **oidc}
    path = write_config(tmp_path, sign_in={"oidc": section})
    config = load_config(path, {"ASKWELL_SIGN_IN__SESSION_SECRET": SECRET})
    return (await examine({"issuer": checks(config, path)["issuer"]}))["issuer"]


async def test_its_keys_are_counted(tmp_path: Path, issuer: FakeIssuer) -> None:
    told = await found(tmp_path, issuer)
    assert (told.state, told.message) == (State.OK, f"{issuer.url}: 3 keys for RS256, ES256, PS256, EdDSA")
    told = await found(tmp_path, issuer, algorithms=["PS512"])
    assert (told.state, "no token can be checked" in told.message) == (State.FAILED, True)
    issuer.keys.append(Key.new("ec-1", "ES256"))
    told = await found(tmp_path, issuer)
    assert (told.state, "several have the name ec-1" in told.message) == (State.WARNING, True)


@pytest.mark.parametrize(("off", "said"), [(600, "seconds before ours"), (-600, "seconds behind ours")])
async def test_its_clock_is_looked_at(tmp_path: Path, issuer: FakeIssuer, off: int, said: str) -> None:
    issuer.seconds_off = off
    told = await found(tmp_path, issuer)
    assert (told.state, said in told.message) == (State.WARNING, True), told


@pytest.mark.parametrize("path", [DISCOVERY, KEYS])
async def test_one_that_is_away_or_another_is_said(tmp_path: Path, issuer: FakeIssuer, path: str) -> None:
    issuer.faults[path] = (500, b"{}")
    told = await found(tmp_path, issuer)
    assert (told.state, told.message) == (State.FAILED, f"{issuer.url}{path} answers with status 500.")
    issuer.faults[path] = "https://evil.example/canary"
    told = await found(tmp_path, issuer)
    assert (told.state, "sends us on to evil.example" in told.message) == (State.FAILED, True)
    assert "canary" not in told.message


async def test_people_have_to_be_able_to_sign_in_there(tmp_path: Path, issuer: FakeIssuer) -> None:
    issuer.discovery = {"authorization_endpoint": ""}
    told = await found(tmp_path, issuer)
    assert (told.state, "does not say where people sign in" in told.message) == (State.FAILED, True)
