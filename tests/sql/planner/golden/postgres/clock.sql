WITH "mdl_orders" AS NOT MATERIALIZED (
  SELECT
    "orders"."id" AS "id",
    "orders"."placed_on" AS "placed_on"
  FROM "main"."orders"
)
SELECT
  id
FROM "mdl_orders" AS "Orders"
WHERE
  CAST('2026-03-05' AS DATE) > DATE(placed_on)
