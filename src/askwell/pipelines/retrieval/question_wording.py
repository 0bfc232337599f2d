"""A question's words in one form: two questions with equal forms ask the same, in nearly the same words.

Vectors hardly see what stands where: MiniLM finds "flights from Lyon to Hamburg" and "flights from Hamburg to Lyon"
0.99 alike, "customers per product" and "products per customer" 0.96. So every word counts here, in its order. Taken
away is only how people begin a question, and words that change no answer; made equal are only words that always mean
the same. Plural and singular stay apart: "the best customer" is one row.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import zip_longest

from askwell.pipelines.retrieval.question_facts import NUMBER_WORDS, QUOTED, plain_number

# "Could you please show me all …", "What are …". `list` and `name` begin a question only before such a word: list
# prices are not prices.
_OPENING = re.compile(
    r"(?:please |kindly )?"
    r"(?:(?:can|could|would) you (?:please )?|i(?: want| need|['’]d like| would like) to (?:see|know|have|get) "
    r"|i (?:want|need) |let me (?:see|know) )?"
    r"(?:(?:show|give|tell|display|find|get|fetch) (?:(?:me|us) )?"
    r"|(?:list|name) (?:(?:me|us) |(?=(?:the|all|every|each|our)\b)))?"
    r"(?:(?:what|which|who)(?:['’]s| is| are|) )?(?:all (?:of )?)?"
)
# "In 2024, how many …?" asks what "How many … in 2024?" asks.
_FRONTED = re.compile(r"((?:in|on|at|during|for|since|until|before|after|per|by|within|from) [^,]{1,60}), (.+)")

_CLAUSES = (
    (r"\b(?:do we have|did we have|do we get|did we get|are there|were there|is there)\b", " "),
    (r"\b(?:(?:total )?number of|count of|how many)\b", " count "),
    (r"\b(?:greater|more|higher) than or equal to\b|\b(?:no|not) (?:less|fewer) than\b|\bat least\b|>=", " at_least "),
    (r"\b(?:less|lower|smaller) than or equal to\b|\b(?:no|not) more than\b|\bat most\b|\bup to\b|<=", " at_most "),
    (r"(\d\S{0,30}) or more\b", r" at_least \1 "),
    (r"(\d\S{0,30}) or (?:less|fewer)\b", r" at_most \1 "),
    (r"!=|<>|n['’]t\b", " not "),
    (r"\b(?:more|greater) than\b|>", " over "),
    (r"\b(?:less|fewer) than\b|<", " under "),
    (r"\b(?:for|in) (?:each|every)\b", " per "),
    (r"\bmost recent\b", " newest "),
    (r"\bcannot\b", " can not "),
    (r"\b(?:has|have|had|having|with) no\b", " without "),
    (r"%", " percent "),
    (r"['’]s\b", " "),
)
_CLAUSE_FORMS = tuple((re.compile(pattern), form) for pattern, form in _CLAUSES)

# Words that always mean the same, by the one that stands for them.
_SYNONYMS = {
    "per": "by each every",
    "average": "avg mean",
    "total": "sum",
    "over": "above exceeding",
    "under": "below",
    "highest": "max maximum",
    "lowest": "min minimum",
    "largest": "biggest",
    "newest": "latest",
    "last": "past",
    "distinct": "unique",
    "percent": "percentage",
    "with": "has have having",
}
_STANDS_FOR = {word: name for name, words in _SYNONYMS.items() for word in words.split()}
# They change no answer where they stand inside a question.
_SILENT_WORDS = "a an the is are be being do does that which who whom our in on at during please"
_SILENT = frozenset(_SILENT_WORDS.split())
_PAST = frozenset({"was", "were"})
_PARTICIPLE = re.compile(r"\w+ed|sold|made|paid|bought|sent|built|held|lost|won|given|taken|written|born")
# "total of the payments" is the total payments.
_AGGREGATES = frozenset({"average", "total", "count", "highest", "lowest", "median"})
_NOT_ON_Y = frozenset({"calories", "cookies", "movies", "series", "zombies"})

# A number, a word, or a sign that means something.
_TOKEN = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?|[^\W\d]+\d*|[^\s\w,.?!;:'’()\"-]")


@lru_cache(maxsize=20_000)
def question_wording(question: str) -> tuple[str, ...]:
    """The words that count, in order: numbers in digits, quoted texts as they are, the rest in lower case."""
    text = unicodedata.normalize("NFKC", question)
    quoted = [found.group() for found in QUOTED.finditer(text)]
    text = " ".join(QUOTED.sub(" quoted_text ", text).split()).rstrip("?!. ")
    # "class A" names a class; at the beginning it is an article.
    text = re.sub(r"(?<=\w )A\b", "letter_a", text).casefold()
    text = _OPENING.sub("", text, count=1)
    if (fronted := _FRONTED.fullmatch(text)) is not None:
        text = f"{_OPENING.sub('', fronted[2], count=1)} {fronted[1]}"
    for pattern, form in _CLAUSE_FORMS:
        text = pattern.sub(form, text)
    words = _without_of(_loud(_TOKEN.findall(text)))
    texts = iter(quoted)
    return tuple(next(texts, word) if word == "quoted_text" else word for word in words)


def _loud(tokens: list[str]) -> list[str]:
    """Without the silent words, the others in their one form."""
    words: list[str] = []
    for token, following in zip_longest(tokens, tokens[1:], fillvalue=""):
        if token in _SILENT or (token in _PAST and _PARTICIPLE.fullmatch(following)):
            continue
        if token[-1].isdigit() and not token[0].isalpha():
            words.append(plain_number(token))
        else:
            words.append(NUMBER_WORDS.get(token) or _STANDS_FOR.get(token, token))
    return words


def _without_of(words: list[str]) -> list[str]:
    """ "price of the products" → "product price": what stands before and after an "of" change places."""
    found: list[str] = []
    rest = iter(words)
    for word in rest:
        if word != "of" or not found:
            found.append(word)
            continue
        owner = next(rest, "")
        if found[-1] in _AGGREGATES or not owner.isalpha():
            found.append(owner)
            continue
        head = found.pop()
        if owner == "per":  # "customers of each product"
            found.append(owner)
            owner = next(rest, "")
        found += [_singular(owner), head]
    return [word for word in found if word]


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-1] if word in _NOT_ON_Y else f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
