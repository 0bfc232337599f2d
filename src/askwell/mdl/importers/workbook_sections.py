"""Rows under a header that describe no column: those that begin a table of their own ("Table: orders"), and lines under
the last column."""

from __future__ import annotations

from askwell.mdl.importers.workbook import Sheet
from askwell.mdl.importers.workbook_layout import Layout, SheetKind, plain, split_title, word_set

_LONGEST_NAME = 80
# Cells of a row that begins a table: a label, the name and what the table is.
_MOST_CELLS = 3


def sections(sheet: Sheet, layout: Layout) -> dict[int, tuple[str, str]]:
    """The rows that begin a table, with its name and description. None where a column of the sheet names the table."""
    if layout.kind is not SheetKind.COLUMNS or "table" in layout.fields:
        return {}
    wide = {first for first, left, last, right in sheet.merges if right > left and first == last}
    bare = _begins_with_a_name(sheet, layout)
    found = {}
    for row in range(layout.header + 1, layout.end):
        texts = [text for text in sheet.rows[row] if text]
        if not 0 < len(texts) <= _MOST_CELLS:
            continue
        if ":" not in texts[0] and sheet.text(row, layout.fields.get("type", -1)):
            continue  # a column that is called so
        title = _titled(texts)
        if title is None and len(texts) == 1 and (row in wide or bare) and _is_name(split_title(texts[0])[0]):
            title = split_title(texts[0])
        if title is not None:
            found[row] = title
    return found


def _titled(texts: list[str]) -> tuple[str, str] | None:
    """ "Table: orders", "Table orders", or the word and the name in cells of their own."""
    label, colon, rest = texts[0].partition(":")
    if plain(label) in word_set("section_words"):
        if rest.strip():
            name, description = split_title(rest.strip())
        elif len(texts) > 1:
            name, description = texts[1], ""
            texts = texts[1:]
        else:
            return None
        return name, description or " ".join(texts[1:])
    word, _, rest = texts[0].partition(" ")
    if not colon and len(texts) == 1 and plain(word) in word_set("section_words"):
        name, description = split_title(rest.strip())
        return (name, description) if _is_name(name) else None
    return None


def _is_name(text: str) -> bool:
    """Whether it is one word of a database, and no sentence."""
    return 0 < len(text) <= _LONGEST_NAME and not any(map(str.isspace, text)) and not text.endswith((".", ":", ")"))


def _begins_with_a_name(sheet: Sheet, layout: Layout) -> bool:
    """Whether the first row is a name alone, before rows with more in them: then all such rows are titles."""
    counts = [
        sum(1 for text in sheet.rows[row] if text)
        for row in range(layout.header + 1, layout.end)
        if any(sheet.rows[row])
    ]
    return "type" in layout.fields and len(counts) > 1 and counts[0] == 1 and counts[1] > 1


def notes_at_end(sheet: Sheet, layout: Layout) -> list[int]:
    """The last rows, where they are lines such as a total or a date and describe nothing."""
    used = set(layout.fields.values())
    notes: list[int] = []
    for row in range(layout.end - 1, layout.header, -1):
        texts = [text for text in sheet.rows[row] if text]
        if not texts:
            continue
        known = sum(1 for column in used if sheet.text(row, column))
        apart = row - 1 > layout.header and not any(sheet.rows[row - 1])
        if not (_is_note(texts) or (known < 2 and len(texts) == 1 and (not _is_name(texts[0]) or apart))):
            break
        notes.append(row)
    if layout.header + 1 + len(notes) >= layout.end:
        return []
    return sorted(notes)


def _is_note(texts: list[str]) -> bool:
    """ "Total attributes:", 11; "Stand: 12.03.2024"."""
    if len(texts) > 2:
        return False
    label, colon, rest = texts[0].partition(":")
    first = plain(label).split()[:2]
    told = any(" ".join(first[:length]) in word_set("footer_words") for length in (1, 2))
    if len(texts) == 2:
        return (bool(colon) and not rest.strip()) or (told and texts[1].replace(".", "").isdecimal())
    return told and (bool(colon) or len(texts[0].split()) > 1)
