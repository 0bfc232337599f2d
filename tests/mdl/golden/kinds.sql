CREATE VIEW sales_by_name ( -- answers the question "How much did each person buy?"
  total DOUBLE
) AS
SELECT Name, sum(amount) AS total FROM known_sales GROUP BY 1;
-- Columns left out here: Name

CREATE TABLE revenue_by_country ( -- metric on Orders: one row for each combination of its dimensions
  revenue DOUBLE -- Measure: sum(amount)
);
-- Columns left out here: country

CREATE TABLE order_facts ( -- cube on Orders: one row for each combination of its dimensions
  orders BIGINT -- Measure: count(*)
);
-- Columns left out here: state
