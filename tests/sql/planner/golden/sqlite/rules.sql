WITH "mdl_customers" AS MATERIALIZED (
  SELECT
    "cust"."full name" AS "Name"
  FROM "main"."cust"
  WHERE
    (
      "cust"."country" = 'O''Hara \'
    )
)
SELECT
  Name
FROM "mdl_customers" AS Customers
