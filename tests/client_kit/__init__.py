"""A client of the compatible contract that knows Askwell over HTTP only, and the checks made with it."""
