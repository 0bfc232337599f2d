"""Changes to a statement that keep what it does, or seem to: what an attacker would try one after the other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random

from tests.sql.guard.mutations.seeds import ATTACKS, HARMLESS
from tests.support.tables import case_table

Mutation = Callable[[str, Random, str], str]

_WORD = re.compile(r"[A-Za-z_]\w*")
# A quoted text is changed only by those mutations that mean to.
_PIECE = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|[A-Za-z_]\w*|\s+|.", re.S)
_NAMES = frozenset(
    {
        "payroll", "amount", "margin", "shipments", "people", "vault", "secrets", "id", "name", "t_people", "planted",
        "sqlite_master", "pg_class", "wipe", "counter", "information_schema", "tables", "read_csv", "read_text",
        "getenv", "nextval", "setval", "pg_sleep", "pg_read_file", "lo_import", "load_file", "get_lock", "sleep",
        "load_extension", "writefile", "main", "public",
    }
)  # fmt: skip
_HOMOGLYPHS = str.maketrans("aeiopcxyksSKA", "аеіорсхуĸſЅK" + "А")
_BLANKS = ["\t", "\n", "\r", "\f", "\v", "\u00a0", "\u2003", "\u3000", "\u2028", "\u200b", "\ufeff", "\u180e", "\x85"]
_COMMENTS = [
    "/**/", "/* x */", "-- x\n", "--\n", "/* ; */", "/* /* */", "/* /* */ */", "/*--*/", "--\r", "/*'*/", '--"\n',
    "# x\n", "/*!*/", "/*!50000*/", "/*M!100000*/", "/*+ x */", "--1\n",
]  # fmt: skip
_AROUND = case_table(__file__, "around")
_STACKS = case_table(__file__, "stacks")  # fmt: skip
_PROSE = case_table(__file__, "prose")


def mutated(rng: Random, dialect: str) -> str:
    """One to three changes to a seed."""
    text = rng.choice(ATTACKS[dialect] if rng.random() < 0.85 else HARMLESS)
    for _ in range(rng.randint(1, 3)):
        text = rng.choice(_MUTATIONS)(text, rng, dialect)
    return text


def _letter_case(text: str, rng: Random, dialect: str) -> str:
    return "".join(c.upper() if rng.random() < 0.5 else c.lower() for c in text)


def _at_a_gap(text: str, rng: Random, filling: str) -> str:
    """`filling` in place of one white space, or between two words and signs."""
    pieces = _PIECE.findall(text)
    gaps = [n for n, piece in enumerate(pieces) if piece.isspace()] or [0]
    at = rng.choice(gaps) if rng.random() < 0.7 else rng.randrange(len(pieces) + 1)
    if at < len(pieces) and pieces[at].isspace():
        pieces[at] = filling
    else:
        pieces.insert(at, filling)
    return "".join(pieces)


def _comment(text: str, rng: Random, dialect: str) -> str:
    return _at_a_gap(text, rng, rng.choice(_COMMENTS))


def _blank(text: str, rng: Random, dialect: str) -> str:
    blank = rng.choice(_BLANKS)
    return blank + text if rng.random() < 0.2 else _at_a_gap(text, rng, blank)


def _signs(text: str, rng: Random, dialect: str) -> str:
    """Letters that look alike, that are folded alike, or that are wider."""
    word = rng.choice(_WORD.findall(text) or ["x"])
    looks = [
        word.translate(_HOMOGLYPHS),
        "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in word),
        word[:1] + "\u0301" + word[1:],
        word[:1] + "\u200d" + word[1:],
        word[:1] + "\u00ad" + word[1:],
        "\u202e" + word,
    ]
    return text.replace(word, rng.choice(looks), 1)


def _quoted_name(text: str, rng: Random, dialect: str) -> str:
    """A name in quotes, right ones or those of another dialect."""
    names = [word for word in _WORD.findall(text) if word.lower() in _NAMES]
    if not names:
        return text
    name = rng.choice(names)
    code = "".join(f"\\{ord(c):04x}" for c in name[:1]) + name[1:]
    shapes = [
        f'"{name}"',
        f"`{name}`",
        f"[{name}]",
        f'U&"{code}"',
        f"'{name}'",
        f'"{name.upper()}"',
        f'"{name} "',
        f"({name})",
    ]
    return re.sub(rf"\b{name}\b", lambda _: rng.choice(shapes), text, count=rng.choice([0, 1]))


def _quoted_text(text: str, rng: Random, dialect: str) -> str:
    """A text written another way."""
    found = re.search(r"'([^']*)'", text)
    if found is None:
        return text
    body = found[1]
    half = len(body) // 2
    written = rng.choice(
        [
            f"E'{body}'", f"$${body}$$", f"$t${body}$t$", f"N'{body}'", f"'{body[:half]}' || '{body[half:]}'",
            f"x'{body.encode().hex()}'", f"0x{body.encode().hex()}", f"concat('{body[:half]}', '{body[half:]}')",
            f'"{body}"', f"'{body}\\'", f"'{body}'''", f"('{body}')", f"CAST('{body}' AS VARCHAR)", f"'{body}'::text",
            f"_utf8'{body}'", f"U&'{body}'", f"r'{body}'", f"lower('{body.upper()}')", f"replace('@', '@', '{body}')",
        ]
    )  # fmt: skip
    return text[: found.start()] + written + text[found.end() :]


def _qualified(text: str, rng: Random, dialect: str) -> str:
    """A schema, a catalog or a table in front of a name."""
    prefixes = [
        "main.",
        "public.",
        "<OWN>.",
        "vault.",
        "memory.main.",
        "temp.",
        "x.",
        '"".',
        "main..",
        '"main".',
        "pg_catalog.",
        "mysql.",
        "people.",
        "shipments.",
        ".",
    ]
    names = [word for word in _WORD.findall(text) if word.lower() in _NAMES]
    if not names:
        return text
    name = rng.choice(names)
    return re.sub(rf"\b{name}\b", lambda _: rng.choice(prefixes) + name, text, count=1)


def _around(text: str, rng: Random, dialect: str) -> str:
    return rng.choice(_AROUND).replace("{}", text)


def _stacked(text: str, rng: Random, dialect: str) -> str:
    return rng.choice(_STACKS).replace("{}", text)


def _in_prose(text: str, rng: Random, dialect: str) -> str:
    if rng.random() < 0.2:
        return json.dumps({rng.choice(["sql", "query", "SQL"]): text})
    return rng.choice(_PROSE).replace("{}", text)


def _in_place_of_a_table(text: str, rng: Random, dialect: str) -> str:
    """An attack where a harmless statement names a table."""
    host = rng.choice(HARMLESS)
    return re.sub(r"\bpeople\b|\bshipments\b", lambda found: f"({text}) AS {found[0]}", host, count=1)


def _broken(text: str, rng: Random, dialect: str) -> str:
    """A piece lost, doubled or swapped, or another statement's piece in its place."""
    pieces = _PIECE.findall(text) or [text]
    at = rng.randrange(len(pieces))
    match rng.randrange(5):
        case 0:
            del pieces[at]
        case 1:
            pieces.insert(at, pieces[rng.randrange(len(pieces))])
        case 2:
            other = rng.randrange(len(pieces))
            pieces[at], pieces[other] = pieces[other], pieces[at]
        case 3:
            pieces[at] = rng.choice(_PIECE.findall(rng.choice(ATTACKS[dialect])))
        case _:
            pieces.insert(at, rng.choice("\x00\x01\x1a\x7f\\;'\"`$@#%&()[]{}:,.?!~^|"))
    return "".join(pieces)


_MUTATIONS: list[Mutation] = [
    _letter_case, _comment, _blank, _signs, _quoted_name, _quoted_name, _quoted_text, _qualified, _around, _around,
    _stacked, _in_prose, _in_place_of_a_table, _broken,
]  # fmt: skip
