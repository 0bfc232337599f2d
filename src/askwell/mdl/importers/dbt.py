"""A semantic model from dbt's `manifest.json`: its models, seeds and snapshots, what its tests and constraints say of
keys, references and values, and the metrics that can be computed over one of its models.

https://docs.getdbt.com/reference/artifacts/manifest-json, versions 10 to 13.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from askwell.mdl.data_sources import SQL_DIALECTS
from askwell.mdl.importers.dbt_metrics import add_cubes
from askwell.mdl.importers.dbt_tests import Facts, read_facts
from askwell.mdl.importers.imported import (
    ImportedModel,
    collect,
    model_entry,
    quoted,
    relationship_entry,
    unique_name,
    with_properties,
)
from askwell.mdl.importers.json_text import read_json_file, record, text, texts
from askwell.mdl.names import listed
from askwell.mdl.problems import Findings, shown
from askwell.mdl.reserved import is_reserved, unusable_characters

_VERSION = re.compile(r"/manifest/v(\d+)\.json")
VERSIONS = range(10, 14)
_TABLES = ("model", "seed", "snapshot")
# dbt's adapters that are called otherwise than data sources here.
_ADAPTERS = {"sqlserver": "MSSQL", "fabric": "MSSQL", "synapse": "MSSQL", "postgres": "POSTGRES"}


def read_dbt(path: Path) -> ImportedModel:
    """The model that a dbt project describes. Raises `ConfigurationError` for a file that cannot be read."""
    manifest = record(read_json_file(path))
    metadata = record(manifest.get("metadata"))
    version = _VERSION.search(text(metadata.get("dbt_schema_version")))

    def read(findings: Findings) -> dict[str, Any]:
        if version is None:
            what = 'it is no manifest of dbt: "metadata.dbt_schema_version" says no version'
            findings.refuse(path.name, what, "Name target/manifest.json of a dbt project.")
        elif int(version[1]) not in VERSIONS:
            what = f"it is a manifest of version {version[1][:6]}, and {VERSIONS[0]} to {VERSIONS[-1]} can be read"
            findings.refuse(path.name, what, "Run `dbt parse` with dbt 1.6 or later.")
        else:
            return _Project(manifest, findings).mdl(text(metadata.get("adapter_type")))
        return {}

    return collect(read)


@dataclass(slots=True)
class _Project:
    manifest: Mapping[str, Any]
    findings: Findings
    names: dict[str, str] = field(default_factory=dict)
    columns: dict[str, dict[str, str]] = field(default_factory=dict)

    def mdl(self, adapter: str) -> dict[str, Any]:
        nodes = dict(self._tables())
        if not nodes:
            self.findings.refuse("manifest", "it has no models, seeds or snapshots", "Run `dbt parse` in the project.")
            return {}
        facts = read_facts(record(self.manifest.get("nodes")), nodes, self.findings)
        self._name(nodes, facts)
        enums: list[dict[str, Any]] = []
        mdl: dict[str, Any] = {"catalog": "askwell", "schema": "main"}
        source = _ADAPTERS.get(adapter.lower(), adapter.upper())
        if source in SQL_DIALECTS:
            mdl["dataSource"] = source
        else:
            what = f'its adapter "{shown(adapter)}" is none whose SQL is known'
            self.findings.warn("metadata", what, 'Write "dataSource" into the model.')
        mdl["models"] = [self._model(node, one, facts, enums) for node, one in nodes.items() if node in self.names]
        mdl["relationships"] = list(self._relationships(facts))
        if enums:
            mdl["enumDefinitions"] = enums
        add_cubes(mdl, self.manifest, self.names, self.columns, self.findings)
        return mdl

    def _tables(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for unique_id, value in record(self.manifest.get("nodes")).items():
            node = record(value)
            config = record(node.get("config"))
            if text(node.get("resource_type")) not in _TABLES or text(config.get("materialized")) == "ephemeral":
                continue
            yield unique_id, node

    def _name(self, nodes: Mapping[str, dict[str, Any]], facts: Facts) -> None:
        """The names of models and columns. A name that several packages use gets its package's before it."""
        versions = self._versions(nodes)
        shared = Counter(
            (versions.get(unique_id) or text(node.get("name"))).lower() for unique_id, node in nodes.items()
        )
        taken: set[str] = set()
        bare = []
        for unique_id, node in nodes.items():
            name = versions.get(unique_id) or text(node.get("name"))
            if shared[name.lower()] > 1 and text(node.get("package_name")):
                name = f"{text(node['package_name'])}_{name}"
            columns = {key.lower(): text(record(one).get("name")) or key for key, one in _columns(node).items()}
            for column in facts.columns(unique_id):
                columns.setdefault(column.lower(), column)
            if not columns:
                bare.append(name)
                continue
            if is_reserved(name) or not name or any(unusable_characters(one) for one in (name, *columns.values())):
                what = "it has a name, or a column of a name, that no query can carry, and is left out"
                self.findings.warn(shown(unique_id), what, "Rename it in the project.")
                continue
            self.names[unique_id] = unique_name(name, taken)
            self.columns[unique_id] = columns
        if bare:
            names = shown(listed(bare[:20]), 400)
            what = f"{len(bare)} of its models name no columns and are left out: {names}"
            self.findings.warn("manifest", what, "Document their columns; dbt knows only those that are written down.")
        if not self.names:
            todo = "Document columns in the project's YAML files, or use `askwell model init --database`."
            self.findings.refuse("manifest", "none of its models names any column", todo)

    def _versions(self, nodes: Mapping[str, dict[str, Any]]) -> dict[str, str]:
        """Names of the models that have versions: the latest is called like the model, another one `orders_v1`."""
        found: dict[str, str] = {}
        plain: list[str] = []
        others: list[str] = []
        for unique_id, node in nodes.items():
            version, latest = node.get("version"), node.get("latest_version")
            if version is None:
                continue
            name = text(node.get("name"))
            is_latest = latest is None or str(version) == str(latest)
            found[unique_id] = name if is_latest else f"{name}_v{version}"
            (plain if is_latest else others).append(f"{name} (version {version})" if is_latest else found[unique_id])
        if plain or others:
            what = f"the latest version of a model has its plain name: {shown(listed(plain), 400) or 'none is here'}"
            what += f"; older and newer ones are {shown(listed(others), 400)}" if others else ""
            self.findings.warn("manifest", what, "Leave out of the model what nobody should be answered from.")
        return found

    def _model(
        self, unique_id: str, node: Mapping[str, Any], facts: Facts, enums: list[dict[str, Any]]
    ) -> dict[str, Any]:
        name = self.names[unique_id]
        reference = {"table": text(node.get("alias")) or text(node.get("name"))}
        reference |= {"schema": text(node.get("schema")), "catalog": text(node.get("database"))}
        described = {key.lower(): record(one) for key, one in _columns(node).items()}
        columns = []
        for key, column in self.columns[unique_id].items():
            written = self._column(column, described.get(key, {}), (unique_id, key) in facts.not_null)
            if values := facts.values.get((unique_id, key)):
                written["type"] = f"{name}.{column}"
                enums.append({"name": f"{name}.{column}", "values": [{"name": value} for value in values]})
            columns.append(written)
        primary, unique = facts.keys(unique_id, self.columns[unique_id])
        return model_entry(name, reference, columns, primary=primary, unique=unique, properties=_properties(node))

    def _column(self, name: str, described: Mapping[str, Any], not_null: bool) -> dict[str, Any]:
        written: dict[str, Any] = {"name": name}
        if kind := text(described.get("data_type")):
            written["type"] = kind
        if not name.isidentifier():
            written["expression"] = quoted(name)
        if not_null:
            written["notNull"] = True
        return with_properties(written, _properties(described))

    def _relationships(self, facts: Facts) -> Iterator[dict[str, Any]]:
        taken: set[str] = set()
        seen = set()
        for link in facts.links:
            left, right = self.names.get(link.node), self.names.get(link.to_node)
            if left is None or right is None:
                continue
            pairs = [
                (self.columns[link.node][here.lower()], self.columns[link.to_node][there.lower()])
                for here, there in zip(link.columns, link.to_columns, strict=True)
            ]
            if (left, right, *pairs) in seen:
                continue
            seen.add((left, right, *pairs))
            primary, unique = facts.keys(link.node, self.columns[link.node])
            own = {here for here, _ in pairs}
            one_to_one = any(own == set(key) for key in (primary, *unique) if key)
            yield relationship_entry(left, right, pairs, taken, one_to_one=one_to_one)


def _columns(node: Mapping[str, Any]) -> dict[str, Any]:
    return {key: one for key, one in record(node.get("columns")).items() if key.strip()}


def _properties(one: Mapping[str, Any]) -> dict[str, Any]:
    meta = record(one.get("meta")) or record(record(one.get("config")).get("meta"))
    return {
        "displayName": text(meta.get("label")) or text(meta.get("display_name")),
        "description": " ".join(text(one.get("description")).split()),
        "synonyms": texts(meta.get("synonyms")),
    }
