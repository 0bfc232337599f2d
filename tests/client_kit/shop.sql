-- A small shop for the client kit. Runs as it is in SQLite and in DuckDB; 62 rows.
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, full_name VARCHAR NOT NULL, city VARCHAR, signed_up DATE NOT NULL);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, product_name VARCHAR NOT NULL, category VARCHAR NOT NULL, "unit price" DECIMAL(10, 2) NOT NULL);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (customer_id), ordered_on DATE NOT NULL, status VARCHAR NOT NULL);
CREATE TABLE order_items (item_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders (order_id), product_id INTEGER NOT NULL REFERENCES products (product_id), quantity INTEGER NOT NULL, amount DECIMAL(10, 2) NOT NULL);

INSERT INTO customers VALUES
  (1, 'Ada Moss', 'Lyon', '2025-01-03'),
  (2, 'Ben Hale', 'Porto', '2025-02-05'),
  (3, 'Cleo Vance', 'Lyon', '2025-03-07'),
  (4, 'Dan Ortiz', 'Madrid', '2025-04-09'),
  (5, 'Eva Lind', 'Oslo', '2025-05-11'),
  (6, 'Finn Roth', 'Porto', '2025-06-13'),
  (7, 'Gita Rao', 'Lyon', '2025-01-15'),
  (8, 'Hugo Blum', 'Oslo', '2025-02-17'),
  (9, 'Ines Park', 'Madrid', '2025-03-19'),
  (10, 'Jon Silva', NULL, '2025-04-21');

INSERT INTO products VALUES
  (1, 'Teapot', 'Kitchen', 24.50),
  (2, 'Kettle', 'Kitchen', 39.00),
  (3, 'Bread knife', 'Kitchen', 18.25),
  (4, 'Desk lamp', 'Home', 45.00),
  (5, 'Wool blanket', 'Home', 62.75),
  (6, 'Notebook', 'Office', 4.20),
  (7, 'Fountain pen', 'Office', 31.00),
  (8, 'Stapler', 'Office', 9.90);

INSERT INTO orders VALUES
  (101, 8, '2025-01-09', 'cancelled'),
  (102, 6, '2025-01-05', 'shipped'),
  (103, 1, '2025-02-12', 'shipped'),
  (104, 5, '2025-02-21', 'shipped'),
  (105, 4, '2025-03-18', 'paid'),
  (106, 3, '2025-03-15', 'shipped'),
  (107, 3, '2025-04-11', 'paid'),
  (108, 1, '2025-04-19', 'paid'),
  (109, 2, '2025-05-17', 'shipped'),
  (110, 7, '2025-05-26', 'paid'),
  (111, 1, '2025-06-02', 'cancelled'),
  (112, 4, '2025-06-03', 'shipped'),
  (113, 8, '2025-07-04', 'shipped'),
  (114, 3, '2025-07-18', 'shipped'),
  (115, 9, '2025-08-06', 'paid'),
  (116, 9, '2025-08-06', 'cancelled');

INSERT INTO order_items VALUES
  (1, 101, 4, 3, 135.00),
  (2, 101, 6, 3, 12.60),
  (3, 102, 7, 3, 93.00),
  (4, 103, 2, 3, 117.00),
  (5, 103, 4, 3, 135.00),
  (6, 104, 6, 3, 12.60),
  (7, 105, 3, 1, 18.25),
  (8, 105, 7, 4, 124.00),
  (9, 106, 1, 1, 24.50),
  (10, 106, 4, 4, 180.00),
  (11, 107, 1, 4, 98.00),
  (12, 107, 4, 1, 45.00),
  (13, 108, 4, 2, 90.00),
  (14, 108, 2, 3, 117.00),
  (15, 109, 1, 4, 98.00),
  (16, 110, 5, 4, 251.00),
  (17, 110, 6, 1, 4.20),
  (18, 111, 8, 3, 29.70),
  (19, 111, 4, 3, 135.00),
  (20, 112, 5, 4, 251.00),
  (21, 112, 8, 4, 39.60),
  (22, 113, 4, 2, 90.00),
  (23, 113, 8, 3, 29.70),
  (24, 114, 3, 2, 36.50),
  (25, 114, 4, 1, 45.00),
  (26, 115, 5, 3, 188.25),
  (27, 115, 3, 2, 36.50),
  (28, 116, 1, 1, 24.50);
