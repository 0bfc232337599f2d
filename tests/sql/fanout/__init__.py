"""Tests of the fan-out check."""
