CREATE TABLE orders ( -- One row for each order placed; alias "Shop orders"
  id BIGINT PRIMARY KEY, -- alias "Order number"
  status VARCHAR -- State of the order; values 'open', 'paid', 'shipped'
);
-- Columns left out here: rating, customer_id
-- Join hint: orders.status = states.code
