WITH "mdl_customers" AS NOT MATERIALIZED (
  SELECT
    UNNEST(LIST("rows"."Name")) AS "Name"
  FROM (
    SELECT
      "cust"."full name" AS "Name"
    FROM "main"."cust"
    WHERE
      (
        "cust"."country" = 'O''Hara \'
      )
    LIMIT (
      SELECT
        4611686018427387904
    )
  ) AS "rows"
)
SELECT
  Name
FROM "mdl_customers" AS Customers
