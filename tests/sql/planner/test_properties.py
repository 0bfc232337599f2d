"""Whatever validates can be planned or is rejected in words; what is planned does not depend on what else is read."""

from __future__ import annotations

from typing import Any

import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.outcome import RejectedSql
from askwell.sql.planner import Planner
from tests.mdl.mutations import mutated_shops
from tests.mdl.shop import SHOP_ROWS, calculated, shop_mdl
from tests.sql.planner.conftest import CONTEXT, Desk
from tests.sql.planner.databases import a_database
from tests.support.examples import examples
from tests.support.tables import case_table


@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated_shops())
def test_every_table_of_a_good_manifest_can_be_planned_or_says_why_not(mdl: dict[str, Any]) -> None:
    reading = read_manifest(mdl)
    if reading.manifest is None:
        return
    model = authorised_view(reading.manifest, "h")
    dialect = sql_dialect(model.data_source)
    planner = Planner(model, reading.manifest, dialect)
    for table in model:
        bound = bind(exp.select("*").from_(exp.table_(table.name, quoted=True)), model, dialect)
        assert isinstance(bound, BoundSql)
        planned = planner.plan(bound, CONTEXT)
        if isinstance(planned, RejectedSql):
            assert planned.error.startswith("This cannot be planned: ")
        else:
            assert sqlglot.parse_one(planned.sql, dialect=dialect)


# fmt: off
COLUMNS = case_table(__file__, "columns")
# fmt: on


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_column_is_the_same_whatever_else_is_read(duck: Desk, data: st.DataObject) -> None:
    table = data.draw(st.sampled_from(sorted(COLUMNS)))
    chosen = data.draw(st.lists(st.sampled_from(COLUMNS[table]), min_size=1, unique=True))
    order = "order_id, line" if table == "Items" else "id"
    everything = duck.rows(f"SELECT {', '.join(COLUMNS[table])} FROM {table} ORDER BY {order}")
    some = duck.rows(f"SELECT {', '.join(chosen)} FROM {table} ORDER BY {order}")
    positions = [COLUMNS[table].index(name) for name in chosen]
    assert some == [tuple(row[position] for position in positions) for row in everything]


AGGREGATES = st.sampled_from(["sum({})", "count({})", "count(distinct {})", "avg({})", "min({})", "max({})"])
VALUES = st.sampled_from(["$amount", "$id", "$amount * 2 + $id", "case when $amount > 15 then $id end"])
CONDITIONS = st.sampled_from(["", "$amount > 15", "$status = 'a'", "$status is null", "$id > 100"])
AROUND = st.sampled_from(["{}", "coalesce({}, -1)", "1 + {}", "{} / 2.0"])


@settings(max_examples=examples(60), deadline=None)
@given(AGGREGATES, VALUES, CONDITIONS, AROUND)
def test_any_aggregate_over_related_rows(aggregate: str, value: str, condition: str, around: str) -> None:
    measured = aggregate.format(value.replace("$", "orders."))
    if condition:
        measured += f" filter (where {condition.replace('$', 'orders.')})"
    mdl = shop_mdl()
    mdl["models"][0]["columns"].append(calculated("measured", around.format(measured)))
    rows = "SELECT {} FROM orders AS o WHERE o.customer_id = c.id".format(aggregate.format(value.replace("$", "o.")))
    rows += f" AND {condition.replace('$', 'o.')}" if condition else ""
    with a_database("duckdb", SHOP_ROWS) as database:
        desk = Desk("duckdb", mdl, database)
        expected = desk.direct(f"SELECT id, {around.format(f'({rows})')} FROM cust AS c ORDER BY 1")
        assert desk.rows("SELECT id, measured FROM customers ORDER BY 1") == expected
