CREATE TABLE orders ( -- One row for each order placed; alias "Shop orders"
  id BIGINT PRIMARY KEY, -- alias "Order number"
  status VARCHAR, -- State of the order; values 'open', 'paid', 'shipped'
  rating DOUBLE, -- Calculated Field: avg(reviews.score)
  customer_id BIGINT,
  FOREIGN KEY (customer_id) REFERENCES customers(id)
);
-- Join hint: orders.status = states.code
