WITH `mdl_customers` AS (
  SELECT
    `cust`.`full name` AS `Name`
  FROM `main`.`cust`
  WHERE
    (
      `cust`.`country` = 'O''Hara \\'
    )
  LIMIT 9223372036854775807
)
SELECT
  Name
FROM `mdl_customers` AS Customers
