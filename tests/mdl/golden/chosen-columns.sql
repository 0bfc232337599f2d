/* {"alias": "Shop orders", "description": "One row for each order placed."} */
CREATE TABLE orders (
  -- {"alias": "Order number"}
  id BIGINT PRIMARY KEY,
  -- {"description": "State of the order", "values": ["open", "paid", "shipped"]}
  status VARCHAR
);
-- Columns left out here: rating, customer_id
-- Join hint: orders.status = states.code
