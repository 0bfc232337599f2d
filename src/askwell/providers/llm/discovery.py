"""Which language models someone has: by keys in the environment, and on servers of their own machine."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from askwell.providers.llm.listing import ListedModel, read_listing
from askwell.providers.model_server import CallFailed, Late, ModelServer, ServerRefused, openai_address
from askwell.resources import words_file

# Seconds: a server of this machine answers at once or is not there; for one elsewhere someone waits.
_HERE_SECONDS, _THERE_SECONDS = 2.0, 6.0


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where models may be had. `id` is how it is named on the command line, `title` for people; `variable` holds the
    key, "" where none is needed. `models` are those that it lists, where it `is_listed`, the one to take first first;
    `failure` is why it lists none, and `note` what else to know before one is chosen."""

    id: str
    title: str
    api_base: str
    variable: str = ""
    provider: str = "openai"
    models: tuple[ListedModel, ...] = ()
    is_listed: bool = False
    note: str = ""
    failure: CallFailed | None = None

    @property
    def is_hosted(self) -> bool:
        """Whether someone else runs it."""
        return bool(self.variable)

    def settings(self, model: str) -> dict[str, Any]:
        """The section `llm.default` for one of its models, without what is as usual."""
        if self.provider == "local":
            return {"provider": "local", "model": model}
        prices = next((one.prices for one in self.models if one.name == model), None)
        timeout = None if self.is_hosted else catalogue()["local_timeout"]
        found = {
            "provider": self.provider if self.provider != "openai" else None,
            "model": model,
            # What OpenAI itself is asked is not what a server of one's own is asked.
            "api_base": self.api_base if self.api_base != catalogue()["hosted"]["openai"]["url"] else None,
            "api_key_env": self.variable or None,
            "context_window": catalogue()["hosted_window"] if self.id in catalogue()["hosted"] else None,
            "timeout": timeout,
            "prices": dict(prices) if prices else None,
        }
        return {key: value for key, value in found.items() if value is not None}


def catalogue() -> Mapping[str, Any]:
    """Providers and servers that are known, and how to tell models."""
    return words_file("askwell.providers.llm", "catalogue.yaml")


async def find_sources(environ: Mapping[str, str]) -> tuple[ModelSource, ...]:
    """Everything that is there: servers of this machine that answer, then providers whose key is in `environ`."""
    servers = [known_source(name, environ) for name in catalogue()["servers"]]
    hosted = [known_source(name, environ) for name in catalogue()["hosted"]]
    keyed = [one for one in hosted if environ.get(one.variable) and one.api_base]
    looked = await asyncio.gather(*(with_models(one, environ) for one in (*servers, *keyed)))
    return tuple(one for one in looked if one.is_hosted or one.models)


def known_source(name: str, environ: Mapping[str, str]) -> ModelSource:
    """A provider or server of the catalogue. Raises KeyError for another name."""
    known = {**catalogue()["servers"], **catalogue()["hosted"]}[name]
    variables = known.get("variables", ())
    url = environ.get(known.get("url_variable", "")) or known.get("url", "")
    model = known.get("model") or environ.get(known.get("model_variable", ""))
    return ModelSource(
        id=name,
        title=known["title"],
        api_base=url if name == "azure" else full_address(url, known["url"]),
        variable=next((one for one in variables if environ.get(one)), next(iter(variables), "")),
        provider="azure_openai" if name == "azure" else "openai",
        models=(ListedModel(model, known.get("prices")),) if model else (),
    )


def full_address(written: str, usual: str = "/v1") -> str:
    """An address as clients need it: OLLAMA_HOST has no scheme and no path, and often the address to listen on."""
    if "://" not in written:
        host, _, port = written.rpartition(":") if re.search(r":\d+$", written) else (written, "", "11434")
        written = f"http://{'127.0.0.1' if host in ('', '0.0.0.0') else host}:{port}"
    path = re.sub(r"^https?://[^/]+", "", written).strip("/")
    return written.rstrip("/") if path else written.rstrip("/") + re.sub(r"^https?://[^/]+", "", usual)


async def with_models(source: ModelSource, environ: Mapping[str, str]) -> ModelSource:
    """The source with the models that it lists, those left out that do not write; or with the reason why it lists none.
    The one that was its first stays so while it is listed."""
    if source.provider != "openai":  # Azure's list is about models, and what is called are deployments
        return source
    server = ModelServer(openai_address(source.api_base, environ.get(source.variable, "")), _THERE_SECONDS)
    seconds = _THERE_SECONDS if source.is_hosted else _HERE_SECONDS
    try:
        async with asyncio.timeout(seconds):
            listing = read_listing(await server.json("/models", timeout=seconds))
    except CallFailed as error:  # a provider may know its models and not list them to this kind of key
        return replace(source, failure=error)
    except TimeoutError:
        return replace(source, failure=Late())
    except ValueError:
        return source
    finally:
        await server.close()
    first = {one.name: one for one in source.models}
    marks: list[str] = catalogue()["for_sql"]

    def place(one: ListedModel) -> tuple[bool, int]:
        name = one.name.lower()
        return one.name not in first, next((n for n, mark in enumerate(marks) if mark in name), len(marks))

    writing = [one for one in listing.models if not any(part in one.name.lower() for part in catalogue()["no_chat"])]
    models = sorted((one if one.prices else first.get(one.name, one) for one in writing), key=place)
    return replace(source, models=tuple(models) or source.models, is_listed=bool(models), failure=None)


def refuses_key(failure: CallFailed | None) -> bool:
    """Whether a server turned the key away, or wants one."""
    return isinstance(failure, ServerRefused) and failure.status in (401, 403)
