"""Askwell as a process over the shop, for the fixture `service` where no other service is named."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from tests.client_kit.manifest import shop_sql
from tests.client_kit.service import Service
from tests.client_kit.shop_model import ModelThread, ShopModelServer
from tests.support.service import ServiceProcess, write_config


@dataclass(frozen=True)
class Setting:
    """One of the four ways to run the checks."""

    model: bool
    wren_ui: bool

    @property
    def name(self) -> str:
        return f"{'model' if self.model else 'no_model'}-{'wren_ui' if self.wren_ui else 'none'}"


SETTINGS = tuple(Setting(model, wren_ui) for model in (False, True) for wren_ui in (False, True))


class OwnService:
    """The process and, with a model, the scripted server behind it, which is given up after `timeout` seconds.
    `settings` go into the configuration."""

    def __init__(
        self,
        setting: Setting,
        folder: Path,
        server: ShopModelServer | None = None,
        *,
        timeout: float = 2,
        **settings: Any,
    ) -> None:
        database = folder / "shop.duckdb"
        with duckdb.connect(str(database)) as connection:
            connection.execute(shop_sql())
        self.model = ModelThread(server) if setting.model else None
        llm: dict[str, Any] = {"provider": "none"}
        if self.model is not None:
            base = self.model.server.api_base
            llm = {"provider": "openai", "model": "test", "api_base": base, "timeout": timeout}
        config = write_config(
            folder,
            llm={"default": llm},
            data_sources={"default": {"engine": "duckdb", "path": str(database), "shared": True}},
            settings={"compatibility": "wren_ui" if setting.wren_ui else "none"} | settings,
        )
        self.process = ServiceProcess(config)
        asyncio.run(self.process.start())
        self.service = Service(
            url=self.process.url,
            mode="model" if setting.model else "no_model",
            wren_ui=setting.wren_ui,
            model_server=self.model,
        )

    def close(self) -> None:
        """End both."""
        asyncio.run(self.process.kill())
        if self.model is not None:
            self.model.close()
