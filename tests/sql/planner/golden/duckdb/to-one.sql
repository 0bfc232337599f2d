WITH "mdl_orders" AS NOT MATERIALIZED (
  SELECT
    "n0"."id_1" AS "id",
    "n1"."country_2" AS "country"
  FROM (
    SELECT
      "orders"."customer_id" AS "customer_id_4",
      "orders"."id" AS "id_1"
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
  id,
  country
FROM "mdl_orders" AS Orders
