"""Verbs that only say that two things belong together: "orders shipped to France", "tracks composed by Bach". A verb
that is not here may be a condition, so it has to be placed like any other word."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# As they are said; their other forms meet them by their stems.
RELATIONS = _words(
    """
    accessed achieved acquired acted addressed adopted advised affected affiliated allocated appeared applied appointed
    approved arranged arrived ascended assigned associated attached attended attributed authored authorized awarded
    leave write wrote take took make makes give gave
    based belonged billed booked borrowed bring brings brought
    built called carried categorized caused charged checked classified
    climbed coached collected commanded commissioned completed composed conducted conferred connected consigned
    constructed consulted consumed contacted contained contracted contributed controlled cooked corresponded covered
    created credited dated dealt dedicated defined delivered departed deposited described designated designed developed
    diagnosed directed dispatched displayed distributed donated drafted drawn edited educated elected employed engaged
    enlisted enrolled entered entrusted equipped established evaluated examined executed exhibited fabricated featured
    filed financed fitted flew flied followed founded funded furnished
    generate generates generated go went governed graduated granted grouped
    grown guided handled headed headquartered held hired honored hosted housed illustrated imported inspected installed
    instructed insured intended invested invited invoiced involved issued joined kept lasted lectured lent leased
    licensed linked listed loaded loaned located lodged logged maintained managed manufactured marketed mentored mixed
    moderated named nominated observed obtained occupied occurred operated ordered organized originated owed owned
    packed paid painted participated performed placed planned played positioned possessed posted powered prepared
    prescribed presented priced printed processed procured produced programmed promoted provided published purchased
    ranked rated reached received recorded recruited referred regarding registered related released rented reported
    represented requested reserved resided responded reviewed rolled sailed sampled scheduled scored seated seen
    serviced served settled shared shipped signed situated sized sold sourced specialized spent sponsored staffed
    started stationed steered stocked stored studied submitted subscribed suffered sung supervised supplied supported
    taken targeted taught tested titled toured trained transferred translated transported traveled treated tutored
    typed undertaken used uploaded visited volunteered watched weighed won worked written
    """
)

# They say no more than that something is there: "how many complaints were filed?".
EXISTENCE = _words(
    """
    booked created documented existing filed given happened held issued known listed made noted
    observed occurred occured placed posted present raised received recorded registered reported submitted summed there
    """
)

# After "is" or "are" they say what rows are like: "which rooms are available?".
PREDICATES = frozenset({"available", "involved", "included", "left", "opened"})

# Goods change hands.
DEALING = _words("sold sell sells selling bought buy buys buying purchased purchase purchases ordered order")

# Of these, what says that something was sold wherever it stands, and is no document of it.
SOLD = _words("sold sell bought buy purchased ordered")

# What stands before that which somebody or something has.
HAVING = _words("with have has had having")

# At the end of a clause these are what is asked about: "how many tracks were sold?" does not count all tracks.
CONTENT = _words(
    """
    attended bought buy died lost ordered paid participated performed played produced published purchased
    released rented returned sell served sold taught treated used visited voted won worked
    """
)
