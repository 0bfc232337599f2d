"""Words that names of tables and columns are often made of, and that a slip or two turns into one another.

Someone who writes one of these means it, also where the model has only its neighbour. In the singular.
"""

from __future__ import annotations

COMMON_WORDS: frozenset[str] = frozenset(
    """
    height weight eight country county mother father brother other male female mail email main rate date data gate state
    late plate place race cost post host most lost last list least name game same fame age page wage stage image sale
    scale price prize hour tour four year gear day way pay month mouth start stat status end and min max lat lng lon
    long sum sun son to from home house horse hose hotel motel form firm film file farm type tape grade trade class
    glass score store story storm core point paint print rank bank tank band brand grand land hand team term tear part
    party port sport spot post past city size site side line link like first best test rest text east west north south
    road load read lead head leader reader header code mode node model modem note vote user used unit item time title
    tile owner order older holder folder border number member mark market street stream region religion reason season
    section session version mission permission station location vacation position edition addition action auction nation
    plan plane plant planet player layer payer buyer winner dinner wing wind win loss boss goal coal gold hold sold cold
    floor flood food book look cook door pool school speed seed need driver river rider sender gender vendor lender
    tender detail retail trail train rain bond fund found round pound sound ground account amount count court course
    source mouse nurse purpose ship shop chip trip tip top stop step shape share short shirt pass path rating dating
    building billing holding loading reading heading landing lending ending created updated creator editor director
    doctor actor author factor sector vector area era are arena card care car cart cat cut hat hit bit bid kid key kit
    lid aid paid fee free tree three feet meter matter letter latter later water tier tire fire wire hire wife life
    live love move movie move more fare far fax tax taxi max mix fix six sex set net ten tin ton won own owe low law
    raw row now new view crew brew review rent cent cents sent went agent event advent percent parent current currency
    present prevent patent patient latent talent tenant tent dept depth debt delta beta meta media medium median mean
    means meal real deal dealer healer health wealth weather whether feather leather heather hour house mouse
    class clause cause case base vase phase phone tone zone one done gone none bone stone store shore shared shard
    total local vocal focal social special spatial serial aerial material trial trail serial cereal branch brunch bunch
    lunch launch match batch patch watch catch latch march march arch search research sea seat seats beat heat meat
    beam beat best belt bell cell sell tell well will bill mill hill pill fill full pull null bull ball call hall wall
    tall mall mail male sale tale table cable stable able label level lever never fever river liver silver sliver
    moth sing mine mind mint chair chart chat mood trunk minuet filed powder revere inert lest logo coat sumo than bing
    convo pace lover leek peek dated
    debit credit edit audit unit limit visit visitor visited united united rank risk disk task mask ask
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
