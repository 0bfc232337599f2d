"""Files of local models come whole, over a real server that cuts, refuses and lies, or not at all."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
import yaml

from askwell import local_model
from askwell.errors import AskwellError, ConfigurationError
from askwell.messages import say
from tests.cli.running import askwell, environment, last_json
from tests.fakes.file_server import FileServer
from tests.local_model.models import code_of, known
from tests.support.commands import PIPE, Command

CASES = yaml.safe_load((Path(__file__).parent / "fetching.yaml").read_text())
CONTENT = random.Random(37).randbytes(100_000)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", CASES)
def test_a_fetch(name: str, data: Path, tmp_path: Path) -> None:
    case = CASES[name]
    content = random.Random(1).randbytes(case["other"]) if "other" in case else CONTENT
    (brought := tmp_path / "brought.gguf").write_bytes(CONTENT)
    told: list[tuple[int, int]] = []
    with FileServer(content, **case.get("server", {})).serving() as server:
        target = known(data, CONTENT, server.address, case.get("size"))
        part = target.with_name("small.gguf.part")
        if case.get("before"):
            part.write_bytes(CONTENT[: case["before"]])
        source = case["from"].format(file=brought) if "from" in case else None
        if "says" not in case:
            assert local_model.fetch("small", source, lambda *at: told.append(at)) == target
            assert (target.read_bytes(), part.exists()) == (CONTENT, False)
            assert case.get("before") == len(CONTENT) or told[-1] == (len(CONTENT), len(CONTENT))
        else:
            with pytest.raises(AskwellError) as caught:
                local_model.fetch("small", source)
            assert code_of(caught.value) == case["says"]
            left = part.stat().st_size if part.exists() else 0
            assert (target.exists(), part.exists(), left) == (False, case["left"] > 0, case["left"])
        assert server.asked == case["asked"]


def test_what_is_there_is_not_fetched_again(data: Path) -> None:
    with FileServer(CONTENT).serving() as server:
        known(data, CONTENT, server.address)
        assert local_model.fetch("small") == local_model.fetch("small")
        assert server.asked == [None]


def test_two_do_not_fetch_one_file_at_once_and_one_that_was_killed_is_gone_on_with(tmp_path: Path) -> None:
    environ = environment(tmp_path, XDG_DATA_HOME=str(tmp_path))
    with FileServer(CONTENT, pause=0.05).serving() as server:
        target = known(tmp_path, CONTENT, server.address)
        part = target.with_name("small.gguf.part")
        first = Command("local-model", "fetch", "small", cwd=tmp_path, environ=environ, stderr=PIPE)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not (part.exists() and part.stat().st_size >= 10_000):
            time.sleep(0.01)
        second = askwell("local-model", "fetch", "small", folder=tmp_path, XDG_DATA_HOME=str(tmp_path))
        assert (second.returncode, second.stderr.splitlines()) == (
            1,
            list(say("local_model.being_fetched", name="small")),
        )
        first.kill()
        first.wait()
        left = part.stat().st_size
        server.pause = 0.0
        third = askwell("local-model", "fetch", "small", folder=tmp_path, XDG_DATA_HOME=str(tmp_path))
    assert (third.returncode, third.stdout.strip(), target.read_bytes()) == (0, str(target), CONTENT)
    assert 0 < left < len(CONTENT)
    assert server.asked[1:] == [f"bytes={left}-"]


@pytest.mark.parametrize(
    "text", ["- small", "small: {size: 1}", "small: {address: a, size: big, sha256: a, licence: a, memory_gb: 1}", "{"]
)
def test_a_list_that_cannot_be_used_is_named(text: str, data: Path) -> None:
    own = known(data, CONTENT, "http://127.0.0.1:9/small.gguf").with_name("models.yaml")
    own.write_text(text)
    with pytest.raises(ConfigurationError, match=str(own)):
        local_model.known_models()


def test_the_list_has_what_is_known_and_what_is_here(tmp_path: Path) -> None:
    known(tmp_path, CONTENT, "http://127.0.0.1:9/small.gguf").write_bytes(CONTENT)
    listed = askwell("local-model", "list", folder=tmp_path, XDG_DATA_HOME=str(tmp_path)).stdout.splitlines()
    assert [line.split()[0] for line in listed] == ["qwen2.5-coder-1.5b", "qwen2.5-coder-7b", "small"]
    assert [line.endswith("not fetched") for line in listed] == [True, True, False]


def test_a_short_file_is_not_fetched_and_is_fetched_again(tmp_path: Path) -> None:
    with FileServer(CONTENT).serving() as server:
        target = known(tmp_path, CONTENT, server.address)
        target.write_bytes(CONTENT[:1000])
        lists = askwell("local-model", "list", folder=tmp_path, XDG_DATA_HOME=str(tmp_path)).stdout.splitlines()
        as_json = last_json(askwell("local-model", "list", "--json", folder=tmp_path, XDG_DATA_HOME=str(tmp_path)))
        assert (lists[-1].endswith("is incomplete: fetch it again"), as_json[-1]["fetched"]) == (True, False)
        with pytest.raises(ConfigurationError):
            local_model.runnable_model("small")
        assert local_model.fetch("small").read_bytes() == CONTENT


def test_a_name_that_is_not_known_is_met_with_those_that_are(tmp_path: Path) -> None:
    ended = askwell("local-model", "fetch", "smal", folder=tmp_path)
    names = "qwen2.5-coder-1.5b, qwen2.5-coder-7b"
    assert (ended.returncode, ended.stderr.splitlines()) == (
        2,
        list(say("local_model.unknown", name="smal", known=names)),
    )
