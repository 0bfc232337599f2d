"""Prompts are files: a folder each, `system.md.jinja` and `user.md.jinja`, and what several share in `shared/`."""
