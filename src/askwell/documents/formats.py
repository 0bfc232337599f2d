"""Formats of documents, by the end of a file's name and by what the file begins with."""

from __future__ import annotations

from askwell.errors import InvalidRequest

# What each format is called to people, by the ends of names.
FORMATS = {"md": "Markdown", "txt": "text", "html": "HTML", "pdf": "PDF", "docx": "Word", "csv": "CSV"}
_ENDS = {
    "md": "md",
    "markdown": "md",
    "txt": "txt",
    "text": "txt",
    "html": "html",
    "htm": "html",
    "pdf": "pdf",
    "docx": "docx",
    "docm": "docx",
    "csv": "csv",
    "tsv": "csv",
}
_BEGINNINGS = {b"%PDF-": "pdf", b"PK\x03\x04": "docx"}


def format_of(name: str, content: bytes) -> str:
    """The format of a file. Raises `InvalidRequest` for one that cannot be read."""
    _, dot, end = name.rpartition(".")
    known = _ENDS.get(end.lower()) if dot else "txt"
    begins = next((one for start, one in _BEGINNINGS.items() if content.startswith(start)), None)
    if known is None or (begins is not None and known != begins):
        said = f"is a {FORMATS[begins]} file under another name" if known and begins else f"ends in .{end[:20]}"
        raise InvalidRequest(f"“{name[-80:]}” {said}, and cannot be read.", f"Send {', '.join(FORMATS.values())}.")
    if known in _BEGINNINGS.values() and begins is None:
        raise InvalidRequest(f"“{name[-80:]}” is no {FORMATS[known]} file.", "It may be damaged; save it anew.")
    return known
