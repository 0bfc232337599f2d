"""xllamacpp as far as Askwell uses it: its folder goes to the front of the import path of a test.

A model's file is JSON that says what becomes of it: `load` ("fails", "killed", "exits"; seconds to wait), and `reply`,
the text of each reply. A prompt with the word DIE kills the process."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any


class CommonParams:
    """What is set is kept."""

    def __init__(self) -> None:
        self.model = SimpleNamespace(path="")
        self.cpuparams = SimpleNamespace(n_threads=-1)
        self.hostnames = ["0.0.0.0"]
        self.api_keys: list[str] = []
        self.port = 0


class Server:
    """Loads a file, and listens from then on."""

    def __init__(self, params: Any) -> None:
        with open(params.model.path) as file:
            self.model = json.load(file)
        match self.model.get("load"):
            case "fails":
                raise RuntimeError("Failed to init server")
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "exits":
                os._exit(3)
            case float(seconds):
                time.sleep(seconds)
        handler = type("Handler", (_Handler,), {"params": params, "model": self.model})
        self._http = ThreadingHTTPServer((params.hostnames[0], params.port), handler)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        self.listening_address = f"http://{params.hostnames[0]}:{self._http.server_port}"


class _Handler(BaseHTTPRequestHandler):
    params: Any
    model: dict[str, Any]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Authorization") not in [f"Bearer {key}" for key in self.params.api_keys]:
            self._say(401, {"error": {"message": "Invalid API Key"}})
            return
        if b"DIE" in body:
            os.kill(os.getpid(), signal.SIGKILL)
        told = {"pid": os.getpid(), "n_ctx": self.params.n_ctx, "address": self.headers["Host"]}
        content = self.model.get("reply", json.dumps(told))
        message = {"role": "assistant", "content": content}
        self._say(200, {"choices": [{"message": message, "finish_reason": "stop"}], "model": "small"})

    def _say(self, status: int, value: Any) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Nothing."""
