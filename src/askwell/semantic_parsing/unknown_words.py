"""What words that the model does not have could mean: tables, columns and values that are near to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, product, takewhile

from askwell.mdl.abbreviations import FEWEST, kept_of
from askwell.mdl.names import singular
from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import STANDING, akin, classes_of, english, stems_alike
from askwell.question.misspelling import mended
from askwell.question.tokens import Token, TokenKind, tokenize
from askwell.question.words import is_superlative, plain_english, stems
from askwell.semantic_parsing.abstentions import abstention, either
from askwell.semantic_parsing.lattice import Lattice
from askwell.semantic_parsing.model.catalog import DATE, FLAG, KEY, TRIMMED, WEAK, Catalog, Target
from askwell.semantic_parsing.skips import ALSO_A_STATE
from askwell.semantic_parsing.taught import key_of
from askwell.semantic_parsing.translation import UNKNOWN_WORD, Abstention, Choice, Translation, leads_on
from askwell.semantic_parsing.unknown_places import Role, by_place, may_be, role_of
from askwell.sql.bindings import FREE, Bindings, Meaning

# A shorter beginning or end of a word says nothing of it.
_SHORTEST_PART, _SHORTEST_REST = 4, 2
# How much liker a word is to what has a word of the same stem in its name, one of nearly the same meaning, or one of
# the same stem in its description; and how like it is where nobody knows.
_SAME_STEM, _AKIN, _DESCRIBED, _UNMEASURED = 0.3, 0.25, 0.15, 0.25
# From where on something is near, and surely meant; and what share of the nearest likeness is nearly, or just, as near.
# Set for MiniLM by 60 words of strangers in 4 invented trades, and 32 that mean nothing. Of 120 and 60 in 8 others
# 62 and 7 are asked back, 51 of these with what is meant, and whatever is taken unasked is right. What is hardly near
# is not measured: it only keeps what nothing is like out of what words may mean by their place.
_HARDLY_NEAR, _NEAR, _SURE, _NEARLY_AS_NEAR, _AS_NEAR = 0.25, 0.4, 0.6, 0.7, 0.9
# The least probability of a reading that takes what is surely meant.
_SURELY_READ = 0.85
_MOST_TRIED, _MOST_OFFERED, _MOST_BY_PLACE = 8, 3, 5
# A column of more values holds names. Texts that words are compared with take a millisecond each, once.
_MOST_VALUES, _MOST_COMPARED = 30, 150
# Classes of phrases whose words may as well stand for something of the model: "called off", "back", "earnings".
_ALSO_NAMES = STANDING | ALSO_A_STATE

Read = Callable[[Bindings], Translation | Abstention]
# How like each of some words is to each of some texts; empty where that is not known.
Similarities = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Words of a question that nothing is called, as they are `said` alone and with one beside them, each with its
    role, and what they could mean, each with a text that says it."""

    said: tuple[str, ...]
    roles: tuple[Role, ...]
    meanings: tuple[Meaning, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Near:
    """What words could mean, how like (0..1) they are to it, and what they do in the question."""

    meaning: Meaning
    likeness: float
    role: Role = Role.ANY


def unknown_words(question: str, given: Abstention, catalog: Catalog) -> Unknown | None:
    """What an abstention is over, where these are words that something could be called; None for any other."""
    tokens = tokenize(question)  # as they are written: a word that is no name may be put right as another one
    left = [given.reason in _OF_WORDS and token.text in given.words for token in tokens]
    alone = [token.low for token, is_left in zip(tokens, left, strict=True) if is_left and _may_name(token, catalog)]
    beside = [
        f"{one.low} {two.low}"
        for (one, is_one), (two, is_two) in pairwise(zip(tokens, left, strict=True))
        if (is_one or is_two) and _go_together(one, two, catalog)
    ]
    said = tuple(dict.fromkeys([*beside, *alone]))
    found = list(islice(_meanings(question, given, catalog), _MOST_COMPARED)) if said else []
    if not found:
        return None
    lattice = Lattice(catalog, tokens)
    roles = tuple(role_of(one, lattice) for one in said)
    return Unknown(said, roles, tuple(meaning for meaning, _ in found), tuple(text for _, text in found))


_OF_WORDS = frozenset({"unplaced_words", "unclear_words"})


def _may_name(token: Token, catalog: Catalog) -> bool:
    """Whether something may be called so: not a row, whose name has a capital letter, and no word of any question."""
    is_word = token.kind is TokenKind.WORD and token.text == token.low and token.low not in catalog.value_parts
    return is_word and classes_of(token.low) <= _ALSO_NAMES | english().nameable


def _go_together(one: Token, two: Token, catalog: Catalog) -> bool:
    """Whether two words may be one name: "floor space", "called off"."""
    everywhere, verbs = english().everywhere, english().verbs
    ends = two.low not in everywhere or (bool(classes_of(two.low)) and classes_of(two.low) <= STANDING)
    begins = one.low not in everywhere or one.low in verbs
    return begins and ends and all(_has_no_name(token, catalog) for token in (one, two))


def _has_no_name(token: Token, catalog: Catalog) -> bool:
    is_word = token.kind is TokenKind.WORD and token.text == token.low
    return is_word and all(level >= WEAK for level in catalog.words.get(key_of(token.low), {}).values())


def _meanings(question: str, given: Abstention, catalog: Catalog) -> Iterator[tuple[Meaning, str]]:
    """The columns of the tables that were understood, with their values where these are few, the tables that the
    question does not name, and the other columns; each with its name or description."""
    lows = question.lower().split()
    runs = (key_of(" ".join(lows[at : at + size])) for size in (1, 2, 3) for at in range(len(lows)))
    named = {target for key in runs for target, level in catalog.words.get(key, {}).items() if level <= TRIMMED}
    columns = [
        ref for ref, facts in catalog.facts.columns.items() if facts.formula is None and catalog.kind(ref) != KEY
    ]
    understood = [ref for ref in columns if not given.tables or ref.table in given.tables]
    others = [ref for ref in columns if ref not in understood]
    targets: list[Target] = [*understood, *(table for table in catalog.facts.tables if table not in named), *others]
    for target in targets:
        texts = (catalog.readable(target), catalog.description_of(target))
        yield from ((Meaning("", target), text) for text in texts if text)
        if isinstance(target, str) or target in others or target in catalog.labels(target.table):
            continue
        values = catalog.values_of(target)
        if len(values) <= _MOST_VALUES and catalog.kind(target) != DATE:
            names = catalog.column(target).column.value_names
            yield from ((Meaning("", target, value=value), names.get(value, value)) for value in values)


def nearest(unknown: Unknown, likeness: Similarities, catalog: Catalog) -> list[Near]:
    """What unknown words could mean, the likest first. `likeness` is how like each of them is to each text; empty where
    that is not known."""
    found: dict[Meaning, Near] = {}
    for place, (said, role) in enumerate(zip(unknown.said, unknown.roles, strict=True)):
        for at, meaning in enumerate(unknown.meanings):
            liker = _by_words(said, meaning, catalog)
            like = (likeness[place][at] if likeness else _UNMEASURED) + liker
            near = like >= _HARDLY_NEAR and (meaning not in found or like > found[meaning].likeness)
            if near and may_be(role, meaning, catalog, is_called_so=liker >= _AKIN):
                found[meaning] = Near(replace(meaning, said=said), like, role)
    return sorted(found.values(), key=lambda near: (-near.likeness, not isinstance(near.meaning.target, str)))


def surely_meant(near: Sequence[Near], read: Read, catalog: Catalog) -> Bindings:
    """What holds where the nearest meaning is so near, and read so surely, that nobody has to be asked."""
    least = max(_SURE, near[0].likeness * _AS_NEAR) if near else 1.0
    likest = [one.meaning for one in near[:_MOST_TRIED] if one.likeness >= least]
    choices = [_choice(one, catalog) for one in likest if not _is_more(one, catalog)]
    readings = [(choice, reading) for choice in choices if leads_on(reading := read(choice.bindings))]
    for choice, reading in readings if len(readings) == 1 else ():
        is_sure = isinstance(reading, Translation) and reading.probability >= _SURELY_READ
        if is_sure and choice.bindings.meanings[0].value is None:  # the values of a column are like their opposites
            return choice.bindings
    return FREE


def _is_more(meaning: Meaning, catalog: Catalog) -> bool:
    """Whether a word holds one of the name and another one: a coursebook is no course, however like they are."""
    words = map(singular, catalog.readable(meaning.target).lower().split())
    parts = [one for one in words if len(one) >= _SHORTEST_PART]
    rests = [meaning.said.removeprefix(one) for one in parts] + [meaning.said.removesuffix(one) for one in parts]
    return any(_SHORTEST_PART <= len(rest) < len(meaning.said) for rest in rests)


def with_meanings_of_unknown_words(
    question: str, given: Abstention, near: Sequence[Near], catalog: Catalog, read: Read
) -> Abstention:
    """An abstention over words that nothing in the model is called, as the question what they mean: `choices` are what
    is near and with which `read` answers, likeliest first. Without such choices it names the words; it is as `given`
    where there are none."""
    role, placed = by_place(question, given, catalog)
    deeds = [Near(one, _SURE) for one in placed] if role is Role.ROWS else []
    nearer = [one for one in near if one.likeness >= _NEAR]
    single = [(one.likeness, one.role, _choice(one.meaning, catalog)) for one in (*deeds, *nearer[:_MOST_TRIED])]
    for tried in (single, _pairs(nearer, catalog)):
        found: list[tuple[float, float, Choice]] = []
        for likeness, of, choice in sorted(tried, key=lambda one: -one[0]):
            if found and likeness < found[0][0] * _NEARLY_AS_NEAR:
                break
            reading = read(choice.bindings)
            if leads_on(reading) and _does_so(of, choice, reading):
                found.append((likeness, reading.probability if isinstance(reading, Translation) else 0.0, choice))
        if found:
            likeliest = sorted(found, key=lambda one: (-one[0], -one[1]))[:_MOST_OFFERED]
            choices = tuple(choice for *_, choice in likeliest)
            said = "” and “".join(meaning.said for meaning in choices[0].bindings.meanings)
            return either(UNKNOWN_WORD, said, given.tables, choices)
    if choices := _choices_by_place(role, placed, near, catalog, read):
        return either(UNKNOWN_WORD, choices[0].bindings.meanings[0].said, given.tables, choices)
    said = _unknown(question, given, catalog)
    return replace(abstention("unplaced_words", (said,), given.tables), reason=UNKNOWN_WORD) if said else given


def _choices_by_place(
    role: Role, placed: Sequence[Meaning], near: Sequence[Near], catalog: Catalog, read: Read
) -> tuple[Choice, ...]:
    """What words in a role could mean by where they stand and is at least hardly near to them, likeliest first; none
    where so much is that nothing in the question says which."""
    hardly = {(one.meaning.target, one.meaning.value) for one in near}
    if role is not Role.PEOPLE:
        placed = [one for one in placed if (one.target, one.value) in hardly or is_superlative(one.said)]
    readings = [(choice := _choice(one, catalog), read(choice.bindings)) for one in placed]
    led = [(choice, found) for choice, found in readings if isinstance(found, Translation) and found.modes]
    led = [one for one in led if _does_so(role, *one)]
    led.sort(key=lambda one: (len(one[1].tables), -one[1].probability))
    return tuple(choice for choice, _ in led) if len(led) <= _MOST_BY_PLACE else ()


def _does_so(role: Role, choice: Choice, reading: Translation | Abstention) -> bool:
    """Whether a reading has what words mean which say how rows are in a condition."""
    if role is not Role.STATE or not choice.bindings.columns or isinstance(reading, Abstention):
        return True
    _, *conditions = re.split(r"\b(?:WHERE|WHEN)\b", reading.sql, maxsplit=1)
    return all(ref.column in "".join(conditions) for ref in choice.bindings.columns)


def _pairs(near: Sequence[Near], catalog: Catalog) -> list[tuple[float, Role, Choice]]:
    """What two unknown words could mean at once, and how like they are to it together, the likest first."""
    words = list(dict.fromkeys(one.meaning.said for one in near))[:2]
    if len(words) < 2 or set(words[0].split()) & set(words[1].split()):
        return []
    found = []
    for one, two in product(*([each for each in near if each.meaning.said == word][:_MOST_OFFERED] for word in words)):
        first, second = _choice(one.meaning, catalog), _choice(two.meaning, catalog)
        meant = Choice(f"{first.label} and {second.label}", first.bindings.with_meanings(second.bindings))
        found.append((one.likeness + two.likeness, Role.ANY, meant))
    return found


def _by_words(said: str, meaning: Meaning, catalog: Catalog) -> float:
    """How much liker words are to something by the words of its name and of its description. Everyday English is not;
    and what is turned round means the other thing."""
    own, names = frozenset(key_of(said)), frozenset(key_of(meaning.value or "")) or catalog.words_of(meaning.target)
    if any(
        turned + one in names or one.removeprefix(turned) in names - {one}
        for one in own
        for turned in english().negations
    ):
        return -1.0
    if any(_is_short(name, said, meaning, catalog) for name in names):
        return _SAME_STEM
    if plain_english().issuperset(said.split()) and not isinstance(meaning.target, str):
        return 0.0
    if own & names:
        return _SAME_STEM
    groups = (group for group in stems_alike() if any(_is_of(group, one) for one in own))
    money = (
        hints
        for word in said.split()
        for kind, hints in english().phrases.get((word,), ())
        if kind in english().nameable
    )
    alike = set().union(*(group for group in akin().alike if singular(said) in group))
    if own.union(*groups, *map(stems, money)) & names or any(
        kept_of(*two) is not None for two in product(names, alike)
    ):
        return _AKIN
    return _DESCRIBED if own & set(stems(catalog.description_of(meaning.target))) else 0.0


def _is_short(name: str, said: str, meaning: Meaning, catalog: Catalog) -> bool:
    """Whether a word of a name is short for what was said: `descr`; of a flag, or as the whole name, also an everyday
    one: `act`."""
    if meaning.value is not None or not said.startswith(name) or len(said) < len(name) + _SHORTEST_REST:
        return meaning.value is None and kept_of(name, said) is not None
    ref = meaning.target
    is_told = isinstance(ref, ColumnRef) and (catalog.kind(ref) == FLAG or catalog.names_of(ref) == (name,))
    return len(name) >= FEWEST if is_told else len(name) >= _SHORTEST_PART and name not in plain_english()


def _is_of(group: frozenset[str], word: str) -> bool:
    """Whether a group has a word, or one that it begins or ends with: "hometown" is of those with "town"."""
    return word in group or any(len(one) >= _SHORTEST_PART and word.endswith(one) for one in group)


def _unknown(question: str, given: Abstention, catalog: Catalog) -> str:
    """The first words, next to each other, that nothing is called; none where they are everyday English, a name, or
    part of a value."""
    if given.reason != "unplaced_words":
        return ""
    texts = [token.text for token in mended(tokenize(question), catalog.spelled, catalog.short)[0]]
    known = english().everywhere
    left = {word for word in given.words if key_of(word) not in catalog.words and word.lower() not in known}
    start = next((place for place, text in enumerate(texts) if text in left), len(texts))
    run = list(takewhile(left.__contains__, texts[start:]))
    is_name = any(text[:1].isupper() for text in (run if start else run[1:]))  # of a row: no table is called so
    others = catalog.value_parts | plain_english()
    return "" if is_name or any(text.lower() in others for text in run) else " ".join(run)


def _choice(meaning: Meaning, catalog: Catalog) -> Choice:
    target, name = meaning.target, catalog.full_name(meaning.target)
    tables, columns = ((target,), ()) if isinstance(target, str) else ((), (target,))
    named = {} if isinstance(target, str) else catalog.column(target).column.value_names
    label = name if meaning.value is None else f"{named.get(meaning.value, meaning.value)} ({name})"
    return Choice(label, Bindings(tables, columns=columns, meanings=(meaning,)), catalog.description_of(target))
