"""From the record to the index: documents, their vectors, and the section that is swapped in."""

from askwell.pipelines.indexing.indexing import Indexing
from askwell.pipelines.indexing.shadow import OnProgress

__all__ = ["Indexing", "OnProgress"]
