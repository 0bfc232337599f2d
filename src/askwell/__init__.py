"""Askwell: answers questions put to a database in plain language, over a semantic model, and shows why."""

__version__ = "0.1.0"
