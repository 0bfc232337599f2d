"""Where jobs go on, and that the password of a Redis stays out of files and messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwell.config import Config, load_config
from askwell.errors import ConfigurationError

RECORD = "knowledge: {url: 'postgresql://askwell@db/askwell'}\n"
NO_ADDRESS = "jobs.redis: has to be the URL of a Redis"


def load(folder: Path, text: str, environ: dict[str, str] | None = None) -> Config:
    (folder / "config.yaml").write_text(text)
    return load_config(folder / "config.yaml", environ or {})


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("redis://:hunter2@h:6379/0", "jobs.redis: holds a password"),
        ("redis://h:6379/0?username=u&password=hunter2", "jobs.redis: holds a password"),
        ("redis://h:0/0", NO_ADDRESS),
        ("redis://h:65536/0", NO_ADDRESS),
        ("redis://h:hunter2/0", NO_ADDRESS),
        ("redis:///0", NO_ADDRESS),
        # What counts requests for all processes knows no sockets of this scheme.
        ("unix://:hunter2@/tmp/redis.sock", NO_ADDRESS),
        ("http://h:6379", NO_ADDRESS),
    ],
)
def test_an_address_that_cannot_be_meant_is_refused_without_its_password(
    tmp_path: Path, written: str, words: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, f"{RECORD}jobs: {{redis: '{written}'}}")
    assert words in caught.value.message
    assert "hunter2" not in caught.value.message + caught.value.hint


def test_the_environment_may_hold_the_password(tmp_path: Path) -> None:
    for url in ("redis://:hunter2@h:6379/0", "rediss://h/0?password=hunter2"):
        config = load(tmp_path, RECORD, {"ASKWELL_JOBS__REDIS": url})
        assert config.jobs.redis is not None
        assert config.jobs.redis.get_secret_value() == url
        assert "hunter2" not in repr(config) + config.model_dump_json()


@pytest.mark.parametrize("environ", [{}, {"ASKWELL_JOBS__WORK": "false"}])
def test_one_that_works_with_nobody_is_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    text = RECORD if environ else f"{RECORD}jobs: {{work: false}}"
    with pytest.raises(ConfigurationError, match=r"jobs\.work: is false, .* nothing would ever be answered"):
        load(tmp_path, text, environ)
    redis = {"ASKWELL_JOBS__REDIS": "redis://h:6379/0"}
    assert load(tmp_path, text, environ | redis).jobs.work is False
