"""The Helm chart, rendered by Helm itself and checked against the schemas of Kubernetes: `make deploy-check`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from askwell.cli.graceful_server import STOP_SECONDS
from askwell.config import load_config
from tests.support.tables import case_table

helm = pytest.importorskip("helm_python", reason="Helm is not installed: make deploy-check")
kubernetes = pytest.importorskip("kubernetes_validate", reason="its schemas are not installed: make deploy-check")

REPOSITORY = Path(__file__).parents[2]
CHART = REPOSITORY / "deploy" / "helm" / "askwell"
VERSION = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"]
# The oldest that the chart says it is for, one between, and the newest whose schemas are at hand.
VERSIONS = ["1.27", "1.32", "1.37"]
EVERYTHING: dict[str, Any] = case_table(__file__, "everything")  # fmt: skip
ON_A_VOLUME = {"persistence": {"enabled": True, "storageClassName": "fast"}}
BARE = case_table(__file__, "bare")
ALL = {"as it is": {}, "on a volume": ON_A_VOLUME, "everything": EVERYTHING, "bare": BARE}
# What the Secret that the guide makes holds for several processes.
SECRET = {"ASKWELL_KNOWLEDGE__URL": "postgresql://askwell@db/askwell", "ASKWELL_JOBS__REDIS": "redis://redis:6379/0"}
Objects = Mapping[tuple[str, str], Any]


def rendered(values: Mapping[str, Any]) -> Objects:
    """What the chart makes of values, by kind and name."""
    with helm.Chart.load(str(CHART)) as chart:
        chart.validate_schema(chart.merge_values(dict(values)))
        files = chart.render(dict(values), name="demo", namespace="prod")
    made: dict[tuple[str, str], Any] = {}
    for name, text in files.items():
        if name.endswith(".yaml"):
            for one in yaml.safe_load_all(text):
                if one is not None:
                    made[one["kind"], one["metadata"]["name"]] = one
    return made


def pods(objects: Objects) -> dict[str, Any]:
    return {name: one["spec"]["template"]["spec"] for (kind, name), one in objects.items() if kind == "Deployment"}


def environment(pod: Mapping[str, Any]) -> dict[str, str]:
    [container] = pod["containers"]
    given = {one["name"]: one["value"] for one in container["env"] if "value" in one}
    return {name: value.replace("$(POD_IP)", "10.1.2.3") for name, value in given.items()}


def test_helm_finds_nothing_wrong() -> None:
    found = helm.lint(str(CHART))
    assert found["errors"] == []
    assert [one["error"] for one in found["messages"]] == ["icon is recommended"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("values", ALL.values(), ids=ALL.keys())
def test_what_it_makes_is_what_kubernetes_takes(values: Mapping[str, Any], version: str) -> None:
    for one in rendered(values).values():
        kubernetes.validate(one, version, strict=True)


def test_the_check_can_fail() -> None:
    wrong = rendered({})["Deployment", "demo-askwell-web"]
    wrong["spec"]["template"]["spec"]["containers"][0]["livenesProbe"] = {}
    with pytest.raises(kubernetes.ValidationError):
        kubernetes.validate(wrong, VERSIONS[-1], strict=True)


def test_one_pod_is_replaced_and_several_are_rolled() -> None:
    single, cluster = rendered({}), rendered(EVERYTHING)
    assert {kind for kind, _ in single} == {"ConfigMap", "Deployment", "NetworkPolicy", "Service", "ServiceAccount"}
    one = single["Deployment", "demo-askwell-web"]["spec"]
    assert (one["replicas"], one["strategy"]) == (1, {"type": "Recreate"})
    assert {kind for kind, _ in cluster} == {kind for kind, _ in single} | {
        "HorizontalPodAutoscaler",
        "Ingress",
        "PodDisruptionBudget",
    }
    web, worker = (cluster["Deployment", f"demo-askwell-{part}"]["spec"] for part in ("web", "worker"))
    assert web["strategy"]["rollingUpdate"] == worker["strategy"]["rollingUpdate"]
    assert web["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    # Where an autoscaler has the number, nobody else says one.
    assert ("replicas" in web, worker["replicas"]) == (False, 3)


@pytest.mark.parametrize("values", ALL.values(), ids=ALL.keys())
def test_each_part_finds_the_others(values: Mapping[str, Any]) -> None:
    objects = rendered(values)
    labels = {name: one["spec"]["template"]["metadata"]["labels"] for (kind, name), one in objects.items()
              if kind == "Deployment"}  # fmt: skip

    def chosen(selector: Mapping[str, str]) -> set[str]:
        return {name for name, found in labels.items() if selector.items() <= found.items()}

    for (kind, name), one in objects.items():
        spec = one.get("spec", {})
        if kind == "Deployment":
            assert chosen(spec["selector"]["matchLabels"]) == {name}
        elif kind == "Service":
            assert chosen(spec["selector"]) == {"demo-askwell-web"}
        elif kind == "PodDisruptionBudget":
            assert chosen(spec["selector"]["matchLabels"]) == {name}
        elif kind == "HorizontalPodAutoscaler":
            assert spec["scaleTargetRef"]["name"] in labels
        elif kind == "NetworkPolicy":
            assert chosen(spec["podSelector"]["matchLabels"]) == labels.keys()
        elif kind == "Ingress":
            [rule] = spec["rules"]
            assert ("Service", rule["http"]["paths"][0]["backend"]["service"]["name"]) in objects
    for pod in pods(objects).values():
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        assert {mount["name"] for mount in pod["containers"][0]["volumeMounts"]} == volumes.keys()
        assert ("ConfigMap", volumes["config"]["configMap"]["name"]) in objects
        claim = volumes["home"].get("persistentVolumeClaim")
        assert claim is None or ("PersistentVolumeClaim", claim["claimName"]) in objects


@pytest.mark.parametrize("values", ALL.values(), ids=ALL.keys())
def test_pods_have_no_more_rights_than_they_need_and_time_to_end(values: Mapping[str, Any]) -> None:
    for pod in pods(rendered(values)).values():
        [container] = pod["containers"]
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["fsGroup"] == 10001
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        sleeps = "lifecycle" in container
        assert pod["terminationGracePeriodSeconds"] >= STOP_SECONDS * 1.5 + (5 if sleeps else 0)
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            assert container[probe]["httpGet"]["httpHeaders"] == [{"name": "Host", "value": "localhost"}]
            assert container[probe]["httpGet"]["port"] in {port["name"] for port in container["ports"]}
        assert container["readinessProbe"]["httpGet"]["path"] == "/v1/health/ready"
        assert container["livenessProbe"]["httpGet"]["path"] == "/v1/health/live"


@pytest.mark.parametrize("values", ALL.values(), ids=ALL.keys())
def test_its_configuration_loads_as_the_service_would_load_it(values: Mapping[str, Any], tmp_path: Path) -> None:
    objects = rendered(values)
    (tmp_path / "config.yaml").write_text(objects["ConfigMap", "demo-askwell"]["data"]["config.yaml"])
    for pod in pods(objects).values():
        given = {name: value for name, value in environment(pod).items() if name != "ASKWELL_CONFIG"}
        config = load_config(tmp_path / "config.yaml", SECRET | given)
        hosts = {"localhost", "demo-askwell", "demo-askwell.prod.svc", "10.1.2.3"}
        assert hosts <= set(config.server.allowed_hosts)
        if values is EVERYTHING:
            assert {"askwell.example.com", "askwell.internal"} <= set(config.server.allowed_hosts)
            assert config.document_store.provider == "qdrant"
            assert config.settings.concurrency == 64
            assert set(config.data_sources) == {"default"}


def test_who_works_and_who_answers_is_said_where_there_are_several() -> None:
    [alone] = pods(rendered({})).values()
    assert "ASKWELL_JOBS__WORK" not in environment(alone)
    assert alone["containers"][0]["args"][0] == "serve"
    several = pods(rendered(EVERYTHING))
    web, worker = several["demo-askwell-web"], several["demo-askwell-worker"]
    assert (web["containers"][0]["args"][0], environment(web)["ASKWELL_JOBS__WORK"]) == ("serve", "false")
    assert (worker["containers"][0]["args"][0], "ASKWELL_JOBS__WORK" in environment(worker)) == ("worker", False)


def test_the_values_of_the_guide_are_ones_that_it_takes() -> None:
    guide = (REPOSITORY / "docs" / "deployment.md").read_text().partition("## Kubernetes")[2]
    [block] = re.findall(r"(?ms)^```yaml\n(.*?)^```$", guide)
    objects = rendered(yaml.safe_load(block))
    assert ("Deployment", "demo-askwell-worker") in objects
    assert ("HorizontalPodAutoscaler", "demo-askwell-worker") in objects
    for one in objects.values():
        kubernetes.validate(one, VERSIONS[-1], strict=True)


def test_the_image_is_this_version_or_what_was_pinned() -> None:
    [pod] = pods(rendered({})).values()
    assert pod["containers"][0]["image"] == f"registry.example.com/askwell:{VERSION}"
    pinned = pods(rendered(EVERYTHING))["demo-askwell-web"]["containers"][0]["image"]
    assert pinned == "registry.example.com/askwell@sha256:" + "a" * 64
    [tagged] = pods(rendered({"image": {"tag": "0.2.0"}})).values()
    assert tagged["containers"][0]["image"].endswith("/askwell:0.2.0")


@pytest.mark.parametrize("wrong", case_table(__file__, "values_that_cannot_be_meant_are_refused"))
def test_values_that_cannot_be_meant_are_refused(wrong: Mapping[str, Any]) -> None:
    with pytest.raises(helm.HelmError):
        rendered(wrong)


def test_the_schema_knows_every_value_and_no_other() -> None:
    def names(node: Mapping[str, Any], path: str = "") -> set[str]:
        found = set()
        for name, value in node.items():
            found.add(f"{path}{name}")
            if isinstance(value, dict) and name not in {"requests", "limits", "annotations"}:
                found |= names(value, f"{path}{name}.")
        return found

    def declared(node: Mapping[str, Any], path: str = "") -> set[str]:
        if "$ref" in node:
            node = schema["definitions"][node["$ref"].rpartition("/")[2]]
        found = set()
        for name, value in node.get("properties", {}).items():
            found |= {f"{path}{name}"} | declared(value, f"{path}{name}.")
        return found

    with helm.Chart.load(str(CHART)) as chart:
        schema, values = chart.schema, chart.values
    assert schema is not None
    assert names(values) == declared(schema) - {"global"}
