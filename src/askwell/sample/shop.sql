-- The sample shop's data: a made-up company that sells things for the home, on the web and in eight stores.
--
-- Nothing here is random: every choice is an MD5 hash of what it is about, so that the rows depend on this file and on
-- the variable `today` alone. All dates lie before `today`, so that "last month" always has something in it.

CREATE TEMP MACRO roll(topic, id, sides) AS CAST(md5_number_lower(topic || ':' || id) % sides AS INTEGER);
CREATE TEMP MACRO chance(topic, id) AS CAST(md5_number_lower(topic || ':' || id) % 1000000 AS DOUBLE) / 1000000;
CREATE TEMP MACRO pick(choices, topic, id) AS choices[1 + roll(topic, id, len(choices))];
CREATE TEMP MACRO days_ago(days) AS getvariable('today') - CAST(days AS INTEGER);

CREATE TEMP TABLE places AS
SELECT row_number() OVER (ORDER BY country, city) - 1 AS place_id, * FROM (VALUES
  ('Lisbon', 'Portugal', 'PT'), ('Porto', 'Portugal', 'PT'), ('Madrid', 'Spain', 'ES'), ('Valencia', 'Spain', 'ES'),
  ('Seville', 'Spain', 'ES'), ('Lyon', 'France', 'FR'), ('Paris', 'France', 'FR'), ('Nantes', 'France', 'FR'),
  ('Berlin', 'Germany', 'DE'), ('Hamburg', 'Germany', 'DE'), ('Munich', 'Germany', 'DE'), ('Cologne', 'Germany', 'DE'),
  ('Milan', 'Italy', 'IT'), ('Turin', 'Italy', 'IT'), ('Utrecht', 'Netherlands', 'NL'), ('Malmö', 'Sweden', 'SE'),
  ('Kraków', 'Poland', 'PL'), ('Galway', 'Ireland', 'IE'), ('Graz', 'Austria', 'AT')
) AS t(city, country, country_code);

CREATE TABLE crm_customer (
  id INTEGER PRIMARY KEY,
  first_name VARCHAR NOT NULL,
  last_name VARCHAR NOT NULL,
  email VARCHAR NOT NULL,
  segment_name VARCHAR NOT NULL,
  created_on DATE NOT NULL,
  pw_hash VARCHAR NOT NULL
);
INSERT INTO crm_customer
SELECT
  i,
  first_name,
  last_name,
  lower(strip_accents(first_name || '.' || last_name)) || i || '@example.com',
  CASE WHEN roll('segment', i, 100) < 70 THEN 'consumer' WHEN roll('segment', i, 100) < 92 THEN 'small business'
       ELSE 'corporate' END,
  days_ago(30 + roll('signup', i, 1300)),
  md5('password of ' || i)
FROM (
  SELECT
    i,
    pick(['Ana', 'Bruno', 'Carla', 'Daniel', 'Elena', 'Filip', 'Greta', 'Hugo', 'Inês', 'Jonas', 'Klara', 'Luca', 'Marta',
          'Nils', 'Olga', 'Pablo', 'Rita', 'Sofia', 'Tomás', 'Ursula', 'Viktor', 'Wanda', 'Yara', 'Zoë'], 'first name', i)
      AS first_name,
    pick(['Almeida', 'Bauer', 'Costa', 'Dubois', 'Eriksen', 'Ferreira', 'García', 'Hoffmann', 'Ivanova', 'Jansen',
          'Kowalski', 'Lindqvist', 'Moretti', 'Novak', 'O''Brien', 'Pereira', 'Quinn', 'Rossi', 'Schneider', 'Torres',
          'Urban', 'Vidal', 'Weber', 'Zimmer'], 'last name', i) AS last_name
  FROM range(1, 1201) AS numbers(i)
);

-- Everybody has a home; some also have an office, now and then in another country.
CREATE TABLE crm_address (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES crm_customer (id),
  kind VARCHAR NOT NULL,
  street VARCHAR NOT NULL,
  postal_code VARCHAR NOT NULL,
  city VARCHAR NOT NULL,
  country VARCHAR NOT NULL
);
INSERT INTO crm_address
SELECT
  row_number() OVER (ORDER BY customer_id, kind = 'office'),
  customer_id,
  kind,
  pick(['Harbour Street', 'Mill Lane', 'Station Road', 'Garden Row', 'Church Square', 'Bridge Street', 'Orchard Way'],
       'street' || kind, customer_id) || ' ' || (1 + roll('house' || kind, customer_id, 140)),
  country_code || '-' || (10000 + roll('postcode' || kind, customer_id, 80000)),
  city,
  country
FROM (
  SELECT id AS customer_id, 'home' AS kind, roll('home', id, 19) AS place_id FROM crm_customer
  UNION ALL
  SELECT id, 'office', CASE WHEN roll('abroad', id, 10) < 3 THEN roll('office', id, 19) ELSE roll('home', id, 19) END
  FROM crm_customer WHERE roll('has office', id, 100) < 35
) JOIN places USING (place_id);

CREATE TABLE cat_category (
  id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  department VARCHAR NOT NULL
);
INSERT INTO cat_category VALUES
  (1, 'Lighting', 'Living'), (2, 'Rugs', 'Living'), (3, 'Armchairs', 'Living'), (4, 'Bookcases', 'Living'),
  (5, 'Cookware', 'Kitchen'), (6, 'Tableware', 'Kitchen'), (7, 'Knives', 'Kitchen'),
  (8, 'Bedding', 'Bedroom'), (9, 'Wardrobes', 'Bedroom'), (10, 'Mirrors', 'Bedroom'),
  (11, 'Planters', 'Garden'), (12, 'Garden Tools', 'Garden');

CREATE TABLE cat_supplier (
  id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  country VARCHAR NOT NULL,
  lead_time INTEGER NOT NULL
);
INSERT INTO cat_supplier VALUES
  (1, 'Aveiro Ceramics', 'Portugal', 9), (2, 'Baltic Timber', 'Poland', 14), (3, 'Casa Lumina', 'Italy', 11),
  (4, 'Dalarna Textiles', 'Sweden', 16), (5, 'Eifel Steelworks', 'Germany', 7), (6, 'Fjordglas', 'Sweden', 18),
  (7, 'Galicia Woodcraft', 'Spain', 12), (8, 'Hollandia Garden', 'Netherlands', 6), (9, 'Isar Metals', 'Germany', 8),
  (10, 'Jura Linen', 'France', 10), (11, 'Kerry Wool', 'Ireland', 13), (12, 'Loire Atelier', 'France', 15);

CREATE TABLE cat_product (
  id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  category_id INTEGER NOT NULL REFERENCES cat_category (id),
  supplier_id INTEGER NOT NULL REFERENCES cat_supplier (id),
  list_price DECIMAL(10, 2) NOT NULL,
  stock INTEGER NOT NULL,
  launched_on DATE NOT NULL,
  discontinued BOOLEAN NOT NULL
);
INSERT INTO cat_product
SELECT
  row_number() OVER (ORDER BY range_name, category_id, noun),
  range_name || ' ' || noun,
  category_id,
  1 + roll('supplier', noun || range_name, 12),
  -- Every product has a price of its own: the last two digits tell them apart.
  CAST(round(base_price * (0.7 + 0.6 * chance('price', range_name || noun)), 0) AS DECIMAL(10, 2))
    + CAST(row_number() OVER (ORDER BY md5(range_name || noun)) % 100 AS DECIMAL(10, 2)) / 100,
  roll('stock', range_name || noun, 240),
  days_ago(1150 + roll('launch', range_name || noun, 400)),
  roll('discontinued', range_name || noun, 100) < 8
FROM (VALUES
  (1, 'Desk Lamp', 60), (1, 'Floor Lamp', 140), (1, 'Pendant', 95), (2, 'Runner', 85), (2, 'Wool Rug', 260),
  (3, 'Reading Chair', 420), (3, 'Lounge Chair', 560), (4, 'Bookcase', 310), (4, 'Wall Shelf', 75),
  (5, 'Casserole', 110), (5, 'Frying Pan', 65), (6, 'Dinner Plate', 18), (6, 'Carafe', 32), (6, 'Serving Bowl', 40),
  (7, 'Chef Knife', 90), (7, 'Bread Knife', 55), (8, 'Duvet', 150), (8, 'Linen Sheet', 80), (9, 'Wardrobe', 690),
  (10, 'Round Mirror', 120), (11, 'Plant Pot', 28), (11, 'Window Box', 36), (12, 'Hand Trowel', 16), (12, 'Pruner', 34)
) AS nouns(category_id, noun, base_price)
CROSS JOIN (VALUES ('Alder'), ('Brisa'), ('Cala'), ('Duna'), ('Ember'), ('Fjell'), ('Grove')) AS ranges(range_name);

CREATE TABLE geo_store (
  id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  city VARCHAR NOT NULL,
  opened_on DATE NOT NULL
);
INSERT INTO geo_store
SELECT i, city || ' ' || pick(['Centre', 'Market', 'Quayside'], 'store', i), city, days_ago(1400 + roll('opened', i, 2500))
FROM (SELECT row_number() OVER (ORDER BY place_id) AS i, city FROM places WHERE place_id IN (0, 2, 5, 6, 8, 10, 12, 15));

CREATE TABLE hr_employee (
  id INTEGER PRIMARY KEY,
  full_name VARCHAR NOT NULL,
  job_title VARCHAR NOT NULL,
  store_id INTEGER NOT NULL REFERENCES geo_store (id),
  salary INTEGER NOT NULL,
  hired_on DATE NOT NULL
);
INSERT INTO hr_employee
SELECT
  i,
  -- Lists of twelve and eleven: no two employees share a name.
  ['Alma', 'Benno', 'Chiara', 'Dario', 'Edith', 'Fabio', 'Gesa', 'Henri', 'Irene', 'Joost', 'Lena', 'Mira'][1 + i % 12]
    || ' ' ||
    ['Acker', 'Bellini', 'Cruz', 'Dekker', 'Engel', 'Fontana', 'Gomes', 'Hansen', 'Keller', 'Lopes', 'Marsh'][1 + i % 11],
  CASE WHEN i <= 8 THEN 'store manager' WHEN i % 5 = 0 THEN 'visual merchandiser' ELSE 'sales assistant' END,
  1 + (i - 1) % 8,
  CASE WHEN i <= 8 THEN 46000 ELSE 27000 END + 97 * roll('salary', i, 90) + i,
  days_ago(60 + roll('hired', i, 2200))
FROM range(1, 49) AS numbers(i);

CREATE TABLE sales_order (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES crm_customer (id),
  store_id INTEGER REFERENCES geo_store (id),
  ordered_at TIMESTAMP NOT NULL,
  status VARCHAR NOT NULL,
  bill_to INTEGER NOT NULL REFERENCES crm_address (id),
  ship_to INTEGER NOT NULL REFERENCES crm_address (id)
);
-- One customer in eight never orders; of the others the early numbers order more often.
CREATE TEMP TABLE buyers AS
SELECT id, created_on, row_number() OVER (ORDER BY md5('buyer' || id)) - 1 AS place, count(*) OVER () AS buyers
FROM crm_customer WHERE roll('buys', id, 8) > 0;

INSERT INTO sales_order
SELECT
  row_number() OVER (ORDER BY ordered_at, i),
  customer_id,
  CASE WHEN roll('channel', i, 100) < 35 THEN 1 + roll('store of order', i, 8) END,
  ordered_at,
  CASE
    WHEN age <= 2 THEN pick(['pending', 'paid'], 'status', i)
    WHEN age <= 8 THEN pick(['paid', 'shipped', 'shipped'], 'status', i)
    WHEN roll('status', i, 100) < 6 THEN 'cancelled'
    WHEN roll('status', i, 100) < 11 THEN 'returned'
    ELSE 'delivered'
  END,
  home.id,
  coalesce(CASE WHEN roll('to office', i, 100) < 60 THEN office.id END, home.id)
FROM (
  SELECT
    i,
    age,
    buyers.id AS customer_id,
    days_ago(age) + to_seconds(7 * 3600 + roll('time', i, 14 * 3600)) AS ordered_at
  FROM (
    SELECT i, CAST(floor(pow(chance('buyer', i), 1.6) * (SELECT any_value(buyers) FROM buyers)) AS INTEGER) AS place
    FROM range(1, 9001) AS numbers(i)
  )
  JOIN buyers USING (place)
  -- The shop grows: more orders lately than long ago, and none before the customer signed up.
  CROSS JOIN LATERAL (
    SELECT 1 + CAST(floor((1 - sqrt(chance('age', i))) * least(1090, getvariable('today') - created_on - 1)) AS INTEGER)
      AS age
  )
)
JOIN crm_address AS home USING (customer_id)
LEFT JOIN crm_address AS office ON office.customer_id = home.customer_id AND office.kind = 'office'
WHERE home.kind = 'home';

CREATE TABLE sales_order_line (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES sales_order (id),
  product_id INTEGER NOT NULL REFERENCES cat_product (id),
  quantity INTEGER NOT NULL,
  unit_price DECIMAL(10, 2) NOT NULL,
  discount DECIMAL(4, 2) NOT NULL
);
-- Six products have never been sold; of the others some are much more popular.
CREATE TEMP TABLE sellers AS
SELECT id, list_price, row_number() OVER (ORDER BY md5('seller' || id)) - 1 AS place, count(*) OVER () - 6 AS sellers
FROM cat_product;

INSERT INTO sales_order_line
SELECT
  row_number() OVER (ORDER BY order_id, line),
  order_id,
  sellers.id,
  1 + roll('quantity', key, 3) * roll('several', key, 2),
  CAST(list_price * pick([1.00, 1.00, 0.95], 'price paid', key) AS DECIMAL(10, 2)),
  pick([0.00, 0.00, 0.00, 0.00, 0.05, 0.10, 0.20], 'discount', key)
FROM (
  SELECT
    order_id,
    line,
    order_id || '/' || line AS key,
    CAST(floor(pow(chance('product', order_id || '/' || line), 1.7) * (SELECT any_value(sellers) FROM sellers)) AS INTEGER)
      AS place
  FROM (SELECT id AS order_id, unnest(range(1, 2 + roll('lines', id, 4))) AS line FROM sales_order)
)
JOIN sellers USING (place);

CREATE TABLE fin_payment (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES sales_order (id),
  method VARCHAR NOT NULL,
  amount DECIMAL(12, 2) NOT NULL,
  paid_at TIMESTAMP NOT NULL
);
INSERT INTO fin_payment
SELECT
  row_number() OVER (ORDER BY id),
  id,
  pick(['card', 'card', 'card', 'bank transfer', 'wallet', 'gift card'], 'method', id),
  amount,
  ordered_at + to_minutes(1 + roll('paid after', id, 50))
FROM sales_order
JOIN (
  SELECT order_id, CAST(sum(quantity * unit_price * (1 - discount)) AS DECIMAL(12, 2)) AS amount
  FROM sales_order_line GROUP BY order_id
) AS totals ON totals.order_id = sales_order.id
WHERE status NOT IN ('pending', 'cancelled');

CREATE TABLE log_shipment (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES sales_order (id),
  carrier VARCHAR NOT NULL,
  shipped_on DATE NOT NULL,
  delivered_on DATE
);
INSERT INTO log_shipment
SELECT
  row_number() OVER (ORDER BY id),
  id,
  pick(['Swiftline', 'Northpost', 'Parcelbee', 'Kargovia'], 'carrier', id),
  CAST(ordered_at AS DATE) + 1,
  CASE WHEN status <> 'shipped' THEN CAST(ordered_at AS DATE) + 2 + roll('transit', id, 6) END
FROM sales_order
WHERE status IN ('shipped', 'delivered', 'returned');

CREATE TABLE cat_review (
  id INTEGER PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES cat_product (id),
  customer_id INTEGER NOT NULL REFERENCES crm_customer (id),
  rating INTEGER NOT NULL,
  headline VARCHAR NOT NULL,
  written_on DATE NOT NULL
);
INSERT INTO cat_review
SELECT
  row_number() OVER (ORDER BY line_id),
  product_id,
  customer_id,
  rating,
  CASE
    WHEN rating >= 4 THEN pick(['Lovely', 'Worth every cent', 'Better than the pictures', 'Would buy again'], 'headline', line_id)
    WHEN rating = 3 THEN pick(['It does the job', 'Fine for the price'], 'headline', line_id)
    ELSE pick(['Arrived scratched', 'Smaller than expected', 'Sent it back'], 'headline', line_id)
  END,
  written_on
FROM (
  SELECT
    line.id AS line_id,
    line.product_id,
    sales_order.customer_id,
    -- Products differ: each leans to its own side of the scale.
    greatest(1, least(5, 2 + roll('quality', line.product_id, 3) + roll('rating', line.id, 3) - roll('bad day', line.id, 5) // 4))
      AS rating,
    delivered_on + 1 + roll('review after', line.id, 14) AS written_on
  FROM sales_order_line AS line
  JOIN sales_order ON sales_order.id = line.order_id
  JOIN log_shipment ON log_shipment.order_id = line.order_id
  WHERE delivered_on IS NOT NULL AND roll('reviews', line.id, 6) = 0
)
WHERE written_on < getvariable('today');
