"""Words that hint at a column without naming it, and the words for time."""

from __future__ import annotations

# Adjective -> (direction, words that name the column it is about).
ADJECTIVES: dict[str, tuple[str, tuple[str, ...]]] = {
    "oldest": ("desc", ("age",)),
    "youngest": ("asc", ("age",)),
    "longest": ("desc", ("length", "duration", "runtime", "millisecond", "second", "minute", "time", "distance")),
    "shortest": (
        "asc",
        ("length", "duration", "runtime", "millisecond", "second", "minute", "time", "height", "distance"),
    ),
    "tallest": ("desc", ("height",)),
    "heaviest": ("desc", ("weight",)),
    "lightest": ("asc", ("weight",)),
    "cheapest": ("asc", ("price", "cost", "fee", "rent")),
    "latest": ("desc", ("date", "time", "year")),
    "earliest": ("asc", ("date", "time", "year")),
    "newest": ("desc", ("date", "year")),
    "fastest": ("desc", ("speed",)),
    "slowest": ("asc", ("speed",)),
    "most recent": ("desc", ("date", "time", "year")),
    "most recently": ("desc", ("date", "time", "year")),
    "least recent": ("asc", ("date", "time", "year")),
    "most expensive": ("desc", ("price", "cost", "fee", "rent")),
    "highest priced": ("desc", ("price", "cost", "fee")),
    "lowest priced": ("asc", ("price", "cost", "fee")),
    "most costly": ("desc", ("cost", "price", "fee")),
    "least costly": ("asc", ("cost", "price", "fee")),
    "costliest": ("desc", ("cost", "price", "fee")),
    "highest paid": ("desc", ("salary", "pay", "wage")),
    "best paid": ("desc", ("salary", "pay", "wage")),
    "lowest paid": ("asc", ("salary", "pay", "wage")),
    "best rated": ("desc", ("rating", "score", "stars")),
    "highest rated": ("desc", ("rating", "score", "stars")),
    "top rated": ("desc", ("rating", "score", "stars")),
    "worst rated": ("asc", ("rating", "score", "stars")),
    "lowest rated": ("asc", ("rating", "score", "stars")),
    "priciest": ("desc", ("price", "cost", "fee")),
    "least expensive": ("asc", ("price", "cost", "fee", "rent")),
    "richest": ("desc", ("money", "worth")),
    "most populous": ("desc", ("population",)),
    "least populous": ("asc", ("population",)),
    "most populated": ("desc", ("population",)),
}

# "the largest city": what size means where no column is named.
SIZES: tuple[str, ...] = ("size", "area", "population", "capacity")

# Questions for a column, and the words that name it. "where" and "when" ask so only at the start of a question.
HOW_WORDS: dict[str, tuple[str, ...]] = {
    "how old": ("age",),
    "how long": ("length", "duration", "runtime", "millisecond"),
    "how tall": ("height",),
    "how heavy": ("weight",),
    "how big": ("size", "area"),
    "how large": ("size", "area", "population"),
    "how expensive": ("price", "cost"),
    "where": ("location", "place", "address", "city"),
}

# Comparisons that name no column, and the words of the column they are about.
COMPARATIVES: dict[str, tuple[str, ...]] = {
    "taller than": ("height",),
    "shorter than": ("height", "length", "duration"),
    "longer than": ("length", "duration", "distance"),
    "heavier than": ("weight",),
    "lighter than": ("weight",),
    "cheaper than": ("price", "cost", "fee"),
    "more expensive than": ("price", "cost", "fee"),
    "faster than": ("speed",),
    "slower than": ("speed",),
    "higher than": ("height", "altitude", "elevation"),
    "lower than": ("height", "altitude", "elevation"),
    "bigger than": ("size", "area"),
    "larger than": ("size", "area"),
    "smaller than": ("size", "area"),
}

# Verbs of a comparison, and the words of the column they are about: "employees who earn more than 3000".
COMPARED_VERBS: dict[str, tuple[str, ...]] = {
    "cost": ("price", "cost", "fee", "rate"),
    "costs": ("price", "cost", "fee", "rate"),
    "costing": ("price", "cost", "fee", "rate"),
    "priced": ("price",),
    "worth": ("value", "price", "worth"),
    "earn": ("salary", "wage", "pay", "earnings", "income"),
    "earns": ("salary", "wage", "pay", "earnings", "income"),
    "earning": ("salary", "wage", "pay", "earnings", "income"),
    "make": ("salary", "wage"),
    "makes": ("salary", "wage"),
    "paid": ("salary", "wage", "pay"),
    "weigh": ("weight",),
    "weighs": ("weight",),
    "weighing": ("weight",),
    "rated": ("rating", "score", "stars"),
    "last": ("duration", "length", "runtime"),
    "lasting": ("duration", "length", "runtime"),
}
