"""Measures parts of Askwell on folders of data (`askwell eval`), and fits what is learned."""
