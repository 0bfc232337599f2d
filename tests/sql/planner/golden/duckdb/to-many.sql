WITH "mdl_customers" AS NOT MATERIALIZED (
  SELECT
    "orders_5"."id_1" AS "id",
    "orders_3"."orders_3" / "orders_5"."orders_5" AS "mean_order"
  FROM (
    SELECT
      "cust"."id" AS "id_1"
    FROM "main"."cust"
  ) AS "n0"
  LEFT JOIN (
    SELECT
      "n0"."id_1" AS "id_1",
      SUM("n1"."amount_2") AS "orders_3"
    FROM (
      SELECT
        "cust"."id" AS "id_1"
      FROM "main"."cust"
    ) AS "n0"
    LEFT JOIN (
      SELECT
        "orders"."amount" AS "amount_2",
        "orders"."customer_id" AS "customer_id_6"
      FROM "main"."orders"
    ) AS "n1"
      ON "n1"."customer_id_6" = "n0"."id_1"
    GROUP BY
      "n0"."id_1"
  ) AS "orders_3"
    ON "orders_3"."id_1" = "n0"."id_1"
  LEFT JOIN (
    SELECT
      "n0"."id_1" AS "id_1",
      COUNT("n1"."id_4") AS "orders_5"
    FROM (
      SELECT
        "cust"."id" AS "id_1"
      FROM "main"."cust"
    ) AS "n0"
    LEFT JOIN (
      SELECT
        "orders"."customer_id" AS "customer_id_6",
        "orders"."id" AS "id_4"
      FROM "main"."orders"
    ) AS "n1"
      ON "n1"."customer_id_6" = "n0"."id_1"
    GROUP BY
      "n0"."id_1"
  ) AS "orders_5"
    ON "orders_5"."id_1" = "orders_3"."id_1"
)
SELECT
  id,
  mean_order
FROM "mdl_customers" AS Customers
