"""Where the exported all-MiniLM-L6-v2 lies, and whether it is whole; its files are made in a process of its own."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

from askwell.child_process.pool import run_module
from askwell.whole_files import whole_file

# Another name whenever the graph gets other outputs: files that lie in a home from before are then made again.
GRAPH_NAME = "minilm-l6-v2.tokens.int8.onnx"
TOKENIZER_NAME = "minilm-l6-v2.tokenizer.json"
CHECKSUMS_NAME = "minilm-l6-v2.sha256"


@dataclass(frozen=True, slots=True)
class MinilmFiles:
    """The files of an exported model in one folder. The checksum file is written last and reads like `sha256sum`'s."""

    folder: Path

    @classmethod
    def of_home(cls, home: Path) -> MinilmFiles:
        """The files that belong to a service's home; where it has none, those that an installation brought along, as
        the container image does."""
        own, installed = cls(home / "models"), cls(Path(sys.prefix, "share", "askwell", "models"))
        return installed if not own.present() and installed.valid() else own

    @property
    def graph(self) -> Path:
        return self.folder / GRAPH_NAME

    @property
    def tokenizer(self) -> Path:
        return self.folder / TOKENIZER_NAME

    @property
    def checksums(self) -> Path:
        return self.folder / CHECKSUMS_NAME

    def present(self) -> bool:
        """Whether all the files are there; says nothing about what is in them."""
        return all(path.is_file() for path in (self.graph, self.tokenizer, self.checksums))

    def valid(self) -> bool:
        """Whether the files are there and are the ones that were exported. Reads them whole (about 30 ms)."""
        if not self.present():
            return False
        lines = (line.partition("  ") for line in self.checksums.read_text().splitlines())
        expected = {name: checksum for checksum, _, name in lines}
        return all(expected.get(path.name) == sha256_of(path) for path in (self.graph, self.tokenizer))

    def write_checksums(self) -> None:
        """Vouch for what is there now."""
        lines = [f"{sha256_of(path)}  {path.name}\n" for path in (self.graph, self.tokenizer)]
        with whole_file(self.checksums) as out:
            out.writelines(lines)


def sha256_of(path: Path) -> str:
    """The hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# Seconds. A slow machine takes ten.
TIME_LIMIT = 300.0


async def export_for_home(home: Path) -> str:
    """Make the embedder's files in a process of its own; return why that failed, in words for people, "" where they
    are there.

    The libraries that export would stay in the service's memory for as long as it runs, some 170 MB of it.
    """
    module = "askwell.providers.embedder.minilm_export"
    try:
        status, printed = await run_module(module, seconds=TIME_LIMIT, environment={"ASKWELL_HOME": str(home)})
    except OSError as error:
        return f"a process to make the embedder's files in could not be started ({error.strerror})."
    if status is None:
        return f"making the embedder's files took more than {TIME_LIMIT:g} seconds."
    words = printed.rpartition("\n")[2].removeprefix("Embedder: ")
    return "" if status == 0 else words or f"the process that makes the embedder's files ended with status {status}."
