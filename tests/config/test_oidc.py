"""The section of single sign-on: what is taken, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from askwell.config import Config, load_config
from askwell.errors import ConfigurationError

SECRET = "0123456789abcdef0123456789abcdef"
ENVIRON = {"ASKWELL_SIGN_IN__SESSION_SECRET": SECRET}
LEAST = {"issuer": "https://login.example.org/realms/shop", "audiences": ["askwell"]}
BROWSER = {**LEAST, "client_id": "askwell", "redirect_url": "https://askwell.example.org/v1/sign-in/callback"}


def load(tmp_path: Path, oidc: Any, environ: dict[str, str] | None = None, **sign_in: Any) -> Config:
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump({"sign_in": {**sign_in, "oidc": oidc}}))
    return load_config(path, ENVIRON if environ is None else environ)


def test_the_least_takes_bearer_tokens_and_turns_sign_in_on(tmp_path: Path) -> None:
    config = load(tmp_path, LEAST, {})
    assert config.sign_in.is_on
    assert config.sign_in.oidc is not None
    assert (config.sign_in.oidc.takes_bearer_tokens, config.sign_in.oidc.signs_in_browsers) == (True, False)
    assert "HS256" not in str(config.sign_in.oidc.algorithms)


@pytest.mark.parametrize("named", [False, True])
def test_secrets_come_from_the_environment_and_show_nowhere(tmp_path: Path, named: bool) -> None:
    client = "canary-client-secret"
    environ = {"MY_CLIENT": client, "MY_SESSIONS": f"{SECRET} {SECRET[::-1]}"}
    oidc = BROWSER
    if named:
        oidc = {**BROWSER, "client_secret_env": "MY_CLIENT"}
        config = load(tmp_path, oidc, environ, session_secret_env="MY_SESSIONS")
    else:
        direct = {"ASKWELL_SIGN_IN__OIDC__CLIENT_SECRET": client}
        config = load(tmp_path, oidc, {**direct, "ASKWELL_SIGN_IN__SESSION_SECRET": environ["MY_SESSIONS"]})
    assert config.sign_in.oidc is not None
    assert config.sign_in.oidc.client_secret is not None
    assert config.sign_in.oidc.client_secret.get_secret_value() == client
    assert config.sign_in.session_secret is not None
    shown = f"{config} {config!r} {config.model_dump_json()}"
    assert client not in shown
    assert SECRET not in shown


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "http": ({"issuer": "http://login.example.org"}, "sign_in.oidc.issuer: has to be a URL that starts with https://"),
    "no host": ({"issuer": "https://"}, "sign_in.oidc.issuer"),
    "credentials": ({"issuer": "https://a:canary@login.example.org"}, "sign_in.oidc.issuer"),
    "query": ({"issuer": "https://login.example.org?x=canary"}, "without a query"),
    "file": ({"jwks_url": "file:///etc/canary"}, "sign_in.oidc.jwks_url"),
    "no issuer": ({"issuer": None}, "sign_in.oidc.issuer"),
    "HMAC": ({"algorithms": ["HS256"]}, '"HS256" is not one of the choices'),
    "none": ({"algorithms": ["none"]}, '"none" is not one of the choices'),
    "no algorithm": ({"algorithms": []}, "sign_in.oidc.algorithms"),
    "a type": ({"token_types": ["logout+jwt"]}, "sign_in.oidc.token_types"),
    "nothing to do": ({"audiences": [], "redirect_url": None}, "needs `audiences`"),
    "no client": ({"client_id": None}, "needs the `client_id`"),
    "another callback": ({"redirect_url": "https://askwell.example.org/"}, "/v1/sign-in/callback"),
    "a callback by http": ({"redirect_url": "http://askwell.example.org/v1/sign-in/callback"}, "redirect_url"),
    "scopes": ({"scopes": ["profile"]}, '"openid" among them'),
    "a role": ({"role": {"roles": {"staff": "root"}}}, '"root" is not one of the choices'),
    "a secret in the file": ({"client_secret": "canary"}, "does not belong here"),
    "a key": ({"audience": "askwell"}, 'Did you mean "audiences"?'),
}


@pytest.mark.parametrize(("change", "said"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said_with_its_key_and_never_repeated(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    oidc = {name: value for name, value in {**BROWSER, **change}.items() if value is not None}
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, oidc)
    assert said in caught.value.message
    assert "canary" not in caught.value.message


@pytest.mark.parametrize("secret", ["", "short", f"{SECRET} short", None])
def test_sessions_need_a_secret_that_nobody_guesses(tmp_path: Path, secret: str | None) -> None:
    environ = {} if secret is None else {"MY_SESSIONS": secret}
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, BROWSER, environ, session_secret_env="MY_SESSIONS")
    assert "MY_SESSIONS" in caught.value.message
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, BROWSER, {} if secret is None else {"ASKWELL_SIGN_IN__SESSION_SECRET": secret})
    assert "session_secret" in caught.value.message
    assert "short" not in caught.value.message.replace("MY_SESSIONS", "")


def test_all_of_it_may_come_from_the_environment(tmp_path: Path) -> None:
    environ = {
        "ASKWELL_SIGN_IN__OIDC__ISSUER": LEAST["issuer"],
        "ASKWELL_SIGN_IN__OIDC__AUDIENCES": "askwell,another",
        "ASKWELL_SIGN_IN__OIDC__ROLE__CLAIM": "groups",
        "ASKWELL_SIGN_IN__OIDC__SESSION_TTL": "600",
    }
    (tmp_path / "config.yaml").write_text("{}")
    oidc = load_config(tmp_path / "config.yaml", environ).sign_in.oidc
    assert oidc is not None
    assert (oidc.audiences, oidc.role.claim, oidc.session_ttl) == (("askwell", "another"), "groups", 600)


def test_who_has_sign_in_does_not_let_everybody_in(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="keep one of the two"):
        load(tmp_path, LEAST, open=True)


def test_on_this_machine_it_goes_without_https(tmp_path: Path) -> None:
    local = {"issuer": "http://127.0.0.1:8080/realms/shop", "redirect_url": "http://localhost:5555/v1/sign-in/callback"}
    config = load(tmp_path, {**BROWSER, **local})
    assert config.sign_in.oidc is not None
    assert config.sign_in.oidc.issuer == local["issuer"]
