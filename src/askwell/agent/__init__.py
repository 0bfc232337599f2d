"""Conversations: a tool-using agent over the tools of a project, its runs as jobs, told as AG-UI events."""
