"""Names of this service and addresses of pages: how an allow-list writes them, and whom it lets in."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator

from askwell.config.problems import wrong

ANY = "*"
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::(\d{0,5}))?", re.IGNORECASE)
_PORTS = {"http": "80", "https": "443"}


def host_and_port(text: str) -> tuple[str, str] | None:
    """`"Askwell.Example:5555"` → `("askwell.example", "5555")`: the name in small letters, without a dot at its end, an
    IPv6 address in brackets and in its short form; no port is `""`. None for what is neither a name nor an address."""
    found = _AUTHORITY.fullmatch(text)
    if found is None:
        return None
    name = found[1].lower().removesuffix(".")
    if name.startswith("["):
        try:
            name = f"[{ipaddress.IPv6Address(name[1:-1]).compressed}]"
        except ValueError:
            return None
    return name, found[2] or ""


def without_secrets(url: str) -> str:
    """A URL for people to read: scheme, host, port and path, without what may be a secret, which is the user, the
    password and the query."""
    return re.sub(r"(?<=//)[^/]*@", "", re.split(r"[?#]", url)[0])


def is_web_address(text: str) -> bool:
    """Whether it is the URL of a web server: http or https, with a host."""
    try:
        parts = urlsplit(text)
        return parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0 and not re.search(r"\s", text)
    except ValueError:
        return False


def is_loopback(name: str) -> bool:
    """Whether a name (as `host_and_port` gives it) or an address is this machine's own."""
    try:
        return name == "localhost" or ipaddress.ip_address(name.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return False


def is_among(name: str, allowed: Iterable[str]) -> bool:
    """Whether a list has the name, `*`, or `*.` and the end of it."""
    return any(one in (ANY, name) or (one.startswith("*.") and name.endswith(one[1:])) for one in allowed)


def is_own_page(origin: str, host: tuple[str, str]) -> bool:
    """Whether a page of this origin came from the host that it calls; behind a proxy, either by http or by https."""
    scheme, _, authority = origin.lower().partition("://")
    page = host_and_port(authority)
    usual = _PORTS.get(scheme)
    return page is not None and usual is not None and (page[0], page[1] or usual) == (host[0], host[1] or usual)


def origin_pattern(origins: Iterable[str]) -> str:
    """A regular expression that the whole of an allowed origin matches."""
    return "|".join(".*" if one == ANY else re.escape(one).replace(r"\*", "[a-z0-9_.-]+") for one in origins)


def _host(value: str) -> str:
    if value == ANY:
        return value
    wildcard = "*." if value.startswith("*.") else ""
    rest = value.removeprefix(wildcard)
    found = host_and_port(f"[{rest}]" if rest.count(":") > 1 and not rest.startswith("[") else rest)
    if found is None or found[1]:
        raise wrong("host")
    return wildcard + found[0]


def _origin(value: str) -> str:
    if value == ANY:
        return value
    scheme, _, rest = value.lower().removesuffix("/").partition("://")
    wildcard = "*." if rest.startswith("*.") else ""
    found = host_and_port(rest.removeprefix(wildcard))
    if scheme not in _PORTS or found is None:
        raise wrong("origin")
    port = found[1] if found[1] != _PORTS[scheme] else ""
    return f"{scheme}://{wildcard}{found[0]}{f':{port}' if port else ''}"


def _network(value: str) -> str:
    try:
        return str(ipaddress.ip_network(value))
    except ValueError:
        raise wrong("network") from None


def _one_is_a_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


Hosts = Annotated[tuple[Annotated[str, AfterValidator(_host)], ...], BeforeValidator(_one_is_a_list)]
Origins = Annotated[tuple[Annotated[str, AfterValidator(_origin)], ...], BeforeValidator(_one_is_a_list)]
Networks = Annotated[tuple[Annotated[str, AfterValidator(_network)], ...], BeforeValidator(_one_is_a_list)]
