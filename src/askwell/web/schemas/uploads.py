"""The bodies of `/uploads`."""

from __future__ import annotations

from pydantic import BaseModel


class UploadStarted(BaseModel):
    """The project that a file became, and the label of its model."""

    project_id: str
    mdl_hash: str


class UploadRemoved(BaseModel):
    project_id: str
