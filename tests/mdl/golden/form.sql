/* {"alias": "Shop orders", "description": "One row for each order placed."} */
CREATE TABLE orders (
  -- {"alias": "Order number"}
  id BIGINT PRIMARY KEY,
  -- {"description": "State of the order", "values": ["open", "paid", "shipped"]}
  status VARCHAR,
  -- Calculated Field: avg(reviews.score)
  -- {"alias": "Rating"}
  rating DOUBLE,
  customer_id BIGINT,
  FOREIGN KEY (customer_id) REFERENCES customers(id)  -- MANY_TO_ONE
);
-- Join hint: orders.status = states.code
