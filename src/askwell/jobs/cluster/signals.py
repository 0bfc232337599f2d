"""Words between processes, over Redis: one connection that listens, for all that wait for something."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any

from askwell.errors import Unavailable
from askwell.jobs.runner import cancel
from askwell.knowledge.repeats import pauses

logger = logging.getLogger(__name__)

# A Redis that does not answer within this many seconds is away.
ANSWER_SECONDS = 2.0
_LISTEN_SECONDS = 1.0
_LONGEST_PAUSE = 1.0

Word = Mapping[str, Any]
Heard = Callable[[Word], Awaitable[None]]


class RedisAway(Unavailable):
    """Redis cannot be reached, so other processes could not follow a job."""

    def __init__(self) -> None:
        super().__init__(
            "Redis can't be reached, so Askwell accepts no new questions.",
            "Try again in a moment. Administrators: check jobs.redis in the configuration.",
        )


class Signals:
    """`tell` says a word to all processes that share the `prefix`, this one too; each hears it where it has told
    `on_word` who listens. `changes` is for one channel, and counts as changed whenever the connection was cut: what was
    said meanwhile is lost, so waiters check for themselves."""

    def __init__(self, redis: Any, prefix: str) -> None:
        self._redis = redis
        self._prefix = prefix
        self._listener: Any = redis.pubsub(ignore_subscribe_messages=True)
        self._watched: dict[str, set[asyncio.Event]] = {}
        self._heard: list[Heard] = []
        self._reconnected: list[Callable[[], None]] = []
        self._task: asyncio.Task[None] | None = None
        self._words: set[asyncio.Task[object]] = set()
        self._tried = asyncio.Event()
        self.is_connected = False

    def on_word(self, heard: Heard) -> None:
        """Have `heard` called with each word that is told to all."""
        self._heard.append(heard)

    def on_reconnect(self, call: Callable[[], None]) -> None:
        """Have this called whenever words may have been missed."""
        self._reconnected.append(call)

    async def start(self) -> None:
        """Begin to listen, in the background; returns when that has worked or failed once."""
        self._task = asyncio.create_task(self._listen(), name="cluster-signals")
        await self._tried.wait()

    async def close(self) -> None:
        """Hear nothing any more. Safe to call twice."""
        for task in (*self._words, self._task):
            await cancel(task)
        self._task = None
        with contextlib.suppress(Exception):
            await self._listener.aclose()

    def wake_all(self) -> None:
        """Have everybody who waits look for himself."""
        for watching in self._watched.values():
            for changed in watching:
                changed.set()

    def require_connection(self) -> None:
        """Raises `RedisAway`."""
        if not self.is_connected:
            raise RedisAway

    async def tell(self, word: Word) -> bool:
        """Say a word to all; whether it was sent. Who was not connected has not heard it."""
        with noticing_redis(self):
            await self._redis.publish(self.channel("words"), json.dumps(word))
            return True
        return False

    def say(self, word: Word) -> None:
        """Say a word to all, in the background."""
        self._in_background(self.tell(word))

    def poke_soon(self, channel: str) -> None:
        """Tell the watchers of a channel that there is something new, in the background."""
        self._in_background(self.poke(channel))

    def _in_background(self, saying: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(saying, name="cluster-word")
        self._words.add(task)
        task.add_done_callback(self._words.discard)

    async def poke(self, channel: str) -> None:
        """Tell the watchers of a channel that there is something new."""
        with noticing_redis(self):
            await self._redis.publish(self.channel(channel), "")

    @asynccontextmanager
    async def changes(self, channel: str) -> AsyncIterator[asyncio.Event]:
        """An event that is set when someone pokes the channel. A waiter clears it before it looks."""
        changed = asyncio.Event()
        name = self.channel(channel)
        watching = self._watched.setdefault(name, set())
        watching.add(changed)
        try:
            if len(watching) == 1:
                with noticing_redis(self):
                    await self._listener.subscribe(name)
            yield changed
        finally:
            watching.discard(changed)
            if not watching and self._watched.get(name) is watching:
                del self._watched[name]
                with noticing_redis(self):
                    await self._listener.unsubscribe(name)

    def channel(self, channel: str) -> str:
        """The name of a channel, as Redis knows it."""
        return f"{self._prefix}:{channel}"

    async def _listen(self) -> None:
        waits = pauses(_LONGEST_PAUSE)
        while True:
            try:
                if not self.is_connected:
                    # Subscribes again to whatever is watched by now: what was asked for meanwhile is not known there.
                    await self._listener.subscribe(self.channel("words"), *self._watched)
                    await asyncio.wait_for(self._redis.ping(), ANSWER_SECONDS)
                    self._connected()
                    waits = pauses(_LONGEST_PAUSE)
                message = await self._listener.get_message(timeout=_LISTEN_SECONDS)
                if message is None:
                    await asyncio.wait_for(self._redis.ping(), ANSWER_SECONDS)
                else:
                    self._on_message(message)
            except Exception as error:
                # Whatever it was, a word may have been missed: all is looked at anew.
                if not isinstance(error, redis_trouble()):
                    kind = type(error).__name__
                    logger.error("listening to other processes failed", extra={"error": kind}, exc_info=error)
                self.lost(error)
                await asyncio.sleep(next(waits))

    def _connected(self) -> None:
        self.is_connected = True
        self._tried.set()
        for call in self._reconnected:
            call()
        self.wake_all()

    def lost(self, error: BaseException) -> None:
        """Redis did not answer."""
        if self.is_connected or not self._tried.is_set():
            logger.warning("Redis is away: nothing new is taken", extra={"error": type(error).__name__})
        self.is_connected = False
        self._tried.set()

    def _on_message(self, message: Mapping[str, Any]) -> None:
        name = message["channel"].decode()
        if name != self.channel("words"):
            for changed in self._watched.get(name, ()):
                changed.set()
            return
        word = json.loads(message["data"])
        for heard in self._heard:
            self._in_background(self._follow(heard, word))

    async def _follow(self, heard: Heard, word: Word) -> None:
        try:
            await heard(word)
        except Exception as error:  # noqa: BLE001 - one listener does not keep the others from hearing
            logger.warning("a word of another process was not followed", extra={"error": type(error).__name__})


def redis_trouble() -> tuple[type[BaseException], ...]:
    """What calls of Redis raise where it is away or refuses."""
    from redis.exceptions import RedisError

    # Where a connection breaks while it is being made, the client says so by a RuntimeError.
    return (OSError, TimeoutError, RuntimeError, RedisError)


class noticing_redis:
    """Passes over trouble with Redis, which is noticed: what was not told is looked for."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        if error is None or not isinstance(error, redis_trouble()):
            return False
        self._signals.lost(error)
        return True
