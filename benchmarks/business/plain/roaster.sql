PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE staff (
  id INTEGER PRIMARY KEY,
  full_name TEXT NOT NULL,
  job TEXT NOT NULL,
  hired_on TEXT NOT NULL,
  left_on TEXT,
  hourly_wage REAL
);
CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  city TEXT,
  email TEXT,
  signed_up TEXT NOT NULL,
  account_rep INTEGER REFERENCES staff(id),
  newsletter INTEGER NOT NULL DEFAULT 0,
  closed INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  sku TEXT UNIQUE NOT NULL,
  title TEXT NOT NULL,
  category TEXT NOT NULL,
  roast_level TEXT,
  net_grams INTEGER,
  list_price REAL NOT NULL,
  unit_cost REAL NOT NULL,
  launched_on TEXT,
  discontinued INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE green_purchases (
  id INTEGER PRIMARY KEY,
  lot_code TEXT NOT NULL,
  importer TEXT NOT NULL,
  origin TEXT NOT NULL,
  process TEXT,
  ordered_on TEXT NOT NULL,
  arrived_on TEXT,
  bags INTEGER NOT NULL,
  kg REAL NOT NULL,
  price_per_kg REAL NOT NULL,
  cup_score REAL,
  organic INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE roasts (
  id INTEGER PRIMARY KEY,
  lot_id INTEGER NOT NULL REFERENCES green_purchases(id),
  product_id INTEGER NOT NULL REFERENCES products(id),
  operator_id INTEGER REFERENCES staff(id),
  roasted_on TEXT NOT NULL,
  kg_in REAL NOT NULL,
  kg_out REAL NOT NULL,
  rejected INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers(id),
  channel TEXT NOT NULL,
  placed_on TEXT NOT NULL,
  invoiced_on TEXT,
  paid_on TEXT,
  state TEXT NOT NULL,
  freight_charged REAL NOT NULL DEFAULT 0
);
CREATE TABLE order_lines (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders(id),
  product_id INTEGER NOT NULL REFERENCES products(id),
  qty INTEGER NOT NULL,
  unit_price REAL NOT NULL
);
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders(id),
  carrier TEXT NOT NULL,
  shipped_on TEXT NOT NULL,
  promised_on TEXT,
  delivered_on TEXT,
  carrier_fee REAL,
  damaged INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE stock (
  product_id INTEGER NOT NULL REFERENCES products(id),
  place TEXT NOT NULL,
  on_hand INTEGER NOT NULL,
  min_level INTEGER,
  counted_on TEXT,
  PRIMARY KEY (product_id, place)
);
CREATE TABLE reviews (
  id INTEGER PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES products(id),
  customer_id INTEGER REFERENCES customers(id),
  stars INTEGER NOT NULL,
  remark TEXT,
  posted_on TEXT NOT NULL
);
INSERT INTO staff VALUES (1,'Maren Holt','head roaster','2023-02-16',NULL,27);
INSERT INTO staff VALUES (2,'Tobias Quint','roaster','2023-01-22',NULL,20);
INSERT INTO staff VALUES (3,'Ilse Verbeek','sales','2023-02-16',NULL,22.5);
INSERT INTO staff VALUES (4,'Rafael Duarte','roaster','2023-01-02',NULL,20.5);
INSERT INTO staff VALUES (5,'Nadia Osman','sales','2023-03-10',NULL,21);
INSERT INTO staff VALUES (6,'Piet Janssens','driver','2023-03-22',NULL,17.5);
INSERT INTO staff VALUES (7,'Colette Maes','packer','2023-08-07',NULL,16.0);
INSERT INTO staff VALUES (8,'Jonas Weber','roaster','2025-03-22','2026-04-03',22);
INSERT INTO staff VALUES (9,'Amina Diallo','sales','2024-06-28',NULL,22.5);
INSERT INTO staff VALUES (10,'Stijn De Smet','packer','2026-04-02',NULL,17.5);
INSERT INTO staff VALUES (11,'Lotte Peeters','packer','2025-02-27','2026-03-07',17.0);
INSERT INTO staff VALUES (12,'Marcus Field','sales','2023-03-09',NULL,23);
INSERT INTO staff VALUES (13,'Elif Kaya','barista trainer','2026-03-20',NULL,19);
INSERT INTO staff VALUES (14,'Bram Wouters','driver','2024-07-07','2025-04-13',17.5);
INSERT INTO staff VALUES (15,'Sofie Claes','packer','2024-07-02',NULL,16.0);
INSERT INTO staff VALUES (16,'Hugo Martens','roaster','2025-09-12',NULL,21.5);
INSERT INTO staff VALUES (17,'Yara Benali','sales','2026-04-26',NULL,21.5);
INSERT INTO staff VALUES (18,'Wim Aerts','packer','2024-01-09','2024-07-25',17.5);
INSERT INTO staff VALUES (19,'Greta Lindqvist','bookkeeper','2024-02-19',NULL,23);
INSERT INTO staff VALUES (20,'Omar Haddad','driver','2024-09-18',NULL,NULL);
INSERT INTO staff VALUES (21,'Tine Goossens','packer','2026-05-09',NULL,17.5);
INSERT INTO staff VALUES (22,'Kasper Nyberg','roaster','2023-07-07',NULL,22);
INSERT INTO staff VALUES (23,'Rosa Ferrero','sales','2025-12-07','2026-05-02',22);
INSERT INTO staff VALUES (24,'Dries Michiels','packer','2024-08-19',NULL,17.5);
INSERT INTO staff VALUES (25,'Helen Okafor','manager','2025-03-27',NULL,32);
INSERT INTO customers VALUES (1,'Café Lumen','cafe','Ghent','cafe.lumen@example.com','2023-07-11',12,0,0);
INSERT INTO customers VALUES (2,'The Copper Kettle','cafe','Brussels','the.copper.kettle@example.com','2023-07-18',17,0,0);
INSERT INTO customers VALUES (3,'Bean & Byte','cafe',NULL,'bean.byte@example.com','2024-11-26',12,1,0);
INSERT INTO customers VALUES (4,'Koffiehuis Noord','cafe','Rotterdam','koffiehuis.noord@example.com','2023-12-15',12,0,0);
INSERT INTO customers VALUES (5,'Petit Matin','cafe','Ghent','petit.matin@example.com','2025-04-26',9,0,0);
INSERT INTO customers VALUES (6,'Corner Grind','cafe','Brussels','corner.grind@example.com','2026-01-05',9,0,0);
INSERT INTO customers VALUES (7,'Old Harbour Café','cafe','Antwerp','old.harbour.cafe@example.com','2025-05-28',9,1,0);
INSERT INTO customers VALUES (8,'Mokka Bar','cafe',NULL,'mokka.bar@example.com','2023-10-14',23,1,0);
INSERT INTO customers VALUES (9,'De Zwarte Kat','cafe','Brussels','de.zwarte.kat@example.com','2024-12-16',12,1,0);
INSERT INTO customers VALUES (10,'Brew District','cafe','Antwerp','brew.district@example.com','2023-03-20',5,0,0);
INSERT INTO customers VALUES (11,'Halte 12','cafe','Ghent','halte@example.com','2023-02-08',5,0,0);
INSERT INTO customers VALUES (12,'Café Tilleul','cafe',NULL,'cafe.tilleul@example.com','2023-09-29',9,1,0);
INSERT INTO customers VALUES (13,'Sunday Cup','cafe','Ghent','sunday.cup@example.com','2026-09-04',12,0,1);
INSERT INTO customers VALUES (14,'The Reading Room','cafe','Ghent',NULL,'2024-02-05',12,1,0);
INSERT INTO customers VALUES (15,'Bar Ristretto','cafe','Brussels','bar.ristretto@example.com','2024-11-18',5,1,0);
INSERT INTO customers VALUES (16,'Kiosk Sint-Jan','cafe','Antwerp','kiosk.sint.jan@example.com','2024-07-24',3,1,0);
INSERT INTO customers VALUES (17,'Wild Oat Bakery','cafe','Antwerp','wild.oat.bakery@example.com','2025-08-19',23,0,0);
INSERT INTO customers VALUES (18,'Slow Morning','cafe','Lille','slow.morning@example.com','2024-09-19',23,1,0);
INSERT INTO customers VALUES (19,'Station Espresso','cafe','Lille','station.espresso@example.com','2026-04-27',12,0,0);
INSERT INTO customers VALUES (20,'Green Door Café','cafe','Bruges','green.door.cafe@example.com','2023-04-09',17,0,0);
INSERT INTO customers VALUES (21,'Atelier Brioche','cafe','Antwerp','atelier.brioche@example.com','2025-06-16',3,1,1);
INSERT INTO customers VALUES (22,'North Pier Coffee','cafe','Brussels','north.pier.coffee@example.com','2024-10-23',5,1,0);
INSERT INTO customers VALUES (23,'Vandam Accountants','office',NULL,'vandam.accountants@example.com','2024-08-17',NULL,0,0);
INSERT INTO customers VALUES (24,'Studio Blok','office','Brussels','studio.blok@example.com','2025-07-25',23,0,0);
INSERT INTO customers VALUES (25,'Meridian Law','office','Lille','meridian.law@example.com','2023-09-23',5,0,0);
INSERT INTO customers VALUES (26,'Hexa Software','office','Leuven','hexa.software@example.com','2023-08-17',9,1,0);
INSERT INTO customers VALUES (27,'Gemeente Bibliotheek','office','Ghent','gemeente.bibliotheek@example.com','2025-11-25',12,0,0);
INSERT INTO customers VALUES (28,'Polder Insurance','office','Brussels','polder.insurance@example.com','2025-03-05',12,0,1);
INSERT INTO customers VALUES (29,'Cargo Point Logistics','office','Brussels','cargo.point.logistics@example.com','2024-12-20',12,0,0);
INSERT INTO customers VALUES (30,'Linden Dental','office','Brussels','linden.dental@example.com','2024-05-31',9,0,0);
INSERT INTO customers VALUES (31,'Anna Visser','private','Rotterdam','anna.visser@example.org','2026-05-06',NULL,0,0);
INSERT INTO customers VALUES (32,'Karim Toure','private','Antwerp','karim.toure@example.org','2026-06-05',NULL,0,0);
INSERT INTO customers VALUES (33,'Els Bogaert','private','Antwerp','els.bogaert@example.org','2024-01-01',NULL,0,0);
INSERT INTO customers VALUES (34,'Thomas Reid','private','Ghent','thomas.reid@example.org','2023-06-21',NULL,1,0);
INSERT INTO customers VALUES (35,'Julia Novak','private','Brussels','julia.novak@example.org','2024-11-20',NULL,0,0);
INSERT INTO customers VALUES (36,'Pieter Mertens','private','Brussels','pieter.mertens@example.org','2025-09-16',NULL,1,0);
INSERT INTO customers VALUES (37,'Sara Lund','private','Bruges','sara.lund@example.org','2025-05-01',NULL,0,1);
INSERT INTO customers VALUES (38,'Daan Kuipers','private',NULL,'daan.kuipers@example.org','2023-02-09',NULL,1,0);
INSERT INTO customers VALUES (39,'Claire Fontaine','private','Antwerp','claire.fontaine@example.org','2025-05-13',NULL,1,0);
INSERT INTO customers VALUES (40,'Ruben Cools','private','Lille','ruben.cools@example.org','2024-10-21',NULL,1,0);
INSERT INTO customers VALUES (41,'Mia Thys','private','Leuven','mia.thys@example.org','2023-06-14',NULL,1,0);
INSERT INTO customers VALUES (42,'Erik Sand','private','Rotterdam','erik.sand@example.org','2023-11-13',NULL,0,0);
INSERT INTO customers VALUES (43,'Fatima Zahra','private','Brussels','fatima.zahra@example.org','2025-03-07',NULL,0,0);
INSERT INTO customers VALUES (44,'Lars Holm','private','Ghent','lars.holm@example.org','2023-12-27',NULL,1,0);
INSERT INTO customers VALUES (45,'Veerle Stevens','private','Brussels','veerle.stevens@example.org','2024-11-15',NULL,1,0);
INSERT INTO customers VALUES (46,'Oliver Grant','private','Ghent','oliver.grant@example.org','2026-07-10',NULL,1,0);
INSERT INTO customers VALUES (47,'Noor Hendrickx','private','Ghent','noor.hendrickx@example.org','2025-10-25',NULL,0,0);
INSERT INTO customers VALUES (48,'David Stern','private','Brussels','david.stern@example.org','2025-10-17',NULL,1,0);
INSERT INTO customers VALUES (49,'Katrien Leys','private',NULL,'katrien.leys@example.org','2025-01-19',NULL,0,0);
INSERT INTO customers VALUES (50,'Ben Hargreaves','private','Leuven','ben.hargreaves@example.org','2025-06-21',NULL,0,0);
INSERT INTO customers VALUES (51,'Lena Fischer','private','Bruges',NULL,'2023-01-28',NULL,1,0);
INSERT INTO customers VALUES (52,'Joris Baert','private','Rotterdam','joris.baert@example.org','2025-11-16',NULL,0,0);
INSERT INTO customers VALUES (53,'Priya Nair','private','Rotterdam','priya.nair@example.org','2023-05-11',NULL,0,0);
INSERT INTO customers VALUES (54,'Simon Wolters','private','Ghent','simon.wolters@example.org','2024-01-25',NULL,0,0);
INSERT INTO products VALUES (1,'ETH-250','Yirgacheffe Sunrise 250 g','single origin','light',250,12.5,5.1,'2023-01-16',0);
INSERT INTO products VALUES (2,'ETH-1K','Yirgacheffe Sunrise 1 kg','single origin','light',1000,42,18.9,'2023-01-11',0);
INSERT INTO products VALUES (3,'COL-250','Huila Reserve 250 g','single origin','medium',250,11.5,4.6,'2025-05-25',0);
INSERT INTO products VALUES (4,'COL-1K','Huila Reserve 1 kg','single origin','medium',1000,38,16.8,'2023-01-05',0);
INSERT INTO products VALUES (5,'KEN-250','Nyeri Peaks 250 g','single origin','light',250,14.5,6.2,'2023-01-21',0);
INSERT INTO products VALUES (6,'GUA-250','Antigua Valley 250 g','single origin','medium',250,11.9,4.7,'2023-07-27',0);
INSERT INTO products VALUES (7,'SUM-250','Sumatra Dusk 250 g','single origin','dark',250,11,4.4,'2023-02-11',1);
INSERT INTO products VALUES (8,'RWA-250','Rwanda Hillside 250 g','single origin','medium',250,13,5.5,'2023-01-30',0);
INSERT INTO products VALUES (9,'PAN-125','Panama Geisha 125 g','single origin','light',125,24,13.5,'2025-11-09',0);
INSERT INTO products VALUES (10,'HSE-250','House Blend 250 g','blend','medium',250,9.5,3.6,'2023-02-14',0);
INSERT INTO products VALUES (11,'HSE-1K','House Blend 1 kg','blend','medium',1000,31,13.2,'2023-01-14',0);
INSERT INTO products VALUES (12,'ESP-250','Night Shift Espresso 250 g','blend','dark',250,9.9,3.7,'2026-01-18',0);
INSERT INTO products VALUES (13,'ESP-1K','Night Shift Espresso 1 kg','blend','dark',1000,32.5,13.6,'2023-01-12',0);
INSERT INTO products VALUES (14,'FIL-250','Filter Friday 250 g','blend','light',250,10.5,4,'2023-01-11',0);
INSERT INTO products VALUES (15,'WIN-250','Winter Blend 250 g','blend','dark',250,11.5,4.3,'2025-10-11',0);
INSERT INTO products VALUES (16,'DEC-250','Quiet Evening Decaf 250 g','decaf','medium',250,11,4.9,'2023-03-01',0);
INSERT INTO products VALUES (17,'DEC-1K','Quiet Evening Decaf 1 kg','decaf','medium',1000,36,17.2,'2023-02-28',0);
INSERT INTO products VALUES (18,'DEC-DK','Midnight Decaf 250 g','decaf','dark',250,11.4,5,'2024-01-22',1);
INSERT INTO products VALUES (19,'INS-10','Travel Instant box of 10','instant',NULL,50,13.9,6.5,'2023-02-25',0);
INSERT INTO products VALUES (20,'COLD-6','Cold Brew six-pack','ready to drink',NULL,1980,17.5,9.1,'2023-02-18',0);
INSERT INTO products VALUES (21,'V60','Ceramic dripper','equipment',NULL,NULL,24.9,13,'2024-02-17',0);
INSERT INTO products VALUES (22,'FLT-100','Paper filters, 100 pcs','equipment',NULL,NULL,6.5,2.4,NULL,0);
INSERT INTO products VALUES (23,'GRD-M','Hand grinder','equipment',NULL,NULL,79,48.5,'2023-02-17',0);
INSERT INTO products VALUES (24,'SCL','Pocket scale','equipment',NULL,NULL,39,22,'2025-03-02',1);
INSERT INTO products VALUES (25,'KET','Gooseneck kettle','equipment',NULL,NULL,69,41,'2023-01-19',0);
INSERT INTO products VALUES (26,'MUG','Enamel mug','merchandise',NULL,NULL,14,5.2,'2023-01-10',0);
INSERT INTO products VALUES (27,'TOTE','Canvas tote bag','merchandise',NULL,NULL,16,6,'2025-09-12',0);
INSERT INTO products VALUES (28,'GFT-3','Tasting gift box','gift',NULL,750,34.5,15.8,'2023-02-02',0);
INSERT INTO green_purchases VALUES (1,'ET-23001','Caravela','Ethiopia','washed','2023-01-13','2023-02-21',11,660.0,8.19,88.4,1);
INSERT INTO green_purchases VALUES (2,'CO-23002','Falcon Beans','Colombia','washed','2023-01-17','2023-02-28',3,210.0,7.12,84.5,1);
INSERT INTO green_purchases VALUES (3,'KE-23003','Nordic Approach Trading','Kenya','washed','2023-01-23','2023-02-13',20,1200.0,9.34,89.0,0);
INSERT INTO green_purchases VALUES (4,'GU-23004','Sucafina','Guatemala','washed','2023-02-17','2023-05-02',7,420.0,7.32,84.5,0);
INSERT INTO green_purchases VALUES (5,'IN-23005','Caravela','Indonesia','wet-hulled','2023-03-14','2023-05-23',10,600.0,6.66,84.3,1);
INSERT INTO green_purchases VALUES (6,'RW-23006','Volcafe Antwerp','Rwanda','natural','2023-05-17','2023-07-13',24,1440.0,8.28,86.3,1);
INSERT INTO green_purchases VALUES (7,'PA-23007','Nordic Approach Trading','Panama','natural','2023-05-21','2023-07-22',2,60.0,42.44,92.2,1);
INSERT INTO green_purchases VALUES (8,'BR-23008','Volcafe Antwerp','Brazil','natural','2023-06-05','2023-07-21',5,300.0,6.01,83.4,0);
INSERT INTO green_purchases VALUES (9,'HO-23009','Volcafe Antwerp','Honduras','honey','2023-06-16','2023-08-28',17,1020.0,6.02,82.4,0);
INSERT INTO green_purchases VALUES (10,'BR-23010','Caravela','Brazil','anaerobic','2023-07-04','2023-07-20',5,300.0,6.21,81.0,0);
INSERT INTO green_purchases VALUES (11,'PA-23011','Sucafina','Panama','natural','2023-07-15','2023-09-15',1,30.0,40.05,89.4,1);
INSERT INTO green_purchases VALUES (12,'CO-23012','Sucafina','Colombia','washed','2023-08-04','2023-08-17',9,630.0,6.73,86.6,0);
INSERT INTO green_purchases VALUES (13,'HO-23013','Caravela','Honduras','honey','2023-09-25','2023-10-16',9,540.0,5.75,84.5,0);
INSERT INTO green_purchases VALUES (14,'IN-23014','Caravela','Indonesia','wet-hulled','2023-09-27','2023-12-08',6,360.0,6.7,83.5,0);
INSERT INTO green_purchases VALUES (15,'GU-23015','Caravela','Guatemala','washed','2023-09-30','2023-12-05',11,660.0,8.2,84.7,0);
INSERT INTO green_purchases VALUES (16,'BR-23016','Sucafina','Brazil','natural','2023-11-02','2023-12-03',6,360.0,5.48,82.5,0);
INSERT INTO green_purchases VALUES (17,'CO-23017','Sucafina','Colombia','washed','2023-11-16','2024-01-11',7,490.0,7.81,85.6,0);
INSERT INTO green_purchases VALUES (18,'GU-24018','Falcon Beans','Guatemala','washed','2024-07-06','2024-08-06',18,1080.0,8.36,83.8,0);
INSERT INTO green_purchases VALUES (19,'BR-24019','Caravela','Brazil','natural','2024-07-14','2024-08-12',24,1440.0,5.75,82.8,1);
INSERT INTO green_purchases VALUES (20,'RW-24020','Volcafe Antwerp','Rwanda','natural','2024-08-22','2024-09-29',16,960.0,9.15,84.8,0);
INSERT INTO green_purchases VALUES (21,'RW-24021','Sucafina','Rwanda','anaerobic','2024-09-22','2024-11-30',21,1260.0,9.22,85.5,1);
INSERT INTO green_purchases VALUES (22,'KE-24022','Sucafina','Kenya','anaerobic','2024-12-16','2025-01-08',8,480.0,10.97,89.5,0);
INSERT INTO green_purchases VALUES (23,'CO-25023','Falcon Beans','Colombia','washed','2025-01-13','2025-03-28',14,980.0,8.41,83.6,0);
INSERT INTO green_purchases VALUES (24,'ET-25024','Volcafe Antwerp','Ethiopia','anaerobic','2025-02-01','2025-04-16',10,600.0,9.87,88.3,1);
INSERT INTO green_purchases VALUES (25,'BR-25025','Sucafina','Brazil','natural','2025-04-05','2025-06-03',24,1440.0,6.12,83.7,1);
INSERT INTO green_purchases VALUES (26,'ET-25026','Falcon Beans','Ethiopia','washed','2025-05-12','2025-06-06',12,720.0,10.27,86.3,1);
INSERT INTO green_purchases VALUES (27,'BR-25027','Sucafina','Brazil','natural','2025-05-13','2025-05-26',11,660.0,6.75,NULL,0);
INSERT INTO green_purchases VALUES (28,'ET-25028','Sucafina','Ethiopia','washed','2025-06-03','2025-07-28',3,180.0,9.57,85.7,0);
INSERT INTO green_purchases VALUES (29,'BR-25029','Nordic Approach Trading','Brazil','natural','2025-06-12','2025-08-24',4,240.0,5.83,82.1,1);
INSERT INTO green_purchases VALUES (30,'RW-25030','Volcafe Antwerp','Rwanda','natural','2025-07-11','2025-09-21',9,540.0,9.09,87.5,0);
INSERT INTO green_purchases VALUES (31,'GU-25031','Caravela','Guatemala','washed','2025-07-17','2025-08-25',8,480.0,8.01,86.4,0);
INSERT INTO green_purchases VALUES (32,'BR-25032','Caravela','Brazil','natural','2025-07-26','2025-09-07',16,960.0,6.24,81.1,1);
INSERT INTO green_purchases VALUES (33,'CO-25033','Volcafe Antwerp','Colombia','washed','2025-09-09','2025-11-14',22,1540.0,7.58,84.0,0);
INSERT INTO green_purchases VALUES (34,'ET-25034','Nordic Approach Trading','Ethiopia','washed','2025-09-25','2025-11-09',23,1380.0,9.14,87.3,0);
INSERT INTO green_purchases VALUES (35,'ET-25035','Nordic Approach Trading','Ethiopia','washed','2025-10-02','2025-12-03',22,1320.0,9.75,86.7,0);
INSERT INTO green_purchases VALUES (36,'ET-25036','Sucafina','Ethiopia','washed','2025-11-12','2026-01-16',12,720.0,10.2,88.3,0);
INSERT INTO green_purchases VALUES (37,'KE-26037','Nordic Approach Trading','Kenya','washed','2026-01-15','2026-02-28',12,720.0,12.62,89.8,0);
INSERT INTO green_purchases VALUES (38,'GU-26038','Falcon Beans','Guatemala','washed','2026-02-21','2026-03-20',20,1200.0,9.38,84.1,1);
INSERT INTO green_purchases VALUES (39,'GU-26039','Volcafe Antwerp','Guatemala','anaerobic','2026-03-19','2026-04-01',15,900.0,8.63,86.5,0);
INSERT INTO green_purchases VALUES (40,'ET-26040','Caravela','Ethiopia','washed','2026-04-15','2026-06-29',24,1440.0,9.14,85.6,0);
INSERT INTO green_purchases VALUES (41,'HO-26041','Volcafe Antwerp','Honduras','honey','2026-05-15','2026-06-19',10,600.0,7.16,84.0,0);
INSERT INTO green_purchases VALUES (42,'CO-26042','Volcafe Antwerp','Colombia','washed','2026-08-09','2026-09-10',11,770.0,7.77,86.4,0);
INSERT INTO green_purchases VALUES (43,'HO-26043','Nordic Approach Trading','Honduras','honey','2026-08-24','2026-09-23',10,600.0,7.42,85.1,0);
INSERT INTO green_purchases VALUES (44,'ET-26044','Sucafina','Ethiopia','washed','2026-09-16','2026-11-06',5,300.0,9.31,87.9,0);
INSERT INTO green_purchases VALUES (45,'HO-26045','Sucafina','Honduras','honey','2026-09-27','2026-11-11',4,240.0,7.08,85.1,0);
INSERT INTO green_purchases VALUES (46,'RW-26046','Caravela','Rwanda','natural','2026-10-28','2026-11-09',15,900.0,8.83,86.6,0);
INSERT INTO roasts VALUES (1,3,5,4,'2023-02-15',15.0,13.08,0);
INSERT INTO roasts VALUES (2,3,5,NULL,'2023-03-21',8.0,7.0,0);
INSERT INTO roasts VALUES (3,3,5,1,'2023-03-22',12.0,10.35,0);
INSERT INTO roasts VALUES (4,3,5,4,'2023-04-08',6.0,5.04,0);
INSERT INTO roasts VALUES (5,3,5,2,'2023-04-13',15.0,12.84,0);
INSERT INTO roasts VALUES (6,2,10,4,'2023-04-20',8.0,6.86,0);
INSERT INTO roasts VALUES (7,3,5,1,'2023-05-31',12.0,9.95,0);
INSERT INTO roasts VALUES (8,5,7,4,'2023-06-02',10.0,8.71,0);
INSERT INTO roasts VALUES (9,1,1,4,'2023-06-04',8.0,6.62,0);
INSERT INTO roasts VALUES (10,4,6,1,'2023-06-04',15.0,12.72,0);
INSERT INTO roasts VALUES (11,4,6,4,'2023-06-15',10.0,8.37,0);
INSERT INTO roasts VALUES (12,4,6,2,'2023-06-25',12.0,9.98,0);
INSERT INTO roasts VALUES (13,3,5,2,'2023-06-27',10.0,8.43,0);
INSERT INTO roasts VALUES (14,5,15,1,'2023-07-01',8.0,6.68,1);
INSERT INTO roasts VALUES (15,3,5,4,'2023-07-09',15.0,12.89,0);
INSERT INTO roasts VALUES (16,8,11,1,'2023-07-25',8.0,6.68,0);
INSERT INTO roasts VALUES (17,5,7,1,'2023-08-04',12.0,10.27,0);
INSERT INTO roasts VALUES (18,6,8,4,'2023-08-09',12.0,10.47,0);
INSERT INTO roasts VALUES (19,4,6,NULL,'2023-08-13',8.0,6.64,0);
INSERT INTO roasts VALUES (20,5,7,NULL,'2023-08-17',10.0,8.58,0);
INSERT INTO roasts VALUES (21,7,9,NULL,'2023-08-20',10.0,8.26,0);
INSERT INTO roasts VALUES (22,6,8,4,'2023-08-23',8.0,6.86,0);
INSERT INTO roasts VALUES (23,10,13,22,'2023-09-02',12.0,10.06,0);
INSERT INTO roasts VALUES (24,5,12,2,'2023-10-02',10.0,8.5,0);
INSERT INTO roasts VALUES (25,6,8,1,'2023-10-04',6.0,5.01,0);
INSERT INTO roasts VALUES (26,11,9,1,'2023-10-05',12.0,10.46,0);
INSERT INTO roasts VALUES (27,6,8,2,'2023-10-09',6.0,5.0,0);
INSERT INTO roasts VALUES (28,10,11,2,'2023-10-11',8.0,6.74,0);
INSERT INTO roasts VALUES (29,9,14,2,'2023-10-23',12.0,10.36,0);
INSERT INTO roasts VALUES (30,9,16,22,'2023-11-03',10.0,8.43,0);
INSERT INTO roasts VALUES (31,8,11,4,'2023-11-14',15.0,12.6,0);
INSERT INTO roasts VALUES (32,6,8,1,'2023-11-29',12.0,10.58,0);
INSERT INTO roasts VALUES (33,11,9,2,'2023-12-09',12.0,10.48,0);
INSERT INTO roasts VALUES (34,12,4,1,'2023-12-11',12.0,10.27,0);
INSERT INTO roasts VALUES (35,13,14,22,'2023-12-16',12.0,10.48,1);
INSERT INTO roasts VALUES (36,14,12,1,'2023-12-17',6.0,5.23,0);
INSERT INTO roasts VALUES (37,11,9,NULL,'2023-12-23',10.0,8.44,0);
INSERT INTO roasts VALUES (38,11,9,4,'2023-12-27',8.0,6.84,0);
INSERT INTO roasts VALUES (39,14,15,1,'2024-01-02',6.0,5.27,0);
INSERT INTO roasts VALUES (40,12,3,2,'2024-01-02',12.0,10.5,0);
INSERT INTO roasts VALUES (41,16,13,4,'2024-01-20',6.0,5.04,0);
INSERT INTO roasts VALUES (42,9,17,22,'2024-01-22',6.0,5.21,0);
INSERT INTO roasts VALUES (43,17,3,2,'2024-01-24',6.0,5.18,0);
INSERT INTO roasts VALUES (44,13,14,1,'2024-02-08',8.0,7.05,0);
INSERT INTO roasts VALUES (45,14,15,1,'2024-02-12',6.0,5.16,0);
INSERT INTO roasts VALUES (46,16,13,22,'2024-03-15',10.0,8.34,0);
INSERT INTO roasts VALUES (47,17,10,2,'2024-03-18',12.0,10.03,0);
INSERT INTO roasts VALUES (48,15,15,22,'2024-04-10',15.0,13.07,0);
INSERT INTO roasts VALUES (49,14,15,22,'2024-04-11',10.0,8.24,0);
INSERT INTO roasts VALUES (50,14,12,4,'2024-04-15',12.0,10.19,0);
INSERT INTO roasts VALUES (51,17,4,2,'2024-05-04',10.0,8.64,0);
INSERT INTO roasts VALUES (52,17,4,2,'2024-06-05',12.0,9.87,0);
INSERT INTO roasts VALUES (53,18,15,1,'2024-10-23',12.0,10.4,0);
INSERT INTO roasts VALUES (54,20,8,4,'2024-11-11',8.0,6.68,0);
INSERT INTO roasts VALUES (55,20,8,2,'2024-12-05',10.0,8.27,1);
INSERT INTO roasts VALUES (56,21,8,1,'2024-12-14',12.0,10.15,0);
INSERT INTO roasts VALUES (57,21,8,4,'2024-12-27',6.0,5.07,0);
INSERT INTO roasts VALUES (58,20,8,1,'2025-01-05',6.0,5.01,0);
INSERT INTO roasts VALUES (59,22,5,4,'2025-02-10',15.0,12.61,0);
INSERT INTO roasts VALUES (60,22,5,1,'2025-02-21',12.0,10.11,0);
INSERT INTO roasts VALUES (61,22,5,4,'2025-03-10',6.0,5.05,0);
INSERT INTO roasts VALUES (62,22,5,1,'2025-03-21',12.0,9.86,0);
INSERT INTO roasts VALUES (63,21,8,22,'2025-04-10',8.0,6.63,0);
INSERT INTO roasts VALUES (64,24,2,8,'2025-05-19',15.0,12.73,0);
INSERT INTO roasts VALUES (65,23,4,1,'2025-05-20',12.0,10.29,0);
INSERT INTO roasts VALUES (66,27,11,22,'2025-06-04',15.0,12.35,0);
INSERT INTO roasts VALUES (67,24,2,8,'2025-06-14',15.0,12.86,1);
INSERT INTO roasts VALUES (68,27,13,2,'2025-07-01',12.0,10.12,0);
INSERT INTO roasts VALUES (69,26,14,2,'2025-07-03',6.0,4.94,0);
INSERT INTO roasts VALUES (70,27,10,8,'2025-07-04',12.0,10.27,0);
INSERT INTO roasts VALUES (71,27,13,22,'2025-07-17',12.0,10.57,0);
INSERT INTO roasts VALUES (72,24,2,1,'2025-07-22',6.0,5.09,0);
INSERT INTO roasts VALUES (73,25,12,22,'2025-08-06',12.0,10.26,0);
INSERT INTO roasts VALUES (74,26,14,22,'2025-08-10',10.0,8.73,0);
INSERT INTO roasts VALUES (75,23,4,2,'2025-08-19',6.0,5.14,0);
INSERT INTO roasts VALUES (76,27,12,1,'2025-08-20',10.0,8.35,0);
INSERT INTO roasts VALUES (77,24,1,2,'2025-08-21',12.0,10.43,0);
INSERT INTO roasts VALUES (78,24,2,8,'2025-08-25',6.0,5.02,0);
INSERT INTO roasts VALUES (79,27,13,2,'2025-09-20',6.0,5.0,0);
INSERT INTO roasts VALUES (80,25,11,22,'2025-09-21',15.0,12.7,0);
INSERT INTO roasts VALUES (81,31,15,4,'2025-09-24',12.0,10.47,0);
INSERT INTO roasts VALUES (82,29,13,16,'2025-10-07',15.0,12.97,0);
INSERT INTO roasts VALUES (83,28,2,8,'2025-10-09',10.0,8.52,0);
INSERT INTO roasts VALUES (84,25,11,4,'2025-10-21',12.0,9.86,0);
INSERT INTO roasts VALUES (85,28,1,4,'2025-10-22',12.0,10.24,0);
INSERT INTO roasts VALUES (86,29,10,8,'2025-10-31',12.0,10.34,0);
INSERT INTO roasts VALUES (87,28,14,1,'2025-11-11',6.0,5.25,0);
INSERT INTO roasts VALUES (88,28,14,4,'2025-12-01',10.0,8.59,0);
INSERT INTO roasts VALUES (89,28,2,22,'2025-12-08',15.0,12.41,0);
INSERT INTO roasts VALUES (90,34,14,22,'2025-12-20',12.0,10.07,0);
INSERT INTO roasts VALUES (91,34,1,22,'2026-01-02',10.0,8.72,0);
INSERT INTO roasts VALUES (92,33,11,NULL,'2026-01-04',10.0,8.84,0);
INSERT INTO roasts VALUES (93,29,13,16,'2026-01-05',12.0,10.28,0);
INSERT INTO roasts VALUES (94,34,14,22,'2026-01-09',10.0,8.73,0);
INSERT INTO roasts VALUES (95,30,8,1,'2026-01-20',8.0,6.67,0);
INSERT INTO roasts VALUES (96,32,10,2,'2026-01-24',12.0,10.23,0);
INSERT INTO roasts VALUES (97,36,2,4,'2026-02-18',12.0,9.9,0);
INSERT INTO roasts VALUES (98,35,2,4,'2026-02-20',6.0,5.21,0);
INSERT INTO roasts VALUES (99,33,3,16,'2026-02-28',12.0,10.23,0);
INSERT INTO roasts VALUES (100,33,11,2,'2026-03-08',15.0,12.32,0);
INSERT INTO roasts VALUES (101,37,5,NULL,'2026-03-12',8.0,6.98,0);
INSERT INTO roasts VALUES (102,34,2,4,'2026-03-15',8.0,6.91,1);
INSERT INTO roasts VALUES (103,35,14,22,'2026-03-17',10.0,8.45,0);
INSERT INTO roasts VALUES (104,36,1,4,'2026-03-23',6.0,5.16,0);
INSERT INTO roasts VALUES (105,36,1,22,'2026-03-26',6.0,5.04,0);
INSERT INTO roasts VALUES (106,33,4,4,'2026-03-26',12.0,10.29,0);
INSERT INTO roasts VALUES (107,36,2,22,'2026-03-29',10.0,8.56,0);
INSERT INTO roasts VALUES (108,36,1,1,'2026-04-01',12.0,10.17,0);
INSERT INTO roasts VALUES (109,35,1,16,'2026-04-09',15.0,13.17,0);
INSERT INTO roasts VALUES (110,36,14,1,'2026-04-26',12.0,10.22,0);
INSERT INTO roasts VALUES (111,39,15,22,'2026-05-07',10.0,8.39,0);
INSERT INTO roasts VALUES (112,39,15,4,'2026-05-21',15.0,12.51,0);
INSERT INTO roasts VALUES (113,37,5,22,'2026-06-04',10.0,8.77,0);
INSERT INTO roasts VALUES (114,41,16,NULL,'2026-07-14',12.0,10.13,0);
INSERT INTO roasts VALUES (115,40,2,2,'2026-07-19',12.0,10.05,0);
INSERT INTO roasts VALUES (116,39,15,2,'2026-07-22',8.0,6.89,1);
INSERT INTO roasts VALUES (117,38,6,1,'2026-08-11',12.0,10.16,0);
INSERT INTO roasts VALUES (118,41,17,16,'2026-09-09',10.0,8.23,1);
INSERT INTO roasts VALUES (119,40,1,1,'2026-09-24',12.0,10.6,0);
INSERT INTO roasts VALUES (120,40,2,NULL,'2026-09-28',8.0,6.88,0);
INSERT INTO roasts VALUES (121,41,17,22,'2026-10-08',6.0,4.93,1);
INSERT INTO roasts VALUES (122,42,10,16,'2026-10-18',12.0,10.06,1);
INSERT INTO roasts VALUES (123,40,1,1,'2026-11-06',12.0,10.62,0);
INSERT INTO roasts VALUES (124,45,17,4,'2026-11-13',12.0,10.15,0);
INSERT INTO roasts VALUES (125,46,8,1,'2026-11-15',10.0,8.41,0);
INSERT INTO roasts VALUES (126,46,8,16,'2026-11-17',15.0,12.35,0);
INSERT INTO roasts VALUES (127,44,14,1,'2026-11-19',12.0,10.3,0);
INSERT INTO roasts VALUES (128,45,16,22,'2026-11-21',12.0,10.16,0);
INSERT INTO roasts VALUES (129,43,16,22,'2026-11-22',12.0,10.61,0);
INSERT INTO roasts VALUES (130,40,1,22,'2026-11-23',12.0,9.85,0);
INSERT INTO orders VALUES (1,11,'phone','2023-03-11','2023-03-12','2023-04-12','completed',6.5);
INSERT INTO orders VALUES (2,10,'rep visit','2023-03-24','2023-03-27','2023-04-07','completed',0.0);
INSERT INTO orders VALUES (3,11,'email','2023-04-05','2023-04-08','2023-04-18','completed',4.95);
INSERT INTO orders VALUES (4,38,'webshop','2023-05-16','2023-05-17','2023-05-17','completed',6.5);
INSERT INTO orders VALUES (5,11,'rep visit','2023-06-01','2023-06-03','2023-07-18','completed',4.95);
INSERT INTO orders VALUES (6,53,'webshop','2023-07-18','2023-07-18','2023-07-18','completed',0.0);
INSERT INTO orders VALUES (7,1,'webshop','2023-08-03','2023-08-03','2023-08-22','completed',4.95);
INSERT INTO orders VALUES (8,1,'rep visit','2023-10-04','2023-10-07','2023-11-13','completed',6.5);
INSERT INTO orders VALUES (9,2,'rep visit','2023-10-06','2023-10-08','2023-11-22','completed',9.0);
INSERT INTO orders VALUES (10,20,'webshop','2023-10-24','2023-10-28','2023-11-28','completed',0.0);
INSERT INTO orders VALUES (11,2,'rep visit','2023-11-03','2023-11-04','2023-11-17','completed',14.0);
INSERT INTO orders VALUES (12,1,'webshop','2023-12-22','2023-12-23','2024-01-31','completed',0.0);
INSERT INTO orders VALUES (13,2,'phone','2024-01-29','2024-01-30','2024-03-08','completed',0.0);
INSERT INTO orders VALUES (14,25,'webshop','2024-01-30','2024-02-01','2024-03-11','completed',0.0);
INSERT INTO orders VALUES (15,20,'webshop','2024-02-16','2024-02-19',NULL,'refunded',0.0);
INSERT INTO orders VALUES (16,33,'webshop','2024-03-03','2024-03-05','2024-03-05','completed',4.95);
INSERT INTO orders VALUES (17,8,'webshop','2024-03-04','2024-03-04','2024-04-05','completed',9.0);
INSERT INTO orders VALUES (18,4,'rep visit','2024-03-07','2024-03-08','2024-03-21','completed',0.0);
INSERT INTO orders VALUES (19,14,'phone','2024-03-21','2024-03-23','2024-05-08','completed',6.5);
INSERT INTO orders VALUES (20,8,'webshop','2024-04-20','2024-04-23',NULL,'refunded',0.0);
INSERT INTO orders VALUES (21,2,'phone','2024-04-27','2024-04-27','2024-06-12','completed',14.0);
INSERT INTO orders VALUES (22,4,'email','2024-04-28','2024-04-29',NULL,'completed',14.0);
INSERT INTO orders VALUES (23,2,'rep visit','2024-05-10','2024-05-10','2024-06-27','completed',6.5);
INSERT INTO orders VALUES (24,54,'webshop','2024-05-16','2024-05-19','2024-05-19','completed',4.95);
INSERT INTO orders VALUES (25,20,'webshop','2024-05-22','2024-05-22','2024-06-21','completed',0.0);
INSERT INTO orders VALUES (26,2,'email','2024-07-05','2024-07-06','2024-07-16','completed',0.0);
INSERT INTO orders VALUES (27,2,'phone','2024-08-20','2024-08-22','2024-08-30','completed',0.0);
INSERT INTO orders VALUES (28,2,'webshop','2024-09-03','2024-09-03',NULL,'completed',14.0);
INSERT INTO orders VALUES (29,38,'webshop','2024-09-17','2024-09-21','2024-09-21','completed',4.95);
INSERT INTO orders VALUES (30,20,'rep visit','2024-10-06','2024-10-06','2024-10-18','completed',9.0);
INSERT INTO orders VALUES (31,2,'phone','2024-11-09','2024-11-11',NULL,'completed',4.95);
INSERT INTO orders VALUES (32,1,'phone','2024-11-10','2024-11-14','2024-11-26','completed',9.0);
INSERT INTO orders VALUES (33,1,'phone','2024-11-26','2024-11-30',NULL,'completed',0.0);
INSERT INTO orders VALUES (34,2,'phone','2024-12-09','2024-12-10','2025-01-23','completed',0.0);
INSERT INTO orders VALUES (35,8,'phone','2025-01-15','2025-01-17','2025-02-17','completed',14.0);
INSERT INTO orders VALUES (36,9,'email','2025-03-23','2025-03-23','2025-03-29','completed',4.95);
INSERT INTO orders VALUES (37,11,'rep visit','2025-04-20','2025-04-20','2025-05-27','completed',14.0);
INSERT INTO orders VALUES (38,3,'webshop','2025-05-11','2025-05-11','2025-05-31','completed',0.0);
INSERT INTO orders VALUES (39,12,'phone','2025-05-27','2025-05-28','2025-06-18','completed',0.0);
INSERT INTO orders VALUES (40,16,'phone','2025-06-08',NULL,NULL,'cancelled',0.0);
INSERT INTO orders VALUES (41,2,'rep visit','2025-07-02','2025-07-06','2025-07-30','completed',6.5);
INSERT INTO orders VALUES (42,4,'webshop','2025-07-15',NULL,NULL,'cancelled',14.0);
INSERT INTO orders VALUES (43,2,'phone','2025-08-02','2025-08-06','2025-08-14','completed',9.0);
INSERT INTO orders VALUES (44,10,'email','2025-08-29','2025-08-30','2025-09-05','completed',0.0);
INSERT INTO orders VALUES (45,2,'rep visit','2025-09-05','2025-09-05','2025-10-01','completed',0.0);
INSERT INTO orders VALUES (46,42,'webshop','2025-09-06','2025-09-10','2025-09-10','completed',0.0);
INSERT INTO orders VALUES (47,29,'email','2025-09-13','2025-09-17','2025-10-21','completed',0.0);
INSERT INTO orders VALUES (48,11,'phone','2025-09-20','2025-09-23','2025-10-24','completed',14.0);
INSERT INTO orders VALUES (49,16,'phone','2025-09-28','2025-10-01','2025-11-04','completed',14.0);
INSERT INTO orders VALUES (50,14,'phone','2025-09-29','2025-09-29','2025-11-01','refunded',0.0);
INSERT INTO orders VALUES (51,7,'webshop','2025-10-20','2025-10-22',NULL,'completed',9.0);
INSERT INTO orders VALUES (52,9,'rep visit','2025-10-30','2025-10-30','2025-12-13','completed',6.5);
INSERT INTO orders VALUES (53,15,'email','2025-11-13','2025-11-14','2025-12-01','completed',14.0);
INSERT INTO orders VALUES (54,2,'rep visit','2025-11-18','2025-11-22','2025-12-10','completed',4.95);
INSERT INTO orders VALUES (55,34,'webshop','2025-12-18','2025-12-22','2025-12-22','completed',0.0);
INSERT INTO orders VALUES (56,2,'phone','2025-12-25','2025-12-29','2026-02-06','completed',6.5);
INSERT INTO orders VALUES (57,11,'phone','2026-01-08',NULL,NULL,'cancelled',0.0);
INSERT INTO orders VALUES (58,22,'phone','2026-01-11','2026-01-11','2026-01-26','completed',0.0);
INSERT INTO orders VALUES (59,9,'rep visit','2026-01-24','2026-01-27','2026-02-26','completed',0.0);
INSERT INTO orders VALUES (60,6,'email','2026-02-05','2026-02-09','2026-03-16','completed',0.0);
INSERT INTO orders VALUES (61,51,'webshop','2026-02-20','2026-02-21','2026-02-21','completed',9.0);
INSERT INTO orders VALUES (62,7,'webshop','2026-02-27','2026-02-28','2026-03-16','completed',0.0);
INSERT INTO orders VALUES (63,9,'phone','2026-04-24','2026-04-24','2026-06-06','completed',6.5);
INSERT INTO orders VALUES (64,19,'phone','2026-05-01','2026-05-03','2026-05-12','refunded',6.5);
INSERT INTO orders VALUES (65,9,'rep visit','2026-05-06','2026-05-08','2026-05-15','completed',4.95);
INSERT INTO orders VALUES (66,3,'email','2026-05-29','2026-05-31',NULL,'completed',0.0);
INSERT INTO orders VALUES (67,7,'email','2026-06-06','2026-06-08','2026-06-22','completed',0.0);
INSERT INTO orders VALUES (68,20,'phone','2026-06-10','2026-06-13','2026-07-17','completed',0.0);
INSERT INTO orders VALUES (69,20,'phone','2026-07-01','2026-07-01','2026-07-25','completed',6.5);
INSERT INTO orders VALUES (70,25,'email','2026-08-11','2026-08-15','2026-08-24','completed',0.0);
INSERT INTO orders VALUES (71,6,'phone','2026-09-12','2026-09-15','2026-09-30','completed',0.0);
INSERT INTO orders VALUES (72,31,'webshop','2026-09-17','2026-09-17',NULL,'refunded',14.0);
INSERT INTO orders VALUES (73,33,'webshop','2026-09-25','2026-09-27','2026-09-27','completed',0.0);
INSERT INTO orders VALUES (74,7,'rep visit','2026-09-29','2026-09-30','2026-11-08','completed',0.0);
INSERT INTO orders VALUES (75,14,'email','2026-10-05','2026-10-07','2026-11-19','completed',4.95);
INSERT INTO orders VALUES (76,38,'webshop','2026-10-17','2026-10-19',NULL,'completed',0.0);
INSERT INTO orders VALUES (77,34,'webshop','2026-10-19','2026-10-19','2026-10-19','refunded',4.95);
INSERT INTO orders VALUES (78,10,'phone','2026-10-30','2026-11-02',NULL,'completed',0.0);
INSERT INTO orders VALUES (79,7,'phone','2026-10-31','2026-11-01',NULL,'completed',9.0);
INSERT INTO orders VALUES (80,14,'email','2026-11-01','2026-11-02','2026-11-10','completed',14.0);
INSERT INTO orders VALUES (81,10,'email','2026-11-11','2026-11-14',NULL,'completed',9.0);
INSERT INTO orders VALUES (82,9,'rep visit','2026-11-12',NULL,NULL,'new',9.0);
INSERT INTO orders VALUES (83,6,'email','2026-11-16','2026-11-16',NULL,'shipped',0.0);
INSERT INTO orders VALUES (84,7,'email','2026-11-16',NULL,NULL,'new',14.0);
INSERT INTO orders VALUES (85,17,'webshop','2026-11-17',NULL,NULL,'cancelled',6.5);
INSERT INTO orders VALUES (86,1,'rep visit','2026-11-17',NULL,NULL,'new',4.95);
INSERT INTO order_lines VALUES (1,1,23,4,64.7);
INSERT INTO order_lines VALUES (2,1,8,19,10.06);
INSERT INTO order_lines VALUES (3,2,5,12,11.88);
INSERT INTO order_lines VALUES (4,3,7,5,9.01);
INSERT INTO order_lines VALUES (5,3,25,4,53.37);
INSERT INTO order_lines VALUES (6,4,2,1,38.22);
INSERT INTO order_lines VALUES (7,4,16,1,10.01);
INSERT INTO order_lines VALUES (8,5,22,1,4.73);
INSERT INTO order_lines VALUES (9,6,14,2,9.55);
INSERT INTO order_lines VALUES (10,7,10,3,6.92);
INSERT INTO order_lines VALUES (11,8,19,23,11.38);
INSERT INTO order_lines VALUES (12,8,20,12,13.54);
INSERT INTO order_lines VALUES (13,9,22,4,4.73);
INSERT INTO order_lines VALUES (14,10,5,5,10.56);
INSERT INTO order_lines VALUES (15,11,25,3,50.23);
INSERT INTO order_lines VALUES (16,12,22,5,4.73);
INSERT INTO order_lines VALUES (17,13,14,28,8.39);
INSERT INTO order_lines VALUES (18,14,16,14,9.31);
INSERT INTO order_lines VALUES (19,15,22,3,5.5);
INSERT INTO order_lines VALUES (20,16,19,1,13.07);
INSERT INTO order_lines VALUES (21,17,25,6,58.37);
INSERT INTO order_lines VALUES (22,17,11,3,26.23);
INSERT INTO order_lines VALUES (23,18,13,12,25.97);
INSERT INTO order_lines VALUES (24,19,11,26,26.23);
INSERT INTO order_lines VALUES (25,19,8,10,11.0);
INSERT INTO order_lines VALUES (26,19,26,2,10.53);
INSERT INTO order_lines VALUES (27,20,8,16,10.39);
INSERT INTO order_lines VALUES (28,21,7,16,8.27);
INSERT INTO order_lines VALUES (29,22,21,6,21.07);
INSERT INTO order_lines VALUES (30,23,7,16,8.27);
INSERT INTO order_lines VALUES (31,23,26,4,11.19);
INSERT INTO order_lines VALUES (32,24,16,3,10.34);
INSERT INTO order_lines VALUES (33,24,13,1,30.55);
INSERT INTO order_lines VALUES (34,24,28,2,32.43);
INSERT INTO order_lines VALUES (35,25,1,7,10.57);
INSERT INTO order_lines VALUES (36,26,23,2,66.83);
INSERT INTO order_lines VALUES (37,27,18,16,9.11);
INSERT INTO order_lines VALUES (38,28,10,3,7.14);
INSERT INTO order_lines VALUES (39,29,22,3,6.11);
INSERT INTO order_lines VALUES (40,30,6,3,8.95);
INSERT INTO order_lines VALUES (41,30,5,8,10.9);
INSERT INTO order_lines VALUES (42,31,20,4,13.16);
INSERT INTO order_lines VALUES (43,31,13,15,25.97);
INSERT INTO order_lines VALUES (44,32,22,6,5.5);
INSERT INTO order_lines VALUES (45,32,25,2,51.89);
INSERT INTO order_lines VALUES (46,33,19,16,10.45);
INSERT INTO order_lines VALUES (47,33,21,1,18.72);
INSERT INTO order_lines VALUES (48,34,18,4,9.11);
INSERT INTO order_lines VALUES (49,35,14,3,8.15);
INSERT INTO order_lines VALUES (50,36,18,26,9.95);
INSERT INTO order_lines VALUES (51,36,6,21,9.23);
INSERT INTO order_lines VALUES (52,37,6,26,10.39);
INSERT INTO order_lines VALUES (53,38,22,2,5.36);
INSERT INTO order_lines VALUES (54,38,7,30,8.54);
INSERT INTO order_lines VALUES (55,39,3,23,10.04);
INSERT INTO order_lines VALUES (56,40,25,3,53.54);
INSERT INTO order_lines VALUES (57,40,1,18,10.31);
INSERT INTO order_lines VALUES (58,41,5,6,11.96);
INSERT INTO order_lines VALUES (59,41,7,27,9.07);
INSERT INTO order_lines VALUES (60,42,25,4,60.24);
INSERT INTO order_lines VALUES (61,43,20,21,13.58);
INSERT INTO order_lines VALUES (62,44,8,3,10.72);
INSERT INTO order_lines VALUES (63,44,11,30,24.06);
INSERT INTO order_lines VALUES (64,44,28,6,30.12);
INSERT INTO order_lines VALUES (65,45,16,18,8.54);
INSERT INTO order_lines VALUES (66,46,8,2,12.61);
INSERT INTO order_lines VALUES (67,46,16,3,10.67);
INSERT INTO order_lines VALUES (68,46,10,3,9.21);
INSERT INTO order_lines VALUES (69,47,26,6,12.22);
INSERT INTO order_lines VALUES (70,47,8,28,10.09);
INSERT INTO order_lines VALUES (71,48,3,19,10.04);
INSERT INTO order_lines VALUES (72,48,26,5,12.22);
INSERT INTO order_lines VALUES (73,48,14,27,8.15);
INSERT INTO order_lines VALUES (74,49,27,3,13.19);
INSERT INTO order_lines VALUES (75,49,14,12,9.17);
INSERT INTO order_lines VALUES (76,50,2,11,36.67);
INSERT INTO order_lines VALUES (77,51,27,5,13.97);
INSERT INTO order_lines VALUES (78,51,15,25,10.04);
INSERT INTO order_lines VALUES (79,52,26,2,10.86);
INSERT INTO order_lines VALUES (80,52,10,23,8.29);
INSERT INTO order_lines VALUES (81,53,10,20,7.83);
INSERT INTO order_lines VALUES (82,53,3,4,9.48);
INSERT INTO order_lines VALUES (83,54,20,19,14.43);
INSERT INTO order_lines VALUES (84,54,7,4,9.6);
INSERT INTO order_lines VALUES (85,54,14,7,9.17);
INSERT INTO order_lines VALUES (86,55,14,3,10.19);
INSERT INTO order_lines VALUES (87,55,26,2,13.58);
INSERT INTO order_lines VALUES (88,56,16,24,9.6);
INSERT INTO order_lines VALUES (89,56,9,3,18.62);
INSERT INTO order_lines VALUES (90,57,2,16,37.8);
INSERT INTO order_lines VALUES (91,57,7,29,9.35);
INSERT INTO order_lines VALUES (92,58,17,24,32.4);
INSERT INTO order_lines VALUES (93,58,19,28,11.12);
INSERT INTO order_lines VALUES (94,58,16,9,8.8);
INSERT INTO order_lines VALUES (95,59,24,2,31.2);
INSERT INTO order_lines VALUES (96,59,12,18,8.42);
INSERT INTO order_lines VALUES (97,60,23,4,63.2);
INSERT INTO order_lines VALUES (98,61,15,2,11.5);
INSERT INTO order_lines VALUES (99,61,18,1,11.4);
INSERT INTO order_lines VALUES (100,62,1,5,10.0);
INSERT INTO order_lines VALUES (101,62,6,20,10.71);
INSERT INTO order_lines VALUES (102,63,15,27,10.35);
INSERT INTO order_lines VALUES (103,64,15,4,9.78);
INSERT INTO order_lines VALUES (104,65,27,4,14.4);
INSERT INTO order_lines VALUES (105,65,7,25,9.9);
INSERT INTO order_lines VALUES (106,65,16,4,9.9);
INSERT INTO order_lines VALUES (107,66,16,22,9.35);
INSERT INTO order_lines VALUES (108,66,27,2,13.6);
INSERT INTO order_lines VALUES (109,66,13,24,26.0);
INSERT INTO order_lines VALUES (110,67,24,6,33.15);
INSERT INTO order_lines VALUES (111,67,10,27,8.07);
INSERT INTO order_lines VALUES (112,67,21,4,22.41);
INSERT INTO order_lines VALUES (113,68,3,7,9.78);
INSERT INTO order_lines VALUES (114,69,6,4,9.52);
INSERT INTO order_lines VALUES (115,70,21,5,21.16);
INSERT INTO order_lines VALUES (116,71,4,14,34.2);
INSERT INTO order_lines VALUES (117,71,3,22,9.78);
INSERT INTO order_lines VALUES (118,72,25,2,69.0);
INSERT INTO order_lines VALUES (119,72,7,1,11.0);
INSERT INTO order_lines VALUES (120,72,16,1,11.0);
INSERT INTO order_lines VALUES (121,73,23,1,79.0);
INSERT INTO order_lines VALUES (122,73,26,3,14.0);
INSERT INTO order_lines VALUES (123,74,23,2,63.2);
INSERT INTO order_lines VALUES (124,74,10,25,7.6);
INSERT INTO order_lines VALUES (125,75,15,29,9.78);
INSERT INTO order_lines VALUES (126,75,28,2,29.32);
INSERT INTO order_lines VALUES (127,76,18,3,11.4);
INSERT INTO order_lines VALUES (128,77,6,1,11.9);
INSERT INTO order_lines VALUES (129,77,8,2,13.0);
INSERT INTO order_lines VALUES (130,77,2,3,42.0);
INSERT INTO order_lines VALUES (131,78,25,5,58.65);
INSERT INTO order_lines VALUES (132,78,9,18,20.4);
INSERT INTO order_lines VALUES (133,78,11,29,24.8);
INSERT INTO order_lines VALUES (134,79,1,17,10.0);
INSERT INTO order_lines VALUES (135,79,27,1,12.8);
INSERT INTO order_lines VALUES (136,80,16,3,8.8);
INSERT INTO order_lines VALUES (137,81,6,29,9.52);
INSERT INTO order_lines VALUES (138,82,13,20,26.0);
INSERT INTO order_lines VALUES (139,83,26,3,11.2);
INSERT INTO order_lines VALUES (140,83,17,23,32.4);
INSERT INTO order_lines VALUES (141,83,20,23,14.0);
INSERT INTO order_lines VALUES (142,84,17,6,30.6);
INSERT INTO order_lines VALUES (143,84,9,19,21.6);
INSERT INTO order_lines VALUES (144,85,4,15,30.4);
INSERT INTO order_lines VALUES (145,85,18,27,10.26);
INSERT INTO order_lines VALUES (146,85,19,18,11.12);
INSERT INTO order_lines VALUES (147,86,24,6,31.2);
INSERT INTO order_lines VALUES (148,86,3,13,9.78);
INSERT INTO deliveries VALUES (1,1,'bpost','2023-03-12','2023-03-14','2023-03-16',13.46,0);
INSERT INTO deliveries VALUES (2,2,'own van','2023-03-25','2023-03-28','2023-03-26',NULL,0);
INSERT INTO deliveries VALUES (3,3,'own van','2023-04-09','2023-04-11','2023-04-16',NULL,0);
INSERT INTO deliveries VALUES (4,3,'DPD','2023-04-12','2023-04-15','2023-04-14',7.8,0);
INSERT INTO deliveries VALUES (5,4,'own van','2023-05-19','2023-05-21','2023-05-22',NULL,0);
INSERT INTO deliveries VALUES (6,5,'DPD','2023-06-05','2023-06-07','2023-06-09',13.38,0);
INSERT INTO deliveries VALUES (7,6,'DPD','2023-07-19','2023-07-23','2023-07-22',6.04,0);
INSERT INTO deliveries VALUES (8,7,'DPD','2023-08-06',NULL,'2023-08-09',9.04,1);
INSERT INTO deliveries VALUES (9,8,'PostNL','2023-10-07','2023-10-09','2023-10-14',15.72,0);
INSERT INTO deliveries VALUES (10,9,'DPD','2023-10-07','2023-10-11','2023-10-09',7.25,0);
INSERT INTO deliveries VALUES (11,10,'bpost','2023-10-25','2023-10-27','2023-10-28',15.37,0);
INSERT INTO deliveries VALUES (12,11,'bpost','2023-11-05','2023-11-09','2023-11-06',8.22,0);
INSERT INTO deliveries VALUES (13,12,'PostNL','2023-12-25','2023-12-27','2023-12-28',18.12,0);
INSERT INTO deliveries VALUES (14,13,'bpost','2024-01-31','2024-02-02','2024-02-03',14.69,0);
INSERT INTO deliveries VALUES (15,14,'own van','2024-02-01','2024-02-03','2024-02-03',NULL,0);
INSERT INTO deliveries VALUES (16,15,'DPD','2024-02-19','2024-02-22','2024-02-24',14.22,0);
INSERT INTO deliveries VALUES (17,16,'own van','2024-03-06','2024-03-08','2024-03-09',NULL,0);
INSERT INTO deliveries VALUES (18,17,'DPD','2024-03-07','2024-03-09','2024-03-10',16.66,1);
INSERT INTO deliveries VALUES (19,17,'DPD','2024-03-10','2024-03-13','2024-03-12',7.8,0);
INSERT INTO deliveries VALUES (20,18,'PostNL','2024-03-10','2024-03-13','2024-03-14',7.88,0);
INSERT INTO deliveries VALUES (21,19,'own van','2024-03-25','2024-03-28','2024-03-27',NULL,0);
INSERT INTO deliveries VALUES (22,20,'bpost','2024-04-24','2024-04-26','2024-04-26',18.33,0);
INSERT INTO deliveries VALUES (23,21,'DPD','2024-04-30','2024-05-02','2024-05-05',16.58,0);
INSERT INTO deliveries VALUES (24,21,'DPD','2024-05-03','2024-05-06','2024-05-05',7.8,0);
INSERT INTO deliveries VALUES (25,22,'PostNL','2024-04-30','2024-05-03','2024-05-03',18.35,1);
INSERT INTO deliveries VALUES (26,23,'PostNL','2024-05-13','2024-05-15','2024-05-20',18.15,0);
INSERT INTO deliveries VALUES (27,24,'DPD','2024-05-18',NULL,'2024-05-20',13.72,0);
INSERT INTO deliveries VALUES (28,25,'DPD','2024-05-26','2024-05-29','2024-05-27',10.34,0);
INSERT INTO deliveries VALUES (29,26,'DPD','2024-07-07','2024-07-11','2024-07-12',12.29,0);
INSERT INTO deliveries VALUES (30,27,'PostNL','2024-08-23','2024-08-26','2024-08-25',9.22,0);
INSERT INTO deliveries VALUES (31,28,'bpost','2024-09-05','2024-09-08','2024-09-09',11.38,0);
INSERT INTO deliveries VALUES (32,29,'own van','2024-09-18','2024-09-22','2024-09-19',NULL,0);
INSERT INTO deliveries VALUES (33,30,'own van','2024-10-08','2024-10-10','2024-10-15',NULL,0);
INSERT INTO deliveries VALUES (34,31,'own van','2024-11-10','2024-11-14','2024-11-12',NULL,0);
INSERT INTO deliveries VALUES (35,32,'DPD','2024-11-13','2024-11-17','2024-11-16',7.93,0);
INSERT INTO deliveries VALUES (36,33,'own van','2024-11-30','2024-12-04','2024-12-05',NULL,0);
INSERT INTO deliveries VALUES (37,34,'DPD','2024-12-13','2024-12-17','2024-12-18',9.49,0);
INSERT INTO deliveries VALUES (38,35,'DPD','2025-01-18','2025-01-22','2025-01-21',11.92,0);
INSERT INTO deliveries VALUES (39,36,'own van','2025-03-24','2025-03-28','2025-03-27',NULL,0);
INSERT INTO deliveries VALUES (40,36,'DPD','2025-03-27','2025-03-30','2025-03-29',7.8,0);
INSERT INTO deliveries VALUES (41,37,'own van','2025-04-24','2025-04-26','2025-04-29',NULL,0);
INSERT INTO deliveries VALUES (42,38,'PostNL','2025-05-15','2025-05-19','2025-05-18',18.4,0);
INSERT INTO deliveries VALUES (43,39,'DPD','2025-05-29','2025-06-02','2025-05-31',18.15,0);
INSERT INTO deliveries VALUES (44,41,'bpost','2025-07-05','2025-07-07','2025-07-12',13.6,0);
INSERT INTO deliveries VALUES (45,43,'DPD','2025-08-04','2025-08-06','2025-08-08',17.6,0);
INSERT INTO deliveries VALUES (46,44,'DPD','2025-08-30','2025-09-02','2025-09-02',17.45,0);
INSERT INTO deliveries VALUES (47,45,'PostNL','2025-09-06','2025-09-10','2025-09-13',10.14,0);
INSERT INTO deliveries VALUES (48,45,'DPD','2025-09-09','2025-09-12','2025-09-11',7.8,0);
INSERT INTO deliveries VALUES (49,46,'DPD','2025-09-08','2025-09-11','2025-09-10',12.27,0);
INSERT INTO deliveries VALUES (50,47,'own van','2025-09-16','2025-09-18','2025-09-20',NULL,0);
INSERT INTO deliveries VALUES (51,48,'DPD','2025-09-24',NULL,'2025-09-29',10.55,0);
INSERT INTO deliveries VALUES (52,49,'DPD','2025-09-30','2025-10-04','2025-10-03',4.37,0);
INSERT INTO deliveries VALUES (53,50,'own van','2025-10-02','2025-10-06','2025-10-03',NULL,0);
INSERT INTO deliveries VALUES (54,51,'own van','2025-10-21','2025-10-24','2025-10-25',NULL,0);
INSERT INTO deliveries VALUES (55,52,'bpost','2025-11-02',NULL,'2025-11-07',5.0,0);
INSERT INTO deliveries VALUES (56,53,'bpost','2025-11-14','2025-11-16','2025-11-16',14.97,0);
INSERT INTO deliveries VALUES (57,54,'DPD','2025-11-22','2025-11-24','2025-11-25',13.32,0);
INSERT INTO deliveries VALUES (58,55,'PostNL','2025-12-19','2025-12-23','2025-12-24',7.87,0);
INSERT INTO deliveries VALUES (59,56,'bpost','2025-12-28','2026-01-01','2026-01-04',16.69,0);
INSERT INTO deliveries VALUES (60,58,'DPD','2026-01-14','2026-01-17','2026-01-15',13.7,0);
INSERT INTO deliveries VALUES (61,58,'DPD','2026-01-17','2026-01-20','2026-01-19',7.8,0);
INSERT INTO deliveries VALUES (62,59,'bpost','2026-01-25','2026-01-28','2026-01-28',7.51,0);
INSERT INTO deliveries VALUES (63,60,'DPD','2026-02-09','2026-02-12','2026-02-12',6.82,0);
INSERT INTO deliveries VALUES (64,61,'PostNL','2026-02-23','2026-02-26','2026-03-02',18.47,0);
INSERT INTO deliveries VALUES (65,62,'own van','2026-02-28','2026-03-03','2026-03-02',NULL,0);
INSERT INTO deliveries VALUES (66,62,'DPD','2026-03-03','2026-03-06','2026-03-05',7.8,0);
INSERT INTO deliveries VALUES (67,63,'bpost','2026-04-28','2026-04-30','2026-04-30',9.73,0);
INSERT INTO deliveries VALUES (68,64,'own van','2026-05-04','2026-05-08','2026-05-11',NULL,0);
INSERT INTO deliveries VALUES (69,65,'own van','2026-05-07','2026-05-09','2026-05-09',NULL,0);
INSERT INTO deliveries VALUES (70,66,'DPD','2026-06-01','2026-06-05','2026-06-04',8.23,0);
INSERT INTO deliveries VALUES (71,67,'bpost','2026-06-10','2026-06-12','2026-06-11',17.84,0);
INSERT INTO deliveries VALUES (72,68,'bpost','2026-06-11','2026-06-14','2026-06-18',6.97,0);
INSERT INTO deliveries VALUES (73,69,'DPD','2026-07-04','2026-07-07','2026-07-06',10.71,0);
INSERT INTO deliveries VALUES (74,69,'DPD','2026-07-07','2026-07-10','2026-07-09',7.8,0);
INSERT INTO deliveries VALUES (75,70,'PostNL','2026-08-15','2026-08-19','2026-08-19',8.11,0);
INSERT INTO deliveries VALUES (76,71,'bpost','2026-09-16','2026-09-20','2026-09-19',16.69,0);
INSERT INTO deliveries VALUES (77,72,'own van','2026-09-18','2026-09-20','2026-09-22',NULL,0);
INSERT INTO deliveries VALUES (78,73,'DPD','2026-09-26','2026-09-30','2026-09-29',18.34,0);
INSERT INTO deliveries VALUES (79,74,'bpost','2026-10-03','2026-10-06','2026-10-08',14.81,0);
INSERT INTO deliveries VALUES (80,75,'own van','2026-10-06','2026-10-10','2026-10-09',NULL,0);
INSERT INTO deliveries VALUES (81,76,'own van','2026-10-19','2026-10-22','2026-10-22',NULL,0);
INSERT INTO deliveries VALUES (82,77,'own van','2026-10-23','2026-10-27','2026-10-25',NULL,0);
INSERT INTO deliveries VALUES (83,78,'PostNL','2026-10-31','2026-11-04','2026-11-01',5.04,0);
INSERT INTO deliveries VALUES (84,79,'own van','2026-11-03','2026-11-05','2026-11-05',NULL,0);
INSERT INTO deliveries VALUES (85,80,'bpost','2026-11-03','2026-11-06','2026-11-05',5.77,0);
INSERT INTO deliveries VALUES (86,81,'bpost','2026-11-14','2026-11-16','2026-11-19',5.34,0);
INSERT INTO deliveries VALUES (87,83,'own van','2026-11-20','2026-11-24',NULL,NULL,0);
INSERT INTO stock VALUES (1,'warehouse',123,10,'2026-09-06');
INSERT INTO stock VALUES (1,'market stall',19,5,'2026-11-16');
INSERT INTO stock VALUES (2,'warehouse',0,NULL,'2026-09-23');
INSERT INTO stock VALUES (2,'shop',29,5,'2026-09-04');
INSERT INTO stock VALUES (3,'warehouse',89,20,'2026-11-16');
INSERT INTO stock VALUES (4,'warehouse',106,5,'2026-10-10');
INSERT INTO stock VALUES (4,'shop',29,25,'2026-10-23');
INSERT INTO stock VALUES (5,'warehouse',39,25,'2026-09-08');
INSERT INTO stock VALUES (6,'warehouse',70,10,'2026-09-13');
INSERT INTO stock VALUES (6,'shop',30,20,'2026-11-05');
INSERT INTO stock VALUES (7,'warehouse',143,10,'2026-11-14');
INSERT INTO stock VALUES (8,'warehouse',23,10,'2026-11-09');
INSERT INTO stock VALUES (8,'shop',18,20,'2026-11-18');
INSERT INTO stock VALUES (9,'warehouse',22,20,'2026-10-05');
INSERT INTO stock VALUES (10,'warehouse',60,25,'2026-10-12');
INSERT INTO stock VALUES (10,'shop',27,25,'2026-10-24');
INSERT INTO stock VALUES (10,'market stall',3,20,'2026-09-20');
INSERT INTO stock VALUES (11,'warehouse',143,NULL,'2026-09-23');
INSERT INTO stock VALUES (12,'warehouse',115,20,'2026-10-23');
INSERT INTO stock VALUES (12,'shop',16,10,'2026-09-07');
INSERT INTO stock VALUES (12,'market stall',15,5,'2026-09-16');
INSERT INTO stock VALUES (13,'warehouse',137,10,'2026-09-10');
INSERT INTO stock VALUES (14,'warehouse',154,5,'2026-09-11');
INSERT INTO stock VALUES (14,'shop',26,5,'2026-10-05');
INSERT INTO stock VALUES (15,'warehouse',64,10,'2026-11-20');
INSERT INTO stock VALUES (16,'warehouse',98,20,'2026-09-25');
INSERT INTO stock VALUES (16,'shop',17,5,'2026-09-06');
INSERT INTO stock VALUES (16,'market stall',17,5,'2026-09-13');
INSERT INTO stock VALUES (17,'warehouse',42,NULL,'2026-09-23');
INSERT INTO stock VALUES (18,'warehouse',60,NULL,'2026-09-30');
INSERT INTO stock VALUES (18,'shop',5,5,'2026-09-28');
INSERT INTO stock VALUES (19,'warehouse',27,25,'2026-11-08');
INSERT INTO stock VALUES (20,'warehouse',129,10,'2026-11-20');
INSERT INTO stock VALUES (20,'shop',15,5,'2026-10-18');
INSERT INTO stock VALUES (21,'warehouse',20,10,'2026-11-03');
INSERT INTO stock VALUES (22,'warehouse',48,NULL,'2026-10-24');
INSERT INTO stock VALUES (22,'shop',24,25,'2026-09-03');
INSERT INTO stock VALUES (23,'warehouse',0,5,'2026-11-05');
INSERT INTO stock VALUES (24,'warehouse',0,5,'2026-10-05');
INSERT INTO stock VALUES (24,'shop',16,10,'2026-11-20');
INSERT INTO stock VALUES (25,'warehouse',3,25,'2026-10-15');
INSERT INTO stock VALUES (26,'warehouse',0,5,'2026-09-07');
INSERT INTO stock VALUES (26,'shop',0,20,'2026-09-20');
INSERT INTO stock VALUES (26,'market stall',20,5,'2026-10-29');
INSERT INTO stock VALUES (27,'warehouse',102,25,'2026-10-19');
INSERT INTO stock VALUES (28,'warehouse',0,20,'2026-10-20');
INSERT INTO stock VALUES (28,'shop',0,5,'2026-10-21');
INSERT INTO reviews VALUES (1,2,11,4,'Great with milk','2023-03-08');
INSERT INTO reviews VALUES (2,25,51,2,'Weak','2023-03-27');
INSERT INTO reviews VALUES (3,5,51,3,'Fine, nothing special','2023-04-29');
INSERT INTO reviews VALUES (4,7,51,2,'Stale on arrival','2023-05-01');
INSERT INTO reviews VALUES (5,15,11,3,'Okay for the price','2023-05-16');
INSERT INTO reviews VALUES (6,5,53,1,'Stale on arrival','2023-07-07');
INSERT INTO reviews VALUES (7,3,NULL,4,'Great with milk','2023-07-23');
INSERT INTO reviews VALUES (8,10,1,4,'Our regulars ask for it','2023-10-04');
INSERT INTO reviews VALUES (9,26,38,3,'Okay for the price','2023-10-13');
INSERT INTO reviews VALUES (10,7,10,3,'Okay for the price','2023-11-03');
INSERT INTO reviews VALUES (11,17,NULL,5,NULL,'2023-11-09');
INSERT INTO reviews VALUES (12,7,51,4,'Smells amazing','2023-12-23');
INSERT INTO reviews VALUES (13,13,25,3,'Okay for the price','2024-01-02');
INSERT INTO reviews VALUES (14,22,33,3,'Fine, nothing special','2024-02-02');
INSERT INTO reviews VALUES (15,10,10,5,'Our regulars ask for it','2024-04-01');
INSERT INTO reviews VALUES (16,4,51,3,'Fine, nothing special','2024-05-09');
INSERT INTO reviews VALUES (17,18,42,5,'Lovely and bright','2024-05-13');
INSERT INTO reviews VALUES (18,26,1,1,'Stale on arrival','2024-06-15');
INSERT INTO reviews VALUES (19,2,14,5,'Best decaf I have had','2024-06-21');
INSERT INTO reviews VALUES (20,16,44,4,'Smells amazing','2024-07-01');
INSERT INTO reviews VALUES (21,1,53,4,'Best decaf I have had','2024-07-05');
INSERT INTO reviews VALUES (22,9,NULL,3,NULL,'2024-08-01');
INSERT INTO reviews VALUES (23,3,1,1,NULL,'2024-08-09');
INSERT INTO reviews VALUES (24,21,23,5,'Great with milk','2024-08-23');
INSERT INTO reviews VALUES (25,14,41,4,'Best decaf I have had','2024-09-11');
INSERT INTO reviews VALUES (26,1,16,3,'Okay for the price','2024-09-29');
INSERT INTO reviews VALUES (27,7,8,4,'Best decaf I have had','2024-10-06');
INSERT INTO reviews VALUES (28,16,11,4,'Our regulars ask for it','2024-12-01');
INSERT INTO reviews VALUES (29,16,15,5,'Our regulars ask for it','2024-12-15');
INSERT INTO reviews VALUES (30,25,40,2,'Bag was torn','2025-01-08');
INSERT INTO reviews VALUES (31,11,44,4,'Will buy again','2025-01-17');
INSERT INTO reviews VALUES (32,23,29,4,'Smells amazing','2025-01-26');
INSERT INTO reviews VALUES (33,13,20,4,'Great with milk','2025-01-28');
INSERT INTO reviews VALUES (34,14,30,5,'Our regulars ask for it','2025-02-18');
INSERT INTO reviews VALUES (35,4,NULL,5,NULL,'2025-02-20');
INSERT INTO reviews VALUES (36,2,NULL,1,'Too bitter for me','2025-04-16');
INSERT INTO reviews VALUES (37,7,54,3,'Decent','2025-06-16');
INSERT INTO reviews VALUES (38,3,49,2,'Too bitter for me','2025-07-14');
INSERT INTO reviews VALUES (39,1,7,5,'Lovely and bright','2025-07-27');
INSERT INTO reviews VALUES (40,26,20,5,NULL,'2025-09-12');
INSERT INTO reviews VALUES (41,9,20,4,'Best decaf I have had','2025-09-22');
INSERT INTO reviews VALUES (42,4,25,5,NULL,'2025-09-28');
INSERT INTO reviews VALUES (43,10,NULL,1,'Stale on arrival','2025-10-02');
INSERT INTO reviews VALUES (44,21,10,2,'Stale on arrival','2025-10-06');
INSERT INTO reviews VALUES (45,26,37,3,'Okay for the price','2025-10-07');
INSERT INTO reviews VALUES (46,13,18,3,'Fine, nothing special','2025-11-30');
INSERT INTO reviews VALUES (47,26,26,2,NULL,'2025-12-16');
INSERT INTO reviews VALUES (48,26,4,3,'Decent','2026-01-02');
INSERT INTO reviews VALUES (49,3,49,5,'Lovely and bright','2026-01-04');
INSERT INTO reviews VALUES (50,25,21,4,'Best decaf I have had','2026-01-22');
INSERT INTO reviews VALUES (51,18,8,2,'Bag was torn','2026-01-26');
INSERT INTO reviews VALUES (52,28,26,3,NULL,'2026-02-02');
INSERT INTO reviews VALUES (53,25,42,3,NULL,'2026-02-05');
INSERT INTO reviews VALUES (54,25,37,5,'Smells amazing','2026-02-26');
INSERT INTO reviews VALUES (55,4,3,4,'Lovely and bright','2026-02-28');
INSERT INTO reviews VALUES (56,2,50,5,NULL,'2026-03-11');
INSERT INTO reviews VALUES (57,17,26,5,'Our regulars ask for it','2026-03-29');
INSERT INTO reviews VALUES (58,10,35,5,'Will buy again','2026-03-30');
INSERT INTO reviews VALUES (59,15,18,5,NULL,'2026-04-02');
INSERT INTO reviews VALUES (60,26,6,5,'Will buy again','2026-04-08');
INSERT INTO reviews VALUES (61,16,49,1,'Stale on arrival','2026-04-26');
INSERT INTO reviews VALUES (62,23,40,5,'Our regulars ask for it','2026-05-05');
INSERT INTO reviews VALUES (63,3,8,4,NULL,'2026-05-29');
INSERT INTO reviews VALUES (64,1,24,2,'Too bitter for me','2026-05-31');
INSERT INTO reviews VALUES (65,21,1,3,'Okay for the price','2026-06-02');
INSERT INTO reviews VALUES (66,26,27,2,'Bag was torn','2026-06-11');
INSERT INTO reviews VALUES (67,26,28,4,'Great with milk','2026-07-31');
INSERT INTO reviews VALUES (68,13,38,5,'Will buy again','2026-08-31');
INSERT INTO reviews VALUES (69,13,52,1,'Stale on arrival','2026-09-11');
INSERT INTO reviews VALUES (70,16,11,3,'Fine, nothing special','2026-09-27');
INSERT INTO reviews VALUES (71,22,54,4,'Great with milk','2026-10-02');
INSERT INTO reviews VALUES (72,22,46,4,NULL,'2026-11-06');
COMMIT;
