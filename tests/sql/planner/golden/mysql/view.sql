WITH `mdl_sales_by_name` AS (
  WITH `mdl_known_sales` AS (
    WITH `mdl_orders` AS (
      SELECT
        `orders`.`customer_id` AS `customer_id`,
        `orders`.`amount` AS `amount`
      FROM `main`.`orders`
    ), `mdl_customers` AS (
      SELECT
        `cust`.`id` AS `id`,
        `cust`.`full name` AS `Name`,
        `cust`.`secret` AS `secret`
      FROM `main`.`cust`
    )
    SELECT
      c.Name,
      o.amount
    FROM `mdl_orders` AS o
    JOIN `mdl_customers` AS c
      ON o.customer_id = c.id
    WHERE
      c.secret <> 'x'
  )
  SELECT
    Name,
    SUM(amount) AS total
  FROM `mdl_known_sales` AS known_sales
  GROUP BY
    1
)
SELECT
  Name
FROM `mdl_sales_by_name` AS sales_by_name
ORDER BY
  total DESC
LIMIT 3
