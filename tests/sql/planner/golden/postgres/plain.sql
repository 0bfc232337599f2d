WITH "mdl_customers" AS NOT MATERIALIZED (
  SELECT
    "cust"."full name" AS "Name",
    "cust"."country" AS "country"
  FROM "main"."cust"
)
SELECT
  c."Name",
  COUNT(*)
FROM "mdl_customers" AS c
WHERE
  country = 'DE'
GROUP BY
  c."Name"
