"""Pipelines: Hamilton graphs over Haystack components. Framework types stop here and in `providers/`."""

from askwell.providers import telemetry

telemetry.switch_off()
