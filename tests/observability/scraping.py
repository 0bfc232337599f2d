"""Reading what /metrics says."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from tests.support.service import Client


class Scrape:
    """One scrape: samples by name and labels."""

    def __init__(self, text: str) -> None:
        self.families = list(text_string_to_metric_families(text))
        self.text = text

    def value(self, name: str, **labels: str) -> float:
        """The sample with these labels, or the sum of those that have them; 0 where there is none."""
        return sum(
            sample.value
            for family in self.families
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )

    @property
    def names(self) -> set[str]:
        """What dashboards would name: counters with their `_total`."""
        return {f.name + ("_total" if f.type == "counter" else "") for f in self.families}


async def scrape(service: Client) -> Scrape:
    status, text = await service.call("GET", "/metrics")
    assert status == 200
    return Scrape(text)
