"""Words that people in business use for each other. Only those that mean nearly the same wherever they are used: one
that merely leads to another (a sale to a customer) would find the wrong table."""

from __future__ import annotations

from askwell.providers.document_store.words import terms

_GROUPS = """
    customer client buyer shopper patron consumer | employee staff worker personnel workforce colleague | supplier
    vendor | manufacturer maker producer brand | product item article goods merchandise | part component | shop
    store outlet | warehouse depot | stock inventory | order purchase booking | invoice bill billing | revenue sale
    turnover income | price cost charge fee rate | cost expense expenditure spending spend | salary wage pay payroll
    compensation earnings remuneration | payment paid pay payout settlement | amount sum money value total | refund
    return reimbursement | discount rebate reduction | tax vat duty | boss manager supervisor head chief leader |
    department division unit section | office branch location site | plant factory | company firm business
    corporation organisation organization enterprise employer | job position occupation profession role | hire join
    employ recruit | training course workshop class lesson | promotion campaign offer | prospect lead | complaint
    grievance claim | issue problem defect fault incident | accident incident crash collision | loss damage | repair
    fix maintenance servicing | garage workshop | car automobile vehicle auto | truck lorry vehicle | ship vessel
    boat | port harbour harbor | plane aircraft airplane | parcel package packet | shipment delivery consignment
    dispatch | freight cargo transport | carrier haulier shipper | trip journey ride tour travel | route itinerary |
    road street motorway highway | fuel petrol gas diesel gasoline | contract agreement policy | insured
    policyholder | premium contribution | quote quotation estimate | agent broker salesperson rep representative
    seller | doctor physician practitioner | illness disease sickness diagnosis | hospital clinic | medicine drug
    medication | patient inpatient | treatment therapy procedure | surgery operation | student pupil learner |
    teacher instructor lecturer professor tutor | grade mark score result | school college university | film movie |
    song track | book title publication | writer author | city town municipality | country nation land | state
    province | zip postal postcode | address residence home | phone telephone mobile cell | email mail | sex gender
    woman women man men female male | birth born birthday age | nationality citizenship | house home property
    building dwelling | apartment flat | room suite | guest visitor | hotel inn lodging | reservation booking |
    rating review feedback satisfaction star | comment remark note text | reason cause | type kind category class
    sort | group segment cluster | status state | begin start commence | end finish expire expiry | opening opened
    founded established | size area | weight mass heavy | height tall | distance mile mileage kilometre kilometer |
    length duration long | speed velocity | quantity unit count piece number | account ledger | asset equipment |
    machine equipment device | currency money | bank lender | loan credit mortgage | debt liability arrears | budget
    plan planned | forecast prediction projection | region territory area district | channel medium | website web
    site online internet | visit session | user member account | login signin | message mail post | ticket case
    request | task activity | project programme program | meeting appointment | shift rota roster | holiday vacation
    leave absence | illness absence sick | fine penalty ticket | licence license permit | certificate certification
    | document file attachment | picture photo image | attend attendance attendee participant participation | winner
    champion | game match | team club squad | player athlete | farm ranch | crop harvest yield | meter gauge |
    reading measurement | power energy electricity | tenant renter lessee lodger | landlord owner proprietor | rent
    lease | donation gift contribution | donor giver sponsor | subscriber subscription | outage failure breakdown
    interruption | scrap waste | temperature heat warm cold
"""


def _akin() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in _GROUPS.split("|"):
        of_group = set(terms(group))
        for term in of_group:
            found.setdefault(term, set()).update(of_group - {term})
    return {term: frozenset(others) for term, others in found.items()}


# By a term of `terms`, the terms that may stand for it.
AKIN = _akin()
