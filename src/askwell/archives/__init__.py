"""A project in one file: written from the record, checked, and read back into one."""

from askwell.archives.reading import Archive
from askwell.archives.service import ProjectArchives
from askwell.archives.writing import MOST_BYTES

__all__ = ["MOST_BYTES", "Archive", "ProjectArchives"]
