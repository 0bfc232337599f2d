/* {"question": "How much did each person buy?"} */
CREATE VIEW sales_by_name (
  total DOUBLE
) AS
SELECT Name, sum(amount) AS total FROM known_sales GROUP BY 1;
-- Columns left out here: Name

/* metric on Orders: one row for each combination of its dimensions */
CREATE TABLE revenue_by_country (
  -- Measure: sum(amount)
  revenue DOUBLE
);
-- Columns left out here: country

/* cube on Orders: one row for each combination of its dimensions */
CREATE TABLE order_facts (
  -- Measure: count(*)
  orders BIGINT
);
-- Columns left out here: state
