WITH "mdl_revenue_by_country" AS NOT MATERIALIZED (
  WITH "mdl_orders" AS NOT MATERIALIZED (
    SELECT
      "n0"."amount_1" AS "amount",
      "n1"."country_2" AS "country"
    FROM (
      SELECT
        "orders"."amount" AS "amount_1",
        "orders"."customer_id" AS "customer_id_4"
      FROM "main"."orders"
    ) AS "n0"
    LEFT JOIN (
      SELECT
        "cust"."country" AS "country_2",
        "cust"."id" AS "id_5"
      FROM "main"."cust"
    ) AS "n1"
      ON "n1"."id_5" = "n0"."customer_id_4"
  )
  SELECT
    "country" AS "country",
    SUM(amount) AS "revenue"
  FROM "mdl_orders" AS "Orders"
  GROUP BY
    1
)
SELECT
  country
FROM "mdl_revenue_by_country" AS revenue_by_country
