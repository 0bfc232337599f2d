"""The page: a document, and the modules, styles and pictures that it loads.

Everything is read once, when the application is made: compressed, and under an address that holds a hash of all of it,
so that a browser keeps what it has until another version is served. Nothing here is of a project or a person, so it is
answered before anybody has signed in. The policy lets scripts and styles come from here alone, none of them inline.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import html
import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from askwell import __version__
from askwell.charts.vega_library import library_version
from askwell.config import SignInConfig
from askwell.errors import AskwellError
from askwell.web.errors import askwell_error

if TYPE_CHECKING:
    from askwell.container import Container

PREFIX = "/page"
# What other sites load: the same address for every version.
EMBED = "/askwell-ask.js"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
# https://www.w3.org/TR/CSP3/: what is not said falls back to `default-src`.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types default",
    )
)
_PROTECTED = {
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
_FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}
_NOT_KEPT = {"Cache-Control": "no-store"}
_FOR_MINUTES = {"Cache-Control": "public, max-age=300"}
# `import x from "./y.js"`, and no `import("./y.js")`, which waits until it is needed.
_IMPORT = re.compile(r"""^\s*(?:import|export)\b[^"'(]*?["'](\.[^"']+)["']""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    compressed: bytes
    media_type: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> _File:
        return cls(content, gzip.compress(content, 9, mtime=0), media_type)

    def response(self, request: Request, headers: Mapping[str, str]) -> Response:
        is_small = _takes_gzip(request)
        # Which site may load it, where some may, stands in the answer.
        more = {"Vary": "Accept-Encoding, Origin", **headers, **({"Content-Encoding": "gzip"} if is_small else {})}
        return Response(self.compressed if is_small else self.content, media_type=self.media_type, headers=more)


def is_of_page(path: str) -> bool:
    """Whether this is the address of the page, or of something that it loads."""
    return path in ("/", EMBED) or path.startswith(f"{PREFIX}/")


@dataclass(frozen=True, slots=True)
class _Content:
    """All that the page is made of, by its path; `document` has places for what is said in it. `embed` is what other
    sites load."""

    version: str
    document: str
    embed: _File
    files: Mapping[str, _File]


@cache
def _content() -> _Content:
    found = dict(sorted(_read(files("askwell.web") / "page")))
    parts = [library_version().encode(), *(name.encode() + body for name, body in found.items())]
    version = hashlib.sha256(b"".join(parts)).hexdigest()[:16]
    base = f"{PREFIX}/{version}"
    needed = _needed(found, ["main.js", "views/ask.js"])
    loaded = [f'<link rel="modulepreload" href="{base}/{name}">' for name in needed]
    document = found.pop("index.html").decode()
    document = document.replace("{{base}}", base).replace("{{preloads}}", "\n".join(loaded))
    # Relative, as the service may be mounted anywhere.
    embed = "".join(f'import ".{base}/{name}";\n' for name in _needed(found, ["embed.js"]))
    return _Content(
        version,
        document,
        _File.of(embed.encode(), _TYPES[".js"]),
        {name: _File.of(body, _TYPES[_ending(name)]) for name, body in found.items()},
    )


class PageFiles:
    """What the page is made of. It is told how people sign in, and what the service offers, before anybody has."""

    def __init__(self, sign_in: SignInConfig, services: Container) -> None:
        self._services = services
        self._content = _content()
        self._settings = {
            "version": __version__,
            "takesKeys": sign_in.takes_keys,
            "takesBrowsers": sign_in.oidc is not None and sign_in.oidc.redirect_url is not None,
        }

    def routes(self) -> list[Route]:
        """`/`, what other sites load, and everything that these load; `/docs`."""
        return [
            Route("/", self._page, include_in_schema=False),
            Route("/docs", _routes_page, include_in_schema=False),
            Route(EMBED, self._embed, include_in_schema=False),
            Route(f"{PREFIX}/{{version}}/vega.js", self._vega, include_in_schema=False),
            Route(f"{PREFIX}/{{version}}/{{name:path}}", self._file, include_in_schema=False),
        ]

    async def refusal(self, request: Request, error: AskwellError) -> Response:
        """The page, which says first that this was refused; with the status and the wait that a client is told."""
        response = await askwell_error(request, error)
        wait = response.headers.get("Retry-After")
        refused = {"refusal": {"text": error.message, "more": error.hint}}
        answer = self._document(request, refused, _NOT_KEPT | ({"Retry-After": wait} if wait else {}))
        answer.status_code = response.status_code
        return answer

    async def _page(self, request: Request) -> Response:
        return self._document(request, {}, {"Cache-Control": "no-cache"})

    def _document(self, request: Request, said: Mapping[str, object], headers: Mapping[str, str]) -> Response:
        uploads = self._services.uploads
        offered = {
            "hasModel": self._has_model(),
            "takesUploads": uploads.are_taken,
            "mostMegabytes": uploads.most_bytes >> 20,
        }
        settings = html.escape(json.dumps({**self._settings, **offered, **said}))
        document = _File.of(self._content.document.replace("{{settings}}", settings).encode(), "text/html")
        return document.response(request, {"Content-Security-Policy": POLICY, **_PROTECTED, **headers})

    async def _embed(self, request: Request) -> Response:
        return self._content.embed.response(request, _FOR_MINUTES | _PROTECTED)

    def _has_model(self) -> bool:
        try:
            self._services.conversations.require_model()
        except AskwellError:
            return False
        return True

    async def _vega(self, request: Request) -> Response:
        try:
            compressed = await self._services.vega.compressed()
        except AskwellError as error:
            return await askwell_error(request, error)
        content = b"" if _takes_gzip(request) else await asyncio.to_thread(gzip.decompress, compressed)
        file = _File(content, compressed, _TYPES[".js"])
        return file.response(request, self._kept(request) | _PROTECTED)

    def _kept(self, request: Request) -> dict[str, str]:
        """A page that was opened before this version goes on loading what is still called the same."""
        return _FOR_GOOD if request.path_params["version"] == self._content.version else _NOT_KEPT

    async def _file(self, request: Request) -> Response:
        file = self._content.files.get(request.path_params["name"])
        if file is None:
            return Response("There is no such file.", 404, media_type="text/plain", headers=_NOT_KEPT)
        return file.response(request, self._kept(request) | _PROTECTED)


def _routes_page(request: Request) -> Response:
    """The OpenAPI document for people, without a script."""
    from jinja2 import Environment  # nobody else waits for it

    template = Environment(autoescape=True).from_string((files("askwell.web") / "docs.html.jinja").read_text("utf-8"))
    text = template.render(request.app.openapi(), as_json=partial(json.dumps, indent=2, ensure_ascii=False))
    return Response(text, media_type="text/html")


def _takes_gzip(request: Request) -> bool:
    takes = request.headers.get("accept-encoding", "").replace(" ", "").split(",")
    return any(one.partition(";")[0] == "gzip" and not one.endswith("q=0") for one in takes)


def _read(folder: Traversable, within: str = "") -> list[tuple[str, bytes]]:
    """Every file of the page, by its path from the page's folder."""
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _read(entry, f"{within}{entry.name}/")
        elif entry.name == "index.html" or _ending(entry.name) in _TYPES:
            found.append((within + entry.name, entry.read_bytes()))
    return found


def _ending(name: str) -> str:
    return posixpath.splitext(name)[1]


def _needed(found: Mapping[str, bytes], modules: list[str]) -> list[str]:
    """These modules and all that they import before they run, so that the browser need not find them out one after the
    other."""
    needed = list(modules)
    for name in needed:
        for said in _IMPORT.findall(found[name].decode()):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), said))
            if path not in needed:
                needed.append(path)
    return needed
