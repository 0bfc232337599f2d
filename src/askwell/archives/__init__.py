"""A project in one file: written from the record, checked, and read back into one."""

from askwell.archives.parts import MOST_BYTES
from askwell.archives.reading import Archive
from askwell.archives.service import ProjectArchives

__all__ = ["MOST_BYTES", "Archive", "ProjectArchives"]
