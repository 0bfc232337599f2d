"""The files of local language models: which there are, where they are kept, and how they get there.

A file is written beside its place (`….part`), where an interrupted fetch goes on, and gets its name once its SHA-256 is
the known one: a file that has its name is whole.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import shutil
import ssl
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedRandom, BufferedReader
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from askwell.errors import AskwellError, ConfigurationError
from askwell.messages import say
from askwell.resources import words_file
from askwell.user_folders import user_folder

if sys.platform != "win32":
    import fcntl

# Takes how many bytes are there, and how many it takes.
Progress = Callable[[int, int], None]

_LIST = "models.yaml"
_STALLED_SECONDS = 60.0
_READ_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that can be fetched. `address` is where its file is, `size` is in bytes, `memory_gb` what a machine
    should have free for it."""

    name: str
    address: str
    size: int
    sha256: str
    licence: str
    memory_gb: float

    @property
    def file(self) -> Path:
        """Its place on this machine, whether it is there or not."""
        return models_folder() / PurePosixPath(urlsplit(self.address).path).name

    @property
    def is_fetched(self) -> bool:
        """Whether its file is there, with all its bytes."""
        return self.file.is_file() and self.file.stat().st_size == self.size

    @property
    def download(self) -> str:
        """The size and the host of its download: `1.1 GB from example.com`."""
        return f"{self.size / 1e9:.1f} GB from {urlsplit(self.address).hostname}"


def models_folder() -> Path:
    """The user's folder of models."""
    return user_folder("data") / "models"


def known_models() -> Mapping[str, KnownModel]:
    """By name, those of `models.yaml` in the folder of models too. Raises `ConfigurationError` for a list that cannot
    be read."""
    import yaml
    from pydantic import TypeAdapter, ValidationError  # the child process has neither

    own = models_folder() / _LIST
    given: Mapping[str, Any] = {}
    try:
        with suppress(FileNotFoundError):
            given = yaml.safe_load(own.read_text("utf-8")) or {}
        entries = {**words_file(__package__, _LIST), **given}
        named = {name: {**entry, "name": name} for name, entry in entries.items()}
        return TypeAdapter(dict[str, KnownModel]).validate_python(named)
    except (OSError, ValueError, TypeError, yaml.YAMLError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else "it is no list of models in YAML"
        raise ConfigurationError(*say("local_model.list_unusable", file=own, reason=reason)) from None


def known_model(name: str) -> KnownModel:
    """Raises `ConfigurationError` for a name that is not known."""
    models = known_models()
    if name not in models:
        raise ConfigurationError(*say("local_model.unknown", name=name, known=", ".join(models)))
    return models[name]


def fetch(name: str, source: str | Path | None = None, progress: Progress = lambda *_: None) -> Path:
    """The file of a model, fetched where it is not there: from its own address, or from `source`, a file or the address
    of a mirror. Goes on where an earlier fetch was interrupted. Blocks, for minutes. Raises `AskwellError`."""
    model = known_model(name)
    target = model.file
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not model.is_fetched:
            with _part(model) as part:
                if not model.is_fetched:  # another process may have had it until now
                    _complete(part, model, str(source or model.address), progress)
                    os.replace(part.name, target)
    except OSError as error:
        raise AskwellError(*say("local_model.not_kept", folder=target.parent, strerror=error.strerror)) from None
    return target


@contextmanager
def _part(model: KnownModel) -> Iterator[BufferedRandom]:
    """What was fetched of a file before, for this process alone. Removed where a fetch fails before its first byte."""
    with model.file.with_name(f"{model.file.name}.part").open("ab+") as part:
        try:
            if sys.platform != "win32":
                fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AskwellError(*say("local_model.being_fetched", name=model.name)) from None
        try:
            yield part
        except BaseException:
            if part.seek(0, os.SEEK_END) == 0:
                Path(part.name).unlink(missing_ok=True)
            raise


def _complete(part: BufferedRandom, model: KnownModel, source: str, progress: Progress) -> None:
    """Fetch what is missing, and see that all of it is the file. What is not is removed."""
    part.seek(0)
    digest = hashlib.file_digest(part, "sha256")
    have = part.tell()
    _require_room(model, have)
    while have < model.size:
        before = have
        try:
            with _opened(source, model, have) as (stream, start):
                if start < have:
                    part.truncate(start)
                    digest, have = hashlib.sha256(), 0
                while have < model.size and (chunk := _read(stream, model.size - have)):
                    part.write(chunk)
                    digest.update(chunk)
                    have += len(chunk)
                    progress(have, model.size)
        except _BrokenOff as error:
            reason = str(error)
        else:
            reason = "the connection ended early"
        # A connection that brought something is worth another one.
        if have <= before:
            part.flush()
            name, size = model.name, model.size
            message = say("local_model.broken_off", source=source, reason=reason, have=have, size=size, name=name)
            raise AskwellError(*message)
    part.flush()
    os.fsync(part.fileno())
    if digest.hexdigest() != model.sha256:
        part.truncate(0)
        raise _is_another(model, source)


def _require_room(model: KnownModel, have: int) -> None:
    free = shutil.disk_usage(model.file.parent).free
    if model.size - have > free:
        needed, there = (f"{count / 1e9:,.1f}" for count in (model.size - have, free))
        raise AskwellError(*say("local_model.no_room", folder=model.file.parent, needed=needed, free=there))


class _BrokenOff(Exception):
    """A source gives no more for now."""


def _read(stream: BufferedReader | http.client.HTTPResponse, most: int) -> bytes:
    try:
        return stream.read1(min(most, _READ_AT_ONCE))
    except (OSError, http.client.HTTPException) as error:
        raise _BrokenOff(_reason(error)) from None


@contextmanager
def _opened(
    source: str, model: KnownModel, start: int
) -> Iterator[tuple[BufferedReader | http.client.HTTPResponse, int]]:
    """The source from `start` on, or from 0 where it cannot begin elsewhere, and which. Raises `_BrokenOff`, and
    `AskwellError` where it is certain that the file is not there."""
    if urlsplit(source).scheme not in ("http", "https"):
        try:
            file = Path(source).expanduser().open("rb")
        except OSError as error:
            raise AskwellError(*say("local_model.no_file", file=source, strerror=error.strerror)) from None
        with file:
            if os.fstat(file.fileno()).st_size != model.size:
                raise _is_another(model, source)
            file.seek(start)
            yield file, start
        return
    headers = {"User-Agent": "askwell", **({"Range": f"bytes={start}-"} if start else {})}
    try:
        request = urllib.request.Request(source, headers=headers)
        response = urllib.request.urlopen(request, timeout=_STALLED_SECONDS, context=_trusted())
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # it ends before what is here already
            raise _is_another(model, source) from None
        if error.code in (408, 429) or error.code >= 500:
            raise _BrokenOff(f"it answers {error.code}") from None
        raise AskwellError(
            *say("local_model.not_at_address", source=source, status=error.code, name=model.name)
        ) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _BrokenOff(_reason(error)) from None
    with response:
        goes_on = response.status == 206
        total = response.headers.get("Content-Range", "").rpartition("/")[2] if goes_on else response.length
        if total is not None and str(total) not in (str(model.size), "*"):
            raise _is_another(model, source)
        yield response, start if goes_on else 0


def _trusted() -> ssl.SSLContext:
    """Certificates that the system trusts, and those that certifi has."""
    context = ssl.create_default_context()
    with suppress(ImportError):
        import certifi

        context.load_verify_locations(certifi.where())
    return context


def _reason(error: Exception) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__


def _is_another(model: KnownModel, source: str) -> AskwellError:
    return AskwellError(*say("local_model.another_file", source=source, name=model.name, sha256=model.sha256))
