"""What random models and questions are made of: names, values, sentences, and characters that few programs expect."""

from __future__ import annotations

from tests.support.tables import case_table


def _words(name: str) -> tuple[str, ...]:
    return tuple(word.replace("¤", " ") for word in case_table(__file__, name).split())


def _listed(name: str) -> tuple[str, ...]:
    return tuple(part for line in case_table(__file__, name).removesuffix("\n").split("\n") for part in line.split("|"))


TABLE_NAMES = _words("table_names")
TEXT_COLUMNS = _words("text_columns")
NUMBER_COLUMNS = _words("number_columns")
DATE_COLUMNS = _words("date_columns")
FLAG_COLUMNS = _words("flag_columns")
ROLES = _words("roles")
SELF_REFERENCES = _words("self_references")
LINE_TABLES = _words("line_tables")
STRANGE_NAMES = _words("strange_names")
# Types that some databases have, and of which questions have no values.
ODD_TYPES = ("TIME", "INTERVAL", "INTEGER[]", "STRUCT(a INTEGER)", "UUID", "BLOB", "BIT")
TYPES = case_table(__file__, "types")
VALUES = case_table(__file__, "values")
SENTENCES = _listed("sentences")
TAILS = _listed("tails")
TIMES = _listed("times")
NUMBERS = _listed("numbers")
# fmt: off
ODD_TEXTS = (
    "\x00", "\u202e", "\u200b", "\ufeff", "\ud800", "'", '"', "``", "''", "“", "”", "’s", "'s", "\\", "%", ";", "--",
    "/*", "*/", "{0}", "{}", "%s", "\n", "\t", "\r", "…", "🍕", "👩\u200d👩\u200d👧", "e\u0301", "İ", "ſ", "ﬁ", "ß",
    "Ⅷ", "²", "注文", "заказы", "متجر", "?", "?? ", ".", ",", ", ,", "!", "(", ")", "[", "]", ":", "-", "–", "—",
    "=", "<", ">", "<=", "\u3000", "\xa0", "\x1b[31m", "&", "$", "€", "#", "@", "1st", "'\x00'", "'\ud800'",
    "'\u202e'", "|",
)
# fmt: on
