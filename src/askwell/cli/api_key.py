"""Where commands that talk to a service find the key for it."""

API_KEY = "ASKWELL_API_KEY"
