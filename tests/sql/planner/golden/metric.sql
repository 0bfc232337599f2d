WITH "mdl_revenue_by_country" AS NOT MATERIALIZED (
  WITH "mdl_orders" AS NOT MATERIALIZED (
    SELECT
      "amount_1" AS "amount",
      "customer_3" AS "country"
    FROM (
      SELECT
        "__relation__1"."amount_1",
        "__relation__1"."customer_id_4",
        "__relation__1"."country_2" AS "customer_3"
      FROM (
        SELECT
          "n0"."amount_1",
          "n1"."country_2",
          "n0"."customer_id_4",
          "n1"."id_5"
        FROM (
          SELECT
            "amount" AS "amount_1",
            "customer_id" AS "customer_id_4"
          FROM "main"."orders"
        ) AS "n0"
        LEFT JOIN (
          SELECT
            "country" AS "country_2",
            "id" AS "id_5"
          FROM "main"."cust"
        ) AS "n1"
          ON "n1"."id_5" = "n0"."customer_id_4"
      ) AS "__relation__1"
    ) AS "base"
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
