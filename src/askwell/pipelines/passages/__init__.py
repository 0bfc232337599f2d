"""Finding passages of documents: a question goes in, the passages that may answer it come out."""

from askwell.pipelines.passages.search import FoundPassage, PassageSearch

__all__ = ["FoundPassage", "PassageSearch"]
