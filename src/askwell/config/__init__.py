"""The configuration as immutable values: `load_config` reads config.yaml and the environment, or says what is wrong."""

from __future__ import annotations

from askwell.config.checks import IN_HOME, record_place, record_setting
from askwell.config.databases import address, database_name, kind_of, whereabouts
from askwell.config.loading import configuration_file, load_config
from askwell.config.schema import (
    DEFAULT_MODEL,
    Config,
    DataSourceConfig,
    DocumentStoreConfig,
    EmbedderConfig,
    EmbedderSection,
    KnowledgeConfig,
    LlmConfig,
    PipelineConfig,
    Prices,
    ServerConfig,
    TracingConfig,
    UploadsConfig,
)
from askwell.config.settings import AgentSettings, RankingConfig, Settings, ValueSamplingConfig
from askwell.config.sign_in import SignInConfig

__all__ = [
    "DEFAULT_MODEL",
    "IN_HOME",
    "AgentSettings",
    "Config",
    "DataSourceConfig",
    "DocumentStoreConfig",
    "EmbedderConfig",
    "EmbedderSection",
    "KnowledgeConfig",
    "LlmConfig",
    "PipelineConfig",
    "Prices",
    "RankingConfig",
    "ServerConfig",
    "Settings",
    "SignInConfig",
    "TracingConfig",
    "UploadsConfig",
    "ValueSamplingConfig",
    "address",
    "configuration_file",
    "database_name",
    "kind_of",
    "load_config",
    "record_place",
    "record_setting",
    "whereabouts",
]
