"""What Azure's OpenAI resources have in common, for language models and embedders.

A resource has an endpoint, and names of its own for deployed models. There are two routes: the older one has the
deployment and an `api-version` in the address; the newer, /openai/v1, is OpenAI's own protocol with the deployment as
the model.
"""

from __future__ import annotations

from askwell.providers.model_server import Address, openai_address

UNKNOWN_DEPLOYMENT = (
    "Set `model` to the deployment's name, which need not be the model's, and `api_base` to its resource's endpoint. A "
    "new deployment takes some minutes to appear; an `api_version` that does not exist is answered in the same way."
)


def endpoint(api_base: str) -> str:
    """The resource's endpoint, also from an address that already has a route, as the portal shows them."""
    return api_base.partition("/openai")[0].rstrip("/")


def address(api_base: str, deployment: str, api_version: str | None, key: str) -> Address:
    """Where a deployment is called: by the older route with an `api_version`, else by OpenAI's own protocol."""
    base = f"{endpoint(api_base)}/openai"
    if not api_version:
        return openai_address(f"{base}/v1", key)
    return Address(base, {"api-key": key.strip()}, {"api-version": api_version}, f"{base}/deployments/{deployment}")
