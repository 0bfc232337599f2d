"""Abbreviations that databases have in their names, and the words that they stand for.

Only those that hardly ever stand for anything else: no `cd`, `st`, `exp` or `inv`.
"""

from __future__ import annotations

from collections.abc import Sequence

from askwell.resources import words_file
from askwell.spelling import spelled_words

_LISTED = """
    acct account | accts accounts | addr address | amt amount | appt appointment | attr attribute | avg average
    | bal balance | bldg building | categ category | catg category | cert certificate | chg charge | cnt count
    | cntry country | coord coordinate | cpty counterparty | crs course | ctry country | cty city | cust customer
    | custs customers | dept department | depts departments | desc description | dest destination | div division
    | dlvry delivery | dob birth date | doc document | docs documents | dt date | dtl detail | dtls details
    | emp employee | emps employees | flt flight | fname first name | freq frequency | grp group | hdr header
    | ht height | img image | instr instructor | itm item | lang language | lastname last name | lat latitude
    | lname last name
    | lng longitude | loc location | lon longitude | lvl level | maint maintenance | max maximum | mfg manufacturing
    | mfr manufacturer | mgmt management | mgr manager | min minimum | mktg marketing | mname middle name
    | msg message | mth month | nbr number | nm name | num number | ord order | ords orders | org organization
    | orgs organizations | pct percent | perf performance | phn phone | pkg package | pmt payment | pmts payments
    | prev previous | prod product | prods products | proj project | pwd password | pymt payment | qty quantity
    | rcpt receipt | ref reference | rm room | sal salary | sched schedule | sem semester | seq sequence
    | ssn social security number | std standard | stu student | stud student | subj subject | svc service
    | svcs services | tel telephone | tkt ticket | tot total | trx transaction | txn transaction | txns transactions
    | typ type | univ university | uom unit of measure | usr user | usrs users | val value | veh vehicle | vol volume
    | whse warehouse | wt weight | yr year | yrs years
    | dist distance | spec specification | ver version | vers version
    | descr description | dur duration | hrly hourly | mnthly monthly | mthly monthly | mths months | qtr quarter
    | qtrly quarterly | wkly weekly
"""

ABBREVIATIONS: dict[str, tuple[str, ...]] = {
    short: tuple(whole) for short, *whole in (entry.split() for entry in _LISTED.split("|"))
}


def written_out(words: Sequence[str]) -> tuple[str, ...]:
    """Lower-case words with the abbreviations among them written out: `cust`, `qty` → customer, quantity."""
    return tuple(whole for word in words for whole in ABBREVIATIONS.get(word, (word,)))


def shortens(short: str, whole: str) -> bool:
    """Whether a word of three letters or more may stand for another one: its beginning (`empl`), or its first letter
    and some of the others in their order (`cstmr`)."""
    if not 2 < len(short) < len(whole) or short[0] != whole[0]:
        return False
    letters = iter(whole)
    return whole.startswith(short) or (all(letter in letters for letter in short) and not set("aeiou") & set(short[1:]))


def ending_written_out(name: str) -> str:
    """A name of several words with the last one written out: `species_cd` → species code."""
    *first, last = spelled_words(name) or [""]
    whole = words_file("askwell.mdl", "short_words.yaml")["endings"].get(last.lower())
    return " ".join((*first, whole)) if first and whole else name
