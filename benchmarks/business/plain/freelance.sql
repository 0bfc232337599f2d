PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE clients (
  id INTEGER PRIMARY KEY,
  company TEXT NOT NULL,
  sector TEXT,
  city TEXT,
  contact_person TEXT,
  client_since TEXT NOT NULL,
  terms_days INTEGER NOT NULL,
  referred_by INTEGER REFERENCES clients(id),
  archived INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE people (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  discipline TEXT NOT NULL,
  contract TEXT NOT NULL,
  hourly_fee REAL NOT NULL,
  hourly_cost REAL NOT NULL,
  joined TEXT NOT NULL,
  left_on TEXT,
  weekly_hours INTEGER
);
CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  client_id INTEGER NOT NULL REFERENCES clients(id),
  lead_id INTEGER REFERENCES people(id),
  title TEXT NOT NULL,
  type TEXT NOT NULL,
  pricing TEXT NOT NULL,
  budget REAL,
  kickoff TEXT NOT NULL,
  deadline TEXT,
  delivered TEXT,
  stage TEXT NOT NULL
);
CREATE TABLE time_entries (
  id INTEGER PRIMARY KEY,
  person_id INTEGER NOT NULL REFERENCES people(id),
  project_id INTEGER NOT NULL REFERENCES projects(id),
  day TEXT NOT NULL,
  hours REAL NOT NULL,
  task TEXT,
  billable INTEGER NOT NULL DEFAULT 1,
  note TEXT
);
CREATE TABLE invoices (
  id INTEGER PRIMARY KEY,
  number TEXT UNIQUE NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  issued TEXT NOT NULL,
  due TEXT NOT NULL,
  sent TEXT,
  reminded TEXT,
  state TEXT NOT NULL,
  tax_pct REAL NOT NULL
);
CREATE TABLE invoice_lines (
  id INTEGER PRIMARY KEY,
  invoice_id INTEGER NOT NULL REFERENCES invoices(id),
  description TEXT NOT NULL,
  quantity REAL NOT NULL,
  unit TEXT NOT NULL,
  rate REAL NOT NULL
);
CREATE TABLE payments (
  id INTEGER PRIMARY KEY,
  invoice_id INTEGER NOT NULL REFERENCES invoices(id),
  received TEXT NOT NULL,
  amount REAL NOT NULL,
  method TEXT
);
CREATE TABLE expenses (
  id INTEGER PRIMARY KEY,
  project_id INTEGER REFERENCES projects(id),
  person_id INTEGER NOT NULL REFERENCES people(id),
  spent TEXT NOT NULL,
  category TEXT NOT NULL,
  vendor TEXT,
  amount REAL NOT NULL,
  pass_on INTEGER NOT NULL DEFAULT 0,
  repaid TEXT
);
CREATE TABLE days_off (
  id INTEGER PRIMARY KEY,
  person_id INTEGER NOT NULL REFERENCES people(id),
  reason TEXT NOT NULL,
  first_day TEXT NOT NULL,
  last_day TEXT NOT NULL,
  approved INTEGER
);
INSERT INTO clients VALUES (1,'Northwind Bikes','retail','London','Holly Marsh','2024-02-28',60,NULL,0);
INSERT INTO clients VALUES (2,'Harbor Dental Group','healthcare','Gloucester',NULL,'2023-06-11',14,NULL,0);
INSERT INTO clients VALUES (3,'Lumen Energy','energy','Exeter','Imran Sheikh','2023-08-27',14,NULL,0);
INSERT INTO clients VALUES (4,'Papaya Foods','food','Bristol','Paula Reyes','2023-10-30',45,9,0);
INSERT INTO clients VALUES (5,'Stonebridge Wines','food','Bristol','Steve Lowe','2023-10-11',30,NULL,0);
INSERT INTO clients VALUES (6,'City Theatre Trust','culture','Exeter',NULL,'2023-12-30',30,NULL,0);
INSERT INTO clients VALUES (7,'Orbit Logistics','logistics','Cardiff','Kofi Mensah','2024-02-11',45,8,0);
INSERT INTO clients VALUES (8,'Fern & Fig','retail','Bristol','Beth Ashby','2023-10-18',30,NULL,0);
INSERT INTO clients VALUES (9,'Tidewater Hotels','hospitality','London','Lucas Meyer','2023-05-02',30,NULL,0);
INSERT INTO clients VALUES (10,'Kestrel Finance','finance','Bath',NULL,'2023-02-05',14,NULL,0);
INSERT INTO clients VALUES (11,'Juniper Skincare','retail','Bath','Ruth Finch','2023-10-08',30,NULL,0);
INSERT INTO clients VALUES (12,'Museum of Maps','culture','Gloucester','Alan Brody','2023-05-04',30,NULL,0);
INSERT INTO clients VALUES (13,'Bluefin Sushi','hospitality','Gloucester','Yuki Mori','2023-02-28',14,10,1);
INSERT INTO clients VALUES (14,'Mosaic Learning','education','London','Carol Dean','2023-12-25',30,NULL,0);
INSERT INTO clients VALUES (15,'Redwood Legal','legal','London',NULL,'2025-08-23',30,NULL,0);
INSERT INTO clients VALUES (16,'Pixel Pets','retail','Cardiff','Sunita Rao','2023-12-13',30,NULL,0);
INSERT INTO clients VALUES (17,'Granite Construction','construction','London','Glen Foster','2026-02-01',30,NULL,0);
INSERT INTO clients VALUES (18,'Oakfield Primary School','education','Cardiff','Mary Ellison','2025-08-19',30,6,0);
INSERT INTO clients VALUES (19,'Saffron Kitchen','hospitality','Exeter','Tariq Aziz','2025-08-01',60,NULL,0);
INSERT INTO clients VALUES (20,'Helix Biotech','healthcare','Cardiff','Nora Blake','2024-08-13',14,NULL,0);
INSERT INTO clients VALUES (21,'Willow Yoga','wellness','London','Willa Stone','2023-12-17',60,NULL,1);
INSERT INTO clients VALUES (22,'Atlas Travel','travel','Cardiff','Hector Cruz','2026-04-07',30,NULL,0);
INSERT INTO clients VALUES (23,'Quill Publishing','media','Gloucester','Jane Pritchard','2025-05-22',30,5,0);
INSERT INTO clients VALUES (24,'Summit Outdoor','retail','London','Rob Sharpe','2024-07-20',30,NULL,0);
INSERT INTO clients VALUES (25,'Beacon Charity',NULL,'Bristol','Fay Lennox','2023-09-02',30,NULL,1);
INSERT INTO clients VALUES (26,'Cobalt Software','technology','London','Igor Petrov','2024-09-17',30,NULL,0);
INSERT INTO clients VALUES (27,'Marigold Florists','retail','Cardiff','Della Moss','2025-04-30',30,NULL,0);
INSERT INTO clients VALUES (28,'Trident Marine','logistics','London','Craig Munro','2025-04-17',30,NULL,0);
INSERT INTO people VALUES (1,'Rosie Callaghan','creative director','employee',120.0,62.0,'2023-02-28',NULL,24);
INSERT INTO people VALUES (2,'Matt Ibekwe','project manager','employee',90.0,44.0,'2023-02-27',NULL,32);
INSERT INTO people VALUES (3,'Leonie Hart','designer','employee',85.0,38.0,'2023-01-16',NULL,36);
INSERT INTO people VALUES (4,'Dev Patel','developer','employee',95.0,45.0,'2023-02-17',NULL,32);
INSERT INTO people VALUES (5,'Sam Whitlock','designer','employee',80.0,34.0,'2023-02-21','2025-09-18',36);
INSERT INTO people VALUES (6,'Agnes Lund','copywriter','freelancer',75.0,50.0,'2023-02-08',NULL,NULL);
INSERT INTO people VALUES (7,'Noah Briggs','developer','freelancer',95.0,65.0,'2023-01-05',NULL,NULL);
INSERT INTO people VALUES (8,'Priti Shah','illustrator','freelancer',80.0,55.0,'2023-02-25',NULL,NULL);
INSERT INTO people VALUES (9,'Callum Reid','designer','employee',75.0,31.0,'2023-01-08','2025-07-16',24);
INSERT INTO people VALUES (10,'Zoe Farrow','strategist','employee',110.0,54.0,'2023-02-14',NULL,36);
INSERT INTO people VALUES (11,'Marco Bellini','photographer','freelancer',105.0,75.0,'2023-01-21',NULL,NULL);
INSERT INTO people VALUES (12,'Hana Kim','ux researcher','employee',90.0,42.0,'2024-03-01',NULL,24);
INSERT INTO people VALUES (13,'Tom Ackroyd','developer','employee',85.0,36.0,'2024-05-06',NULL,40);
INSERT INTO people VALUES (14,'Ida Nilsen','illustrator','freelancer',80.0,52.0,'2024-04-29',NULL,NULL);
INSERT INTO people VALUES (15,'Ben Okoro','copywriter','employee',70.0,32.0,'2024-04-01','2026-03-15',36);
INSERT INTO people VALUES (16,'Laura Pike','account manager','employee',85.0,41.0,'2024-01-15',NULL,24);
INSERT INTO people VALUES (17,'Fergus Doyle','animator','freelancer',100.0,68.0,'2024-05-15',NULL,NULL);
INSERT INTO people VALUES (18,'Mei Tan','designer','employee',78.0,33.0,'2025-02-18',NULL,24);
INSERT INTO people VALUES (19,'Oscar Lind','developer','freelancer',98.0,66.0,'2025-01-14',NULL,NULL);
INSERT INTO people VALUES (20,'Grace Mbeki','project manager','employee',88.0,43.0,'2025-01-21',NULL,24);
INSERT INTO people VALUES (21,'Ella Novak','designer','intern',45.0,15.0,'2025-03-04','2025-08-31',40);
INSERT INTO people VALUES (22,'Ruben Sol','photographer','freelancer',105.0,72.0,'2025-01-31',NULL,NULL);
INSERT INTO people VALUES (23,'Jade Turner','social media specialist','employee',68.0,30.0,'2026-04-23',NULL,24);
INSERT INTO people VALUES (24,'Kit Harlow','designer','intern',45.0,15.0,'2026-07-21',NULL,36);
INSERT INTO people VALUES (25,'Viktor Hess','developer','freelancer',100.0,70.0,'2026-06-30',NULL,NULL);
INSERT INTO projects VALUES (1,10,2,'Kestrel Finance menu design','print','fixed',2750.0,'2023-03-23','2023-08-01','2023-08-01','delivered');
INSERT INTO projects VALUES (2,13,1,'Bluefin Sushi logo and guidelines','branding','fixed',27750.0,'2023-04-11','2023-07-06',NULL,'cancelled');
INSERT INTO projects VALUES (3,10,NULL,'Kestrel Finance annual report','print','fixed',28750.0,'2023-04-29','2023-06-08',NULL,'cancelled');
INSERT INTO projects VALUES (4,9,1,'Tidewater Hotels landing pages','website','fixed',10750.0,'2023-05-19','2023-10-28','2023-11-01','delivered');
INSERT INTO projects VALUES (5,10,1,'Kestrel Finance online shop','website','fixed',9250.0,'2023-07-12','2023-10-15',NULL,'cancelled');
INSERT INTO projects VALUES (6,25,10,'Beacon Charity spring campaign','campaign','fixed',3000.0,'2023-09-18','2024-01-29','2024-02-02','delivered');
INSERT INTO projects VALUES (7,3,1,'Lumen Energy menu design','print','fixed',10750.0,'2023-09-29','2023-12-26','2024-01-04','delivered');
INSERT INTO projects VALUES (8,13,1,'Bluefin Sushi label redesign','packaging','fixed',13500.0,'2023-11-09','2024-02-13','2024-02-01','delivered');
INSERT INTO projects VALUES (9,9,2,'Tidewater Hotels packaging line','packaging','hourly',NULL,'2024-01-15','2024-05-06',NULL,'cancelled');
INSERT INTO projects VALUES (10,9,2,'Tidewater Hotels poster campaign','campaign','hourly',17500.0,'2024-02-04','2024-06-09','2024-06-30','delivered');
INSERT INTO projects VALUES (11,9,1,'Tidewater Hotels monthly retainer','retainer','retainer',23000.0,'2024-02-14',NULL,NULL,'cancelled');
INSERT INTO projects VALUES (12,9,2,'Tidewater Hotels brand refresh','branding','fixed',23500.0,'2024-03-28','2024-05-24','2024-05-24','delivered');
INSERT INTO projects VALUES (13,11,16,'Juniper Skincare monthly retainer','retainer','retainer',9500.0,'2024-06-14',NULL,'2025-03-03','delivered');
INSERT INTO projects VALUES (14,25,16,'Beacon Charity logo and guidelines','branding','fixed',19500.0,'2024-06-25','2024-11-23','2024-11-11','delivered');
INSERT INTO projects VALUES (15,9,2,'Tidewater Hotels logo and guidelines','branding','fixed',13750.0,'2024-07-05','2024-12-16','2024-12-16','delivered');
INSERT INTO projects VALUES (16,4,2,'Papaya Foods naming and identity','branding','fixed',29250.0,'2024-08-10','2025-01-06','2025-01-15','delivered');
INSERT INTO projects VALUES (17,9,2,'Tidewater Hotels brochure','print','fixed',24250.0,'2024-09-18','2025-01-10','2025-01-10','delivered');
INSERT INTO projects VALUES (18,11,1,'Juniper Skincare website relaunch','website','fixed',25250.0,'2024-09-25','2025-02-05','2025-02-14','delivered');
INSERT INTO projects VALUES (19,11,2,'Juniper Skincare packaging line','packaging','hourly',6500.0,'2024-10-07','2025-03-16','2025-04-23','delivered');
INSERT INTO projects VALUES (20,11,1,'Juniper Skincare monthly retainer 2024','retainer','retainer',7000.0,'2024-10-12',NULL,'2025-05-25','delivered');
INSERT INTO projects VALUES (21,1,1,'Northwind Bikes naming and identity','branding','fixed',19500.0,'2024-10-16','2025-01-26','2025-01-26','delivered');
INSERT INTO projects VALUES (22,3,10,'Lumen Energy spring campaign','campaign','hourly',NULL,'2024-10-22','2024-12-04','2024-11-29','delivered');
INSERT INTO projects VALUES (23,11,16,'Juniper Skincare naming and identity','branding','hourly',NULL,'2024-11-06','2025-04-06','2025-04-15','delivered');
INSERT INTO projects VALUES (24,4,10,'Papaya Foods label redesign','packaging','fixed',26750.0,'2024-11-26','2025-02-01','2025-03-11','delivered');
INSERT INTO projects VALUES (25,5,10,'Stonebridge Wines Christmas campaign','campaign','fixed',2750.0,'2024-12-05','2025-05-06','2025-05-27','delivered');
INSERT INTO projects VALUES (26,5,16,'Stonebridge Wines naming and identity','branding','hourly',19000.0,'2024-12-19','2025-04-27','2025-04-22','delivered');
INSERT INTO projects VALUES (27,3,1,'Lumen Energy spring campaign 2024','campaign','fixed',23000.0,'2024-12-29','2025-05-18',NULL,'cancelled');
INSERT INTO projects VALUES (28,16,1,'Pixel Pets label redesign','packaging','hourly',NULL,'2025-01-28','2025-04-01',NULL,'cancelled');
INSERT INTO projects VALUES (29,1,1,'Northwind Bikes spring campaign','campaign','hourly',NULL,'2025-03-24','2025-08-19','2025-08-14','delivered');
INSERT INTO projects VALUES (30,7,10,'Orbit Logistics naming and identity','branding','fixed',28750.0,'2025-03-29','2025-05-19','2025-05-23','delivered');
INSERT INTO projects VALUES (31,21,NULL,'Willow Yoga menu design','print','fixed',27750.0,'2025-04-19','2025-07-07','2025-07-07','delivered');
INSERT INTO projects VALUES (32,10,2,'Kestrel Finance brochure','print','fixed',26500.0,'2025-05-14','2025-07-08','2025-07-29','delivered');
INSERT INTO projects VALUES (33,1,16,'Northwind Bikes monthly retainer','retainer','retainer',26000.0,'2025-05-30',NULL,'2026-07-17','delivered');
INSERT INTO projects VALUES (34,16,20,'Pixel Pets menu design','print','fixed',8750.0,'2025-06-18','2025-10-12','2025-10-12','delivered');
INSERT INTO projects VALUES (35,9,10,'Tidewater Hotels label redesign','packaging','fixed',29750.0,'2025-07-01','2025-08-08','2025-09-15','delivered');
INSERT INTO projects VALUES (36,28,2,'Trident Marine menu design','print','fixed',28250.0,'2025-08-31','2026-01-18','2026-01-18','delivered');
INSERT INTO projects VALUES (37,3,1,'Lumen Energy packaging line','packaging','fixed',29000.0,'2025-09-15','2025-12-31','2025-12-19','delivered');
INSERT INTO projects VALUES (38,27,2,'Marigold Florists landing pages','website','fixed',13500.0,'2025-11-01','2026-03-08','2026-04-15','delivered');
INSERT INTO projects VALUES (39,12,16,'Museum of Maps packaging line','packaging','fixed',22250.0,'2025-11-07','2026-01-10','2025-12-29','delivered');
INSERT INTO projects VALUES (40,15,16,'Redwood Legal monthly retainer','retainer','retainer',28250.0,'2025-11-09',NULL,'2026-10-09','delivered');
INSERT INTO projects VALUES (41,26,1,'Cobalt Software menu design','print','hourly',13500.0,'2025-12-08','2026-05-23','2026-05-18','delivered');
INSERT INTO projects VALUES (42,27,16,'Marigold Florists online shop','website','fixed',4250.0,'2026-02-18','2026-05-19','2026-05-23','delivered');
INSERT INTO projects VALUES (43,1,16,'Northwind Bikes website relaunch','website','fixed',8000.0,'2026-02-26','2026-03-30','2026-03-25','delivered');
INSERT INTO projects VALUES (44,3,NULL,'Lumen Energy label redesign','packaging','hourly',NULL,'2026-03-30','2026-09-03','2026-08-29','delivered');
INSERT INTO projects VALUES (45,9,NULL,'Tidewater Hotels packaging line 2026','packaging','fixed',15500.0,'2026-05-18','2026-08-04','2026-08-04','delivered');
INSERT INTO projects VALUES (46,1,16,'Northwind Bikes packaging line','packaging','hourly',NULL,'2026-06-20','2026-07-26',NULL,'cancelled');
INSERT INTO projects VALUES (47,11,NULL,'Juniper Skincare website relaunch 2026','website','fixed',25000.0,'2026-06-22','2026-08-22','2026-08-17','delivered');
INSERT INTO projects VALUES (48,20,16,'Helix Biotech website relaunch','website','hourly',NULL,'2026-07-02','2026-10-17','2026-10-17','delivered');
INSERT INTO projects VALUES (49,8,20,'Fern & Fig monthly retainer','retainer','retainer',24250.0,'2026-07-14',NULL,NULL,'in progress');
INSERT INTO projects VALUES (50,1,2,'Northwind Bikes website relaunch 2026','website','fixed',7750.0,'2026-08-11','2026-11-16',NULL,'cancelled');
INSERT INTO projects VALUES (51,24,20,'Summit Outdoor brochure','print','fixed',15500.0,'2026-08-28','2026-10-22','2026-10-17','delivered');
INSERT INTO projects VALUES (52,11,16,'Juniper Skincare monthly retainer 2026','retainer','retainer',13500.0,'2026-08-30',NULL,NULL,'in progress');
INSERT INTO projects VALUES (53,14,1,'Mosaic Learning spring campaign','campaign','fixed',28000.0,'2026-08-25','2026-11-19',NULL,'in progress');
INSERT INTO projects VALUES (54,27,1,'Marigold Florists landing pages 2026','website','hourly',NULL,'2026-08-29','2026-11-14','2026-11-18','delivered');
INSERT INTO projects VALUES (55,1,16,'Northwind Bikes brand refresh','branding','fixed',25250.0,'2026-09-05','2027-02-13',NULL,'in progress');
INSERT INTO projects VALUES (56,19,1,'Saffron Kitchen brochure','print','hourly',15750.0,'2026-09-12','2026-11-13','2026-11-08','delivered');
INSERT INTO projects VALUES (57,16,10,'Pixel Pets annual report','print','fixed',14250.0,'2026-10-17','2027-01-01',NULL,'in progress');
INSERT INTO projects VALUES (58,15,2,'Redwood Legal naming and identity','branding','hourly',NULL,'2026-10-30','2027-01-28',NULL,'proposal');
INSERT INTO projects VALUES (59,24,20,'Summit Outdoor logo and guidelines','branding','hourly',27750.0,'2026-11-03','2027-04-04',NULL,'proposal');
INSERT INTO projects VALUES (60,9,2,'Tidewater Hotels Christmas campaign','campaign','fixed',12000.0,'2026-11-05','2027-01-31',NULL,'proposal');
INSERT INTO time_entries VALUES (1,7,1,'2023-04-17',1,'build',1,NULL);
INSERT INTO time_entries VALUES (2,5,1,'2023-04-28',4,'revisions',1,'on site');
INSERT INTO time_entries VALUES (3,11,1,'2023-05-02',7.5,'photo shoot',0,NULL);
INSERT INTO time_entries VALUES (4,6,2,'2023-05-05',5,'copywriting',1,'client asked for changes');
INSERT INTO time_entries VALUES (5,9,3,'2023-05-12',6,'concept',1,'round 2');
INSERT INTO time_entries VALUES (6,11,4,'2023-07-07',3,'photo shoot',1,NULL);
INSERT INTO time_entries VALUES (7,1,5,'2023-08-22',4,'concept',1,'from home');
INSERT INTO time_entries VALUES (8,6,4,'2023-09-01',1,'copywriting',1,NULL);
INSERT INTO time_entries VALUES (9,2,4,'2023-09-13',7,'planning',1,NULL);
INSERT INTO time_entries VALUES (10,6,7,'2023-10-06',4,'copywriting',1,'round 2');
INSERT INTO time_entries VALUES (11,1,6,'2023-11-01',4,'concept',1,'round 2');
INSERT INTO time_entries VALUES (12,8,6,'2023-11-15',3.5,'illustration',1,'client asked for changes');
INSERT INTO time_entries VALUES (13,5,8,'2023-12-01',1.5,'concept',1,NULL);
INSERT INTO time_entries VALUES (14,8,5,'2023-12-14',2,'illustration',1,NULL);
INSERT INTO time_entries VALUES (15,7,7,'2023-12-15',1,'hosting setup',0,NULL);
INSERT INTO time_entries VALUES (16,4,8,'2023-12-15',7.5,'bug fixing',1,'from home');
INSERT INTO time_entries VALUES (17,8,8,'2024-01-04',4,'illustration',1,NULL);
INSERT INTO time_entries VALUES (18,8,7,'2024-01-04',1,'illustration',1,NULL);
INSERT INTO time_entries VALUES (19,4,8,'2024-01-05',3,'bug fixing',1,NULL);
INSERT INTO time_entries VALUES (20,9,8,'2024-01-25',3,'revisions',1,NULL);
INSERT INTO time_entries VALUES (21,11,8,'2024-01-30',5,'photo shoot',1,'client asked for changes');
INSERT INTO time_entries VALUES (22,16,9,'2024-01-31',6,'meeting',0,NULL);
INSERT INTO time_entries VALUES (23,8,9,'2024-02-22',1.5,'illustration',1,'from home');
INSERT INTO time_entries VALUES (24,10,9,'2024-02-27',2.5,'research',1,'client asked for changes');
INSERT INTO time_entries VALUES (25,5,12,'2024-04-09',2,'concept',1,NULL);
INSERT INTO time_entries VALUES (26,7,10,'2024-04-11',3,'hosting setup',1,NULL);
INSERT INTO time_entries VALUES (27,16,9,'2024-04-18',4,'meeting',1,'round 2');
INSERT INTO time_entries VALUES (28,6,9,'2024-04-18',3,'copywriting',1,'client asked for changes');
INSERT INTO time_entries VALUES (29,9,11,'2024-04-29',7.5,'layout',1,NULL);
INSERT INTO time_entries VALUES (30,1,10,'2024-05-02',3.5,'client call',0,'client asked for changes');
INSERT INTO time_entries VALUES (31,9,12,'2024-05-13',4,'concept',1,'client asked for changes');
INSERT INTO time_entries VALUES (32,8,10,'2024-05-27',7,'illustration',1,'from home');
INSERT INTO time_entries VALUES (33,3,9,'2024-05-28',4,'revisions',0,'on site');
INSERT INTO time_entries VALUES (34,8,9,'2024-06-14',4,'illustration',1,NULL);
INSERT INTO time_entries VALUES (35,9,13,'2024-06-25',2,'revisions',1,'on site');
INSERT INTO time_entries VALUES (36,6,14,'2024-07-03',4,'copywriting',1,NULL);
INSERT INTO time_entries VALUES (37,15,15,'2024-07-11',5,'copywriting',1,'from home');
INSERT INTO time_entries VALUES (38,12,13,'2024-07-22',2.5,'research',1,NULL);
INSERT INTO time_entries VALUES (39,17,15,'2024-08-23',7,'animation',1,NULL);
INSERT INTO time_entries VALUES (40,3,16,'2024-09-06',7,'concept',1,'on site');
INSERT INTO time_entries VALUES (41,8,11,'2024-09-12',1,'illustration',1,NULL);
INSERT INTO time_entries VALUES (42,17,14,'2024-09-12',3,'animation',1,'on site');
INSERT INTO time_entries VALUES (43,17,18,'2024-10-07',2,'animation',1,'client asked for changes');
INSERT INTO time_entries VALUES (44,10,16,'2024-10-16',3,'research',1,'round 2');
INSERT INTO time_entries VALUES (45,4,19,'2024-10-29',7,'hosting setup',0,'on site');
INSERT INTO time_entries VALUES (46,14,20,'2024-11-19',1.5,'illustration',1,'client asked for changes');
INSERT INTO time_entries VALUES (47,10,26,'2024-12-19',7.5,'research',1,'client asked for changes');
INSERT INTO time_entries VALUES (48,6,25,'2025-01-08',1,'copywriting',1,NULL);
INSERT INTO time_entries VALUES (49,10,24,'2025-01-13',1,'research',1,'on site');
INSERT INTO time_entries VALUES (50,6,26,'2025-01-17',7.5,'copywriting',1,'round 2');
INSERT INTO time_entries VALUES (51,4,20,'2025-01-22',1,'hosting setup',1,'round 2');
INSERT INTO time_entries VALUES (52,13,21,'2025-01-23',7.5,'hosting setup',0,NULL);
INSERT INTO time_entries VALUES (53,3,20,'2025-01-30',1.5,'layout',1,'on site');
INSERT INTO time_entries VALUES (54,2,25,'2025-02-06',1.5,'planning',1,'from home');
INSERT INTO time_entries VALUES (55,16,26,'2025-02-14',2,'meeting',0,'client asked for changes');
INSERT INTO time_entries VALUES (56,15,19,'2025-02-19',2,'copywriting',0,NULL);
INSERT INTO time_entries VALUES (57,6,24,'2025-02-20',2.5,'copywriting',0,NULL);
INSERT INTO time_entries VALUES (58,22,13,'2025-02-26',3.5,'photo shoot',0,'on site');
INSERT INTO time_entries VALUES (59,10,23,'2025-03-05',4,'research',0,'on site');
INSERT INTO time_entries VALUES (60,10,24,'2025-03-05',6,'workshop',0,'client asked for changes');
INSERT INTO time_entries VALUES (61,15,25,'2025-03-28',4,'copywriting',1,NULL);
INSERT INTO time_entries VALUES (62,3,19,'2025-04-18',3,'revisions',1,'round 2');
INSERT INTO time_entries VALUES (63,21,31,'2025-05-02',1.5,'layout',0,'client asked for changes');
INSERT INTO time_entries VALUES (64,11,31,'2025-05-05',6,'photo shoot',0,'on site');
INSERT INTO time_entries VALUES (65,4,31,'2025-05-06',7.5,'build',1,NULL);
INSERT INTO time_entries VALUES (66,7,11,'2025-05-22',7,'build',1,'round 2');
INSERT INTO time_entries VALUES (67,8,31,'2025-05-30',1.5,'illustration',1,NULL);
INSERT INTO time_entries VALUES (68,18,31,'2025-06-05',5,'concept',0,NULL);
INSERT INTO time_entries VALUES (69,15,27,'2025-06-05',7,'copywriting',0,'from home');
INSERT INTO time_entries VALUES (70,15,27,'2025-06-05',3.5,'copywriting',1,'on site');
INSERT INTO time_entries VALUES (71,20,27,'2025-06-13',1,'planning',1,NULL);
INSERT INTO time_entries VALUES (72,14,33,'2025-06-20',3,'illustration',1,'on site');
INSERT INTO time_entries VALUES (73,13,34,'2025-06-20',7.5,'hosting setup',1,NULL);
INSERT INTO time_entries VALUES (74,13,11,'2025-06-27',7.5,'hosting setup',1,'client asked for changes');
INSERT INTO time_entries VALUES (75,4,27,'2025-07-16',3.5,'build',1,'from home');
INSERT INTO time_entries VALUES (76,6,33,'2025-07-17',7.5,'copywriting',1,'round 2');
INSERT INTO time_entries VALUES (77,13,29,'2025-07-22',7,'build',1,'client asked for changes');
INSERT INTO time_entries VALUES (78,1,33,'2025-08-01',6,'client call',0,NULL);
INSERT INTO time_entries VALUES (79,17,11,'2025-08-07',4,'animation',0,'from home');
INSERT INTO time_entries VALUES (80,12,29,'2025-08-12',1.5,'research',1,NULL);
INSERT INTO time_entries VALUES (81,13,34,'2025-09-16',4,'build',1,NULL);
INSERT INTO time_entries VALUES (82,18,37,'2025-09-17',3,'revisions',1,'on site');
INSERT INTO time_entries VALUES (83,1,37,'2025-09-23',2.5,'concept',1,NULL);
INSERT INTO time_entries VALUES (84,18,36,'2025-09-24',2.5,'concept',1,'round 2');
INSERT INTO time_entries VALUES (85,7,34,'2025-10-07',7.5,'build',1,'client asked for changes');
INSERT INTO time_entries VALUES (86,8,11,'2025-10-16',3.5,'illustration',1,NULL);
INSERT INTO time_entries VALUES (87,19,11,'2025-10-20',2.5,'hosting setup',1,NULL);
INSERT INTO time_entries VALUES (88,11,33,'2025-10-27',5,'photo shoot',1,NULL);
INSERT INTO time_entries VALUES (89,22,11,'2025-11-03',1,'photo shoot',1,'client asked for changes');
INSERT INTO time_entries VALUES (90,11,38,'2025-11-10',2,'photo shoot',1,NULL);
INSERT INTO time_entries VALUES (91,6,40,'2025-11-26',1.5,'copywriting',1,'client asked for changes');
INSERT INTO time_entries VALUES (92,18,33,'2025-11-26',3.5,'revisions',1,'round 2');
INSERT INTO time_entries VALUES (93,12,11,'2026-01-07',5,'user testing',1,NULL);
INSERT INTO time_entries VALUES (94,4,41,'2026-01-07',3,'bug fixing',1,NULL);
INSERT INTO time_entries VALUES (95,13,41,'2026-01-12',7.5,'build',1,NULL);
INSERT INTO time_entries VALUES (96,22,38,'2026-01-14',1,'photo shoot',0,'round 2');
INSERT INTO time_entries VALUES (97,6,11,'2026-01-19',7,'copywriting',0,'client asked for changes');
INSERT INTO time_entries VALUES (98,8,41,'2026-01-20',4,'illustration',1,NULL);
INSERT INTO time_entries VALUES (99,17,40,'2026-01-26',3.5,'animation',1,'from home');
INSERT INTO time_entries VALUES (100,18,11,'2026-02-03',7,'layout',1,NULL);
INSERT INTO time_entries VALUES (101,10,41,'2026-02-16',3.5,'research',1,NULL);
INSERT INTO time_entries VALUES (102,18,11,'2026-02-17',3.5,'layout',1,'from home');
INSERT INTO time_entries VALUES (103,13,38,'2026-02-25',1.5,'bug fixing',1,'client asked for changes');
INSERT INTO time_entries VALUES (104,15,11,'2026-02-25',7.5,'copywriting',1,'client asked for changes');
INSERT INTO time_entries VALUES (105,22,38,'2026-03-11',2.5,'photo shoot',1,'client asked for changes');
INSERT INTO time_entries VALUES (106,20,40,'2026-03-13',2.5,'planning',1,'client asked for changes');
INSERT INTO time_entries VALUES (107,17,38,'2026-03-24',1.5,'animation',1,NULL);
INSERT INTO time_entries VALUES (108,6,44,'2026-04-02',7.5,'copywriting',1,'from home');
INSERT INTO time_entries VALUES (109,10,41,'2026-04-07',5,'workshop',0,NULL);
INSERT INTO time_entries VALUES (110,2,44,'2026-04-07',3,'meeting',1,'round 2');
INSERT INTO time_entries VALUES (111,13,41,'2026-04-14',3,'build',1,NULL);
INSERT INTO time_entries VALUES (112,20,41,'2026-04-15',3,'meeting',1,NULL);
INSERT INTO time_entries VALUES (113,4,41,'2026-04-20',7.5,'bug fixing',1,'on site');
INSERT INTO time_entries VALUES (114,10,11,'2026-04-20',3,'research',1,NULL);
INSERT INTO time_entries VALUES (115,12,40,'2026-04-20',1,'research',1,'on site');
INSERT INTO time_entries VALUES (116,16,42,'2026-04-27',2.5,'client call',1,'round 2');
INSERT INTO time_entries VALUES (117,19,42,'2026-05-04',5,'hosting setup',1,NULL);
INSERT INTO time_entries VALUES (118,22,44,'2026-05-04',6,'photo shoot',1,'client asked for changes');
INSERT INTO time_entries VALUES (119,22,11,'2026-05-14',1,'photo shoot',1,'round 2');
INSERT INTO time_entries VALUES (120,18,33,'2026-05-19',1.5,'concept',1,NULL);
INSERT INTO time_entries VALUES (121,14,33,'2026-05-25',1,'illustration',1,'client asked for changes');
INSERT INTO time_entries VALUES (122,20,11,'2026-06-02',6,'planning',0,NULL);
INSERT INTO time_entries VALUES (123,3,44,'2026-06-03',2.5,'concept',1,NULL);
INSERT INTO time_entries VALUES (124,8,40,'2026-06-09',4,'illustration',0,NULL);
INSERT INTO time_entries VALUES (125,1,44,'2026-06-16',3.5,'concept',1,NULL);
INSERT INTO time_entries VALUES (126,19,11,'2026-06-16',3,'bug fixing',1,'from home');
INSERT INTO time_entries VALUES (127,18,47,'2026-07-02',3.5,'layout',1,'round 2');
INSERT INTO time_entries VALUES (128,25,47,'2026-07-09',2,'hosting setup',1,'from home');
INSERT INTO time_entries VALUES (129,3,45,'2026-07-30',5,'concept',0,'on site');
INSERT INTO time_entries VALUES (130,22,40,'2026-08-11',1.5,'photo shoot',1,'round 2');
INSERT INTO time_entries VALUES (131,12,49,'2026-08-12',7.5,'research',0,'client asked for changes');
INSERT INTO time_entries VALUES (132,11,40,'2026-08-20',7,'photo shoot',1,'round 2');
INSERT INTO time_entries VALUES (133,23,48,'2026-08-21',7,'content planning',1,'on site');
INSERT INTO time_entries VALUES (134,19,50,'2026-08-31',4,'build',1,NULL);
INSERT INTO time_entries VALUES (135,18,50,'2026-09-03',6,'revisions',1,'on site');
INSERT INTO time_entries VALUES (136,13,11,'2026-09-04',3,'build',1,NULL);
INSERT INTO time_entries VALUES (137,6,40,'2026-09-14',3.5,'copywriting',0,NULL);
INSERT INTO time_entries VALUES (138,6,40,'2026-09-14',2,'copywriting',1,'on site');
INSERT INTO time_entries VALUES (139,3,53,'2026-09-15',5,'revisions',1,'on site');
INSERT INTO time_entries VALUES (140,8,49,'2026-09-16',3.5,'illustration',1,'client asked for changes');
INSERT INTO time_entries VALUES (141,10,49,'2026-09-18',2.5,'workshop',1,'client asked for changes');
INSERT INTO time_entries VALUES (142,19,55,'2026-10-02',2,'build',1,NULL);
INSERT INTO time_entries VALUES (143,6,56,'2026-10-13',1,'copywriting',1,'round 2');
INSERT INTO time_entries VALUES (144,3,54,'2026-10-19',3.5,'revisions',1,'on site');
INSERT INTO time_entries VALUES (145,25,52,'2026-10-19',3.5,'bug fixing',1,'round 2');
INSERT INTO time_entries VALUES (146,19,50,'2026-10-23',2.5,'hosting setup',1,NULL);
INSERT INTO time_entries VALUES (147,10,56,'2026-11-04',7.5,'workshop',1,NULL);
INSERT INTO time_entries VALUES (148,2,55,'2026-11-04',1.5,'meeting',0,'client asked for changes');
INSERT INTO time_entries VALUES (149,6,49,'2026-11-11',2,'copywriting',0,NULL);
INSERT INTO time_entries VALUES (150,6,49,'2026-11-19',6,'copywriting',0,'from home');
INSERT INTO invoices VALUES (1,'2023-001',1,'2023-07-11','2023-07-25','2023-07-13',NULL,'paid',20.0);
INSERT INTO invoices VALUES (2,'2023-002',1,'2023-07-17','2023-07-31','2023-07-18',NULL,'paid',20.0);
INSERT INTO invoices VALUES (3,'2023-003',4,'2023-10-14','2023-11-13','2023-10-15',NULL,'part paid',20.0);
INSERT INTO invoices VALUES (4,'2023-004',4,'2023-10-15','2023-11-14','2023-10-19',NULL,'paid',20.0);
INSERT INTO invoices VALUES (5,'2023-005',6,'2023-10-16','2023-11-15','2023-10-16','2023-11-20','paid',20.0);
INSERT INTO invoices VALUES (6,'2023-006',7,'2023-11-03','2023-11-17','2023-11-06',NULL,'paid',20.0);
INSERT INTO invoices VALUES (7,'2023-007',6,'2023-11-16','2023-12-16','2023-11-16',NULL,'paid',20.0);
INSERT INTO invoices VALUES (8,'2024-001',8,'2024-01-19','2024-02-02','2024-01-21','2024-02-07','paid',20.0);
INSERT INTO invoices VALUES (9,'2024-002',8,'2024-01-20','2024-02-03','2024-01-24',NULL,'paid',20.0);
INSERT INTO invoices VALUES (10,'2024-003',10,'2024-04-01','2024-05-01','2024-04-04',NULL,'paid',20.0);
INSERT INTO invoices VALUES (11,'2024-004',10,'2024-04-13','2024-05-13','2024-04-17','2024-05-18','paid',20.0);
INSERT INTO invoices VALUES (12,'2024-005',12,'2024-05-06','2024-06-05','2024-05-09','2024-06-10','paid',20.0);
INSERT INTO invoices VALUES (13,'2024-006',13,'2024-06-29','2024-07-29','2024-07-01',NULL,'paid',20.0);
INSERT INTO invoices VALUES (14,'2024-007',14,'2024-07-16','2024-08-15','2024-07-18',NULL,'paid',20.0);
INSERT INTO invoices VALUES (15,'2024-008',15,'2024-07-28','2024-08-27','2024-07-29',NULL,'paid',20.0);
INSERT INTO invoices VALUES (16,'2024-009',13,'2024-08-29','2024-09-28','2024-08-30','2024-10-03','paid',20.0);
INSERT INTO invoices VALUES (17,'2024-010',18,'2024-10-08','2024-11-07','2024-10-12','2024-11-12','paid',20.0);
INSERT INTO invoices VALUES (18,'2024-011',13,'2024-10-18','2024-11-17','2024-10-20',NULL,'paid',20.0);
INSERT INTO invoices VALUES (19,'2024-012',13,'2024-10-18','2024-11-17','2024-10-22',NULL,'paid',20.0);
INSERT INTO invoices VALUES (20,'2024-013',19,'2024-10-19','2024-11-18','2024-10-23','2024-11-23','paid',20.0);
INSERT INTO invoices VALUES (21,'2024-014',14,'2024-11-05','2024-12-05','2024-11-07',NULL,'paid',0.0);
INSERT INTO invoices VALUES (22,'2024-015',21,'2024-11-09','2025-01-08','2024-11-09','2025-01-13','paid',20.0);
INSERT INTO invoices VALUES (23,'2024-016',22,'2024-11-09','2024-11-23','2024-11-11','2024-11-28','sent',20.0);
INSERT INTO invoices VALUES (24,'2024-017',22,'2024-11-10','2024-11-24','2024-11-12',NULL,'paid',20.0);
INSERT INTO invoices VALUES (25,'2024-018',3,'2024-11-14','2024-11-28','2024-11-16','2024-12-03','paid',20.0);
INSERT INTO invoices VALUES (26,'2024-019',15,'2024-11-20','2024-12-20','2024-11-22',NULL,'paid',20.0);
INSERT INTO invoices VALUES (27,'2024-020',20,'2024-11-24','2024-12-24','2024-11-28',NULL,'paid',20.0);
INSERT INTO invoices VALUES (28,'2024-021',21,'2024-11-24','2025-01-23','2024-11-27',NULL,'void',20.0);
INSERT INTO invoices VALUES (29,'2024-022',17,'2024-12-21','2025-01-20','2024-12-25',NULL,'paid',20.0);
INSERT INTO invoices VALUES (30,'2024-023',17,'2024-12-23','2025-01-22','2024-12-27',NULL,'paid',20.0);
INSERT INTO invoices VALUES (31,'2024-024',23,'2024-12-25','2025-01-24','2024-12-25',NULL,'paid',20.0);
INSERT INTO invoices VALUES (32,'2025-001',16,'2025-01-06','2025-02-20','2025-01-07',NULL,'void',20.0);
INSERT INTO invoices VALUES (33,'2025-002',25,'2025-01-17','2025-02-16','2025-01-21','2025-02-21','paid',20.0);
INSERT INTO invoices VALUES (34,'2025-003',25,'2025-02-01','2025-03-03','2025-02-02',NULL,'paid',20.0);
INSERT INTO invoices VALUES (35,'2025-004',23,'2025-02-06','2025-03-08','2025-02-09',NULL,'paid',20.0);
INSERT INTO invoices VALUES (36,'2025-005',26,'2025-02-12','2025-03-14','2025-02-14',NULL,'paid',20.0);
INSERT INTO invoices VALUES (37,'2025-006',24,'2025-02-28','2025-04-14','2025-03-02',NULL,'paid',0.0);
INSERT INTO invoices VALUES (38,'2025-007',29,'2025-04-06','2025-06-05','2025-04-08','2025-06-10','paid',20.0);
INSERT INTO invoices VALUES (39,'2025-008',20,'2025-04-12','2025-05-12','2025-04-14','2025-05-17','paid',20.0);
INSERT INTO invoices VALUES (40,'2025-009',19,'2025-04-23','2025-05-23','2025-04-27',NULL,'paid',20.0);
INSERT INTO invoices VALUES (41,'2025-010',30,'2025-04-28','2025-06-12','2025-05-01',NULL,'paid',20.0);
INSERT INTO invoices VALUES (42,'2025-011',20,'2025-05-04','2025-06-03','2025-05-08',NULL,'paid',20.0);
INSERT INTO invoices VALUES (43,'2025-012',31,'2025-05-06','2025-07-05','2025-05-09','2025-07-10','paid',20.0);
INSERT INTO invoices VALUES (44,'2025-013',31,'2025-05-16','2025-07-15','2025-05-18',NULL,'paid',20.0);
INSERT INTO invoices VALUES (45,'2025-014',30,'2025-05-18','2025-07-02','2025-05-18','2025-07-07','paid',20.0);
INSERT INTO invoices VALUES (46,'2025-015',2,'2025-07-23','2025-08-06','2025-07-26','2025-08-11','sent',20.0);
INSERT INTO invoices VALUES (47,'2025-016',32,'2025-07-28','2025-08-11','2025-07-28','2025-08-16','paid',20.0);
INSERT INTO invoices VALUES (48,'2025-017',32,'2025-07-29','2025-08-12','2025-07-30',NULL,'paid',20.0);
INSERT INTO invoices VALUES (49,'2025-018',35,'2025-08-12','2025-09-11','2025-08-12','2025-09-16','paid',20.0);
INSERT INTO invoices VALUES (50,'2025-019',34,'2025-08-18','2025-09-17','2025-08-20','2025-09-22','paid',20.0);
INSERT INTO invoices VALUES (51,'2025-020',33,'2025-08-22','2025-10-21','2025-08-24','2025-10-26','paid',20.0);
INSERT INTO invoices VALUES (52,'2025-021',34,'2025-09-27','2025-10-27','2025-09-27',NULL,'paid',20.0);
INSERT INTO invoices VALUES (53,'2025-022',36,'2025-10-19','2025-11-18','2025-10-23','2025-11-23','paid',20.0);
INSERT INTO invoices VALUES (54,'2025-023',33,'2025-10-20','2025-12-19','2025-10-21',NULL,'void',20.0);
INSERT INTO invoices VALUES (55,'2025-024',37,'2025-11-19','2025-12-03','2025-11-22',NULL,'paid',20.0);
INSERT INTO invoices VALUES (56,'2025-025',39,'2025-11-30','2025-12-30','2025-12-03',NULL,'paid',20.0);
INSERT INTO invoices VALUES (57,'2025-026',37,'2025-12-04','2025-12-18','2025-12-05',NULL,'paid',20.0);
INSERT INTO invoices VALUES (58,'2025-027',39,'2025-12-04','2026-01-03','2025-12-07','2026-01-08','paid',20.0);
INSERT INTO invoices VALUES (59,'2026-001',36,'2026-01-02','2026-02-01','2026-01-04',NULL,'paid',20.0);
INSERT INTO invoices VALUES (60,'2026-002',40,'2026-02-18','2026-03-20','2026-02-19','2026-03-25','paid',20.0);
INSERT INTO invoices VALUES (61,'2026-003',41,'2026-02-27','2026-03-29','2026-02-28','2026-04-03','paid',20.0);
INSERT INTO invoices VALUES (62,'2026-004',43,'2026-03-17','2026-05-16','2026-03-17',NULL,'paid',20.0);
INSERT INTO invoices VALUES (63,'2026-005',42,'2026-03-18','2026-04-17','2026-03-20',NULL,'paid',20.0);
INSERT INTO invoices VALUES (64,'2026-006',43,'2026-03-23','2026-05-22','2026-03-24','2026-05-27','paid',20.0);
INSERT INTO invoices VALUES (65,'2026-007',38,'2026-03-26','2026-04-25','2026-03-29',NULL,'paid',20.0);
INSERT INTO invoices VALUES (66,'2026-008',41,'2026-03-31','2026-04-30','2026-04-01','2026-05-05','paid',0.0);
INSERT INTO invoices VALUES (67,'2026-009',44,'2026-04-19','2026-05-03','2026-04-23',NULL,'paid',20.0);
INSERT INTO invoices VALUES (68,'2026-010',42,'2026-05-11','2026-06-10','2026-05-15',NULL,'paid',0.0);
INSERT INTO invoices VALUES (69,'2026-011',33,'2026-05-23','2026-07-22','2026-05-23','2026-07-27','paid',20.0);
INSERT INTO invoices VALUES (70,'2026-012',40,'2026-06-03','2026-07-03','2026-06-07','2026-07-08','paid',20.0);
INSERT INTO invoices VALUES (71,'2026-013',44,'2026-06-26','2026-07-10','2026-06-30','2026-07-15','paid',20.0);
INSERT INTO invoices VALUES (72,'2026-014',45,'2026-06-29','2026-07-29','2026-07-03',NULL,'paid',20.0);
INSERT INTO invoices VALUES (73,'2026-015',49,'2026-07-26','2026-08-25','2026-07-26',NULL,'paid',20.0);
INSERT INTO invoices VALUES (74,'2026-016',5,'2026-08-13','2026-08-27','2026-08-13',NULL,'paid',20.0);
INSERT INTO invoices VALUES (75,'2026-017',40,'2026-08-17','2026-09-16','2026-08-19',NULL,'paid',20.0);
INSERT INTO invoices VALUES (76,'2026-018',47,'2026-08-17','2026-09-16','2026-08-20','2026-09-21','part paid',20.0);
INSERT INTO invoices VALUES (77,'2026-019',49,'2026-08-22','2026-09-21','2026-08-24',NULL,'void',20.0);
INSERT INTO invoices VALUES (78,'2026-020',52,'2026-09-14','2026-10-14','2026-09-15',NULL,'void',20.0);
INSERT INTO invoices VALUES (79,'2026-021',54,'2026-09-20','2026-10-20','2026-09-21','2026-10-25','sent',20.0);
INSERT INTO invoices VALUES (80,'2026-022',53,'2026-09-21','2026-10-21','2026-09-22',NULL,'paid',20.0);
INSERT INTO invoices VALUES (81,'2026-023',49,'2026-09-23','2026-10-23','2026-09-25',NULL,'paid',20.0);
INSERT INTO invoices VALUES (82,'2026-024',51,'2026-10-07','2026-11-06','2026-10-11',NULL,'part paid',20.0);
INSERT INTO invoices VALUES (83,'2026-025',48,'2026-10-09','2026-10-23','2026-10-12',NULL,'paid',20.0);
INSERT INTO invoices VALUES (84,'2026-026',50,'2026-10-12','2026-12-11','2026-10-13',NULL,'sent',20.0);
INSERT INTO invoices VALUES (85,'2026-027',54,'2026-10-14','2026-11-13','2026-10-16',NULL,'paid',20.0);
INSERT INTO invoices VALUES (86,'2026-028',55,'2026-10-18','2026-12-17','2026-10-22',NULL,'sent',20.0);
INSERT INTO invoices VALUES (87,'2026-029',56,'2026-10-29','2026-12-28','2026-10-31',NULL,'sent',20.0);
INSERT INTO invoices VALUES (88,'2026-030',56,'2026-11-01','2026-12-31','2026-11-03',NULL,'sent',20.0);
INSERT INTO invoices VALUES (89,'2026-031',52,'2026-11-18','2026-12-18','2026-11-21',NULL,'sent',20.0);
INSERT INTO invoices VALUES (90,'2026-032',57,'2026-11-22','2026-12-22',NULL,NULL,'draft',20.0);
INSERT INTO invoice_lines VALUES (1,1,'First instalment',1,'flat',825.0);
INSERT INTO invoice_lines VALUES (2,1,'Font licence',5.0,'piece',80.0);
INSERT INTO invoice_lines VALUES (3,2,'Design phase',1,'flat',1100.0);
INSERT INTO invoice_lines VALUES (4,3,'Final instalment',1,'flat',5375.0);
INSERT INTO invoice_lines VALUES (5,4,'Final instalment',1,'flat',3225.0);
INSERT INTO invoice_lines VALUES (6,5,'Final instalment',1,'flat',1500.0);
INSERT INTO invoice_lines VALUES (7,6,'Final instalment',1,'flat',3225.0);
INSERT INTO invoice_lines VALUES (8,7,'First instalment',1,'flat',900.0);
INSERT INTO invoice_lines VALUES (9,8,'Design phase',1,'flat',6750.0);
INSERT INTO invoice_lines VALUES (10,9,'Design phase',1,'flat',4050.0);
INSERT INTO invoice_lines VALUES (11,9,'Printing',3.0,'piece',49.0);
INSERT INTO invoice_lines VALUES (12,10,'Design work',20.0,'hour',110.0);
INSERT INTO invoice_lines VALUES (13,10,'Font licence',6.0,'piece',18.0);
INSERT INTO invoice_lines VALUES (14,11,'Copy',15.5,'hour',85.0);
INSERT INTO invoice_lines VALUES (15,11,'Art direction',4.0,'hour',90.0);
INSERT INTO invoice_lines VALUES (16,11,'Stock images',3.0,'piece',35.0);
INSERT INTO invoice_lines VALUES (17,12,'Final instalment',1,'flat',11750.0);
INSERT INTO invoice_lines VALUES (18,13,'Retainer, month',1,'month',1800.0);
INSERT INTO invoice_lines VALUES (19,13,'Printing',5.0,'piece',120.0);
INSERT INTO invoice_lines VALUES (20,14,'Design phase',1,'flat',5850.0);
INSERT INTO invoice_lines VALUES (21,15,'Final instalment',1,'flat',5500.0);
INSERT INTO invoice_lines VALUES (22,16,'Retainer, month',1,'month',2400.0);
INSERT INTO invoice_lines VALUES (23,16,'Stock images',6.0,'piece',18.0);
INSERT INTO invoice_lines VALUES (24,17,'Final instalment',1,'flat',7575.0);
INSERT INTO invoice_lines VALUES (25,18,'Retainer, month',1,'month',1800.0);
INSERT INTO invoice_lines VALUES (26,19,'Retainer, month',1,'month',1500.0);
INSERT INTO invoice_lines VALUES (27,20,'Art direction',6.5,'hour',110.0);
INSERT INTO invoice_lines VALUES (28,20,'Copy',4.0,'hour',90.0);
INSERT INTO invoice_lines VALUES (29,21,'Design phase',1,'flat',5850.0);
INSERT INTO invoice_lines VALUES (30,22,'Final instalment',1,'flat',7800.0);
INSERT INTO invoice_lines VALUES (31,23,'Copy',6.5,'hour',85.0);
INSERT INTO invoice_lines VALUES (32,24,'Art direction',12.0,'hour',90.0);
INSERT INTO invoice_lines VALUES (33,25,'Design phase',1,'flat',14375.0);
INSERT INTO invoice_lines VALUES (34,26,'Design phase',1,'flat',4125.0);
INSERT INTO invoice_lines VALUES (35,27,'Retainer, month',1,'month',2400.0);
INSERT INTO invoice_lines VALUES (36,28,'First instalment',1,'flat',7800.0);
INSERT INTO invoice_lines VALUES (37,28,'Printing',4.0,'piece',35.0);
INSERT INTO invoice_lines VALUES (38,29,'Design phase',1,'flat',12125.0);
INSERT INTO invoice_lines VALUES (39,30,'Final instalment',1,'flat',7275.0);
INSERT INTO invoice_lines VALUES (40,30,'Travel',2.0,'piece',18.0);
INSERT INTO invoice_lines VALUES (41,31,'Design work',12.0,'hour',110.0);
INSERT INTO invoice_lines VALUES (42,32,'Final instalment',1,'flat',14625.0);
INSERT INTO invoice_lines VALUES (43,32,'Stock images',1.0,'piece',18.0);
INSERT INTO invoice_lines VALUES (44,33,'Final instalment',1,'flat',825.0);
INSERT INTO invoice_lines VALUES (45,34,'Final instalment',1,'flat',1100.0);
INSERT INTO invoice_lines VALUES (46,35,'Art direction',4.0,'hour',85.0);
INSERT INTO invoice_lines VALUES (47,35,'Design work',8.0,'hour',95.0);
INSERT INTO invoice_lines VALUES (48,35,'Font licence',2.0,'piece',120.0);
INSERT INTO invoice_lines VALUES (49,36,'Development',20.0,'hour',110.0);
INSERT INTO invoice_lines VALUES (50,37,'Final instalment',1,'flat',13375.0);
INSERT INTO invoice_lines VALUES (51,38,'Art direction',6.5,'hour',85.0);
INSERT INTO invoice_lines VALUES (52,38,'Design work',20.0,'hour',85.0);
INSERT INTO invoice_lines VALUES (53,39,'Retainer, month',1,'month',1500.0);
INSERT INTO invoice_lines VALUES (54,40,'Copy',8.0,'hour',85.0);
INSERT INTO invoice_lines VALUES (55,41,'Final instalment',1,'flat',8625.0);
INSERT INTO invoice_lines VALUES (56,42,'Retainer, month',1,'month',2400.0);
INSERT INTO invoice_lines VALUES (57,43,'Design phase',1,'flat',8325.0);
INSERT INTO invoice_lines VALUES (58,44,'Final instalment',1,'flat',13875.0);
INSERT INTO invoice_lines VALUES (59,45,'Design phase',1,'flat',14375.0);
INSERT INTO invoice_lines VALUES (60,46,'Final instalment',1,'flat',8325.0);
INSERT INTO invoice_lines VALUES (61,47,'Final instalment',1,'flat',13250.0);
INSERT INTO invoice_lines VALUES (62,48,'First instalment',1,'flat',7950.0);
INSERT INTO invoice_lines VALUES (63,49,'Final instalment',1,'flat',14875.0);
INSERT INTO invoice_lines VALUES (64,50,'Design phase',1,'flat',4375.0);
INSERT INTO invoice_lines VALUES (65,50,'Travel',1.0,'piece',80.0);
INSERT INTO invoice_lines VALUES (66,51,'Retainer, month',1,'month',1500.0);
INSERT INTO invoice_lines VALUES (67,52,'First instalment',1,'flat',4375.0);
INSERT INTO invoice_lines VALUES (68,53,'Design phase',1,'flat',11300.0);
INSERT INTO invoice_lines VALUES (69,54,'Retainer, month',1,'month',1500.0);
INSERT INTO invoice_lines VALUES (70,55,'First instalment',1,'flat',11600.0);
INSERT INTO invoice_lines VALUES (71,55,'Travel',1.0,'piece',49.0);
INSERT INTO invoice_lines VALUES (72,56,'First instalment',1,'flat',8900.0);
INSERT INTO invoice_lines VALUES (73,57,'Final instalment',1,'flat',8700.0);
INSERT INTO invoice_lines VALUES (74,58,'Design phase',1,'flat',6675.0);
INSERT INTO invoice_lines VALUES (75,59,'Design phase',1,'flat',8475.0);
INSERT INTO invoice_lines VALUES (76,60,'Retainer, month',1,'month',1200.0);
INSERT INTO invoice_lines VALUES (77,61,'Art direction',6.5,'hour',95.0);
INSERT INTO invoice_lines VALUES (78,61,'Travel',4.0,'piece',120.0);
INSERT INTO invoice_lines VALUES (79,62,'Final instalment',1,'flat',4000.0);
INSERT INTO invoice_lines VALUES (80,62,'Font licence',3.0,'piece',35.0);
INSERT INTO invoice_lines VALUES (81,63,'Design phase',1,'flat',1275.0);
INSERT INTO invoice_lines VALUES (82,64,'Design phase',1,'flat',2400.0);
INSERT INTO invoice_lines VALUES (83,65,'First instalment',1,'flat',6750.0);
INSERT INTO invoice_lines VALUES (84,66,'Art direction',4.0,'hour',85.0);
INSERT INTO invoice_lines VALUES (85,67,'Copy',20.0,'hour',85.0);
INSERT INTO invoice_lines VALUES (86,67,'Art direction',15.5,'hour',110.0);
INSERT INTO invoice_lines VALUES (87,68,'Final instalment',1,'flat',1275.0);
INSERT INTO invoice_lines VALUES (88,68,'Stock images',3.0,'piece',35.0);
INSERT INTO invoice_lines VALUES (89,69,'Retainer, month',1,'month',1200.0);
INSERT INTO invoice_lines VALUES (90,69,'Font licence',2.0,'piece',120.0);
INSERT INTO invoice_lines VALUES (91,70,'Retainer, month',1,'month',1500.0);
INSERT INTO invoice_lines VALUES (92,70,'Stock images',2.0,'piece',80.0);
INSERT INTO invoice_lines VALUES (93,71,'Development',4.0,'hour',95.0);
INSERT INTO invoice_lines VALUES (94,71,'Copy',4.0,'hour',110.0);
INSERT INTO invoice_lines VALUES (95,72,'Design phase',1,'flat',6200.0);
INSERT INTO invoice_lines VALUES (96,72,'Travel',2.0,'piece',35.0);
INSERT INTO invoice_lines VALUES (97,73,'Retainer, month',1,'month',2400.0);
INSERT INTO invoice_lines VALUES (98,74,'Final instalment',1,'flat',3700.0);
INSERT INTO invoice_lines VALUES (99,75,'Retainer, month',1,'month',1500.0);
INSERT INTO invoice_lines VALUES (100,76,'First instalment',1,'flat',12500.0);
INSERT INTO invoice_lines VALUES (101,77,'Retainer, month',1,'month',2400.0);
INSERT INTO invoice_lines VALUES (102,78,'Retainer, month',1,'month',2400.0);
INSERT INTO invoice_lines VALUES (103,79,'Art direction',8.0,'hour',90.0);
INSERT INTO invoice_lines VALUES (104,80,'Design phase',1,'flat',8400.0);
INSERT INTO invoice_lines VALUES (105,81,'Retainer, month',1,'month',1500.0);
INSERT INTO invoice_lines VALUES (106,82,'Design phase',1,'flat',4650.0);
INSERT INTO invoice_lines VALUES (107,83,'Design work',12.0,'hour',90.0);
INSERT INTO invoice_lines VALUES (108,84,'Final instalment',1,'flat',3100.0);
INSERT INTO invoice_lines VALUES (109,84,'Printing',3.0,'piece',80.0);
INSERT INTO invoice_lines VALUES (110,85,'Design work',24.0,'hour',75.0);
INSERT INTO invoice_lines VALUES (111,86,'First instalment',1,'flat',7575.0);
INSERT INTO invoice_lines VALUES (112,86,'Font licence',6.0,'piece',49.0);
INSERT INTO invoice_lines VALUES (113,87,'Design work',20.0,'hour',85.0);
INSERT INTO invoice_lines VALUES (114,88,'Development',6.5,'hour',75.0);
INSERT INTO invoice_lines VALUES (115,88,'Stock images',5.0,'piece',80.0);
INSERT INTO invoice_lines VALUES (116,89,'Retainer, month',1,'month',1500.0);
INSERT INTO invoice_lines VALUES (117,90,'Design phase',1,'flat',5700.0);
INSERT INTO payments VALUES (1,1,'2023-07-16',1470.0,'bank transfer');
INSERT INTO payments VALUES (2,2,'2023-08-03',1320.0,'direct debit');
INSERT INTO payments VALUES (3,3,'2023-11-09',3225.0,'bank transfer');
INSERT INTO payments VALUES (4,4,'2023-11-17',3870.0,NULL);
INSERT INTO payments VALUES (5,6,'2023-11-18',3870.0,'bank transfer');
INSERT INTO payments VALUES (6,5,'2023-11-21',1800.0,'bank transfer');
INSERT INTO payments VALUES (7,7,'2023-12-17',540.0,'bank transfer');
INSERT INTO payments VALUES (8,7,'2024-02-02',540.0,NULL);
INSERT INTO payments VALUES (9,9,'2024-02-06',5036.4,NULL);
INSERT INTO payments VALUES (10,8,'2024-03-21',8100.0,'card');
INSERT INTO payments VALUES (11,10,'2024-05-02',2769.6,'direct debit');
INSERT INTO payments VALUES (12,11,'2024-06-30',2139.0,NULL);
INSERT INTO payments VALUES (13,13,'2024-07-20',2880.0,'direct debit');
INSERT INTO payments VALUES (14,12,'2024-07-23',14100.0,'bank transfer');
INSERT INTO payments VALUES (15,14,'2024-08-18',7020.0,'bank transfer');
INSERT INTO payments VALUES (16,15,'2024-08-25',6600.0,'bank transfer');
INSERT INTO payments VALUES (17,17,'2024-11-13',9090.0,'bank transfer');
INSERT INTO payments VALUES (18,16,'2024-11-15',3009.6,'direct debit');
INSERT INTO payments VALUES (19,18,'2024-11-17',2160.0,'direct debit');
INSERT INTO payments VALUES (20,19,'2024-11-20',1800.0,'bank transfer');
INSERT INTO payments VALUES (21,24,'2024-11-22',1296.0,'bank transfer');
INSERT INTO payments VALUES (22,21,'2024-12-06',5850.0,NULL);
INSERT INTO payments VALUES (23,25,'2024-12-10',17250.0,'direct debit');
INSERT INTO payments VALUES (24,26,'2024-12-23',4950.0,'bank transfer');
INSERT INTO payments VALUES (25,27,'2024-12-27',2880.0,'direct debit');
INSERT INTO payments VALUES (26,20,'2025-01-05',1290.0,NULL);
INSERT INTO payments VALUES (27,29,'2025-01-11',14550.0,'bank transfer');
INSERT INTO payments VALUES (28,31,'2025-01-20',1584.0,NULL);
INSERT INTO payments VALUES (29,30,'2025-01-22',8773.2,NULL);
INSERT INTO payments VALUES (30,22,'2025-02-02',9360.0,'bank transfer');
INSERT INTO payments VALUES (31,34,'2025-03-04',1320.0,'card');
INSERT INTO payments VALUES (32,35,'2025-03-04',1608.0,'bank transfer');
INSERT INTO payments VALUES (33,36,'2025-03-15',2640.0,'bank transfer');
INSERT INTO payments VALUES (34,33,'2025-04-05',990.0,'card');
INSERT INTO payments VALUES (35,37,'2025-04-05',13375.0,'direct debit');
INSERT INTO payments VALUES (36,40,'2025-05-14',326.4,'direct debit');
INSERT INTO payments VALUES (37,39,'2025-05-18',1800.0,'card');
INSERT INTO payments VALUES (38,40,'2025-06-02',489.6,NULL);
INSERT INTO payments VALUES (39,42,'2025-06-06',2880.0,NULL);
INSERT INTO payments VALUES (40,41,'2025-06-12',10350.0,'bank transfer');
INSERT INTO payments VALUES (41,45,'2025-07-08',17250.0,'bank transfer');
INSERT INTO payments VALUES (42,44,'2025-07-11',16650.0,'bank transfer');
INSERT INTO payments VALUES (43,43,'2025-07-17',9990.0,'card');
INSERT INTO payments VALUES (44,38,'2025-07-23',2703.0,NULL);
INSERT INTO payments VALUES (45,48,'2025-08-12',9540.0,'bank transfer');
INSERT INTO payments VALUES (46,47,'2025-09-05',15900.0,'bank transfer');
INSERT INTO payments VALUES (47,49,'2025-10-06',17850.0,'direct debit');
INSERT INTO payments VALUES (48,52,'2025-10-27',2625.0,'card');
INSERT INTO payments VALUES (49,50,'2025-11-04',5346.0,'bank transfer');
INSERT INTO payments VALUES (50,52,'2025-11-15',2625.0,NULL);
INSERT INTO payments VALUES (51,53,'2025-11-24',13560.0,'bank transfer');
INSERT INTO payments VALUES (52,55,'2025-12-03',13978.8,'bank transfer');
INSERT INTO payments VALUES (53,51,'2025-12-08',1800.0,'bank transfer');
INSERT INTO payments VALUES (54,57,'2025-12-14',10440.0,'direct debit');
INSERT INTO payments VALUES (55,56,'2025-12-28',10680.0,'direct debit');
INSERT INTO payments VALUES (56,58,'2026-01-15',8010.0,'bank transfer');
INSERT INTO payments VALUES (57,59,'2026-02-04',10170.0,'bank transfer');
INSERT INTO payments VALUES (58,60,'2026-03-26',1440.0,'direct debit');
INSERT INTO payments VALUES (59,61,'2026-04-10',1317.0,NULL);
INSERT INTO payments VALUES (60,63,'2026-04-15',1530.0,'bank transfer');
INSERT INTO payments VALUES (61,65,'2026-04-26',8100.0,'bank transfer');
INSERT INTO payments VALUES (62,67,'2026-05-01',4086.0,'direct debit');
INSERT INTO payments VALUES (63,62,'2026-05-19',4926.0,'bank transfer');
INSERT INTO payments VALUES (64,64,'2026-06-03',2880.0,'card');
INSERT INTO payments VALUES (65,68,'2026-06-06',1380.0,'bank transfer');
INSERT INTO payments VALUES (66,66,'2026-06-17',340.0,'bank transfer');
INSERT INTO payments VALUES (67,70,'2026-07-28',1992.0,NULL);
INSERT INTO payments VALUES (68,72,'2026-08-01',7524.0,'card');
INSERT INTO payments VALUES (69,71,'2026-08-04',984.0,'bank transfer');
INSERT INTO payments VALUES (70,69,'2026-08-16',1728.0,'card');
INSERT INTO payments VALUES (71,74,'2026-08-18',4440.0,'bank transfer');
INSERT INTO payments VALUES (72,73,'2026-08-26',2880.0,'direct debit');
INSERT INTO payments VALUES (73,75,'2026-09-07',1800.0,'bank transfer');
INSERT INTO payments VALUES (74,76,'2026-09-22',9000.0,'direct debit');
INSERT INTO payments VALUES (75,80,'2026-10-12',10080.0,'direct debit');
INSERT INTO payments VALUES (76,81,'2026-10-23',1800.0,'bank transfer');
INSERT INTO payments VALUES (77,83,'2026-10-24',1296.0,'bank transfer');
INSERT INTO payments VALUES (78,82,'2026-11-09',2232.0,NULL);
INSERT INTO payments VALUES (79,85,'2026-11-09',2160.0,NULL);
INSERT INTO expenses VALUES (1,NULL,10,'2023-02-16','printing','MOO',509.41,0,'2023-03-25');
INSERT INTO expenses VALUES (2,NULL,3,'2023-02-24','props','Etsy',66.82,0,'2023-03-21');
INSERT INTO expenses VALUES (3,NULL,8,'2023-02-25','software','Figma',43.88,0,'2023-03-15');
INSERT INTO expenses VALUES (4,NULL,7,'2023-02-25','software','Figma',75.23,0,'2023-03-12');
INSERT INTO expenses VALUES (5,NULL,9,'2023-03-08','software','Figma',62.5,0,'2023-03-24');
INSERT INTO expenses VALUES (6,NULL,4,'2023-03-16','software','Figma',19.25,0,'2023-03-28');
INSERT INTO expenses VALUES (7,NULL,11,'2023-03-20','stock images','Shutterstock',138.77,0,'2023-04-23');
INSERT INTO expenses VALUES (8,1,4,'2023-04-10','stock images','Shutterstock',21.56,1,'2023-04-23');
INSERT INTO expenses VALUES (9,NULL,5,'2023-05-10','meals','Café Nero',42.83,0,'2023-05-26');
INSERT INTO expenses VALUES (10,NULL,10,'2023-05-14','equipment','Wex',943.05,0,'2023-05-30');
INSERT INTO expenses VALUES (11,3,11,'2023-05-17','props',NULL,39.36,1,'2023-05-31');
INSERT INTO expenses VALUES (12,3,2,'2023-06-05','props','Etsy',171.59,1,'2023-06-26');
INSERT INTO expenses VALUES (13,NULL,7,'2023-07-27','printing','MOO',360.47,0,'2023-08-03');
INSERT INTO expenses VALUES (14,4,3,'2023-08-07','meals','Café Nero',139.23,1,'2023-09-16');
INSERT INTO expenses VALUES (15,4,11,'2023-08-09','meals','The Orchard',76.69,1,'2023-08-25');
INSERT INTO expenses VALUES (16,2,10,'2023-08-14','printing','MOO',44.16,0,'2023-08-25');
INSERT INTO expenses VALUES (17,NULL,9,'2023-08-26','props',NULL,139.52,0,'2023-10-03');
INSERT INTO expenses VALUES (18,NULL,6,'2023-09-07','software','Adobe',18.95,0,'2023-09-21');
INSERT INTO expenses VALUES (19,NULL,1,'2023-09-27','travel','Great Western Railway',14.01,0,'2023-10-20');
INSERT INTO expenses VALUES (20,NULL,2,'2023-10-04','travel','EasyJet',85.96,0,'2023-10-25');
INSERT INTO expenses VALUES (21,6,9,'2023-10-31','props','Etsy',73.92,0,'2023-11-04');
INSERT INTO expenses VALUES (22,6,3,'2023-11-07','travel','EasyJet',206.82,1,'2023-12-15');
INSERT INTO expenses VALUES (23,5,6,'2023-11-15','printing','Inkwell Printers',387.56,0,'2023-11-18');
INSERT INTO expenses VALUES (24,8,7,'2023-12-18','meals','Café Nero',33.42,0,'2024-01-15');
INSERT INTO expenses VALUES (25,3,10,'2024-01-27','printing','Inkwell Printers',596.26,1,'2024-03-07');
INSERT INTO expenses VALUES (26,10,10,'2024-02-19','printing','Inkwell Printers',585.6,0,'2024-02-24');
INSERT INTO expenses VALUES (27,5,16,'2024-02-19','meals','Café Nero',115.41,1,'2024-03-06');
INSERT INTO expenses VALUES (28,3,6,'2024-02-21','printing','Inkwell Printers',313.65,1,'2024-02-29');
INSERT INTO expenses VALUES (29,NULL,10,'2024-03-05','equipment','Currys',62.5,0,'2024-04-11');
INSERT INTO expenses VALUES (30,NULL,7,'2024-03-11','software','Adobe',89.76,0,'2024-03-14');
INSERT INTO expenses VALUES (31,NULL,2,'2024-04-19','equipment','Currys',135.36,0,'2024-05-05');
INSERT INTO expenses VALUES (32,10,6,'2024-04-23','meals','Café Nero',51.03,0,NULL);
INSERT INTO expenses VALUES (33,3,4,'2024-05-31','stock images','Shutterstock',95.78,1,'2024-06-27');
INSERT INTO expenses VALUES (34,2,2,'2024-06-28','printing','Inkwell Printers',308.45,1,'2024-07-21');
INSERT INTO expenses VALUES (35,15,6,'2024-07-29','printing',NULL,194.08,1,'2024-08-17');
INSERT INTO expenses VALUES (36,3,3,'2024-08-12','travel','EasyJet',58.13,1,'2024-08-29');
INSERT INTO expenses VALUES (37,2,16,'2024-08-12','props',NULL,126.43,0,'2024-09-10');
INSERT INTO expenses VALUES (38,NULL,12,'2024-08-22','printing','Inkwell Printers',407.31,0,'2024-09-30');
INSERT INTO expenses VALUES (39,NULL,12,'2024-08-25','props','Etsy',44.11,0,'2024-09-20');
INSERT INTO expenses VALUES (40,3,3,'2024-09-01','printing',NULL,57.52,1,'2024-09-08');
INSERT INTO expenses VALUES (41,NULL,13,'2024-09-24','printing','MOO',457.01,0,'2024-10-02');
INSERT INTO expenses VALUES (42,18,5,'2024-09-26','travel','Great Western Railway',235.98,0,'2024-10-26');
INSERT INTO expenses VALUES (43,11,3,'2024-10-12','printing','MOO',314.12,1,'2024-10-24');
INSERT INTO expenses VALUES (44,11,14,'2024-11-05','travel','EasyJet',210.8,0,'2024-11-26');
INSERT INTO expenses VALUES (45,5,17,'2024-11-23','meals','The Orchard',29.07,1,'2024-12-26');
INSERT INTO expenses VALUES (46,23,8,'2024-12-08','printing','MOO',249.5,1,'2025-01-12');
INSERT INTO expenses VALUES (47,23,5,'2024-12-11','props','Etsy',106.46,1,'2024-12-23');
INSERT INTO expenses VALUES (48,23,10,'2024-12-26','props','Etsy',139.58,1,'2025-01-30');
INSERT INTO expenses VALUES (49,13,15,'2025-02-12','props','Etsy',103.85,1,'2025-03-06');
INSERT INTO expenses VALUES (50,NULL,3,'2025-04-03','printing','Inkwell Printers',446.18,0,NULL);
INSERT INTO expenses VALUES (51,3,15,'2025-04-04','travel','Great Western Railway',202.76,1,'2025-04-10');
INSERT INTO expenses VALUES (52,NULL,6,'2025-04-28','equipment','Currys',1195.06,0,'2025-05-02');
INSERT INTO expenses VALUES (53,NULL,15,'2025-05-04','software','Figma',85.51,0,'2025-05-14');
INSERT INTO expenses VALUES (54,29,6,'2025-05-14','printing','Inkwell Printers',265.6,0,'2025-05-20');
INSERT INTO expenses VALUES (55,NULL,8,'2025-05-21','equipment','Currys',1347.18,0,'2025-06-05');
INSERT INTO expenses VALUES (56,11,19,'2025-05-26','travel','Great Western Railway',199.02,1,'2025-06-15');
INSERT INTO expenses VALUES (57,31,21,'2025-06-01','stock images','Getty',31.32,0,'2025-06-22');
INSERT INTO expenses VALUES (58,2,11,'2025-06-22','stock images','Getty',107.93,0,'2025-07-27');
INSERT INTO expenses VALUES (59,3,1,'2025-06-22','travel','EasyJet',219.37,1,'2025-06-29');
INSERT INTO expenses VALUES (60,5,19,'2025-07-24','meals','Café Nero',79.25,0,'2025-07-31');
INSERT INTO expenses VALUES (61,29,13,'2025-07-29','printing','Inkwell Printers',566.24,1,'2025-08-10');
INSERT INTO expenses VALUES (62,NULL,20,'2025-08-25','travel','EasyJet',91.69,0,'2025-09-07');
INSERT INTO expenses VALUES (63,27,18,'2025-09-09','travel','Great Western Railway',218.02,1,'2025-10-15');
INSERT INTO expenses VALUES (64,NULL,12,'2025-09-15','travel','EasyJet',215.6,0,'2025-10-11');
INSERT INTO expenses VALUES (65,NULL,20,'2025-09-15','travel','Great Western Railway',154.19,0,'2025-09-23');
INSERT INTO expenses VALUES (66,NULL,2,'2025-10-12','software','Figma',53.16,0,'2025-11-08');
INSERT INTO expenses VALUES (67,NULL,20,'2025-11-13','printing','Inkwell Printers',365.74,0,'2025-11-27');
INSERT INTO expenses VALUES (68,11,8,'2025-11-19','travel','City Cabs',232.31,1,'2025-12-22');
INSERT INTO expenses VALUES (69,28,17,'2025-11-24','printing','MOO',514.2,0,'2025-12-08');
INSERT INTO expenses VALUES (70,40,4,'2025-12-11','props',NULL,154.3,0,'2026-01-03');
INSERT INTO expenses VALUES (71,NULL,22,'2025-12-18','equipment','Wex',708.34,0,NULL);
INSERT INTO expenses VALUES (72,11,11,'2026-01-17','printing','MOO',519.7,1,'2026-02-14');
INSERT INTO expenses VALUES (73,33,16,'2026-02-11','meals','Café Nero',128.02,1,'2026-03-15');
INSERT INTO expenses VALUES (74,NULL,2,'2026-02-17','meals','Café Nero',41.64,0,NULL);
INSERT INTO expenses VALUES (75,NULL,11,'2026-04-08','equipment','Wex',973.46,0,'2026-05-08');
INSERT INTO expenses VALUES (76,41,18,'2026-05-02','stock images','Getty',60.14,1,'2026-06-06');
INSERT INTO expenses VALUES (77,NULL,1,'2026-06-26','software','Dropbox',33.03,0,'2026-07-20');
INSERT INTO expenses VALUES (78,NULL,11,'2026-07-21','equipment','Wex',1203.33,0,'2026-08-12');
INSERT INTO expenses VALUES (79,44,19,'2026-07-22','printing','MOO',89.07,0,'2026-07-29');
INSERT INTO expenses VALUES (80,NULL,13,'2026-07-27','software','Figma',38.04,0,'2026-08-26');
INSERT INTO expenses VALUES (81,NULL,12,'2026-08-14','printing','MOO',405.38,0,'2026-09-03');
INSERT INTO expenses VALUES (82,NULL,17,'2026-08-15','equipment',NULL,1294.69,0,'2026-08-28');
INSERT INTO expenses VALUES (83,NULL,6,'2026-08-17','software','Figma',78.91,0,'2026-08-29');
INSERT INTO expenses VALUES (84,50,12,'2026-08-25','meals','The Orchard',126.05,1,'2026-09-21');
INSERT INTO expenses VALUES (85,54,17,'2026-09-02','meals','The Orchard',102.02,1,'2026-09-29');
INSERT INTO expenses VALUES (86,50,8,'2026-09-12','stock images','Getty',30.82,1,'2026-09-20');
INSERT INTO expenses VALUES (87,5,20,'2026-09-16','travel','Great Western Railway',178.91,0,'2026-10-02');
INSERT INTO expenses VALUES (88,NULL,18,'2026-10-02','software','Adobe',54.2,0,'2026-10-27');
INSERT INTO days_off VALUES (1,4,'training','2023-04-02','2023-04-03',1);
INSERT INTO days_off VALUES (2,3,'holiday','2023-04-10','2023-04-11',1);
INSERT INTO days_off VALUES (3,2,'holiday','2023-04-22','2023-04-23',1);
INSERT INTO days_off VALUES (4,3,'holiday','2023-04-23','2023-05-06',1);
INSERT INTO days_off VALUES (5,9,'holiday','2023-04-29','2023-05-08',1);
INSERT INTO days_off VALUES (6,5,'sick','2023-05-01','2023-05-01',1);
INSERT INTO days_off VALUES (7,5,'holiday','2023-05-10','2023-05-14',1);
INSERT INTO days_off VALUES (8,4,'holiday','2023-05-30','2023-06-12',1);
INSERT INTO days_off VALUES (9,10,'holiday','2023-06-01','2023-06-14',1);
INSERT INTO days_off VALUES (10,2,'holiday','2023-08-13','2023-08-13',1);
INSERT INTO days_off VALUES (11,3,'parental','2023-08-14','2023-10-13',1);
INSERT INTO days_off VALUES (12,9,'holiday','2023-09-02','2023-09-02',1);
INSERT INTO days_off VALUES (13,1,'holiday','2023-09-10','2023-09-14',1);
INSERT INTO days_off VALUES (14,3,'training','2023-09-11','2023-09-12',1);
INSERT INTO days_off VALUES (15,3,'holiday','2023-09-14','2023-09-23',1);
INSERT INTO days_off VALUES (16,4,'holiday','2023-09-30','2023-10-13',1);
INSERT INTO days_off VALUES (17,2,'holiday','2023-10-16','2023-10-25',1);
INSERT INTO days_off VALUES (18,5,'holiday','2023-11-04','2023-11-04',1);
INSERT INTO days_off VALUES (19,10,'holiday','2023-11-09','2023-11-22',1);
INSERT INTO days_off VALUES (20,1,'sick','2023-11-16','2023-11-16',1);
INSERT INTO days_off VALUES (21,5,'holiday','2023-12-03','2023-12-12',1);
INSERT INTO days_off VALUES (22,10,'holiday','2023-12-14','2023-12-23',1);
INSERT INTO days_off VALUES (23,4,'holiday','2023-12-24','2023-12-24',1);
INSERT INTO days_off VALUES (24,2,'holiday','2023-12-31','2024-01-13',0);
INSERT INTO days_off VALUES (25,1,'holiday','2024-02-13','2024-02-26',1);
INSERT INTO days_off VALUES (26,9,'training','2024-02-16','2024-02-16',1);
INSERT INTO days_off VALUES (27,4,'holiday','2024-03-26','2024-03-26',1);
INSERT INTO days_off VALUES (28,10,'holiday','2024-05-06','2024-05-15',1);
INSERT INTO days_off VALUES (29,10,'training','2024-05-31','2024-06-01',1);
INSERT INTO days_off VALUES (30,10,'holiday','2024-06-12','2024-06-13',1);
INSERT INTO days_off VALUES (31,5,'holiday','2024-06-28','2024-07-02',1);
INSERT INTO days_off VALUES (32,4,'holiday','2024-07-16','2024-07-20',1);
INSERT INTO days_off VALUES (33,13,'holiday','2024-07-30','2024-07-30',1);
INSERT INTO days_off VALUES (34,2,'holiday','2024-08-28','2024-09-06',1);
INSERT INTO days_off VALUES (35,3,'sick','2024-09-30','2024-10-01',1);
INSERT INTO days_off VALUES (36,3,'holiday','2024-10-03','2024-10-07',1);
INSERT INTO days_off VALUES (37,15,'training','2024-10-17','2024-10-18',1);
INSERT INTO days_off VALUES (38,4,'holiday','2024-12-01','2024-12-05',1);
INSERT INTO days_off VALUES (39,9,'sick','2025-01-04','2025-01-05',1);
INSERT INTO days_off VALUES (40,5,'holiday','2025-01-12','2025-01-25',1);
INSERT INTO days_off VALUES (41,1,'holiday','2025-02-12','2025-02-21',1);
INSERT INTO days_off VALUES (42,1,'sick','2025-03-14','2025-03-14',0);
INSERT INTO days_off VALUES (43,2,'sick','2025-04-03','2025-04-05',1);
INSERT INTO days_off VALUES (44,15,'holiday','2025-04-08','2025-04-17',1);
INSERT INTO days_off VALUES (45,18,'holiday','2025-06-04','2025-06-08',1);
INSERT INTO days_off VALUES (46,5,'holiday','2025-06-07','2025-06-20',0);
INSERT INTO days_off VALUES (47,20,'holiday','2025-07-04','2025-07-08',1);
INSERT INTO days_off VALUES (48,18,'holiday','2025-08-20','2025-09-02',1);
INSERT INTO days_off VALUES (49,1,'sick','2025-11-27','2025-11-28',0);
INSERT INTO days_off VALUES (50,15,'sick','2025-12-13','2025-12-15',1);
INSERT INTO days_off VALUES (51,3,'holiday','2026-02-17','2026-02-26',1);
INSERT INTO days_off VALUES (52,16,'holiday','2026-03-09','2026-03-18',1);
INSERT INTO days_off VALUES (53,20,'sick','2026-04-17','2026-04-17',1);
INSERT INTO days_off VALUES (54,16,'training','2026-05-21','2026-05-22',1);
INSERT INTO days_off VALUES (55,18,'holiday','2026-06-01','2026-06-01',1);
INSERT INTO days_off VALUES (56,13,'sick','2026-06-06','2026-06-06',0);
INSERT INTO days_off VALUES (57,2,'sick','2026-07-03','2026-07-04',0);
INSERT INTO days_off VALUES (58,13,'holiday','2026-07-07','2026-07-20',1);
INSERT INTO days_off VALUES (59,13,'holiday','2026-08-09','2026-08-18',1);
INSERT INTO days_off VALUES (60,10,'holiday','2026-08-11','2026-08-12',1);
INSERT INTO days_off VALUES (61,4,'holiday','2026-09-10','2026-09-11',1);
INSERT INTO days_off VALUES (62,16,'training','2026-10-06','2026-10-07',1);
INSERT INTO days_off VALUES (63,23,'training','2026-10-22','2026-10-23',1);
INSERT INTO days_off VALUES (64,13,'holiday','2026-11-09','2026-11-10',NULL);
COMMIT;
