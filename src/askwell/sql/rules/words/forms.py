"""Word forms that a stemmer does not bring together, and everyday words for the same thing."""

from __future__ import annotations

# Word -> words that people use for it. Taken as partial evidence, never as the name itself.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "sex": ("gender",),
    "gender": ("sex",),
    "salary": ("pay", "income", "wage"),
    "location": ("place",),
    "name": ("title",),
    "title": ("name",),
    "employee": ("worker", "staff", "salesperson"),
    "customer": ("client", "buyer"),
    "client": ("customer",),
    "phone": ("telephone",),
    "movie": ("film",),
    "track": ("song",),
    "song": ("track",),
    "vehicle": ("car",),
    "car": ("vehicle",),
    "store": ("shop",),
    "shop": ("store",),
    "doctor": ("physician",),
    "physician": ("doctor",),
    "user": ("member",),
    "ticket": ("issue",),
    "shipment": ("delivery",),
    "staff": ("employee",),
    "film": ("movie",),
    "instructor": ("professor", "teacher"),
    "course": ("class",),
    "id": ("number", "code"),
    "number": ("id",),
    "nationality": ("country",),
    "description": ("detail",),
    "detail": ("description",),
    "company": ("firm",),
    "manufacturer": ("maker", "company"),
    "supplier": ("vendor",),
    "vendor": ("supplier",),
    "type": ("kind", "category"),
    "category": ("type",),
    "country": ("nation",),
    "budget": ("fund",),
    "photo": ("picture",),
    "lesson": ("class",),
    "party": ("group",),
    "product": ("item",),
    "item": ("product",),
    "price": ("cost",),
    "cost": ("price",),
    "quantity": ("amount",),
    "revenue": ("sales", "turnover"),
    "city": ("town",),
    "score": ("rating",),
    "rating": ("score", "stars"),
    "population": ("inhabitants",),
    "duration": ("length",),
    "birth": ("birthday",),
}

# Last words of a column's name that people leave out: "customer name" is asked for as "customer".
GENERIC_ENDINGS = frozenset(
    {"id", "name", "code", "number", "detail", "title", "type", "value", "text", "description"}
    | {"usd", "dollar", "eur", "euro", "gbp", "chf", "cent", "kg", "km", "pct", "percent"}
)

# Last words of a column's name that people put first: "account type" is asked for as "type of account".
TURNED_ENDINGS = frozenset({"type", "status", "code", "date", "price", "amount", "description", "category", "kind"})

# Words that stand for no part of a name.
FUNCTION_WORDS = frozenset(
    {
        "a",
        "an",
        "the",
        "and",
        "or",
        "by",
        "in",
        "of",
        "to",
        "on",
        "at",
        "for",
        "from",
        "is",
        "has",
        "with",
        "as",
        "no",
        "not",
    }
)

# Prepositions, and the words of the columns that they point to.
DIRECTIONS: dict[str, frozenset[str]] = {
    "from": frozenset({"origin", "source", "from", "departure", "start", "depart"}),
    "to": frozenset({"destination", "target", "to", "arrival", "end", "arrive"}),
}

# Last words that people add to a column's name: "gender type", "enrollment size".
TEXT_ENDINGS = frozenset({"type", "value"})
NUMBER_ENDINGS = frozenset({"size", "amount"})

# Of these people say the number: "phone number".
NUMBERED = frozenset({"phone", "fax", "mobile", "house", "account"})

# Last words of a table's name that people leave out: "customer list" is asked for as "customers".
TABLE_ENDINGS = frozenset({"list", "record", "info", "information", "detail", "data"})

# First words that do not tell tables apart.
TABLE_PREFIXES = frozenset(
    {"ref", "reference", "has", "in", "other", "dim", "fact", "tbl", "stg", "day", "week", "month", "quarter", "year"}
    | {"daily", "weekly", "monthly", "quarterly", "yearly", "annual"}
)

# Leading words of a column that say how it was computed: "total sales" is asked for as "sales".
COMPUTED_PREFIXES = frozenset({"number", "total", "max", "min", "average"})

# Amounts of which a total makes sense without being asked for by that word.
ADDITIVE_WORDS = frozenset(
    {"revenue", "sales", "turnover", "amount", "total", "profit", "income", "spend", "spending", "quantity", "earnings"}
    | {"unit", "units", "stock", "hours", "population", "budget", "points", "seats"}
)
# A total of these makes no sense, whatever else their names say.
SINGLE_WORDS = frozenset({"price", "rate", "rating", "average", "percent", "ratio", "level", "limit", "capacity"})

# The one word by which people name a longer column: "order date" is asked for as "the date".
HEAD_WORDS = frozenset({"date", "year", "price", "amount", "time", "address", "size", "rate"})

# Single words inside a longer column name that are too weak to stand for it.
WEAK_WORDS = frozenset(
    {"number", "total", "max", "min", "average", "of", "is", "in", "from", "to", "on", "date", "year"}
)

# Tables of those who do something: the answers to "who", and what is named after "by".
PEOPLE = frozenset(
    {"person", "people", "customer", "client", "employee", "user", "staff", "member", "student", "teacher", "author"}
    | {"artist", "actor", "driver", "supplier", "vendor", "patient", "doctor", "player", "guest", "manager", "agent"}
    | {"contact", "owner", "candidate", "host", "reader", "account", "reviewer", "director", "pilot", "singer", "nurse"}
    | {"professor", "instructor", "scientist", "delegate", "worker", "mechanic", "publisher", "carrier", "shipper"}
)
