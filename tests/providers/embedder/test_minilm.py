"""The default embedder, exported here from the installed weights."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from askwell.config import EmbedderConfig
from askwell.errors import EmbedderUnavailable
from askwell.providers.embedder.factory import create_embedder
from askwell.providers.embedder.minilm import MinilmEmbedder
from askwell.providers.embedder.minilm_export import export, main, missing_for_export
from askwell.providers.embedder.minilm_files import MinilmFiles

pytestmark = pytest.mark.skipif(bool(missing_for_export()), reason="the minilm extra is not installed")


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> MinilmFiles:
    exported = MinilmFiles.of_home(tmp_path_factory.mktemp("home"))
    export(exported)
    return exported


@pytest.fixture
async def minilm(files: MinilmFiles) -> AsyncIterator[MinilmEmbedder]:
    embedder = MinilmEmbedder(files)
    yield embedder
    await embedder.close()


async def test_vectors_have_length_one_and_say_what_is_alike(minilm: MinilmEmbedder) -> None:
    texts = ["How many orders were placed?", "What is the number of purchases?", "Penguins live in the south."]
    vectors = await minilm.embed(texts)
    assert vectors.shape == (3, minilm.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    alike = vectors @ vectors.T
    assert alike[0, 1] > 0.4
    assert alike[0, 2] < 0.25


async def test_figures_of_the_unquantised_model_are_met_closely(minilm: MinilmEmbedder) -> None:
    # Cosines of all-MiniLM-L6-v2 in float32 for these pairs.
    pairs = {
        ("orders shipped late", "orders not shipped late"): 0.961,
        ("singers from France", "French vocalists"): 0.882,
        ("average price of products", "weather in Paris"): 0.027,
    }
    for (one, other), expected in pairs.items():
        vectors = await minilm.embed([one, other])
        assert float(vectors[0] @ vectors[1]) == pytest.approx(expected, abs=0.04)


async def test_a_text_has_one_vector_whatever_it_is_embedded_with(minilm: MinilmEmbedder) -> None:
    alone = await minilm.embed(["orders"])
    among = await minilm.embed(["a much longer text about something else " * 5, "orders", *map(str, range(20))])
    assert np.array_equal(alone[0], among[1])


async def test_many_texts_come_back_in_their_order(minilm: MinilmEmbedder) -> None:
    texts = [f"{'long ' * (n % 7)}text {n} about orders" for n in range(101)]
    together = await minilm.embed(texts)
    for n in (0, 8, 50, 99, 100):
        assert np.array_equal(together[n], (await minilm.embed([texts[n]]))[0])


async def test_empty_and_endless_texts_are_embedded(minilm: MinilmEmbedder) -> None:
    assert (await minilm.embed([])).shape == (0, minilm.dimension)
    assert np.isfinite(await minilm.embed(["", "word " * 20_000])).all()


async def test_word_pieces_have_vectors_of_their_own(minilm: MinilmEmbedder) -> None:
    texts = ["Who may take sick leave?", "", *(["People who are ill stay at home."] * 9)]
    asked, nothing, *told = await minilm.embed_tokens(texts)
    assert asked.pieces == ("who", "may", "take", "sick", "leave")
    assert asked.vectors.shape == (5, minilm.dimension)
    assert np.allclose(np.linalg.norm(asked.vectors, axis=1), 1, atol=1e-5)
    assert (nothing.pieces, nothing.vectors.shape) == ((), (0, minilm.dimension))
    sick = asked.vectors[3] @ told[0].vectors.T
    assert told[0].pieces[int(sick.argmax())] == "ill"
    assert all(np.array_equal(one.vectors, told[0].vectors) for one in told)


async def test_the_event_loop_goes_on_while_documents_are_embedded(minilm: MinilmEmbedder) -> None:
    await minilm.embed(["load"])
    ticks = 0
    work = asyncio.create_task(minilm.embed(["a text of some length about orders and customers " * 8] * 100))
    while not work.done():
        await asyncio.sleep(0.001)
        ticks += 1
    assert ticks > 20


async def test_a_question_does_not_wait_for_all_documents(minilm: MinilmEmbedder) -> None:
    documents = asyncio.create_task(minilm.embed(["a text of some length about orders and customers " * 8] * 200))
    await asyncio.sleep(0.02)
    await minilm.embed(["a question"])
    assert not documents.done()
    documents.cancel()
    await asyncio.gather(documents, return_exceptions=True)
    assert (await minilm.embed(["after a cancelled caller"])).shape[0] == 1


def _copy(files: MinilmFiles, home: Path) -> MinilmFiles:
    own = MinilmFiles.of_home(home)
    own.folder.mkdir(parents=True)
    for path in (files.graph, files.tokenizer, files.checksums):
        (own.folder / path.name).write_bytes(path.read_bytes())
    return own


async def test_damaged_files_are_not_loaded(files: MinilmFiles, tmp_path: Path) -> None:
    own = _copy(files, tmp_path)
    content = bytearray(own.graph.read_bytes())
    content[1_000_000] ^= 1
    own.graph.write_bytes(content)
    embedder = MinilmEmbedder(own)
    with pytest.raises(EmbedderUnavailable) as caught:
        await embedder.embed(["x"])
    assert "minilm_export" in caught.value.hint


@pytest.mark.deep
async def test_damaged_or_missing_files_are_made_again_at_start(files: MinilmFiles, tmp_path: Path) -> None:
    own = _copy(files, tmp_path)
    own.tokenizer.write_text("{}")
    embedder = await create_embedder(EmbedderConfig(), tmp_path)
    assert (await embedder.embed(["x"])).shape == (1, 384)
    await embedder.close()


async def test_a_home_that_cannot_be_written_leaves_words_only_and_a_loud_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "models").write_text("not a folder")
    embedder = await create_embedder(EmbedderConfig(), tmp_path)
    assert embedder.dimension == 0
    assert "WORDS ONLY" in caplog.text
    assert "ASKWELL_HOME" in caplog.text


START = """
import asyncio, sys
from pathlib import Path
from askwell.config import EmbedderConfig
from askwell.providers.embedder.factory import create_embedder

async def main():
    embedder = await create_embedder(EmbedderConfig(), Path(sys.argv[1]))
    print((await embedder.embed(["x"])).shape[1], [name for name in ("onnx", "safetensors") if name in sys.modules])

asyncio.run(main())
"""


@pytest.mark.deep
def test_a_service_that_makes_the_files_does_not_load_what_makes_them(tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-c", START, "home"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
    )
    assert said.stdout == "384 []\n"
    assert MinilmFiles.of_home(tmp_path / "home").valid()


@pytest.mark.deep
def test_the_command_skips_what_is_there_and_repairs_what_is_not(
    files: MinilmFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = _copy(files, tmp_path)
    monkeypatch.setenv("ASKWELL_HOME", str(tmp_path))
    assert main() == 0
    assert "present and whole" in capsys.readouterr().out
    own.checksums.unlink()
    assert main() == 0
    assert "wrote" in capsys.readouterr().out
    assert own.valid()


EMBED_ONE = """
import asyncio, sys
from pathlib import Path
from askwell.providers.embedder.minilm import MinilmEmbedder
from askwell.providers.embedder.minilm_files import MinilmFiles

asyncio.run(MinilmEmbedder(MinilmFiles.of_home(Path(sys.argv[1]))).embed(["a question"]))
"""


def test_nothing_is_written_to_the_home_directory(files: MinilmFiles, tmp_path: Path) -> None:
    # onnxruntime keeps what it wants to report there, from its first session on.
    home = files.folder.parent
    subprocess.run([sys.executable, "-c", EMBED_ONE, str(home)], env={"HOME": str(tmp_path)}, check=True)
    assert list(tmp_path.rglob("*")) == []
