"""Whether a model is a small one, as far as its name and its address tell."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

# In billions of parameters, from which on models keep to long rules.
_FEWEST_PARAMETERS = 8.0
# `7b`, `1.5B`, `8x7b`; in `30b-a3b` the second number is what a token takes, not what the model has.
_PARAMETERS = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)b(?![a-z0-9])")
# How the names of large models begin that gateways on one's own machine pass on.
_LARGE = re.compile(
    r"(?:^|/)(?:gpt-|chatgpt-|o[134]\b|claude-|gemini-|grok-|deepseek-(?:chat|reasoner|v\d|r1$)|mistral-(?:large|medium)"
    r"|command-|kimi-|glm-|qwen-(?:max|plus)|nova-|sonar)"
)
_LOCAL_ENDINGS = (".local", ".localhost", ".internal", ".lan", ".home")


def is_small_model(model: str, api_base: str | None) -> bool:
    """Below 8 billion parameters by its name; where the name says nothing, a model that is not known to be large on a
    server of one's own (None is OpenAI's)."""
    name = model.lower()
    if sizes := [float(count) * int(times or 1) for times, count in _PARAMETERS.findall(name)]:
        return max(sizes) < _FEWEST_PARAMETERS
    return api_base is not None and _is_local(api_base) and _LARGE.search(name) is None


def _is_local(api_base: str) -> bool:
    host = urlsplit(api_base).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_ENDINGS)
