"""A folder of prompts that stand in for ours, and what is said of one that cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwell.config import load_config
from askwell.container import Container
from askwell.errors import ConfigurationError
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import running_service, write_config
from tests.support.tables import case_rows

OWN = "{% include 'shared/schema.md.jinja' %}\nTask: sql_generation\nBe bold: {{ question }}\n"


def _config(folder: Path, files: dict[str, str], api_base: str = "http://127.0.0.1:9/v1") -> Path:
    for name, text in files.items():
        path = folder / "prompts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return write_config(folder, api_base=api_base, prompts_path="prompts", settings={"rules_mode": "off"})


async def test_a_file_of_the_same_name_stands_in_for_ours(tmp_path: Path) -> None:
    files = {"sql_generation/user.md.jinja": OWN, "shared/sql_rules.md.jinja": "## Rules\nRule your own way.\n"}
    script = [Answer(json={"sql": sql}) for sql in ("SELECT nothing FROM customers", "SELECT name FROM customers")]
    async with ChatServer({"sql_generation": script[:1], "sql_correction": script[1:]}) as server:
        async with running_service(_config(tmp_path, files, server.api_base)) as service:
            await service.prepare()
            result = await service.answer("Who is keenest, roughly?")
    assert result["status"] == "finished"
    asked = {request.stage: request for request in server.requests}
    assert "Be bold: Who is keenest, roughly?" in asked["sql_generation"].user
    assert "CREATE TABLE customers" in asked["sql_generation"].user
    assert "Rule your own way." in asked["sql_generation"].system
    assert "Rule your own way." in asked["sql_correction"].system  # it shares the file
    assert "You answer questions about a database." in asked["sql_correction"].system


@pytest.mark.parametrize(
    ("name", "text", "said"),
    case_rows(__file__, "one_that_cannot_stops_the_start_with_the_reason", "name", "text", "said"),
    ids=["unknown name", "no question", "syntax", "no such include", "computed include", "misspelled"],
)
def test_one_that_cannot_stops_the_start_with_the_reason(tmp_path: Path, name: str, text: str, said: str) -> None:
    config = load_config(_config(tmp_path, {name: text}), {})
    with pytest.raises(ConfigurationError, match=said):
        Container(config)


def test_so_does_a_folder_that_is_not_there(tmp_path: Path) -> None:
    config = load_config(_config(tmp_path, {}), {})
    with pytest.raises(ConfigurationError, match="prompts_path: there is no folder"):
        Container(config)
