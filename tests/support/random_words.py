"""What random models and questions are made of: names, values, sentences, and characters that few programs expect."""

from __future__ import annotations

from tests.support.tables import case_table


def _words(*lines: str) -> tuple[str, ...]:
    return tuple(word.replace("¤", " ") for line in lines for word in line.split())


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part for line in text.strip().split("\n") for part in line.split("|"))


# fmt: off
TABLE_NAMES = _words(
    "customers shops orders invoices payments products items order_items order_lines invoice_lines categories",
    "employees staff departments suppliers tickets films rentals songs artists albums genres playlist_tracks students",
    "courses enrollments teachers schools hospitals patients doctors appointments visits flights airports routes",
    "teams players matches leagues stadiums accounts transactions branches loans reviews ratings addresses countries",
    "cities regions languages vehicles drivers trips stations bikes warehouses shipments people persons members",
    "events venues sales purchases stock checkins crm_customer crm_contact crm_deal calendar dates",
)
TEXT_COLUMNS = _words(
    "name title first_name last_name full_name status state country city region email phone company job_title code",
    "sex description gender category color kind type segment contact_name contact_title ship_name ship_city",
    "ship_country details nationality language department payment_method priority",
)
NUMBER_COLUMNS = _words(
    "price unit_price cost amount total total_amount quantity stock units_in_stock reorder_level age salary rating",
    "score weight height year founded_year capacity length_minutes duration_seconds milliseconds discount",
    "number_of_pages pages followers credit_limit balance average_rating max_temperature_f min_salary max_salary",
    "grade points population commission_pct order_count value minutes hours",
)
DATE_COLUMNS = _words(
    "order_date created_at updated_at shipped_date required_date birth_date hire_date due_date paid_at start_date",
    "end_date opened_at closed_at date timestamp joined born modified_at cancelled_on",
)
FLAG_COLUMNS = _words("active is_open is_active has_parking discontinued verified resolved in_print")
ROLES = _words("billing shipping home away origin destination created_by assigned_to")
SELF_REFERENCES = _words("manager_id parent_id reports_to supervisor_id")
LINE_TABLES = _words("order_items order_lines invoice_lines")
# Names that validation accepts and that read as something else, or as nothing; "¤" stands for a space. SQLite loses the
# names TRUE and FALSE of the columns of a CTE, so they are not here.
STRANGE_NAMES = _words(
    "the of top per by most a I x 1 2024 1st 3rd to from select group order user table null count date rank total name",
    "läden ÉCOLE straße заказы клиент 注文 名前 Ελλάδα متجر חנות 🍕 e\u0301cole ﬁsh İ ſ ² ٣ _ __ % # - ... a.b x.y.z",
    "Order¤Details average number id is not and or all who which camelCaseName HTTPServer UPPER_CASE orders_2 x1y2",
    "last¤year year month day today percent names of¤the per¤order how¤many top¤5 no any each both between its their",
    "with",
)
# Types that some databases have, and of which questions have no values.
ODD_TYPES = ("TIME", "INTERVAL", "INTEGER[]", "STRUCT(a INTEGER)", "UUID", "BLOB", "BIT")
TYPES = case_table(__file__, "types")
VALUES = case_table(__file__, "values")
# fmt: on
SENTENCES = _listed(
    """
how many T are there|how many different C do the T have|how many T have C N|how many T in W|what is our C in W
what is the total C of T|what is the average C of all T|average C per T|total C by C|what is our C
minimum and maximum C of T|the percentage of T with C V|the average number of T per T|number of T per C|T and their T
C and number of T by C|list the C and C of T|list all T|show all T with their C|show T sorted by C in descending order
list T by C|K T by K C|which T have the most T|which T has the highest C|which T have more than N T
which T have a C above the average|who has the most T|who are our top N T by total T|top N T by T|top N T by C
top N T by total C|top N T by average T|top N T by number of T|the N T with the most T|the N most expensive T
the oldest T|the cheapest T|the latest N T|best selling T|what are the N best selling T by C|most popular T
the most common C of T|T with the lowest average C|T without T|T without a C|T that have no T
T which were never ordered|T that were not V|T with C V|T from V|V T|T with C between N and N|T with more than N T
T with at least N T in W|T with a C of N or more|T whose C is V|T whose C starts with 'K'|T with 'K' in their C|T in W
T since W|T before W|total C by month|C per year|T by month|how many T were sold in W|how much did we sell to V in W
revenue by T|revenue by C in W|which T spent the most|which T spent more than N|sales per T, highest first
T with both C V and C V|T from V or V|T from V and V|sum of T|when was the last T|when did V C|who is the C of T V
what is the C of the T V|where is T V|how old is T V|total of T|how many T does each T have
for each T list the number of T|for each C show the average C|C of C of C|worst T by C|which C has the most T
which C's T spend the most|T who report to V|who does V report to|T longer than N minutes|are all T C
is there a T with C N|T that are C|C T|T not C|unC T|what share of T are C|T per T per T|T T T
share of T with C V in W|average total C of T by T sorted by total T|total T by average C|T with C above C|the first T
count T grouped by C and C|T with exactly N T|T with N or more T|T older than N|the T with the minimum C|give me N T
compare C and C|T shipped after the C|T below their C|the last N T of each T|T in stock|T out of stock|C T with T
how long is T V|the number of T sold|average C and C of T|T whose manager is V|T managed by V|who is V's manager
T with no manager|T bought more than N times|where do T live|what did we sell in W|T below reorder level|T called V
the percentage of V T|total number of T|the name of each T|T named V or V|who earns more than N|T that cost more than N
which T cost the most|T that cost less than the average|C of T with a C shipped after the C|most used T|T in V and V
which T were ordered in W|what share of T have C V|the average number of T per C|T with N C|T with C and C
C, C and C of T|total C and average C of T by C|number of T by C and month|T who bought V|T with C over N and C under N
how much did V cost|how many T did V buy|number of different C of T|T by number of T|V and V T|newest N T with their C
T that are not C|T without T in W|how many T have neither C nor C
T that start with 'K'|T with missing C|T sorted by C and C|every T
"""
)
TAILS = _listed(
    """
in W|by C|by month|per T|for each T|sorted by C|with C V|from V|with more than N T|without T|and C|or C N|of T
, highest first|in total|by total T|? List their C and C.|who have T|by average T|not in V|in descending order|limit N
between N and N|with the most T|on average|in percent|with a C above N|in W and W|grouped by C
"""
)
TIMES = _listed(
    """
2024|1998|0000|9999|1000|2199|last month|this year|next 3 weeks|last 9999 years|next 9999 days|January 2024|March 2024
March 5, 2024|5 March 2024|31 February 2024|Q1 2024|q4 9999|first quarter of 2024|second half of 2023|today|yesterday
2024-01-05|2024-02-30|9999-12-31|0000-00-00|0001-01-01|2024-1-1 10:30|between January and March 2024|last year
between 2024-01-01 and 2024-02-01|between 2020 and 2024|from 3 May 2021 to 7 June 2021|2024 and 2025|from 2024 to 2020
the last 0 days|last two quarters|12-31-9999|٢٠٢٤|31 December 9999|past 10 days|after 9999-12-31|since 0001-01-01
"""
)
NUMBERS = _listed(
    """
0|1|2|3|5|10|100|007|1,000|12.5|1.99|0.0|5%|-5|1e9|999999999999999999999|²|½|٣|Ⅷ|1.2.3|1,2,3|five|a million|5 million
2.5 billion|one|zero|dozen|3rd|10k|$5|1000000000000000000000000000000000000000000 billion|0x10|5.|.5|,
0.0000001 million
"""
)
# fmt: off
ODD_TEXTS = (
    "\x00", "\u202e", "\u200b", "\ufeff", "\ud800", "'", '"', "``", "''", "“", "”", "’s", "'s", "\\", "%", ";", "--",
    "/*", "*/", "{0}", "{}", "%s", "\n", "\t", "\r", "…", "🍕", "👩\u200d👩\u200d👧", "e\u0301", "İ", "ſ", "ﬁ", "ß",
    "Ⅷ", "²", "注文", "заказы", "متجر", "?", "?? ", ".", ",", ", ,", "!", "(", ")", "[", "]", ":", "-", "–", "—",
    "=", "<", ">", "<=", "\u3000", "\xa0", "\x1b[31m", "&", "$", "€", "#", "@", "1st", "'\x00'", "'\ud800'",
    "'\u202e'", "|",
)
# fmt: on
