WITH "mdl_orders" AS NOT MATERIALIZED (
  SELECT
    "id_1" AS "id",
    "customer_3" AS "country"
  FROM (
    SELECT
      "__relation__1"."id_1",
      "__relation__1"."customer_id_4",
      "__relation__1"."country_2" AS "customer_3"
    FROM (
      SELECT
        "n1"."country_2",
        "n0"."customer_id_4",
        "n0"."id_1",
        "n1"."id_5"
      FROM (
        SELECT
          "customer_id" AS "customer_id_4",
          "id" AS "id_1"
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
  id,
  country
FROM "mdl_orders" AS Orders
