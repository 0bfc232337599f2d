"""The checks: every one takes the fixture `service`."""
