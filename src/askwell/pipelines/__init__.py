"""Pipelines: Hamilton graphs over Haystack components. Framework types stop here and in `providers/`."""

import os

from askwell.providers import telemetry

# Hamilton reads this when it is first imported, which only modules of this package do. Its plug-ins for data frames and
# the like are of no use here, and cost 9 MB.
os.environ.setdefault("HAMILTON_AUTOLOAD_EXTENSIONS", "0")
telemetry.switch_off()
