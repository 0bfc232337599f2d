"""A server of one file over loopback, with byte ranges, cuts and refusals."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class FileServer:
    """`cuts` are how many bytes the first answers have before their connection breaks; None is all of them. `status` is
    answered in place of the file, `ranges` False gives all of it to whoever wants a part, `redirects` sends to another
    address first, `pause` is in seconds for each KiB. `asked` are the ranges asked for, None for all of it."""

    content: bytes
    cuts: list[int | None] = field(default_factory=list)
    status: int = 200
    ranges: bool = True
    pause: float = 0.0
    redirects: bool = False
    asked: list[str | None] = field(default_factory=list)
    address: str = ""

    @contextmanager
    def serving(self) -> Iterator[FileServer]:
        """Until the end of the block."""
        handler = type("Handler", (_Handler,), {"served": self})
        http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        http.daemon_threads = True
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        self.address = f"http://127.0.0.1:{http.server_port}/small.gguf"
        try:
            yield self
        finally:
            http.shutdown()
            http.server_close()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    served: FileServer

    def do_GET(self) -> None:
        served = self.served
        if served.redirects and self.path != "/elsewhere":
            self.send_response(302)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        wanted = self.headers.get("Range")
        served.asked.append(wanted)
        found = re.match(r"bytes=(\d+)-", wanted or "") if served.ranges else None
        start, size = int(found[1]) if found else 0, len(served.content)
        status = served.status
        if status == 200 and found:
            status = 206 if start < size else 416
        self.send_response(status)
        if status >= 400:
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if found:
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        self.send_header("Content-Length", str(size - start))
        self.end_headers()
        cut = served.cuts.pop(0) if served.cuts else None
        content = served.content[start:] if cut is None else served.content[start : start + cut]
        for at in range(0, len(content), 1024):
            time.sleep(served.pause)
            self.wfile.write(content[at : at + 1024])
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Nothing."""
