"""What a route of your own server gives to pages of people who are signed in there."""

import json
import os
import threading
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta

SERVICE = "https://askwell.example"
LASTS, MOMENT = timedelta(hours=8), timedelta(seconds=2)
LOCKS: dict[str, threading.Lock] = {}  # with several processes: a lock on the person's row in your database


def token_for(visitor: dict, refused: bool = False) -> str:
    """A token for a person, of whom your site keeps `visitor`; another one where theirs was refused."""
    with LOCKS.setdefault(visitor["id"], threading.Lock()):
        now = datetime.now(UTC)
        # Tabs whose tokens are refused at the same time get one new token.
        enough = LASTS - MOMENT if refused else LASTS / 2
        if visitor.get("askwell_until", now) - now > enough:
            return visitor["askwell_token"]
        made = new_token(visitor, {"expires_at": (now + LASTS).isoformat()})
        visitor.update(askwell_key=made["id"], askwell_token=made["key"], askwell_until=now + LASTS)
        return made["key"]


def new_token(visitor: dict, said: dict) -> dict:
    if "askwell_key" in visitor:  # another secret, the same person; the one before works for an hour more
        try:
            return call(f"/v1/keys/{visitor['askwell_key']}/rotate", said)
        except urllib.error.HTTPError as error:
            if error.code not in (403, 404, 422):  # made by another key, gone, or revoked
                raise
    person = {"name": visitor["name"], "role": "ask", "projects": ["shop"], "attributes": {"region": visitor["region"]}}
    return call("/v1/keys", person | said)


def call(path: str, body: dict) -> dict:
    headers = {"Authorization": f"Bearer {os.environ['ASKWELL_ADMIN_KEY']}", "Content-Type": "application/json"}
    request = urllib.request.Request(SERVICE + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)
