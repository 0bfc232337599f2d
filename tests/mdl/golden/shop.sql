CREATE TABLE Customers ( -- One row a person; alias "People who buy"; synonyms "clients"
  id INTEGER PRIMARY KEY, -- alias "Customer number"
  Name VARCHAR, -- [ESSENTIAL]
  country VARCHAR, -- values 'DE', 'FR' (France)
  order_count BIGINT, -- Calculated Field: count(orders.id)
  revenue DOUBLE, -- Calculated Field: coalesce(sum(orders.amount), 0)
  mean_order DOUBLE, -- Calculated Field: sum(orders.amount) / count(orders.id)
  double_revenue DOUBLE, -- Calculated Field: revenue * 2
  loud_secret VARCHAR, -- Calculated Field
  pieces DOUBLE, -- Calculated Field: sum(orders.items.qty)
  large_orders BIGINT, -- Calculated Field: count(orders.id) filter (where orders.amount > 15)
  pieces_again DOUBLE, -- Calculated Field: sum(orders.pieces)
  states BIGINT -- Calculated Field: count(distinct orders.status)
);

CREATE TABLE Orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER,
  ship_customer_id INTEGER,
  amount DOUBLE, -- unit EUR
  status VARCHAR, -- State of the order
  placed_at BIGINT, -- epoch seconds
  country VARCHAR, -- Calculated Field: customer.country
  receiver_country VARCHAR, -- Calculated Field: receiver.country
  share DOUBLE, -- Calculated Field: amount / customer.revenue
  pieces DOUBLE, -- Calculated Field: sum(items.qty)
  is_large BOOLEAN, -- Calculated Field: amount > 15
  FOREIGN KEY (customer_id) REFERENCES Customers(id),
  FOREIGN KEY (ship_customer_id) REFERENCES Customers(id)
);

CREATE TABLE Items (
  order_id INTEGER,
  line INTEGER,
  qty INTEGER,
  country VARCHAR, -- Calculated Field: order.customer.country
  tag_count BIGINT, -- Calculated Field: count(tags.tag)
  PRIMARY KEY (order_id, line),
  FOREIGN KEY (order_id) REFERENCES Orders(id)
);

CREATE TABLE Tags (
  order_id INTEGER,
  line INTEGER,
  tag VARCHAR,
  FOREIGN KEY (order_id, line) REFERENCES Items(order_id, line)
);

CREATE TABLE Staff (
  id INTEGER PRIMARY KEY,
  boss_id INTEGER,
  name VARCHAR,
  boss_name VARCHAR, -- Calculated Field: boss.name
  boss_of_boss VARCHAR, -- Calculated Field: boss.boss.name
  FOREIGN KEY (boss_id) REFERENCES Staff(id) -- inferred
);

CREATE TABLE Shipments (
  id INTEGER PRIMARY KEY,
  value DOUBLE,
  country VARCHAR
);

CREATE VIEW known_sales (
  Name VARCHAR,
  amount DOUBLE -- unit EUR
);

CREATE VIEW sales_by_name ( -- answers the question "How much did each person buy?"
  Name VARCHAR,
  total DOUBLE
) AS
SELECT Name, sum(amount) AS total FROM known_sales GROUP BY 1;

CREATE TABLE revenue_by_country ( -- metric on Orders: one row for each combination of its dimensions
  country VARCHAR, -- Dimension
  revenue DOUBLE -- Measure: sum(amount)
);

CREATE TABLE order_facts ( -- cube on Orders: one row for each combination of its dimensions
  state VARCHAR, -- Dimension: status; State of the order
  orders BIGINT -- Measure: count(*)
);
