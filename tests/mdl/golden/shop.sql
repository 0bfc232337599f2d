/* {"alias": "People who buy", "description": "One row a person.", "synonyms": ["clients"]} */
CREATE TABLE Customers (
  -- {"alias": "Customer number"}
  id INTEGER PRIMARY KEY,
  -- [ESSENTIAL]
  Name VARCHAR,
  -- {"values": ["DE", "FR"]}
  country VARCHAR,
  -- Calculated Field: count(orders.id)
  order_count BIGINT,
  -- Calculated Field: coalesce(sum(orders.amount), 0)
  revenue DOUBLE,
  -- Calculated Field: sum(orders.amount) / count(orders.id)
  mean_order DOUBLE,
  -- Calculated Field: revenue * 2
  double_revenue DOUBLE,
  -- Calculated Field
  loud_secret VARCHAR,
  -- Calculated Field: sum(orders.items.qty)
  pieces DOUBLE,
  -- Calculated Field: count(orders.id) filter (where orders.amount > 15)
  large_orders BIGINT,
  -- Calculated Field: sum(orders.pieces)
  pieces_again DOUBLE,
  -- Calculated Field: count(distinct orders.status)
  states BIGINT
);

CREATE TABLE Orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER,
  ship_customer_id INTEGER,
  -- {"unit": "EUR"}
  amount DOUBLE,
  -- {"description": "State of the order"}
  status VARCHAR,
  -- {"epoch": "seconds"}
  placed_at BIGINT,
  -- Calculated Field: customer.country
  country VARCHAR,
  -- Calculated Field: receiver.country
  receiver_country VARCHAR,
  -- Calculated Field: amount / customer.revenue
  share DOUBLE,
  -- Calculated Field: sum(items.qty)
  pieces DOUBLE,
  -- Calculated Field: amount > 15
  is_large BOOLEAN,
  FOREIGN KEY (customer_id) REFERENCES Customers(id),  -- MANY_TO_ONE
  FOREIGN KEY (ship_customer_id) REFERENCES Customers(id)  -- MANY_TO_ONE
);

CREATE TABLE Items (
  order_id INTEGER,
  line INTEGER,
  qty INTEGER,
  -- Calculated Field: order.customer.country
  country VARCHAR,
  -- Calculated Field: count(tags.tag)
  tag_count BIGINT,
  PRIMARY KEY (order_id, line),
  FOREIGN KEY (order_id) REFERENCES Orders(id)  -- MANY_TO_ONE
);

CREATE TABLE Tags (
  order_id INTEGER,
  line INTEGER,
  tag VARCHAR,
  FOREIGN KEY (order_id, line) REFERENCES Items(order_id, line)  -- MANY_TO_ONE
);

CREATE TABLE Staff (
  id INTEGER PRIMARY KEY,
  boss_id INTEGER,
  name VARCHAR,
  -- Calculated Field: boss.name
  boss_name VARCHAR,
  -- Calculated Field: boss.boss.name
  boss_of_boss VARCHAR,
  FOREIGN KEY (boss_id) REFERENCES Staff(id)  -- MANY_TO_ONE, inferred
);

CREATE TABLE Shipments (
  id INTEGER PRIMARY KEY,
  value DOUBLE,
  country VARCHAR
);

CREATE VIEW known_sales (
  Name VARCHAR,
  -- {"unit": "EUR"}
  amount DOUBLE
);

/* {"question": "How much did each person buy?"} */
CREATE VIEW sales_by_name (
  Name VARCHAR,
  total DOUBLE
) AS
SELECT Name, sum(amount) AS total FROM known_sales GROUP BY 1;

/* metric on Orders: one row for each combination of its dimensions */
CREATE TABLE revenue_by_country (
  -- Dimension
  country VARCHAR,
  -- Measure: sum(amount)
  revenue DOUBLE
);

/* cube on Orders: one row for each combination of its dimensions */
CREATE TABLE order_facts (
  -- Dimension: status
  -- {"description": "State of the order"}
  state VARCHAR,
  -- Measure: count(*)
  orders BIGINT
);
