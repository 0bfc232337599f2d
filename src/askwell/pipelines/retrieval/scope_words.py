"""What the wording of a question says about whether it is a question about data, and about which."""

from __future__ import annotations

import re

from askwell.mdl.names import readable
from askwell.mdl.semantic_model import SemanticModel
from askwell.providers.document_store.words import is_empty, terms

# Words that questions about any data use: sharing one of them with a model says nothing.
_GENERAL_WORDS = """
    name names number numbers total count id date time year month week day type value average maximum minimum highest
    lowest most least more less top first last new old good best worst long big small same different between than data
    table tables column columns information record records two three no not never go make know want help
    think today now here thing way kind largest smallest longest shortest greatest biggest oldest youngest newest latest
    earliest fewest larger smaller higher lower greater older younger longer shorter above below over under up down out
    off without within before after during since until ago previous next yesterday tomorrow four five six seven eight
    nine ten hundred thousand million second third sort sorted ascending descending alphabetical alphabetically distinct
    unique group grouped return display detail details mean median sum percentage percent share far either both other
    another only still yet very really even again always ever same such like use used using come take put thank hello
    hi sorry yes ok well open answer say said word question right wrong sure try do does did vs versus compare compared
    quarter quarterly recent recently current currently taken took hasn haven isn aren wasn weren don doesn didn ll re
    ve
"""
_GENERAL = frozenset(terms(_GENERAL_WORDS))

# Words that people use for each other, or of which one leads to the other: who asks what was sold asks for orders.
_AKIN_WORDS = """
    sell sold seller sale buy bought buyer purchase earn income revenue turnover spend spent spending spender money
    profit deal basket trade order invoice transaction payment receipt checkout | pay paid cost price expensive
    cheap charge fee worth amount budget salary wage payment bill money spend spent earn | employee staff worker
    workforce colleague boss manager salesperson rep team payroll hire hired quit personnel crew job position
    people person | customer client buyer shopper user member guest consumer subscriber patron passenger visitor
    | town city village country nation region state abroad live address location place county | product item
    article goods merchandise stock inventory | parcel delivery deliver ship shipped shipment shipping freight
    carrier transport dispatch trip ride | supplier vendor manufacturer maker producer | age birth birthday born
    | song track music album band singer artist musician genre | film movie cinema actor director | book novel
    author writer write wrote publisher publish publication journal paper article conference venue citation cite
    | student pupil teacher instructor professor lecturer class course lesson school faculty university college
    enroll | car vehicle truck lorry van bus driver trip ride | doctor physician patient illness disease ill
    sick treatment medicine medication drug pill prescription script | appointment booking booked reservation visit
    check | team club player match game win won lose lost score coach league
    | company firm business corporation organisation organization | house apartment flat building room
    property landlord owner tenant rent lease | rating review star opinion score rate | mark grade score exam
    result | flight airline airport plane aircraft pilot | department division unit branch office | weight weigh heavy
    heavier heaviest load | hire hired join joined leave left quit | restaurant food cuisine dish meal
"""
_AKIN = tuple(frozenset(terms(group)) for group in _AKIN_WORDS.split("|"))

# Whoever they are in a model, people are asked for as people.
_PERSONS = frozenset(
    terms(
        "customer client buyer user member guest passenger subscriber employee staff worker student pupil teacher "
        "instructor professor doctor patient driver player coach author artist actor person people trainer tenant "
        "owner resident participant applicant candidate volunteer agent manager nurse"
    )
)
_PEOPLE = frozenset(terms("people person man men woman women boy boys girl girls child children kid kids"))

# Somebody asks an assistant to write, explain or advise: hardly ever what a question to a database begins with. Polite
# ways to ask for data are none of these: "can you show", "I want to see", "do we have".
_ASKS_AN_ASSISTANT = re.compile(
    r"""\W* (
        (how|when|what) \s+ (do|can|should|would) \s+ i
      | where \s+ (do|should|would) \s+ i | how \s+ (do|can|could) \s+ (you|one) | should \s+ i
      | (can|could|would|will) \s+ you \s+ (recommend|teach|help|write|keep|be|sing|play|explain|translate|solve|please)
      | (are|were) \s+ you | do \s+ (you|i) | what \s+ do \s+ you | what \s+ does \s+ \S+ (\s+ \S+)? \s+ mean
      | what \s+ does \s+ \S+ (\s+ \S+)? \s+ stand \s+ for
      | what \s+ (is|are) \s+ (an? | the \s+ meaning \s+ of | \d+)
      | what \s+ causes? | how \s+ old \s+ are \s+ you | how \s+ (do|does) \s+ an?
      | who \s+ (made|created|built) \s+ you
      | who \s+ (invented|discovered|was \s+ the \s+ first) | what['’]s \s+ up | can \s+ we \s+ be
      | can \s+ i | why | is \s+ (it|there|\d+) | i \s+ (am|feel|think|just|love|hate|wish|hope|had)
      | i['’]m | you(['’]re)?
      | write | draft | compose | translate | explain | solve | simplify | convert | prove | fix | sing | integrate
      | (good|happy) \s+ (morning|evening|night|afternoon|day|birthday|christmas) | lol | haha | hey \s+ there
      | (tell|give) \s+ me \s+ (something|a \s+ (joke|story|poem|recipe))
    ) \b""",
    re.IGNORECASE | re.VERBOSE,
)
# Somebody notes down what to look for: a few words that do not begin like a sentence.
_BEGINS_A_SENTENCE = re.compile(
    r"""\W* (
        i | i['’]m | you | are | is | was | am | be | do | does | did | can | could | would | will | should | may
      | what | what['’]s | why | when | where | how | who \s+ (is|are|was|were) | who['’]s
      | tell | sing | give | write | show | list | explain | convert | hey | hi | hello | ok | okay | thanks? | thank
      | good | happy | please
    ) \b""",
    re.IGNORECASE | re.VERBOSE,
)
_MOST_NOTED = 4
# What is measured or compared, the state of things, and the time: words of reports.
_MEASURES = re.compile(
    r"""\b (
        vs | versus | top | best | worst | most | least | average | avg | total | rate | share | ratio | by | per
      | trends? | growth | \w{3,}est
      | no | new | old | lost | late | overdue | missing | open | closed | empty | free | full | active | inactive
      | idle | today | yesterday | tonight | tomorrow | (this|last|next) \s+ (week|month|quarter|year) | q[1-4]
      | how (\s+ (is|are|did|was|were) | ['’]s) \s+ (?!(you|it|life)\b) .* \b (do|doing|go|going|business|perform\w*)
      | week (ly)? | month (ly)? | quarter (ly)? | year (ly)?
    ) \b""",
    re.IGNORECASE | re.VERBOSE,
)
_MOST_MEASURING = 5
_OUR_OWN = re.compile(r"\b(we|our|us)\b", re.IGNORECASE)

_QUOTED = re.compile(r"\"[^\"]*\"|“[^“”]*”|(?<!\w)'[^']*'(?!\w)")
_WORDS = re.compile(r"[^\W\d_]+")

# Words that sentences in other languages are made with, without those that are English words too.
_OTHER_LANGUAGE_WORDS = """
    wie viele viel welche welcher welches welchen wer wo wann der das dem den ein eine einen einer und oder ist sind
    hat haben wird wurde wurden wir uns unser unsere mit von für im zu zum zur nach pro je nicht alle zeige bitte mir
    combien quel quelle quels quelles est sont le les du une et ou où nous nos notre avec pour dans qui que quoi montre
    cuántos cuantos cuántas cuantas cuál cual cuáles cuales qué quién quien dónde donde es los las el la una y con por
    para en del nuestros nuestras muestra
    quanti quante quali quale chi dove sono il lo gli uno della dei delle nel nella di che mostra
    quantos quantas quais qual quem onde são os uma com nós dos das nossos
    hoeveel hebben heeft welke wie wat waar het een van onze met voor zijn er toon
    hur många vilka vilken är och på som hvor mange hvilke hvilken og på
    ile jaki jakie jaka które który kto gdzie jest są kaç hangi nerede ve için
"""
_OTHER_LANGUAGES = frozenset(_OTHER_LANGUAGE_WORDS.split())


class ModelWords:
    """The words that lead to a model. `names` are the terms of what its tables and columns are called; `related` those
    of their descriptions and values, and words that people use for the names."""

    def __init__(self, model: SemanticModel) -> None:
        names: set[str] = set()
        said: set[str] = set()
        for table in model:
            names |= _named(table.name, table.display_name, *table.synonyms)
            said.update(terms(f"{table.description or ''} {table.question or ''}"))
            for column in table.columns:
                names |= _named(column.name, column.display_name, *column.synonyms) - _GENERAL
                said.update(terms(f"{column.description or ''} {' '.join(column.values)}"))
        akin = [group for group in _AKIN if group & names]
        if _PERSONS & names:
            akin.append(_PEOPLE)
        self.names = frozenset(names)
        self.related = frozenset(said).union(*akin) - _GENERAL - self.names

    def telling(self, text: str) -> frozenset[str]:
        """The terms of a text that say what it is about."""
        return frozenset(term for term in terms(text) if not term.isdigit()) - (_GENERAL - self.names)


def asks_an_assistant(question: str) -> bool:
    """True for wording that asks for help, an explanation or a text rather than for data."""
    return _ASKS_AN_ASSISTANT.match(question) is not None


def speaks_of_our_own(question: str) -> bool:
    """True for "we", "our" and "us": what people say about the business that their data is of."""
    return _OUR_OWN.search(question) is not None


def notes_down(question: str) -> bool:
    """True for a few words that are no sentence, such as "slow movers" or "revenue june"."""
    words = _words(question)
    few = len(set(words)) == len(words) <= _MOST_NOTED
    return bool(words) and few and _BEGINS_A_SENTENCE.match(question) is None


def measures_in_few_words(question: str) -> bool:
    """True for a short question that says what is measured or compared: "late orders by month"."""
    return len(_words(question)) <= _MOST_MEASURING and _MEASURES.search(question) is not None


def without_names(question: str) -> str:
    """The question without what may be a value: quotations, words in capitals after the first one, and numbers."""
    first, *others = _QUOTED.sub(" ", question).split() or [""]
    plain = (word for word in others if not any(map(str.isdigit, word)) and not _is_capital(word))
    return " ".join((first, *plain))


def is_in_another_language(question: str) -> bool:
    """True where little of a question is English: its words are then no measure of what it is about."""
    words = [word.lower() for word in _WORDS.findall(question)]
    foreign = sum(word in _OTHER_LANGUAGES for word in words)
    english = sum(is_empty(word) for word in words)
    if foreign == english == 0:
        return 2 * sum(not word.isascii() for word in words) > len(words)
    return foreign >= english


def _named(name: str, *others: str | None) -> set[str]:
    """The telling terms of names. One that is nothing but a general word means something all the same: a table of
    orders' lines, or of groups."""
    found: set[str] = set()
    for text in (readable(name), *(readable(other) for other in others if other)):
        of_name = {term for term in terms(text) if len(term) > 1}
        found |= of_name if len(of_name) == 1 else of_name - _GENERAL
    return found


def _words(question: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(question)]


def _is_capital(word: str) -> bool:
    letters = _WORDS.search(word)
    return letters is not None and letters[0] != "I" and letters[0][0].isupper()
