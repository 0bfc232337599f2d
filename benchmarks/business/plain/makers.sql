PRAGMA foreign_keys=ON;
BEGIN;

CREATE TABLE employees (
  emp_no INTEGER PRIMARY KEY,
  first_name TEXT NOT NULL,
  surname TEXT NOT NULL,
  job TEXT NOT NULL,
  dept TEXT NOT NULL,              -- Sales, Workshop, Quality, Purchasing, Office
  hired_on TEXT NOT NULL,
  left_on TEXT,
  hourly_wage REAL NOT NULL,
  part_time INTEGER NOT NULL DEFAULT 0,
  reports_to INTEGER REFERENCES employees(emp_no)
);
CREATE TABLE suppliers (
  supplier_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  town TEXT,
  country TEXT NOT NULL,
  contact TEXT,
  lt_days INTEGER,                 -- usual lead time
  approved INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE parts (
  part_id INTEGER PRIMARY KEY,
  descr TEXT NOT NULL,
  kind TEXT NOT NULL,              -- timber, hardware, fabric, finish, packaging
  uom TEXT NOT NULL,
  supplier_id INTEGER REFERENCES suppliers(supplier_id),
  std_cost REAL NOT NULL,
  on_hand REAL NOT NULL,
  reorder_point REAL
);
CREATE TABLE products (
  sku TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  range_name TEXT,
  category TEXT NOT NULL,
  wood TEXT,
  list_price REAL NOT NULL,
  unit_cost REAL NOT NULL,
  weight_kg REAL,
  launched_on TEXT NOT NULL,
  retired_on TEXT,
  flat_pack INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE customers (
  cust_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  trade TEXT NOT NULL,             -- retailer, hotel, office, architect, school
  town TEXT,
  country TEXT NOT NULL,
  account_opened TEXT NOT NULL,
  credit_limit REAL,
  on_hold INTEGER NOT NULL DEFAULT 0,
  rep INTEGER REFERENCES employees(emp_no)
);
CREATE TABLE purchase_orders (
  po_no INTEGER PRIMARY KEY,
  supplier_id INTEGER NOT NULL REFERENCES suppliers(supplier_id),
  part_id INTEGER NOT NULL REFERENCES parts(part_id),
  buyer INTEGER REFERENCES employees(emp_no),
  ordered_on TEXT NOT NULL,
  due_on TEXT NOT NULL,
  received_on TEXT,
  qty REAL NOT NULL,
  unit_cost REAL NOT NULL,
  status TEXT NOT NULL             -- open, received, cancelled
);
CREATE TABLE sales_orders (
  so_no INTEGER PRIMARY KEY,
  cust_id INTEGER NOT NULL REFERENCES customers(cust_id),
  taken_by INTEGER REFERENCES employees(emp_no),
  order_date TEXT NOT NULL,
  promised_date TEXT NOT NULL,
  shipped_date TEXT,
  paid_date TEXT,
  status TEXT NOT NULL,            -- open, in production, shipped, cancelled
  carrier TEXT
);
CREATE TABLE sales_order_lines (
  so_no INTEGER NOT NULL REFERENCES sales_orders(so_no),
  line_no INTEGER NOT NULL,
  sku TEXT NOT NULL REFERENCES products(sku),
  qty INTEGER NOT NULL,
  unit_price REAL NOT NULL,
  unit_cost REAL NOT NULL,
  PRIMARY KEY (so_no, line_no)
);
CREATE TABLE production_runs (
  run_no INTEGER PRIMARY KEY,
  sku TEXT NOT NULL REFERENCES products(sku),
  foreman INTEGER REFERENCES employees(emp_no),
  started_on TEXT NOT NULL,
  finished_on TEXT,
  planned_qty INTEGER NOT NULL,
  made_qty INTEGER,
  scrap_qty INTEGER,
  hrs REAL                         -- labour hours booked
);
CREATE TABLE quality_checks (
  check_id INTEGER PRIMARY KEY,
  run_no INTEGER NOT NULL REFERENCES production_runs(run_no),
  inspector INTEGER REFERENCES employees(emp_no),
  checked_on TEXT NOT NULL,
  verdict TEXT NOT NULL,           -- pass, rework, fail
  fault TEXT,
  sample_size INTEGER NOT NULL
);
INSERT INTO employees VALUES (1, 'Henrik', 'Vos', 'Managing director', 'Office', '2023-06-04', NULL, 62, 0, NULL);
INSERT INTO employees VALUES (2, 'Carla', 'Benning', 'Head of sales', 'Sales', '2023-01-19', NULL, 41, 0, 1);
INSERT INTO employees VALUES (3, 'Ulf', 'Mertens', 'Workshop manager', 'Workshop', '2023-05-26', NULL, 39.5, 0, 1);
INSERT INTO employees VALUES (4, 'Ingrid', 'Holm', 'Quality manager', 'Quality', '2023-02-27', NULL, 36, 0, 1);
INSERT INTO employees VALUES (5, 'Pavel', 'Dvorak', 'Purchasing manager', 'Purchasing', '2023-05-15', NULL, 35.5, 0, 1);
INSERT INTO employees VALUES (6, 'Sabine', 'Koch', 'Sales rep', 'Sales', '2023-06-23', NULL, 27, 0, 2);
INSERT INTO employees VALUES (7, 'Tom', 'Whitfield', 'Sales rep', 'Sales', '2023-03-17', NULL, 26.5, 0, 2);
INSERT INTO employees VALUES (8, 'Lena', 'Brandt', 'Sales rep', 'Sales', '2023-02-16', NULL, 25, 0, 2);
INSERT INTO employees VALUES (9, 'Marco', 'Ferri', 'Sales rep', 'Sales', '2023-01-10', '2025-08-01', 28, 0, 2);
INSERT INTO employees VALUES (10, 'Julia', 'Reuter', 'Sales assistant', 'Sales', '2023-04-26', NULL, 21, 1, 2);
INSERT INTO employees VALUES (11, 'Dieter', 'Kranz', 'Foreman', 'Workshop', '2023-01-19', NULL, 29, 0, 3);
INSERT INTO employees VALUES (12, 'Agnes', 'Wolf', 'Foreman', 'Workshop', '2023-03-19', NULL, 29.5, 0, 3);
INSERT INTO employees VALUES (13, 'Mikael', 'Strand', 'Foreman', 'Workshop', '2023-06-08', NULL, 28.5, 0, 3);
INSERT INTO employees VALUES (14, 'Jonas', 'Falk', 'Cabinet maker', 'Workshop', '2023-09-13', NULL, 24, 0, 11);
INSERT INTO employees VALUES (15, 'Emre', 'Yilmaz', 'Cabinet maker', 'Workshop', '2024-04-16', '2025-12-02', 23.5, 0, 11);
INSERT INTO employees VALUES (16, 'Karin', 'Lutz', 'Cabinet maker', 'Workshop', '2023-06-16', NULL, 24.5, 0, 12);
INSERT INTO employees VALUES (17, 'Bastian', 'Graf', 'Upholsterer', 'Workshop', '2024-05-29', NULL, 22.5, 0, 12);
INSERT INTO employees VALUES (18, 'Nina', 'Sommer', 'Upholsterer', 'Workshop', '2025-02-01', NULL, 22, 1, 12);
INSERT INTO employees VALUES (19, 'Oskar', 'Thiele', 'Machine operator', 'Workshop', '2025-12-31', NULL, 21, 0, 13);
INSERT INTO employees VALUES (20, 'Petra', 'Engel', 'Machine operator', 'Workshop', '2024-07-01', NULL, 20.5, 0, 13);
INSERT INTO employees VALUES (21, 'Ali', 'Demir', 'Machine operator', 'Workshop', '2024-07-02', '2025-05-02', 20.5, 0, 13);
INSERT INTO employees VALUES (22, 'Rosa', 'Martins', 'Finisher', 'Workshop', '2024-12-29', NULL, 21.5, 0, 11);
INSERT INTO employees VALUES (23, 'Felix', 'Arndt', 'Apprentice', 'Workshop', '2024-01-19', NULL, 14, 0, 11);
INSERT INTO employees VALUES (24, 'Mia', 'Jansen', 'Apprentice', 'Workshop', '2025-06-02', NULL, 13.5, 0, 12);
INSERT INTO employees VALUES (25, 'Greta', 'Lindner', 'Inspector', 'Quality', '2023-04-16', NULL, 25, 0, 4);
INSERT INTO employees VALUES (26, 'Samuel', 'Okoro', 'Inspector', 'Quality', '2025-02-09', NULL, 24.5, 1, 4);
INSERT INTO employees VALUES (27, 'Hanna', 'Pohl', 'Inspector', 'Quality', '2024-09-01', '2026-06-05', 25.5, 0, 4);
INSERT INTO employees VALUES (28, 'Viktor', 'Hahn', 'Buyer', 'Purchasing', '2023-06-21', NULL, 26, 0, 5);
INSERT INTO employees VALUES (29, 'Elena', 'Russo', 'Buyer', 'Purchasing', '2026-08-19', NULL, 25.5, 0, 5);
INSERT INTO employees VALUES (30, 'Birgit', 'Maas', 'Bookkeeper', 'Office', '2025-02-14', NULL, 27.5, 1, 1);
INSERT INTO employees VALUES (31, 'Tanja', 'Roth', 'HR officer', 'Office', '2026-04-09', NULL, 26, 1, 1);
INSERT INTO employees VALUES (32, 'Lukas', 'Peters', 'Warehouse clerk', 'Purchasing', '2024-03-04', NULL, 19, 0, 5);
INSERT INTO suppliers VALUES (1, 'Schwarzwald Holz', 'Freiburg', 'Germany', 'S. Lindgren', 5, 1);
INSERT INTO suppliers VALUES (2, 'Baltic Timber Trade', 'Riga', 'Latvia', 'K. Schulte', 35, 1);
INSERT INTO suppliers VALUES (3, 'Walnut & Sons', 'Lyon', 'France', 'A. Keller', 7, 1);
INSERT INTO suppliers VALUES (4, 'Nordic Oak AB', 'Växjö', 'Sweden', 'S. Lindgren', 28, 1);
INSERT INTO suppliers VALUES (5, 'Carpathia Wood', 'Brașov', 'Romania', 'P. Neumann', 10, 0);
INSERT INTO suppliers VALUES (6, 'Hettner Beschläge', 'Herford', 'Germany', 'J. Lefèvre', 14, 1);
INSERT INTO suppliers VALUES (7, 'Ferramenta Brianza', 'Lissone', 'Italy', 'M. Ozols', 5, 1);
INSERT INTO suppliers VALUES (8, 'Screws Direct', 'Dortmund', 'Germany', 'P. Neumann', 7, 1);
INSERT INTO suppliers VALUES (9, 'Glide & Hinge Ltd', 'Leicester', 'UK', 'R. Hughes', 28, 1);
INSERT INTO suppliers VALUES (10, 'Tessuti Como', 'Como', 'Italy', NULL, NULL, 1);
INSERT INTO suppliers VALUES (11, 'Gudrun Wool Mill', 'Borås', 'Sweden', 'G. Colombo', 10, 1);
INSERT INTO suppliers VALUES (12, 'Flemish Linen Co', 'Kortrijk', 'Belgium', 'R. Hughes', 28, 1);
INSERT INTO suppliers VALUES (13, 'Leder Maier', 'Offenbach', 'Germany', 'R. Hughes', 7, 1);
INSERT INTO suppliers VALUES (14, 'Foamtec', 'Hannover', 'Germany', 'M. Ozols', 10, 1);
INSERT INTO suppliers VALUES (15, 'Osmo Lacke', 'Warendorf', 'Germany', 'J. Lefèvre', 28, 1);
INSERT INTO suppliers VALUES (16, 'Pure Oil Finishes', 'Aarhus', 'Denmark', 'M. Ozols', 10, 1);
INSERT INTO suppliers VALUES (17, 'Lakfabriek Tilburg', 'Tilburg', 'Netherlands', 'G. Colombo', 21, 1);
INSERT INTO suppliers VALUES (18, 'BoxPack', 'Kassel', 'Germany', 'K. Schulte', 10, 1);
INSERT INTO suppliers VALUES (19, 'Karton Plus', 'Poznań', 'Poland', 'G. Colombo', 14, 0);
INSERT INTO suppliers VALUES (20, 'Green Wrap', 'Utrecht', 'Netherlands', 'R. Hughes', 28, 1);
INSERT INTO suppliers VALUES (21, 'Metallbau Huber', 'Linz', 'Austria', 'M. Ozols', 5, 1);
INSERT INTO suppliers VALUES (22, 'Polska Sklejka', 'Gdańsk', 'Poland', 'G. Colombo', NULL, 1);
INSERT INTO suppliers VALUES (23, 'Iberia Cork', 'Porto', 'Portugal', NULL, 28, 0);
INSERT INTO suppliers VALUES (24, 'Velours Lyon', 'Lyon', 'France', 'K. Schulte', 5, 1);
INSERT INTO suppliers VALUES (25, 'Steelworks Ostrava', 'Ostrava', 'Czechia', 'G. Colombo', 14, 1);
INSERT INTO suppliers VALUES (26, 'Adria Beech', 'Rijeka', 'Croatia', NULL, 14, 1);
INSERT INTO parts VALUES (1, 'Oak board 27 mm', 'timber', 'm2', 3, 58.0, 77.0, 20.0);
INSERT INTO parts VALUES (2, 'Oak board 40 mm', 'timber', 'm2', 4, 84.0, 315.0, 30.0);
INSERT INTO parts VALUES (3, 'Ash board 27 mm', 'timber', 'm2', 3, 47.0, 374.0, 30.0);
INSERT INTO parts VALUES (4, 'Walnut board 27 mm', 'timber', 'm2', 2, 118.0, 152.0, 20.0);
INSERT INTO parts VALUES (5, 'Walnut veneer', 'timber', 'm2', 2, 31.0, 116.0, 120.0);
INSERT INTO parts VALUES (6, 'Beech dowel 10 mm', 'timber', 'pc', 22, 0.35, 0.0, 20.0);
INSERT INTO parts VALUES (7, 'Beech board 27 mm', 'timber', 'm2', 22, 39.0, 110.0, 80.0);
INSERT INTO parts VALUES (8, 'Birch plywood 18 mm', 'timber', 'm2', 26, 33.0, 76.0, 80.0);
INSERT INTO parts VALUES (9, 'Birch plywood 9 mm', 'timber', 'm2', 26, 19.5, 185.0, 50.0);
INSERT INTO parts VALUES (10, 'Pine slat', 'timber', 'pc', 22, 2.2, 393.0, 20.0);
INSERT INTO parts VALUES (11, 'MDF 16 mm', 'timber', 'm2', 4, 12.4, 143.0, 120.0);
INSERT INTO parts VALUES (12, 'Soft-close hinge', 'hardware', 'pc', 6, 3.1, 34.0, 30.0);
INSERT INTO parts VALUES (13, 'Drawer runner 450 mm', 'hardware', 'pair', 9, 11.8, 98.0, 20.0);
INSERT INTO parts VALUES (14, 'Drawer runner 550 mm', 'hardware', 'pair', 25, 13.6, 318.0, 50.0);
INSERT INTO parts VALUES (15, 'Bed bracket', 'hardware', 'pair', 8, 6.9, 275.0, 80.0);
INSERT INTO parts VALUES (16, 'Cam lock set', 'hardware', 'set', 7, 0.9, 173.0, NULL);
INSERT INTO parts VALUES (17, 'Wood screw 4x40', 'hardware', 'box', 7, 7.5, 302.0, NULL);
INSERT INTO parts VALUES (18, 'Threaded insert M8', 'hardware', 'pc', 8, 0.28, 185.0, 50.0);
INSERT INTO parts VALUES (19, 'Steel leg 72 cm', 'hardware', 'pc', 7, 17.5, 92.0, 50.0);
INSERT INTO parts VALUES (20, 'Brass knob', 'hardware', 'pc', 6, 4.4, 0.0, 80.0);
INSERT INTO parts VALUES (21, 'Cable grommet', 'hardware', 'pc', 21, 1.3, 70.0, 20.0);
INSERT INTO parts VALUES (22, 'Felt glide', 'hardware', 'pc', 7, 0.12, 200.0, 30.0);
INSERT INTO parts VALUES (23, 'Wool fabric grey', 'fabric', 'm', 13, 38.0, 223.0, 50.0);
INSERT INTO parts VALUES (24, 'Wool fabric moss', 'fabric', 'm', 10, 38.0, 129.0, 20.0);
INSERT INTO parts VALUES (25, 'Linen natural', 'fabric', 'm', 11, 26.0, 76.0, 20.0);
INSERT INTO parts VALUES (26, 'Leather cognac', 'fabric', 'm2', 13, 92.0, 77.0, 120.0);
INSERT INTO parts VALUES (27, 'Velvet blue', 'fabric', 'm', 13, 34.0, 327.0, NULL);
INSERT INTO parts VALUES (28, 'Seat foam 40 mm', 'fabric', 'm2', 13, 14.5, 250.0, 80.0);
INSERT INTO parts VALUES (29, 'Hard wax oil', 'finish', 'l', 15, 29.0, 6.0, 120.0);
INSERT INTO parts VALUES (30, 'Matt lacquer', 'finish', 'l', 17, 21.0, 58.0, 120.0);
INSERT INTO parts VALUES (31, 'White pigment oil', 'finish', 'l', 16, 33.0, 57.0, 30.0);
INSERT INTO parts VALUES (32, 'Black stain', 'finish', 'l', 16, 24.0, 57.0, 120.0);
INSERT INTO parts VALUES (33, 'Wood glue D3', 'finish', 'l', 15, 8.6, 76.0, 50.0);
INSERT INTO parts VALUES (34, 'Sanding disc 180', 'finish', 'box', 15, 19.0, 152.0, 50.0);
INSERT INTO parts VALUES (35, 'Carton large', 'packaging', 'pc', 18, 4.8, 196.0, NULL);
INSERT INTO parts VALUES (36, 'Carton medium', 'packaging', 'pc', 18, 3.2, 134.0, 20.0);
INSERT INTO parts VALUES (37, 'Edge protector', 'packaging', 'pc', 18, 0.4, 376.0, 80.0);
INSERT INTO parts VALUES (38, 'Stretch film', 'packaging', 'roll', 20, 9.9, 9.0, 20.0);
INSERT INTO parts VALUES (39, 'Paper padding', 'packaging', 'roll', NULL, 12.5, 18.0, 30.0);
INSERT INTO parts VALUES (40, 'Pallet 120x80', 'packaging', 'pc', 19, 11.0, 235.0, 20.0);
INSERT INTO products VALUES ('LI-101', 'Linden chair oak', 'Linden', 'Seating', 'oak', 189.0, 93.59, 6.9, '2025-05-19', NULL, 0);
INSERT INTO products VALUES ('LI-102', 'Linden chair walnut', 'Linden', 'Seating', 'walnut', 239.0, 149.11, 7.5, '2023-02-22', NULL, 0);
INSERT INTO products VALUES ('HA-103', 'Harbour chair ash', 'Harbour', 'Seating', 'ash', 169.0, 86.27, 6.1, '2023-02-05', NULL, 0);
INSERT INTO products VALUES ('MO-104', 'Moss chair beech', 'Moss', 'Seating', 'beech', 149.0, 74.88, NULL, '2023-04-11', '2026-05-17', 0);
INSERT INTO products VALUES ('AT-105', 'Atelier chair oak', 'Atelier', 'Seating', 'oak', 259.0, 140.49, 7.6, '2023-03-04', '2026-03-24', 0);
INSERT INTO products VALUES ('MO-106', 'Moss armchair oak', 'Moss', 'Seating', 'oak', 549.0, 321.36, 13.7, '2023-02-23', NULL, 0);
INSERT INTO products VALUES ('FJ-107', 'Fjord armchair walnut', 'Fjord', 'Seating', 'walnut', 690.0, 440.6, 16.4, '2023-02-07', NULL, 0);
INSERT INTO products VALUES ('HA-108', 'Harbour armchair', 'Harbour', 'Seating', NULL, 495.0, 302.8, NULL, '2023-10-08', NULL, 0);
INSERT INTO products VALUES ('LI-109', 'Linden bench oak', 'Linden', 'Seating', 'oak', 329.0, 173.46, 16.0, '2024-07-23', NULL, 0);
INSERT INTO products VALUES ('MO-110', 'Moss bench beech', 'Moss', 'Seating', 'beech', 259.0, 149.16, 13.9, '2023-07-19', NULL, 0);
INSERT INTO products VALUES ('LI-111', 'Linden dining table oak', 'Linden', 'Tables', 'oak', 1290.0, 736.76, 50.7, '2023-02-09', NULL, 0);
INSERT INTO products VALUES ('LI-112', 'Linden dining table walnut', 'Linden', 'Tables', 'walnut', 1690.0, 1031.48, 53.2, '2023-01-22', NULL, 0);
INSERT INTO products VALUES ('HA-113', 'Harbour dining table ash', 'Harbour', 'Tables', 'ash', 1090.0, 526.36, 50.7, '2023-04-04', NULL, 0);
INSERT INTO products VALUES ('FJ-114', 'Fjord dining table walnut', 'Fjord', 'Tables', 'walnut', 1990.0, 1174.64, 55.7, '2023-03-18', '2026-08-27', 0);
INSERT INTO products VALUES ('FJ-115', 'Fjord coffee table oak', 'Fjord', 'Tables', 'oak', 420.0, 239.85, 19.6, '2023-09-04', '2026-08-28', 0);
INSERT INTO products VALUES ('AT-116', 'Atelier coffee table walnut', 'Atelier', 'Tables', 'walnut', 480.0, 263.72, 18.6, '2024-05-12', NULL, 0);
INSERT INTO products VALUES ('MO-117', 'Moss coffee table beech', 'Moss', 'Tables', 'beech', 350.0, 187.08, 15.4, '2023-02-16', NULL, 0);
INSERT INTO products VALUES ('AT-118', 'Atelier desk oak', 'Atelier', 'Desks', 'oak', 890.0, 420.96, 39.3, '2024-07-07', NULL, 0);
INSERT INTO products VALUES ('AT-119', 'Atelier desk ash', 'Atelier', 'Desks', 'ash', 790.0, 397.99, 35.6, '2023-02-08', '2024-06-12', 0);
INSERT INTO products VALUES ('ST-120', 'Studio desk', 'Studio', 'Desks', NULL, 540.0, 261.17, 30.7, '2023-03-22', NULL, 1);
INSERT INTO products VALUES ('LI-121', 'Linden sideboard oak', 'Linden', 'Storage', 'oak', 1450.0, 779.69, 58.4, '2023-04-14', NULL, 0);
INSERT INTO products VALUES ('FJ-122', 'Fjord sideboard walnut', 'Fjord', 'Storage', 'walnut', 1890.0, 1038.23, 72.8, '2023-03-05', NULL, 0);
INSERT INTO products VALUES ('ST-123', 'Studio bookcase ash', 'Studio', 'Storage', 'ash', 690.0, 310.95, 43.3, '2025-08-17', NULL, 1);
INSERT INTO products VALUES ('LI-124', 'Linden bookcase oak', 'Linden', 'Storage', 'oak', 940.0, 499.72, 39.0, '2024-02-28', NULL, 0);
INSERT INTO products VALUES ('ST-125', 'Studio bookcase', 'Studio', 'Storage', NULL, 520.0, 258.42, 44.6, '2023-04-19', NULL, 1);
INSERT INTO products VALUES ('HA-126', 'Harbour bed oak', 'Harbour', 'Bedroom', 'oak', 1350.0, 743.03, 63.2, '2026-04-26', NULL, 0);
INSERT INTO products VALUES ('HA-127', 'Harbour bed ash', 'Harbour', 'Bedroom', 'ash', 1190.0, 625.11, 53.2, '2023-02-18', '2025-08-19', 0);
INSERT INTO products VALUES ('MO-128', 'Moss bed beech', 'Moss', 'Bedroom', 'beech', 980.0, 560.08, 49.5, '2024-01-02', NULL, 0);
INSERT INTO products VALUES ('HA-129', 'Harbour bedside table oak', 'Harbour', 'Bedroom', 'oak', 290.0, 155.59, 12.8, '2024-07-03', NULL, 1);
INSERT INTO products VALUES ('MO-130', 'Moss bedside table beech', 'Moss', 'Bedroom', 'beech', 220.0, 104.89, 12.0, '2025-02-24', NULL, 1);
INSERT INTO products VALUES ('ST-131', 'Studio stool beech', 'Studio', 'Seating', 'beech', 98.0, 53.66, 3.2, '2023-02-02', NULL, 1);
INSERT INTO products VALUES ('AT-132', 'Atelier stool oak', 'Atelier', 'Seating', 'oak', 125.0, 63.87, 3.2, '2023-03-19', NULL, 0);
INSERT INTO products VALUES ('HA-133', 'Harbour wardrobe oak', 'Harbour', 'Storage', 'oak', 2290.0, 1503.82, 84.6, '2025-03-01', NULL, 0);
INSERT INTO products VALUES ('ST-134', 'Studio wardrobe', 'Studio', 'Storage', NULL, 1290.0, 816.85, 88.6, '2023-04-15', NULL, 1);
INSERT INTO customers VALUES (1, 'Möbelhaus Adler', 'retailer', 'Köln', 'Germany', '2023-08-15', 5000.0, 0, 9);
INSERT INTO customers VALUES (2, 'Wohnwelt Bremen', 'retailer', 'Bremen', 'Germany', '2023-05-15', 40000.0, 0, 9);
INSERT INTO customers VALUES (3, 'Hotel Seeblick', 'hotel', 'Konstanz', 'Germany', '2023-08-01', 40000.0, 0, 7);
INSERT INTO customers VALUES (4, 'Hotel Drei Kronen', 'hotel', 'Nürnberg', 'Germany', '2024-02-03', 5000.0, 0, 8);
INSERT INTO customers VALUES (5, 'Nordhaus Living', 'retailer', 'Hamburg', 'Germany', '2026-04-30', 25000.0, 0, NULL);
INSERT INTO customers VALUES (6, 'Bureau Vandenberg', 'office', 'Antwerp', 'Belgium', '2024-10-25', 40000.0, 0, 8);
INSERT INTO customers VALUES (7, 'Studio Kessler Architekten', 'architect', 'Berlin', 'Germany', '2023-08-29', 15000.0, 0, 8);
INSERT INTO customers VALUES (8, 'Kantoor Plus', 'office', 'Rotterdam', 'Netherlands', '2024-12-06', 15000.0, 0, 6);
INSERT INTO customers VALUES (9, 'Huis & Hout', 'retailer', 'Amsterdam', 'Netherlands', '2025-12-12', 5000.0, 0, 9);
INSERT INTO customers VALUES (10, 'Maison Claire', 'retailer', 'Lille', 'France', '2023-02-24', 5000.0, 1, 8);
INSERT INTO customers VALUES (11, 'Hôtel du Parc', 'hotel', 'Strasbourg', 'France', '2024-07-10', 5000.0, 0, NULL);
INSERT INTO customers VALUES (12, 'Alpenhof Resort', 'hotel', 'Innsbruck', 'Austria', '2023-08-20', 5000.0, 0, NULL);
INSERT INTO customers VALUES (13, 'Wiener Wohnen', 'retailer', 'Wien', 'Austria', '2024-11-27', 40000.0, 0, 9);
INSERT INTO customers VALUES (14, 'Atelier Brunner', 'architect', 'Zürich', 'Switzerland', '2023-03-11', 40000.0, 0, 6);
INSERT INTO customers VALUES (15, 'Bergblick Hotels', 'hotel', 'Davos', 'Switzerland', '2023-01-06', 25000.0, 0, 7);
INSERT INTO customers VALUES (16, 'Grundschule Nord', 'school', 'Hannover', 'Germany', '2025-05-13', 5000.0, 0, 7);
INSERT INTO customers VALUES (17, 'Waldorfschule Kassel', 'school', 'Kassel', 'Germany', '2023-03-08', 5000.0, 0, 6);
INSERT INTO customers VALUES (18, 'Coworking Hafen', 'office', 'Hamburg', 'Germany', '2023-06-18', 5000.0, 0, 6);
INSERT INTO customers VALUES (19, 'Desk & Co', 'office', 'Berlin', 'Germany', '2023-07-09', NULL, 0, 6);
INSERT INTO customers VALUES (20, 'Skovgaard Interiør', 'retailer', 'Aarhus', 'Denmark', '2023-03-06', 10000.0, 0, 7);
INSERT INTO customers VALUES (21, 'Hotel Nyhavn', 'hotel', 'Copenhagen', 'Denmark', '2023-06-18', 10000.0, 0, 9);
INSERT INTO customers VALUES (22, 'Papillon Interiors', 'retailer', 'London', 'UK', '2023-04-30', 10000.0, 0, NULL);
INSERT INTO customers VALUES (23, 'Thames Offices', 'office', 'London', 'UK', '2025-06-08', 40000.0, 0, 9);
INSERT INTO customers VALUES (24, 'Lindt & Partner', 'architect', 'München', 'Germany', '2023-01-16', 25000.0, 0, 9);
INSERT INTO customers VALUES (25, 'Möbel Rieger', 'retailer', 'Stuttgart', 'Germany', '2026-06-11', 25000.0, 0, 6);
INSERT INTO customers VALUES (26, 'Schlafgut', 'retailer', 'Leipzig', 'Germany', '2025-04-09', NULL, 1, 6);
INSERT INTO customers VALUES (27, 'Casa Bella', 'retailer', 'Milano', 'Italy', '2024-11-21', 5000.0, 0, 6);
INSERT INTO customers VALUES (28, 'Hotel Aurora', 'hotel', 'Bolzano', 'Italy', '2023-09-01', 25000.0, 0, 6);
INSERT INTO customers VALUES (29, 'Gymnasium am Ring', 'school', 'Düsseldorf', 'Germany', '2024-04-16', 25000.0, 0, 6);
INSERT INTO customers VALUES (30, 'Büro Zentrum', 'office', 'Frankfurt', 'Germany', '2026-07-25', 5000.0, 1, 7);
INSERT INTO customers VALUES (31, 'Holz und Heim', 'retailer', 'Dresden', 'Germany', '2024-09-17', 15000.0, 0, 7);
INSERT INTO customers VALUES (32, 'Architektur Stein', 'architect', 'Bonn', 'Germany', '2023-08-25', 5000.0, 0, 9);
INSERT INTO customers VALUES (33, 'Domus Nova', 'retailer', 'Luxembourg', 'Luxembourg', '2023-03-23', 5000.0, 0, 7);
INSERT INTO customers VALUES (34, 'Pension Waldruh', 'hotel', 'Freiburg', 'Germany', '2023-02-12', 15000.0, 0, 9);
INSERT INTO customers VALUES (35, 'Kinderhaus Lützow', 'school', 'Berlin', 'Germany', '2024-09-05', 40000.0, 0, 8);
INSERT INTO customers VALUES (36, 'Lagom Living', 'retailer', 'Malmö', 'Sweden', '2026-05-04', 25000.0, 0, 8);
INSERT INTO purchase_orders VALUES (4001, 6, 12, NULL, '2023-02-28', '2023-03-10', '2023-03-09', 20.0, 2.9, 'received');
INSERT INTO purchase_orders VALUES (4002, 18, 37, NULL, '2023-03-29', '2023-04-19', '2023-04-24', 200.0, 0.36, 'received');
INSERT INTO purchase_orders VALUES (4003, 19, 40, NULL, '2023-04-19', '2023-04-29', '2023-04-30', 100.0, 9.94, 'received');
INSERT INTO purchase_orders VALUES (4004, 20, 38, 5, '2023-06-07', '2023-06-21', '2023-06-24', 200.0, 9.93, 'received');
INSERT INTO purchase_orders VALUES (4005, 18, 35, 28, '2023-07-28', '2023-08-11', '2023-08-14', 40.0, 4.78, 'received');
INSERT INTO purchase_orders VALUES (4006, 4, 2, 28, '2023-08-10', '2023-09-07', '2023-09-10', 20.0, 76.79, 'received');
INSERT INTO purchase_orders VALUES (4007, 22, 6, 28, '2023-08-20', '2023-09-10', NULL, 60.0, 0.34, 'cancelled');
INSERT INTO purchase_orders VALUES (4008, 7, 16, 28, '2023-08-20', '2023-08-30', '2023-09-14', 200.0, 0.92, 'received');
INSERT INTO purchase_orders VALUES (4009, 22, 6, 5, '2023-09-09', '2023-09-23', '2023-10-02', 200.0, 0.38, 'received');
INSERT INTO purchase_orders VALUES (4010, 22, 10, 5, '2023-09-18', '2023-09-28', '2023-09-28', 20.0, 2.46, 'received');
INSERT INTO purchase_orders VALUES (4011, 3, 3, 28, '2023-09-22', '2023-10-20', '2023-10-16', 10.0, 44.52, 'received');
INSERT INTO purchase_orders VALUES (4012, 7, 16, 28, '2023-10-21', '2023-11-04', '2023-11-09', 20.0, 0.9, 'received');
INSERT INTO purchase_orders VALUES (4013, 13, 27, 28, '2023-11-12', '2023-11-22', '2023-11-22', 60.0, 33.49, 'received');
INSERT INTO purchase_orders VALUES (4014, 26, 8, 28, '2023-12-05', '2023-12-15', '2023-12-15', 40.0, 33.72, 'received');
INSERT INTO purchase_orders VALUES (4015, 4, 2, 5, '2023-12-08', '2024-01-05', '2024-01-03', 10.0, 83.32, 'received');
INSERT INTO purchase_orders VALUES (4016, 8, 18, 5, '2023-12-10', '2023-12-31', '2023-12-29', 200.0, 0.26, 'received');
INSERT INTO purchase_orders VALUES (4017, 3, 3, 5, '2023-12-29', '2024-01-19', '2024-01-19', 15.0, 46.43, 'received');
INSERT INTO purchase_orders VALUES (4018, 10, 24, 28, '2024-01-09', '2024-01-19', '2024-01-28', 100.0, 41.59, 'received');
INSERT INTO purchase_orders VALUES (4019, 20, 38, 28, '2024-02-27', '2024-03-12', '2024-03-21', 60.0, 9.91, 'received');
INSERT INTO purchase_orders VALUES (4020, 3, 1, 28, '2024-04-06', '2024-04-13', NULL, 15.0, 64.17, 'cancelled');
INSERT INTO purchase_orders VALUES (4021, 13, 28, 28, '2024-04-08', '2024-04-18', '2024-04-18', 50.0, 13.85, 'received');
INSERT INTO purchase_orders VALUES (4022, 6, 20, 5, '2024-06-08', '2024-06-18', '2024-06-18', 20.0, 4.8, 'received');
INSERT INTO purchase_orders VALUES (4023, 13, 26, 28, '2024-06-17', '2024-07-15', '2024-07-15', 10.0, 93.09, 'received');
INSERT INTO purchase_orders VALUES (4024, 26, 8, 28, '2024-07-01', '2024-07-08', NULL, 150.0, 32.45, 'cancelled');
INSERT INTO purchase_orders VALUES (4025, 18, 36, 5, '2024-08-01', '2024-08-11', '2024-08-14', 60.0, 2.98, 'received');
INSERT INTO purchase_orders VALUES (4026, 15, 29, 5, '2024-08-07', '2024-08-21', '2024-08-21', 50.0, 31.14, 'received');
INSERT INTO purchase_orders VALUES (4027, 8, 18, 5, '2024-08-15', '2024-08-25', NULL, 20.0, 0.29, 'cancelled');
INSERT INTO purchase_orders VALUES (4028, 18, 35, 28, '2024-11-04', '2024-12-02', '2024-12-05', 200.0, 5.0, 'received');
INSERT INTO purchase_orders VALUES (4029, 3, 1, 28, '2024-11-23', '2024-12-03', '2024-12-08', 10.0, 56.62, 'received');
INSERT INTO purchase_orders VALUES (4030, 17, 30, 28, '2024-12-07', '2024-12-14', '2024-12-17', 100.0, 23.45, 'received');
INSERT INTO purchase_orders VALUES (4031, 22, 6, 5, '2025-02-12', '2025-02-19', '2025-02-19', 40.0, 0.36, 'received');
INSERT INTO purchase_orders VALUES (4032, 13, 27, 5, '2025-02-20', '2025-03-02', '2025-03-07', 20.0, 37.14, 'received');
INSERT INTO purchase_orders VALUES (4033, 22, 10, 28, '2025-03-07', '2025-03-14', '2025-03-19', 50.0, 2.17, 'received');
INSERT INTO purchase_orders VALUES (4034, 3, 3, 5, '2025-03-18', '2025-03-25', '2025-03-26', 8.0, 51.49, 'received');
INSERT INTO purchase_orders VALUES (4035, 4, 11, 5, '2025-03-18', '2025-04-01', '2025-04-01', 20.0, 12.78, 'received');
INSERT INTO purchase_orders VALUES (4036, 16, 32, 5, '2025-03-21', '2025-04-11', '2025-04-10', 20.0, 24.84, 'received');
INSERT INTO purchase_orders VALUES (4037, 6, 12, 28, '2025-03-27', '2025-04-06', '2025-04-21', 150.0, 3.16, 'received');
INSERT INTO purchase_orders VALUES (4038, 15, 29, 28, '2025-05-12', '2025-06-09', '2025-06-09', 40.0, 31.92, 'received');
INSERT INTO purchase_orders VALUES (4039, 13, 27, 5, '2025-05-15', '2025-06-05', '2025-06-04', 60.0, 31.55, 'received');
INSERT INTO purchase_orders VALUES (4040, 13, 27, 28, '2025-05-15', '2025-06-05', '2025-06-10', 150.0, 33.93, 'received');
INSERT INTO purchase_orders VALUES (4041, 22, 10, 5, '2025-05-16', '2025-05-23', '2025-05-22', 200.0, 2.4, 'received');
INSERT INTO purchase_orders VALUES (4042, 26, 9, 28, '2025-06-15', '2025-06-29', '2025-06-28', 60.0, 20.31, 'received');
INSERT INTO purchase_orders VALUES (4043, 13, 28, 5, '2025-06-16', '2025-07-14', '2025-07-12', 20.0, 14.44, 'received');
INSERT INTO purchase_orders VALUES (4044, 9, 13, 28, '2025-06-17', '2025-07-15', '2025-07-16', 20.0, 11.76, 'received');
INSERT INTO purchase_orders VALUES (4045, 13, 26, 5, '2025-06-22', '2025-07-13', '2025-07-09', 30.0, 86.91, 'received');
INSERT INTO purchase_orders VALUES (4046, 11, 25, 5, '2025-06-23', '2025-07-14', '2025-07-12', 100.0, 26.32, 'received');
INSERT INTO purchase_orders VALUES (4047, 8, 18, 28, '2025-06-24', '2025-07-22', '2025-07-20', 50.0, 0.29, 'received');
INSERT INTO purchase_orders VALUES (4048, 8, 18, 5, '2025-07-04', '2025-07-25', '2025-07-28', 150.0, 0.27, 'received');
INSERT INTO purchase_orders VALUES (4049, 15, 29, 28, '2025-07-10', '2025-07-20', '2025-07-29', 40.0, 27.86, 'received');
INSERT INTO purchase_orders VALUES (4050, 10, 24, 28, '2025-07-13', '2025-07-27', '2025-08-01', 200.0, 38.9, 'received');
INSERT INTO purchase_orders VALUES (4051, 22, 7, 5, '2025-07-20', '2025-08-10', '2025-08-25', 100.0, 36.22, 'received');
INSERT INTO purchase_orders VALUES (4052, 13, 27, 28, '2025-09-10', '2025-10-01', '2025-10-06', 60.0, 36.58, 'received');
INSERT INTO purchase_orders VALUES (4053, 4, 11, 5, '2025-09-26', '2025-10-10', '2025-10-09', 40.0, 12.04, 'received');
INSERT INTO purchase_orders VALUES (4054, 7, 22, 5, '2025-09-28', '2025-10-12', '2025-10-27', 20.0, 0.12, 'received');
INSERT INTO purchase_orders VALUES (4055, 10, 24, 28, '2025-10-07', '2025-10-17', '2025-10-26', 100.0, 34.63, 'received');
INSERT INTO purchase_orders VALUES (4056, 7, 16, 28, '2025-10-09', '2025-10-16', '2025-10-12', 60.0, 0.94, 'received');
INSERT INTO purchase_orders VALUES (4057, 4, 2, 28, '2025-11-07', '2025-11-28', '2025-11-28', 30.0, 83.99, 'received');
INSERT INTO purchase_orders VALUES (4058, 15, 29, 5, '2025-12-09', '2025-12-16', '2025-12-16', 40.0, 31.36, 'received');
INSERT INTO purchase_orders VALUES (4059, 7, 17, 5, '2025-12-16', '2025-12-26', '2025-12-26', 40.0, 7.12, 'received');
INSERT INTO purchase_orders VALUES (4060, 20, 38, 28, '2025-12-24', '2026-01-03', '2026-01-04', 100.0, 10.64, 'received');
INSERT INTO purchase_orders VALUES (4061, 10, 24, 5, '2026-01-01', '2026-01-29', '2026-02-07', 150.0, 40.54, 'received');
INSERT INTO purchase_orders VALUES (4062, 4, 2, 28, '2026-01-02', '2026-01-30', '2026-02-08', 20.0, 86.87, 'received');
INSERT INTO purchase_orders VALUES (4063, 17, 30, 28, '2026-01-07', '2026-01-17', NULL, 60.0, 23.46, 'cancelled');
INSERT INTO purchase_orders VALUES (4064, 22, 7, 28, '2026-01-22', '2026-01-29', '2026-01-28', 20.0, 36.98, 'received');
INSERT INTO purchase_orders VALUES (4065, 22, 6, 5, '2026-01-28', '2026-02-07', '2026-02-22', 60.0, 0.35, 'received');
INSERT INTO purchase_orders VALUES (4066, 3, 3, 28, '2026-02-19', '2026-03-12', '2026-03-21', 20.0, 45.76, 'received');
INSERT INTO purchase_orders VALUES (4067, 20, 38, 28, '2026-02-27', '2026-03-27', '2026-04-01', 150.0, 9.3, 'received');
INSERT INTO purchase_orders VALUES (4068, 6, 20, 5, '2026-03-13', '2026-03-27', NULL, 40.0, 4.15, 'cancelled');
INSERT INTO purchase_orders VALUES (4069, 18, 36, 5, '2026-03-26', '2026-04-02', '2026-04-01', 60.0, 2.9, 'received');
INSERT INTO purchase_orders VALUES (4070, 20, 38, 5, '2026-03-31', '2026-04-10', '2026-04-08', 60.0, 9.48, 'received');
INSERT INTO purchase_orders VALUES (4071, 11, 25, 28, '2026-05-06', '2026-05-20', '2026-06-04', 50.0, 24.8, 'received');
INSERT INTO purchase_orders VALUES (4072, 13, 28, 28, '2026-06-12', '2026-06-19', '2026-06-22', 20.0, 15.06, 'received');
INSERT INTO purchase_orders VALUES (4073, 7, 17, 5, '2026-07-21', '2026-07-28', '2026-08-06', 100.0, 7.75, 'received');
INSERT INTO purchase_orders VALUES (4074, 22, 7, 28, '2026-08-23', '2026-09-02', '2026-09-07', 60.0, 37.88, 'received');
INSERT INTO purchase_orders VALUES (4075, 13, 27, 28, '2026-09-09', '2026-10-07', '2026-10-05', 100.0, 37.01, 'received');
INSERT INTO purchase_orders VALUES (4076, 4, 2, 29, '2026-10-01', '2026-10-11', '2026-10-10', 8.0, 81.83, 'received');
INSERT INTO purchase_orders VALUES (4077, 7, 22, 28, '2026-10-03', '2026-10-24', '2026-10-27', 20.0, 0.11, 'received');
INSERT INTO purchase_orders VALUES (4078, 18, 37, 29, '2026-10-08', '2026-10-29', '2026-10-28', 200.0, 0.44, 'received');
INSERT INTO purchase_orders VALUES (4079, 6, 20, 29, '2026-10-08', '2026-11-05', '2026-11-05', 50.0, 4.23, 'received');
INSERT INTO purchase_orders VALUES (4080, 22, 10, 5, '2026-10-19', '2026-10-26', '2026-10-31', 20.0, 2.14, 'received');
INSERT INTO purchase_orders VALUES (4081, 13, 26, 28, '2026-10-19', '2026-10-29', '2026-10-29', 8.0, 100.37, 'received');
INSERT INTO purchase_orders VALUES (4082, 6, 12, 28, '2026-10-20', '2026-11-03', '2026-11-01', 20.0, 3.05, 'received');
INSERT INTO purchase_orders VALUES (4083, 15, 34, 29, '2026-10-23', '2026-11-02', '2026-11-17', 40.0, 18.23, 'received');
INSERT INTO purchase_orders VALUES (4084, 8, 18, 5, '2026-11-06', '2026-11-27', NULL, 100.0, 0.29, 'open');
INSERT INTO purchase_orders VALUES (4085, 22, 6, 28, '2026-11-09', '2026-11-30', NULL, 50.0, 0.32, 'open');
INSERT INTO purchase_orders VALUES (4086, 26, 9, 28, '2026-11-13', '2026-11-23', NULL, 150.0, 20.14, 'open');
INSERT INTO purchase_orders VALUES (4087, 18, 36, 29, '2026-11-15', '2026-11-29', NULL, 50.0, 3.18, 'open');
INSERT INTO purchase_orders VALUES (4088, 9, 13, 28, '2026-11-18', '2026-12-09', NULL, 20.0, 11.58, 'open');
INSERT INTO sales_orders VALUES (7001, 14, 7, '2023-05-20', '2023-06-17', '2023-06-17', NULL, 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7002, 14, 7, '2023-05-31', '2023-06-28', '2023-06-27', '2023-07-17', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7003, 34, 9, '2023-06-09', '2023-07-07', '2023-07-07', '2023-08-06', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7004, 20, 7, '2023-07-21', '2023-08-11', '2023-08-11', '2023-10-11', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7005, 18, 6, '2023-07-22', '2023-09-02', '2023-08-30', '2023-10-30', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7006, 34, 9, '2023-07-27', '2023-08-17', '2023-08-30', '2023-10-14', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7007, 2, 9, '2023-08-30', '2023-09-20', '2023-09-20', '2023-09-27', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7008, 22, 10, '2023-09-15', '2023-10-06', '2023-10-03', '2023-10-23', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7009, 19, 6, '2023-09-29', '2023-11-03', '2023-11-03', '2023-11-17', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7010, 20, 7, '2023-11-10', '2023-12-15', '2023-12-15', NULL, 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7011, 32, 9, '2023-11-20', '2023-12-04', '2023-12-01', '2023-12-31', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7012, 24, 8, '2023-11-27', '2023-12-25', '2023-12-25', '2024-01-01', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7013, 2, 9, '2023-12-28', '2024-01-11', NULL, NULL, 'cancelled', NULL);
INSERT INTO sales_orders VALUES (7014, 19, 6, '2024-02-09', '2024-03-01', '2024-03-03', '2024-04-06', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7015, 18, 6, '2024-02-28', '2024-03-27', '2024-04-09', '2024-05-09', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7016, 14, 10, '2024-03-12', '2024-04-02', '2024-03-30', '2024-04-29', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7017, 1, 9, '2024-03-29', '2024-04-19', '2024-04-13', '2024-05-03', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7018, 24, 9, '2024-03-29', '2024-04-12', '2024-04-20', '2024-05-20', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7019, 20, 7, '2024-03-30', '2024-05-04', '2024-05-03', '2024-05-23', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7020, 20, 7, '2024-04-26', '2024-05-17', '2024-05-11', '2024-06-14', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7021, 28, 6, '2024-05-01', '2024-06-12', '2024-06-12', '2024-07-12', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7022, 24, 9, '2024-06-20', '2024-07-25', '2024-07-24', '2024-08-13', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7023, 3, 7, '2024-07-01', '2024-08-05', '2024-08-05', '2024-10-05', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7024, 2, 10, '2024-07-20', '2024-08-24', '2024-08-24', '2024-08-31', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7025, 2, 9, '2024-08-23', '2024-09-06', '2024-09-10', '2024-10-14', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7026, 34, 9, '2024-09-18', '2024-10-30', '2024-10-24', '2024-11-27', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7027, 3, 7, '2024-10-16', '2024-11-06', '2024-11-19', '2024-12-23', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7028, 18, 6, '2024-10-27', '2024-11-10', '2024-11-09', '2024-11-29', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7029, 2, 9, '2024-11-01', '2024-11-15', '2024-11-14', '2024-11-28', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7030, 2, 9, '2024-11-12', '2024-11-26', '2024-12-04', '2024-12-11', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7031, 32, 9, '2024-12-02', '2024-12-30', '2025-01-07', '2025-01-21', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7032, 27, 6, '2024-12-07', '2025-01-11', '2025-01-19', '2025-02-02', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7033, 27, 10, '2024-12-11', '2025-01-01', '2025-01-01', '2025-02-04', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7034, 10, 8, '2024-12-24', '2025-01-14', '2025-01-16', '2025-02-15', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7035, 29, 6, '2025-01-16', '2025-02-06', NULL, NULL, 'cancelled', NULL);
INSERT INTO sales_orders VALUES (7036, 6, 8, '2025-06-24', '2025-07-22', '2025-07-24', '2025-08-23', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7037, 19, 6, '2025-07-05', '2025-08-16', '2025-08-16', '2025-09-19', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7038, 11, 7, '2025-07-19', '2025-08-02', '2025-08-15', '2025-08-29', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7039, 27, 6, '2025-07-28', '2025-08-11', '2025-08-24', '2025-10-08', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7040, 2, 8, '2025-09-04', '2025-09-18', '2025-09-18', '2025-10-08', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7041, 24, 8, '2025-10-13', '2025-11-10', '2025-11-12', '2025-12-12', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7042, 7, 8, '2025-10-20', '2025-11-10', '2025-11-10', '2025-11-24', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7043, 19, 6, '2025-11-09', '2025-12-14', '2025-12-08', '2025-12-15', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7044, 4, 8, '2026-01-03', '2026-01-17', NULL, NULL, 'cancelled', NULL);
INSERT INTO sales_orders VALUES (7045, 8, 6, '2026-01-05', '2026-01-26', '2026-01-25', '2026-03-11', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7046, 4, 8, '2026-01-07', '2026-01-28', '2026-02-01', '2026-03-18', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7047, 24, 6, '2026-01-11', '2026-02-01', '2026-02-05', '2026-03-11', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7048, 15, 7, '2026-01-18', '2026-02-15', '2026-02-15', '2026-03-01', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7049, 7, 8, '2026-02-24', '2026-03-24', '2026-03-18', '2026-05-02', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7050, 19, 6, '2026-03-05', '2026-04-02', '2026-03-30', '2026-04-06', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7051, 34, 10, '2026-03-31', '2026-05-05', '2026-05-02', '2026-05-16', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7052, 26, 6, '2026-05-01', '2026-05-22', '2026-05-26', '2026-06-25', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7053, 24, 10, '2026-05-03', '2026-05-24', '2026-05-24', '2026-06-27', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7054, 27, 6, '2026-05-07', '2026-06-18', '2026-07-01', '2026-07-15', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7055, 16, 7, '2026-05-08', '2026-06-19', '2026-06-13', '2026-06-20', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7056, 9, 6, '2026-05-21', '2026-06-11', '2026-06-11', '2026-08-11', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7057, 14, 6, '2026-06-02', '2026-06-16', '2026-06-16', '2026-07-31', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7058, 14, 7, '2026-06-15', '2026-07-20', '2026-07-20', '2026-08-09', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7059, 26, 6, '2026-06-16', '2026-07-14', '2026-07-18', '2026-08-17', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7060, 21, 10, '2026-06-17', '2026-07-08', NULL, NULL, 'cancelled', NULL);
INSERT INTO sales_orders VALUES (7061, 23, 7, '2026-06-22', '2026-07-20', '2026-07-20', '2026-08-09', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7062, 36, 8, '2026-07-05', '2026-07-26', NULL, NULL, 'cancelled', NULL);
INSERT INTO sales_orders VALUES (7063, 2, 8, '2026-07-15', '2026-08-19', '2026-09-01', '2026-10-01', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7064, 2, 10, '2026-07-17', '2026-08-21', '2026-08-29', '2026-10-02', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7065, 13, 7, '2026-08-08', '2026-09-05', '2026-09-02', '2026-09-09', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7066, 27, 6, '2026-08-14', '2026-09-04', '2026-09-03', '2026-09-17', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7067, 5, 6, '2026-08-16', '2026-09-06', '2026-09-10', '2026-10-10', 'shipped', 'Schenker');
INSERT INTO sales_orders VALUES (7068, 24, 6, '2026-08-23', '2026-10-04', '2026-10-01', '2026-10-08', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7069, 27, 6, '2026-08-27', '2026-09-17', '2026-09-17', '2026-11-17', 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7070, 23, 6, '2026-08-30', '2026-10-11', '2026-10-10', '2026-10-30', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7071, 16, 7, '2026-09-03', '2026-10-15', '2026-10-17', '2026-11-06', 'shipped', 'Dachser');
INSERT INTO sales_orders VALUES (7072, 19, 6, '2026-09-13', '2026-10-11', '2026-10-08', '2026-11-22', 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7073, 8, 7, '2026-09-25', '2026-11-06', '2026-10-31', NULL, 'shipped', 'own van');
INSERT INTO sales_orders VALUES (7074, 36, 8, '2026-10-09', '2026-11-13', '2026-11-15', NULL, 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7075, 28, 6, '2026-10-19', '2026-11-16', NULL, NULL, 'in production', NULL);
INSERT INTO sales_orders VALUES (7076, 8, 6, '2026-10-26', '2026-11-30', NULL, NULL, 'in production', NULL);
INSERT INTO sales_orders VALUES (7077, 23, 6, '2026-10-26', '2026-11-30', NULL, NULL, 'in production', NULL);
INSERT INTO sales_orders VALUES (7078, 34, 6, '2026-10-29', '2026-11-12', '2026-11-12', NULL, 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7079, 13, 7, '2026-10-29', '2026-12-10', NULL, NULL, 'cancelled', NULL);
INSERT INTO sales_orders VALUES (7080, 36, 8, '2026-11-02', '2026-11-16', '2026-11-10', NULL, 'shipped', 'DHL Freight');
INSERT INTO sales_orders VALUES (7081, 16, 7, '2026-11-04', '2026-12-09', NULL, NULL, 'in production', NULL);
INSERT INTO sales_orders VALUES (7082, 11, 8, '2026-11-05', '2026-12-03', NULL, NULL, 'in production', NULL);
INSERT INTO sales_orders VALUES (7083, 23, 10, '2026-11-05', '2026-11-19', NULL, NULL, 'in production', NULL);
INSERT INTO sales_orders VALUES (7084, 8, 6, '2026-11-06', '2026-12-04', NULL, NULL, 'in production', NULL);
INSERT INTO sales_orders VALUES (7085, 1, 10, '2026-11-07', '2026-12-19', NULL, NULL, 'in production', NULL);
INSERT INTO sales_orders VALUES (7086, 31, 7, '2026-11-09', '2026-11-30', NULL, NULL, 'in production', NULL);
INSERT INTO sales_orders VALUES (7087, 21, 8, '2026-11-09', '2026-11-30', NULL, NULL, 'in production', NULL);
INSERT INTO sales_orders VALUES (7088, 14, 6, '2026-11-18', '2026-12-16', NULL, NULL, 'open', NULL);
INSERT INTO sales_order_lines VALUES (7001, 1, 'ST-125', 4, 378.56, 223.4);
INSERT INTO sales_order_lines VALUES (7002, 1, 'LI-112', 4, 953.5, 891.71);
INSERT INTO sales_order_lines VALUES (7002, 2, 'LI-102', 2, 163.12, 128.91);
INSERT INTO sales_order_lines VALUES (7003, 1, 'LI-102', 2, 173.99, 128.91);
INSERT INTO sales_order_lines VALUES (7004, 1, 'MO-117', 3, 222.95, 161.73);
INSERT INTO sales_order_lines VALUES (7005, 1, 'HA-127', 4, 703.89, 540.41);
INSERT INTO sales_order_lines VALUES (7006, 1, 'ST-120', 3, 343.98, 225.78);
INSERT INTO sales_order_lines VALUES (7006, 2, 'HA-127', 3, 866.32, 540.41);
INSERT INTO sales_order_lines VALUES (7006, 3, 'MO-117', 4, 254.8, 161.73);
INSERT INTO sales_order_lines VALUES (7007, 1, 'AT-132', 1, 73.94, 55.22);
INSERT INTO sales_order_lines VALUES (7008, 1, 'FJ-115', 12, 305.76, 207.35);
INSERT INTO sales_order_lines VALUES (7008, 2, 'MO-106', 12, 349.71, 277.82);
INSERT INTO sales_order_lines VALUES (7008, 3, 'AT-105', 6, 146.13, 121.45);
INSERT INTO sales_order_lines VALUES (7009, 1, 'MO-104', 12, 101.69, 64.73);
INSERT INTO sales_order_lines VALUES (7009, 2, 'FJ-107', 6, 439.53, 380.9);
INSERT INTO sales_order_lines VALUES (7010, 1, 'LI-111', 1, 727.82, 636.93);
INSERT INTO sales_order_lines VALUES (7010, 2, 'ST-120', 10, 304.67, 225.78);
INSERT INTO sales_order_lines VALUES (7010, 3, 'ST-131', 4, 62.43, 46.39);
INSERT INTO sales_order_lines VALUES (7011, 1, 'LI-102', 8, 134.84, 128.91);
INSERT INTO sales_order_lines VALUES (7011, 2, 'HA-127', 1, 812.18, 540.41);
INSERT INTO sales_order_lines VALUES (7012, 1, 'ST-120', 4, 393.12, 225.78);
INSERT INTO sales_order_lines VALUES (7013, 1, 'HA-108', 2, 292.79, 261.77);
INSERT INTO sales_order_lines VALUES (7013, 2, 'FJ-115', 1, 286.65, 207.35);
INSERT INTO sales_order_lines VALUES (7013, 3, 'AT-105', 12, 164.98, 121.45);
INSERT INTO sales_order_lines VALUES (7014, 1, 'AT-105', 8, 150.95, 125.46);
INSERT INTO sales_order_lines VALUES (7015, 1, 'FJ-107', 2, 486.45, 393.46);
INSERT INTO sales_order_lines VALUES (7016, 1, 'AT-105', 1, 170.42, 125.46);
INSERT INTO sales_order_lines VALUES (7017, 1, 'FJ-115', 2, 244.78, 214.19);
INSERT INTO sales_order_lines VALUES (7018, 1, 'HA-103', 2, 127.09, 77.04);
INSERT INTO sales_order_lines VALUES (7019, 1, 'HA-103', 12, 111.2, 77.04);
INSERT INTO sales_order_lines VALUES (7019, 2, 'HA-113', 4, 717.22, 470.04);
INSERT INTO sales_order_lines VALUES (7020, 1, 'AT-132', 2, 82.25, 57.04);
INSERT INTO sales_order_lines VALUES (7020, 2, 'LI-102', 3, 168.5, 133.16);
INSERT INTO sales_order_lines VALUES (7021, 1, 'FJ-122', 6, 1101.49, 927.14);
INSERT INTO sales_order_lines VALUES (7022, 1, 'AT-132', 2, 88.12, 57.04);
INSERT INTO sales_order_lines VALUES (7023, 1, 'AT-116', 1, 360.96, 235.5);
INSERT INTO sales_order_lines VALUES (7023, 2, 'LI-111', 6, 788.19, 657.93);
INSERT INTO sales_order_lines VALUES (7024, 1, 'AT-118', 1, 585.62, 375.92);
INSERT INTO sales_order_lines VALUES (7025, 1, 'HA-108', 10, 348.97, 270.4);
INSERT INTO sales_order_lines VALUES (7025, 2, 'MO-117', 2, 230.3, 167.06);
INSERT INTO sales_order_lines VALUES (7026, 1, 'AT-116', 12, 315.84, 235.5);
INSERT INTO sales_order_lines VALUES (7026, 2, 'HA-129', 10, 190.82, 138.94);
INSERT INTO sales_order_lines VALUES (7027, 1, 'ST-125', 3, 342.16, 230.77);
INSERT INTO sales_order_lines VALUES (7028, 1, 'ST-125', 10, 342.16, 230.77);
INSERT INTO sales_order_lines VALUES (7028, 2, 'LI-102', 8, 179.73, 133.16);
INSERT INTO sales_order_lines VALUES (7029, 1, 'HA-127', 4, 894.88, 558.22);
INSERT INTO sales_order_lines VALUES (7030, 1, 'HA-127', 1, 783.02, 558.22);
INSERT INTO sales_order_lines VALUES (7031, 1, 'LI-109', 2, 201.02, 154.9);
INSERT INTO sales_order_lines VALUES (7032, 1, 'AT-116', 2, 315.84, 235.5);
INSERT INTO sales_order_lines VALUES (7033, 1, 'AT-116', 8, 293.28, 235.5);
INSERT INTO sales_order_lines VALUES (7034, 1, 'AT-118', 4, 543.79, 375.92);
INSERT INTO sales_order_lines VALUES (7035, 1, 'LI-111', 6, 775.81, 678.92);
INSERT INTO sales_order_lines VALUES (7036, 1, 'ST-125', 3, 403.52, 238.13);
INSERT INTO sales_order_lines VALUES (7037, 1, 'MO-128', 3, 712.95, 516.11);
INSERT INTO sales_order_lines VALUES (7038, 1, 'LI-102', 4, 185.46, 137.4);
INSERT INTO sales_order_lines VALUES (7038, 2, 'LI-112', 2, 1229.47, 950.51);
INSERT INTO sales_order_lines VALUES (7039, 1, 'AT-105', 8, 188.42, 129.46);
INSERT INTO sales_order_lines VALUES (7039, 2, 'MO-130', 12, 132.31, 96.66);
INSERT INTO sales_order_lines VALUES (7040, 1, 'FJ-107', 3, 468.51, 406.01);
INSERT INTO sales_order_lines VALUES (7041, 1, 'FJ-107', 2, 468.51, 406.01);
INSERT INTO sales_order_lines VALUES (7042, 1, 'LI-112', 4, 1147.51, 950.51);
INSERT INTO sales_order_lines VALUES (7042, 2, 'AT-116', 10, 349.2, 243.02);
INSERT INTO sales_order_lines VALUES (7042, 3, 'HA-133', 1, 1554.91, 1385.77);
INSERT INTO sales_order_lines VALUES (7043, 1, 'MO-128', 1, 665.42, 516.11);
INSERT INTO sales_order_lines VALUES (7043, 2, 'LI-111', 6, 1001.04, 678.92);
INSERT INTO sales_order_lines VALUES (7043, 3, 'HA-129', 2, 210.98, 143.38);
INSERT INTO sales_order_lines VALUES (7044, 1, 'ST-131', 10, 63.7, 50.98);
INSERT INTO sales_order_lines VALUES (7044, 2, 'HA-129', 6, 188.5, 147.81);
INSERT INTO sales_order_lines VALUES (7045, 1, 'HA-108', 1, 346.5, 287.66);
INSERT INTO sales_order_lines VALUES (7046, 1, 'HA-113', 6, 763.0, 500.04);
INSERT INTO sales_order_lines VALUES (7047, 1, 'HA-108', 12, 346.5, 287.66);
INSERT INTO sales_order_lines VALUES (7048, 1, 'LI-112', 6, 1267.5, 979.91);
INSERT INTO sales_order_lines VALUES (7048, 2, 'HA-133', 6, 1603.0, 1428.63);
INSERT INTO sales_order_lines VALUES (7049, 1, 'AT-116', 12, 312.0, 250.53);
INSERT INTO sales_order_lines VALUES (7050, 1, 'LI-124', 2, 658.0, 474.73);
INSERT INTO sales_order_lines VALUES (7050, 2, 'LI-112', 2, 1267.5, 979.91);
INSERT INTO sales_order_lines VALUES (7051, 1, 'FJ-115', 1, 294.0, 227.86);
INSERT INTO sales_order_lines VALUES (7051, 2, 'FJ-107', 3, 483.0, 418.57);
INSERT INTO sales_order_lines VALUES (7051, 3, 'HA-103', 6, 104.78, 81.96);
INSERT INTO sales_order_lines VALUES (7052, 1, 'FJ-107', 1, 552.0, 418.57);
INSERT INTO sales_order_lines VALUES (7052, 2, 'HA-126', 1, 1012.5, 705.88);
INSERT INTO sales_order_lines VALUES (7053, 1, 'LI-102', 3, 167.3, 141.65);
INSERT INTO sales_order_lines VALUES (7053, 2, 'ST-120', 12, 432.0, 248.11);
INSERT INTO sales_order_lines VALUES (7053, 3, 'MO-106', 8, 411.75, 305.29);
INSERT INTO sales_order_lines VALUES (7054, 1, 'LI-101', 2, 117.18, 88.91);
INSERT INTO sales_order_lines VALUES (7054, 2, 'LI-124', 6, 611.0, 474.73);
INSERT INTO sales_order_lines VALUES (7055, 1, 'AT-132', 1, 93.75, 60.68);
INSERT INTO sales_order_lines VALUES (7055, 2, 'AT-118', 1, 667.5, 399.91);
INSERT INTO sales_order_lines VALUES (7056, 1, 'HA-108', 12, 321.75, 287.66);
INSERT INTO sales_order_lines VALUES (7056, 2, 'HA-113', 3, 763.0, 500.04);
INSERT INTO sales_order_lines VALUES (7057, 1, 'LI-102', 2, 148.18, 141.65);
INSERT INTO sales_order_lines VALUES (7057, 2, 'MO-106', 3, 356.85, 305.29);
INSERT INTO sales_order_lines VALUES (7057, 3, 'HA-113', 2, 763.0, 500.04);
INSERT INTO sales_order_lines VALUES (7058, 1, 'LI-124', 2, 582.8, 474.73);
INSERT INTO sales_order_lines VALUES (7058, 2, 'HA-129', 12, 188.5, 147.81);
INSERT INTO sales_order_lines VALUES (7059, 1, 'LI-109', 6, 213.85, 164.79);
INSERT INTO sales_order_lines VALUES (7059, 2, 'HA-103', 1, 126.75, 81.96);
INSERT INTO sales_order_lines VALUES (7060, 1, 'ST-120', 1, 334.8, 248.11);
INSERT INTO sales_order_lines VALUES (7060, 2, 'HA-129', 6, 179.8, 147.81);
INSERT INTO sales_order_lines VALUES (7061, 1, 'HA-126', 3, 1012.5, 705.88);
INSERT INTO sales_order_lines VALUES (7061, 2, 'ST-120', 3, 405.0, 248.11);
INSERT INTO sales_order_lines VALUES (7061, 3, 'HA-129', 4, 179.8, 147.81);
INSERT INTO sales_order_lines VALUES (7062, 1, 'LI-109', 10, 263.2, 164.79);
INSERT INTO sales_order_lines VALUES (7063, 1, 'HA-133', 6, 1603.0, 1428.63);
INSERT INTO sales_order_lines VALUES (7064, 1, 'ST-125', 4, 390.0, 245.5);
INSERT INTO sales_order_lines VALUES (7064, 2, 'FJ-107', 2, 427.8, 418.57);
INSERT INTO sales_order_lines VALUES (7065, 1, 'LI-111', 1, 903.0, 699.92);
INSERT INTO sales_order_lines VALUES (7066, 1, 'LI-124', 2, 658.0, 474.73);
INSERT INTO sales_order_lines VALUES (7066, 2, 'HA-126', 2, 877.5, 705.88);
INSERT INTO sales_order_lines VALUES (7067, 1, 'LI-124', 2, 658.0, 474.73);
INSERT INTO sales_order_lines VALUES (7068, 1, 'HA-126', 2, 837.0, 705.88);
INSERT INTO sales_order_lines VALUES (7068, 2, 'MO-106', 3, 356.85, 305.29);
INSERT INTO sales_order_lines VALUES (7069, 1, 'AT-118', 4, 623.0, 399.91);
INSERT INTO sales_order_lines VALUES (7070, 1, 'AT-132', 10, 100.0, 60.68);
INSERT INTO sales_order_lines VALUES (7071, 1, 'LI-109', 3, 230.3, 164.79);
INSERT INTO sales_order_lines VALUES (7071, 2, 'HA-113', 1, 708.5, 500.04);
INSERT INTO sales_order_lines VALUES (7071, 3, 'FJ-122', 1, 1171.8, 986.32);
INSERT INTO sales_order_lines VALUES (7072, 1, 'FJ-122', 1, 1171.8, 986.32);
INSERT INTO sales_order_lines VALUES (7073, 1, 'AT-132', 1, 77.5, 60.68);
INSERT INTO sales_order_lines VALUES (7074, 1, 'HA-129', 8, 179.8, 147.81);
INSERT INTO sales_order_lines VALUES (7075, 1, 'HA-129', 4, 203.0, 147.81);
INSERT INTO sales_order_lines VALUES (7075, 2, 'LI-111', 1, 903.0, 699.92);
INSERT INTO sales_order_lines VALUES (7076, 1, 'HA-108', 4, 306.9, 287.66);
INSERT INTO sales_order_lines VALUES (7076, 2, 'MO-117', 10, 227.5, 177.73);
INSERT INTO sales_order_lines VALUES (7077, 1, 'LI-112', 1, 1047.8, 979.91);
INSERT INTO sales_order_lines VALUES (7078, 1, 'LI-124', 1, 582.8, 474.73);
INSERT INTO sales_order_lines VALUES (7079, 1, 'FJ-107', 2, 483.0, 418.57);
INSERT INTO sales_order_lines VALUES (7079, 2, 'AT-132', 3, 87.5, 60.68);
INSERT INTO sales_order_lines VALUES (7080, 1, 'HA-133', 4, 1832.0, 1428.63);
INSERT INTO sales_order_lines VALUES (7080, 2, 'MO-130', 2, 136.4, 99.65);
INSERT INTO sales_order_lines VALUES (7081, 1, 'HA-133', 1, 1832.0, 1428.63);
INSERT INTO sales_order_lines VALUES (7081, 2, 'HA-108', 2, 306.9, 287.66);
INSERT INTO sales_order_lines VALUES (7082, 1, 'HA-103', 1, 109.85, 81.96);
INSERT INTO sales_order_lines VALUES (7083, 1, 'LI-124', 6, 611.0, 474.73);
INSERT INTO sales_order_lines VALUES (7083, 2, 'LI-102', 12, 155.35, 141.65);
INSERT INTO sales_order_lines VALUES (7084, 1, 'LI-112', 3, 1183.0, 979.91);
INSERT INTO sales_order_lines VALUES (7084, 2, 'HA-103', 4, 135.2, 81.96);
INSERT INTO sales_order_lines VALUES (7084, 3, 'AT-116', 2, 384.0, 250.53);
INSERT INTO sales_order_lines VALUES (7085, 1, 'FJ-107', 1, 552.0, 418.57);
INSERT INTO sales_order_lines VALUES (7086, 1, 'HA-113', 3, 675.8, 500.04);
INSERT INTO sales_order_lines VALUES (7087, 1, 'MO-130', 2, 176.0, 99.65);
INSERT INTO sales_order_lines VALUES (7088, 1, 'LI-101', 3, 122.85, 88.91);
INSERT INTO sales_order_lines VALUES (7088, 2, 'HA-108', 4, 321.75, 287.66);
INSERT INTO production_runs VALUES (901, 'FJ-122', 11, '2023-03-09', '2023-03-21', 10, 7, 2, 127.8);
INSERT INTO production_runs VALUES (902, 'LI-112', 12, '2023-06-07', '2023-06-23', 25, 22, 3, 197.4);
INSERT INTO production_runs VALUES (903, 'LI-102', 12, '2023-06-09', '2023-06-26', 25, 24, 1, 35.1);
INSERT INTO production_runs VALUES (904, 'MO-104', 12, '2023-07-10', '2023-07-22', 25, 22, 3, 35.8);
INSERT INTO production_runs VALUES (905, 'AT-105', 11, '2023-08-01', '2023-08-20', 10, 6, 3, 17.4);
INSERT INTO production_runs VALUES (906, 'LI-102', 13, '2023-08-25', '2023-09-01', 5, 4, 1, 9.1);
INSERT INTO production_runs VALUES (907, 'AT-119', 13, '2023-09-18', '2023-10-04', 8, 6, 2, 35.9);
INSERT INTO production_runs VALUES (908, 'FJ-107', 11, '2023-10-07', '2023-10-14', 12, 10, 2, 40.7);
INSERT INTO production_runs VALUES (909, 'FJ-107', 13, '2023-10-28', '2023-11-12', 5, 5, 0, 23.9);
INSERT INTO production_runs VALUES (910, 'ST-120', 11, '2023-11-15', '2023-11-22', 15, 15, 0, 47.1);
INSERT INTO production_runs VALUES (911, 'ST-131', 11, '2023-11-30', '2023-12-15', 5, 4, 1, 7.2);
INSERT INTO production_runs VALUES (912, 'MO-117', 11, '2024-01-10', '2024-01-20', 5, 4, 1, 13.1);
INSERT INTO production_runs VALUES (913, 'AT-119', 12, '2024-01-24', '2024-01-30', 15, 13, 1, 65.3);
INSERT INTO production_runs VALUES (914, 'AT-132', 11, '2024-01-30', '2024-02-08', 12, 11, 0, 16.5);
INSERT INTO production_runs VALUES (915, 'ST-120', 11, '2024-02-14', '2024-02-22', 25, 25, 0, 63.4);
INSERT INTO production_runs VALUES (916, 'AT-119', 12, '2024-02-23', '2024-03-06', 5, 4, 1, 30.1);
INSERT INTO production_runs VALUES (917, 'AT-105', 12, '2024-03-02', '2024-03-05', 15, 9, 5, 18.5);
INSERT INTO production_runs VALUES (918, 'LI-112', 12, '2024-03-13', '2024-03-26', 8, 8, 0, 98.7);
INSERT INTO production_runs VALUES (919, 'FJ-114', 12, '2024-04-02', '2024-04-13', 25, 25, 0, 370.9);
INSERT INTO production_runs VALUES (920, 'FJ-122', 11, '2024-05-20', '2024-05-31', 25, 23, 2, 276.8);
INSERT INTO production_runs VALUES (921, 'AT-132', 13, '2024-06-07', '2024-06-14', 25, 25, 0, 28.9);
INSERT INTO production_runs VALUES (922, 'ST-134', 12, '2024-07-03', '2024-07-10', 30, 26, 3, 180.7);
INSERT INTO production_runs VALUES (923, 'ST-134', 11, '2024-07-20', '2024-08-01', 25, 20, 4, 172.2);
INSERT INTO production_runs VALUES (924, 'FJ-115', 12, '2024-08-04', '2024-08-22', 30, 30, 0, 98.3);
INSERT INTO production_runs VALUES (925, 'MO-106', 11, '2024-08-07', '2024-08-16', 15, 15, 0, 58.6);
INSERT INTO production_runs VALUES (926, 'AT-118', 11, '2024-08-16', '2024-08-30', 30, 26, 4, 174.7);
INSERT INTO production_runs VALUES (927, 'AT-132', 13, '2024-08-19', '2024-08-22', 30, 26, 4, 33.4);
INSERT INTO production_runs VALUES (928, 'HA-103', 12, '2024-08-23', '2024-09-10', 5, 4, 1, 7.1);
INSERT INTO production_runs VALUES (929, 'FJ-107', 13, '2024-09-13', '2024-09-26', 15, 15, 0, 45.4);
INSERT INTO production_runs VALUES (930, 'LI-109', 11, '2024-11-01', '2024-11-12', 8, 8, 0, 15.4);
INSERT INTO production_runs VALUES (931, 'MO-106', 12, '2024-11-06', '2024-11-24', 10, 8, 2, 40.0);
INSERT INTO production_runs VALUES (932, 'ST-125', 13, '2024-11-15', '2024-11-18', 15, 14, 1, 57.3);
INSERT INTO production_runs VALUES (933, 'HA-127', 11, '2024-12-17', '2024-12-25', 10, 9, 1, 53.7);
INSERT INTO production_runs VALUES (934, 'FJ-115', 13, '2024-12-17', '2024-12-27', 10, 7, 3, 27.6);
INSERT INTO production_runs VALUES (935, 'MO-128', 11, '2024-12-21', '2025-01-01', 30, 30, 0, 210.4);
INSERT INTO production_runs VALUES (936, 'FJ-107', 13, '2025-01-03', '2025-01-21', 10, 7, 3, 38.3);
INSERT INTO production_runs VALUES (937, 'LI-102', 12, '2025-01-15', '2025-01-26', 5, 4, 1, 8.6);
INSERT INTO production_runs VALUES (938, 'ST-134', 12, '2025-01-26', '2025-02-13', 10, 8, 2, 77.8);
INSERT INTO production_runs VALUES (939, 'AT-116', 11, '2025-03-02', '2025-03-21', 5, 5, 0, 18.7);
INSERT INTO production_runs VALUES (940, 'MO-117', 11, '2025-03-12', '2025-03-27', 15, 13, 2, 27.4);
INSERT INTO production_runs VALUES (941, 'AT-132', 12, '2025-03-19', '2025-03-24', 10, 10, 0, 11.0);
INSERT INTO production_runs VALUES (942, 'MO-106', 11, '2025-03-28', '2025-04-05', 12, 9, 3, 34.6);
INSERT INTO production_runs VALUES (943, 'MO-128', 11, '2025-04-10', '2025-04-24', 20, 14, 5, 152.1);
INSERT INTO production_runs VALUES (944, 'LI-121', 13, '2025-04-26', '2025-04-30', 20, 20, 0, 170.1);
INSERT INTO production_runs VALUES (945, 'MO-130', 11, '2025-05-05', '2025-05-20', 5, 4, 1, 5.4);
INSERT INTO production_runs VALUES (946, 'HA-103', 12, '2025-05-14', '2025-06-02', 8, 7, 1, 7.3);
INSERT INTO production_runs VALUES (947, 'ST-125', 11, '2025-05-25', '2025-06-01', 8, 7, 1, 21.2);
INSERT INTO production_runs VALUES (948, 'FJ-122', 13, '2025-07-18', '2025-07-28', 5, 5, 0, 56.5);
INSERT INTO production_runs VALUES (949, 'AT-116', 13, '2025-08-03', '2025-08-22', 5, 5, 0, 12.8);
INSERT INTO production_runs VALUES (950, 'AT-132', 13, '2025-08-14', '2025-08-21', 10, 10, 0, 11.9);
INSERT INTO production_runs VALUES (951, 'ST-125', 13, '2025-08-17', '2025-09-05', 12, 11, 0, 27.9);
INSERT INTO production_runs VALUES (952, 'HA-129', 13, '2025-08-22', '2025-08-28', 10, 9, 1, 13.2);
INSERT INTO production_runs VALUES (953, 'LI-109', 11, '2025-09-23', '2025-10-09', 25, 24, 1, 39.4);
INSERT INTO production_runs VALUES (954, 'ST-134', 11, '2025-10-21', '2025-11-06', 5, 4, 1, 40.6);
INSERT INTO production_runs VALUES (955, 'AT-132', 13, '2025-11-09', '2025-11-21', 25, 22, 2, 35.4);
INSERT INTO production_runs VALUES (956, 'LI-111', 12, '2025-11-14', '2025-11-25', 15, 14, 1, 86.5);
INSERT INTO production_runs VALUES (957, 'LI-124', 12, '2025-11-30', '2025-12-15', 30, 29, 1, 170.4);
INSERT INTO production_runs VALUES (958, 'MO-104', 11, '2025-12-28', '2026-01-05', 30, 30, 0, 40.9);
INSERT INTO production_runs VALUES (959, 'AT-132', 13, '2026-01-01', '2026-01-15', 20, 19, 1, 26.3);
INSERT INTO production_runs VALUES (960, 'AT-105', 13, '2026-01-09', '2026-01-19', 5, 4, 1, 8.0);
INSERT INTO production_runs VALUES (961, 'AT-118', 13, '2026-01-21', '2026-02-06', 30, 30, 0, 134.3);
INSERT INTO production_runs VALUES (962, 'ST-125', 11, '2026-01-31', '2026-02-16', 8, 8, 0, 22.1);
INSERT INTO production_runs VALUES (963, 'HA-133', 13, '2026-03-14', '2026-03-20', 30, 28, 2, 341.4);
INSERT INTO production_runs VALUES (964, 'HA-108', 12, '2026-03-16', '2026-03-27', 5, 4, 1, 12.2);
INSERT INTO production_runs VALUES (965, 'HA-103', 13, '2026-03-31', '2026-04-15', 25, 23, 2, 32.8);
INSERT INTO production_runs VALUES (966, 'LI-101', 12, '2026-04-15', '2026-05-04', 30, 28, 1, 29.6);
INSERT INTO production_runs VALUES (967, 'LI-109', 13, '2026-05-25', '2026-05-31', 20, 18, 2, 43.1);
INSERT INTO production_runs VALUES (968, 'ST-123', 12, '2026-06-01', '2026-06-17', 8, 6, 2, 28.0);
INSERT INTO production_runs VALUES (969, 'HA-126', 12, '2026-06-04', '2026-06-12', 12, 8, 4, 111.2);
INSERT INTO production_runs VALUES (970, 'ST-120', 12, '2026-06-28', '2026-07-14', 25, 23, 2, 62.0);
INSERT INTO production_runs VALUES (971, 'FJ-115', 13, '2026-07-13', '2026-07-26', 25, 21, 4, 58.7);
INSERT INTO production_runs VALUES (972, 'MO-128', 13, '2026-08-01', '2026-08-18', 10, 7, 2, 55.7);
INSERT INTO production_runs VALUES (973, 'LI-101', 13, '2026-08-06', '2026-08-17', 20, 16, 4, 24.0);
INSERT INTO production_runs VALUES (974, 'ST-123', 13, '2026-08-21', '2026-09-08', 25, 22, 2, 91.6);
INSERT INTO production_runs VALUES (975, 'ST-131', 11, '2026-08-22', '2026-08-27', 15, 15, 0, 13.9);
INSERT INTO production_runs VALUES (976, 'AT-118', 12, '2026-08-28', '2026-09-13', 25, 23, 1, 116.0);
INSERT INTO production_runs VALUES (977, 'LI-101', 11, '2026-09-02', '2026-09-17', 5, 5, 0, 4.6);
INSERT INTO production_runs VALUES (978, 'HA-133', 12, '2026-09-03', '2026-09-12', 15, 14, 1, 245.1);
INSERT INTO production_runs VALUES (979, 'HA-133', 12, '2026-09-04', '2026-09-14', 10, 7, 3, 117.5);
INSERT INTO production_runs VALUES (980, 'LI-101', 13, '2026-09-13', '2026-09-22', 15, 15, 0, 21.1);
INSERT INTO production_runs VALUES (981, 'ST-131', 12, '2026-09-20', '2026-09-28', 25, 24, 0, 27.5);
INSERT INTO production_runs VALUES (982, 'HA-126', 12, '2026-10-04', '2026-10-09', 12, 12, 0, 75.3);
INSERT INTO production_runs VALUES (983, 'HA-133', 13, '2026-10-18', '2026-11-01', 5, 4, 1, 63.2);
INSERT INTO production_runs VALUES (984, 'LI-102', 11, '2026-10-20', '2026-11-03', 10, 10, 0, 11.0);
INSERT INTO production_runs VALUES (985, 'MO-106', 13, '2026-10-30', '2026-11-08', 8, 8, 0, 30.5);
INSERT INTO production_runs VALUES (986, 'HA-129', 12, '2026-11-01', '2026-11-04', 15, 15, 0, 21.2);
INSERT INTO production_runs VALUES (987, 'LI-101', 12, '2026-11-09', '2026-11-18', 15, 14, 0, 21.8);
INSERT INTO production_runs VALUES (988, 'ST-120', 12, '2026-11-12', NULL, 5, NULL, NULL, NULL);
INSERT INTO production_runs VALUES (989, 'HA-108', 12, '2026-11-13', NULL, 12, NULL, NULL, NULL);
INSERT INTO production_runs VALUES (990, 'LI-101', 12, '2026-11-14', NULL, 10, NULL, NULL, NULL);
INSERT INTO production_runs VALUES (991, 'AT-118', 13, '2026-11-19', NULL, 5, NULL, NULL, NULL);
INSERT INTO production_runs VALUES (992, 'HA-129', 13, '2026-11-20', NULL, 25, NULL, NULL, NULL);
INSERT INTO quality_checks VALUES (1, 901, 4, '2023-03-22', 'fail', 'loose joint', 5);
INSERT INTO quality_checks VALUES (2, 901, 4, '2023-03-26', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (3, 902, 25, '2023-06-25', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (4, 903, 25, '2023-06-26', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (5, 904, 25, '2023-07-23', 'rework', 'uneven finish', 3);
INSERT INTO quality_checks VALUES (6, 904, 25, '2023-07-30', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (7, 905, 4, '2023-08-22', 'rework', 'uneven finish', 2);
INSERT INTO quality_checks VALUES (8, 905, 25, '2023-08-27', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (9, 906, 25, '2023-09-04', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (10, 907, 25, '2023-10-07', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (11, 908, 25, '2023-10-17', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (12, 910, 25, '2023-11-24', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (13, 911, 4, '2023-12-16', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (14, 912, 25, '2024-01-21', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (15, 913, 4, '2024-02-02', 'fail', 'fabric seam', 1);
INSERT INTO quality_checks VALUES (16, 913, 4, '2024-02-09', 'rework', 'loose joint', 2);
INSERT INTO quality_checks VALUES (17, 914, 4, '2024-02-11', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (18, 915, 25, '2024-02-23', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (19, 917, 25, '2024-03-06', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (20, 918, 4, '2024-03-26', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (21, 919, 4, '2024-04-16', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (22, 920, 4, '2024-05-31', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (23, 921, 25, '2024-06-14', 'rework', 'wrong colour', 1);
INSERT INTO quality_checks VALUES (24, 921, 25, '2024-06-17', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (25, 922, 4, '2024-07-12', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (26, 923, 25, '2024-08-03', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (27, 925, 4, '2024-08-18', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (28, 924, 25, '2024-08-24', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (29, 927, 4, '2024-08-25', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (30, 926, 25, '2024-08-31', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (31, 928, 25, '2024-09-12', 'rework', 'loose joint', 5);
INSERT INTO quality_checks VALUES (32, 928, 4, '2024-09-15', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (33, 929, 25, '2024-09-29', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (34, 930, 4, '2024-11-12', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (35, 932, 27, '2024-11-20', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (36, 931, 27, '2024-11-24', 'rework', 'loose joint', 1);
INSERT INTO quality_checks VALUES (37, 931, 27, '2024-11-28', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (38, 933, 27, '2024-12-27', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (39, 935, 4, '2025-01-03', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (40, 936, 27, '2025-01-24', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (41, 937, 25, '2025-01-29', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (42, 939, 26, '2025-03-24', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (43, 941, 25, '2025-03-24', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (44, 940, 26, '2025-03-28', 'rework', 'wobbles', 5);
INSERT INTO quality_checks VALUES (45, 940, 27, '2025-03-30', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (46, 942, 25, '2025-04-07', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (47, 943, 4, '2025-04-24', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (48, 944, 25, '2025-05-02', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (49, 945, 4, '2025-05-20', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (50, 947, 4, '2025-06-03', 'rework', 'wrong colour', 1);
INSERT INTO quality_checks VALUES (51, 946, 25, '2025-06-04', 'rework', 'loose joint', 5);
INSERT INTO quality_checks VALUES (52, 946, 27, '2025-06-06', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (53, 947, 26, '2025-06-11', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (54, 948, 25, '2025-07-28', 'rework', 'wrong colour', 2);
INSERT INTO quality_checks VALUES (55, 948, 26, '2025-08-03', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (56, 950, 4, '2025-08-23', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (57, 949, 25, '2025-08-24', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (58, 952, 27, '2025-08-30', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (59, 951, 4, '2025-09-05', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (60, 954, 25, '2025-11-07', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (61, 955, 27, '2025-11-22', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (62, 956, 27, '2025-11-25', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (63, 957, 4, '2025-12-18', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (64, 958, 4, '2026-01-05', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (65, 959, 25, '2026-01-18', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (66, 960, 26, '2026-01-19', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (67, 961, 4, '2026-02-06', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (68, 962, 27, '2026-02-17', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (69, 963, 26, '2026-03-20', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (70, 964, 25, '2026-03-28', 'rework', 'fabric seam', 2);
INSERT INTO quality_checks VALUES (71, 964, 4, '2026-03-30', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (72, 965, 4, '2026-04-16', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (73, 966, 25, '2026-05-05', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (74, 967, 27, '2026-05-31', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (75, 969, 4, '2026-06-12', 'rework', 'fabric seam', 3);
INSERT INTO quality_checks VALUES (76, 968, 25, '2026-06-17', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (77, 969, 25, '2026-06-19', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (78, 970, 25, '2026-07-17', 'rework', 'wobbles', 3);
INSERT INTO quality_checks VALUES (79, 970, 26, '2026-07-24', 'rework', 'scratches', 3);
INSERT INTO quality_checks VALUES (80, 971, 26, '2026-07-29', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (81, 972, 4, '2026-08-19', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (82, 973, 25, '2026-08-20', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (83, 975, 4, '2026-08-27', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (84, 978, 25, '2026-09-12', 'pass', NULL, 3);
INSERT INTO quality_checks VALUES (85, 976, 26, '2026-09-13', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (86, 979, 4, '2026-09-14', 'fail', 'scratches', 5);
INSERT INTO quality_checks VALUES (87, 977, 4, '2026-09-17', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (88, 979, 4, '2026-09-22', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (89, 980, 25, '2026-09-22', 'pass', NULL, 2);
INSERT INTO quality_checks VALUES (90, 981, 25, '2026-09-29', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (91, 983, 4, '2026-11-01', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (92, 984, 4, '2026-11-04', 'rework', 'wrong colour', 2);
INSERT INTO quality_checks VALUES (93, 984, 4, '2026-11-07', 'rework', 'scratches', 3);
INSERT INTO quality_checks VALUES (94, 986, 25, '2026-11-07', 'pass', NULL, 5);
INSERT INTO quality_checks VALUES (95, 985, 4, '2026-11-08', 'pass', NULL, 1);
INSERT INTO quality_checks VALUES (96, 987, 4, '2026-11-18', 'pass', NULL, 5);
COMMIT;
