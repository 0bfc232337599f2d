"""What processes that share a record tell each other about what each of them keeps in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askwell.jobs.cluster.cluster import Cluster
from askwell.jobs.cluster.signals import Word
from askwell.knowledge.project_cache import ProjectCache
from askwell.services.projects import ProjectModels


class SharedMemory:
    """Has the others forget what was changed here, and forgets what they changed. While nothing can be heard, what was
    saved for projects is read anew each time; afterwards all is read anew once."""

    def __init__(self, cluster: Cluster, caches: Sequence[ProjectCache[Any]], projects: ProjectModels) -> None:
        self._cluster = cluster
        self._caches = caches
        self._projects = projects
        for cache in caches:
            cache.on_change = self._changed
            cache.hears = lambda: cluster.signals.is_connected
        projects.on_change = self._other_model
        cluster.signals.on_word(self._heard)
        cluster.signals.on_reconnect(self._forget_all)

    def _changed(self, project_id: str) -> None:
        self._cluster.signals.say({"changed": project_id})

    def _other_model(self, project_id: str) -> None:
        self._cluster.signals.say({"model": project_id, "from": self._cluster.membership.worker})

    async def _heard(self, word: Word) -> None:
        if (project_id := word.get("changed")) is not None:
            for cache in self._caches:
                cache.forget(project_id)
        if (project_id := word.get("model")) is not None and word.get("from") != self._cluster.membership.worker:
            self._projects.drop(project_id)

    def _forget_all(self) -> None:
        for cache in self._caches:
            cache.forget_all()
        self._projects.drop_all()
