"""Semantic models written for other tools."""
