"""Facts of the world that questions and data write differently: countries and their adjectives, states of the United
States and their codes, months, days and sexes. Everything is in lower case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Name and other names | adjectives and people | codes of ISO 3166. Only what data of businesses is likely to hold.
_COUNTRIES = """
    afghanistan | afghan afghans | af afg
    albania | albanian albanians | al alb
    algeria | algerian algerians | dz dza
    argentina | argentine argentinian argentines argentinians | ar arg
    armenia | armenian armenians | am arm
    australia | australian australians aussie aussies | au aus
    austria | austrian austrians | at aut
    azerbaijan | azerbaijani azerbaijanis | az aze
    bangladesh | bangladeshi bangladeshis | bd bgd
    belarus | belarusian belarusians | by blr
    belgium | belgian belgians | be bel
    bolivia | bolivian bolivians | bo bol
    brazil, brasil | brazilian brazilians | br bra
    bulgaria | bulgarian bulgarians | bg bgr
    cambodia | cambodian cambodians | kh khm
    cameroon | cameroonian cameroonians | cm cmr
    canada | canadian canadians | ca can
    chile | chilean chileans | cl chl
    china, people's republic of china | chinese | cn chn
    colombia | colombian colombians | co col
    costa rica | costa+rican costa+ricans | cr cri
    croatia | croatian croatians croat croats | hr hrv
    cuba | cuban cubans | cu cub
    cyprus | cypriot cypriots | cy cyp
    czech republic, czechia | czech czechs | cz cze
    denmark | danish dane danes | dk dnk
    ecuador | ecuadorian ecuadorians | ec ecu
    egypt | egyptian egyptians | eg egy
    estonia | estonian estonians | ee est
    ethiopia | ethiopian ethiopians | et eth
    finland | finnish finn finns | fi fin
    france | french frenchman frenchmen | fr fra
    germany, deutschland | german germans | de deu ger
    ghana | ghanaian ghanaians | gh gha
    greece | greek greeks | gr grc
    hungary | hungarian hungarians | hu hun
    iceland | icelandic icelander icelanders | is isl
    india | indian indians | in ind
    indonesia | indonesian indonesians | id idn
    iran | iranian iranians persian | ir irn
    iraq | iraqi iraqis | iq irq
    ireland, republic of ireland | irish irishman irishmen | ie irl
    israel | israeli israelis | il isr
    italy | italian italians | it ita
    jamaica | jamaican jamaicans | jm jam
    japan | japanese | jp jpn
    jordan | jordanian jordanians | jo jor
    kazakhstan | kazakh kazakhs | kz kaz
    kenya | kenyan kenyans | ke ken
    south korea, republic of korea, korea | korean koreans south+korean south+koreans | kr kor
    north korea | north+korean north+koreans | kp prk
    kuwait | kuwaiti kuwaitis | kw kwt
    latvia | latvian latvians | lv lva
    lebanon | lebanese | lb lbn
    lithuania | lithuanian lithuanians | lt ltu
    luxembourg | luxembourgish luxembourger luxembourgers | lu lux
    malaysia | malaysian malaysians | my mys
    malta | maltese | mt mlt
    mexico | mexican mexicans | mx mex
    morocco | moroccan moroccans | ma mar
    nepal | nepali nepalese | np npl
    netherlands, the netherlands, holland | dutch dutchman dutchmen | nl nld
    new zealand | kiwi new+zealander new+zealanders | nz nzl
    nigeria | nigerian nigerians | ng nga
    norway | norwegian norwegians | no nor
    pakistan | pakistani pakistanis | pk pak
    panama | panamanian panamanians | pa pan
    paraguay | paraguayan paraguayans | py pry
    peru | peruvian peruvians | pe per
    philippines, the philippines | filipino filipinos philippine | ph phl
    poland | polish pole poles | pl pol
    portugal | portuguese | pt prt
    qatar | qatari qataris | qa qat
    romania | romanian romanians | ro rou
    russia, russian federation | russian russians | ru rus
    saudi arabia | saudi saudis | sa sau
    senegal | senegalese | sn sen
    serbia | serbian serbians serb serbs | rs srb
    singapore | singaporean singaporeans | sg sgp
    slovakia | slovak slovakian slovaks | sk svk
    slovenia | slovenian slovene slovenes | si svn
    south africa | south+african south+africans | za zaf
    spain | spanish spaniard spaniards | es esp
    sri lanka | sri+lankan sri+lankans | lk lka
    sweden | swedish swede swedes | se swe
    switzerland | swiss | ch che
    syria | syrian syrians | sy syr
    taiwan | taiwanese | tw twn
    thailand | thai thais | th tha
    tunisia | tunisian tunisians | tn tun
    turkey, turkiye | turkish turk turks | tr tur
    ukraine | ukrainian ukrainians | ua ukr
    united arab emirates | emirati emiratis | ae are uae
    united kingdom, uk, great britain, britain | british briton britons | gb gbr
    united states, usa, us, united states of america, america | american americans | us usa
    uruguay | uruguayan uruguayans | uy ury
    venezuela | venezuelan venezuelans | ve ven
    vietnam, viet nam | vietnamese | vn vnm
"""

_STATES = """
    alabama al, alaska ak, arizona az, arkansas ar, california ca, colorado co, connecticut ct, delaware de, florida fl,
    georgia ga, hawaii hi, idaho id, illinois il, indiana in, iowa ia, kansas ks, kentucky ky, louisiana la, maine me,
    maryland md, massachusetts ma, michigan mi, minnesota mn, mississippi ms, missouri mo, montana mt, nebraska ne,
    nevada nv, new hampshire nh, new jersey nj, new mexico nm, new york ny, north carolina nc, north dakota nd, ohio oh,
    oklahoma ok, oregon or, pennsylvania pa, rhode island ri, south carolina sc, south dakota sd, tennessee tn,
    texas tx, utah ut, vermont vt, virginia va, washington wa, west virginia wv, wisconsin wi, wyoming wy,
    district of columbia dc
"""
_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_SEXES = (
    (("female",), "f", ("woman", "women", "girl", "girls", "lady", "ladies")),
    (("male",), "m", ("man", "men", "boy", "boys", "gentleman", "gentlemen")),
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word stands for: other `names` of it, and `codes`, which mean it only in a column whose own or table's
    name has one of the words `told_by`."""

    names: tuple[str, ...]
    codes: tuple[str, ...] = ()
    told_by: frozenset[str] = frozenset()


def _meanings() -> tuple[dict[str, tuple[Meaning, ...]], dict[str, tuple[Meaning, ...]]]:
    by_name: dict[str, tuple[Meaning, ...]] = {}
    by_code: dict[str, tuple[Meaning, ...]] = {}

    def add(names: tuple[str, ...], codes: tuple[str, ...], others: tuple[str, ...], told_by: str) -> None:
        words = frozenset(told_by.split())
        for word in (*names, *others):
            if word.startswith("the "):  # found without it
                continue
            rest = tuple(name for name in names if name != word)
            by_name[word] = (*by_name.get(word, ()), Meaning(rest, codes, words))
        for code in codes:
            rest = tuple(other for other in codes if other != code)
            by_code[code] = (*by_code.get(code, ()), Meaning(names, rest, words))

    for names, adjectives, codes in _countries():
        add(names, codes, adjectives, "country nation nationality citizenship origin")
    for state in _STATES.split(","):
        name, code = state.strip().rsplit(" ", 1)
        add((name,), (code,), (), "state province region")
    for name in (*_MONTHS.split(), *_DAYS.split()):
        add((name,), (name[:3],), (), "month day weekday")
    for sexes, letter, others in _SEXES:
        add(sexes, (letter,), others, "sex gender")
    return by_name, by_code


def _countries() -> list[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    """Names, adjectives and codes of each."""
    rows = (line.split("|") for line in _COUNTRIES.strip().splitlines())
    return [
        (
            tuple(name.strip() for name in names.split(",")),
            tuple(word.replace("+", " ") for word in adjectives.split()),
            tuple(codes.split()),
        )
        for names, adjectives, codes in rows
    ]


# What else means the same: by a name or an adjective ("german"), and by a code ("de"), which only counts where it is
# written as one.
BY_NAME: Mapping[str, tuple[Meaning, ...]]
BY_CODE: Mapping[str, tuple[Meaning, ...]]
BY_NAME, BY_CODE = _meanings()
