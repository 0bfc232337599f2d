WITH "mdl_orders" AS NOT MATERIALIZED (
  SELECT
    "orders"."id" AS "id",
    "orders"."placed_on" AS "placed_on"
  FROM "main"."orders"
)
SELECT
  id
FROM "mdl_orders" AS Orders
WHERE
  '2026-03-05' > DATE(placed_on)
