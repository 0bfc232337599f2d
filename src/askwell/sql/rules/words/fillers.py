"""Words that carry no condition of their own. What is in none of these lists has to be placed, or the rules abstain."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILLERS = _words(
    """
    table he she him go goes going
    's a about according across actually affiliated all along also am among an and any appear appeared are as
    assign assigned associated at attend attended attending attends available be been being belong belonging
    belongs born both bought build built but buy buys by called can charge come comes coming compute considered
    contain corresponding could currently database did died direct directed directs do does dollars each's earned enroll
    euros enrolled entries ever everybody exist existing exists find for found founded from generated get gets given
    had has have having held her his hold holds host hosted hosts i if in include included includes
    information into involved is issued it its just know known lead leads led let list live lived lives living
    located made make me much my named names need of offer offered offering offers on one ones opened
    operate operated operates ordered our out overall own owned owns participate participated participates
    participating perform performed place placed play played plays please possible produce produced produces
    provide provided publish published receive received receives record recorded records register registered
    related reported respective respectively result results retrieve run runs s see sell sells sent serve
    served serves show shown so sold some studies study studying support supported supports system take taken
    takes taking taught teach teaches teaching tell that the their them then there these they this those
    titled to yet together took total total's treated up us use used uses using value values visit visited want was
    we were what when where whether which while who whoever whom whose will win wins with won work worked
    working works would write writes written wrote you your
    still already now really anyway hi hello hey thanks thank wondering kindly
    """
)

# Between the parts of a select list: these do not end it.
LIST_WORDS = _words(
    """
    's a all an and any are associated at both by corresponding did different distinct do does each for her his
    in is it its list me names of on related respective respectively the their them there they to us was were
    """
)

# Verbs of a relation between two things; loose evidence that the question means that relation.
VERBS = _words(
    """
    advise advises belong borrow compete competes contain contributed correspond corresponds cover covers direct
    drive driven drives earn earns employ employs fall falls flew fly follow follows graduate graduates happen
    happens head heads involve involves keep kept lie lies like likes lists love loves manage manages occur
    occurs own paid pay prescribe prescribes raise raises ran rent rents report reports run sang sing sit sits
    speak speaks spend spent spoken stay stayed stays submit sung through treat treats undergo undergoes wear
    """
)

# Nouns that end like a verb.
NO_VERBS = _words(
    """
    first last latest
    bed beginning billing breed building ceiling ending evening feed hundred king listing meeting morning need
    parking pricing rating red ring seed setting shed shipping sled speed spring string substring thing training
    wedding weed wing
    """
)

# Before an attribute of the noun that follows: "all discontinued products".
DETERMINERS = _words(
    """
    a all an any each every list my our show some the these those your
    """
)

# Words that may be a cell's value and are far more often just a word.
COMMON_WORDS = _words(
    """
    a all an and are as at by date day different each female first for from general good high i in is it last
    least low main male many more most name new no number of old on one open or order orders other private
    public staff student the time to total two was with year yes
    """
)

# "in our catalog", "on file": everything is there.
EVERYWHERE = _words(
    """
    catalog catalogue system database records record file books data dataset db portfolio assortment range
    company business firm organization organisation
    """
)

# Of these, what rows may be like: "open tickets".
STATES = _words("open new high low good main general private public female male")

MALE_WORDS = _words("male males men boys")
FEMALE_WORDS = _words("female females women girls")
