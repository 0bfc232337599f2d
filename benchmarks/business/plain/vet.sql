PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE owners (
  owner_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  street TEXT,
  town TEXT NOT NULL,
  phone TEXT NOT NULL,
  email TEXT,
  client_since TEXT NOT NULL,
  reminders_ok INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE pets (
  pet_id INTEGER PRIMARY KEY,
  owner_id INTEGER NOT NULL REFERENCES owners(owner_id),
  name TEXT NOT NULL,
  species TEXT NOT NULL,
  breed TEXT,
  sex TEXT NOT NULL,              -- M / F
  neutered INTEGER NOT NULL DEFAULT 0,
  born_on TEXT,
  deceased_on TEXT,
  chip_no TEXT,
  insurer TEXT,
  registered_on TEXT NOT NULL
);
CREATE TABLE staff (
  staff_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,             -- veterinarian / vet nurse / receptionist / groomer / kennel assistant / practice manager
  hired_on TEXT NOT NULL,
  left_on TEXT,
  monthly_salary REAL NOT NULL,
  part_time INTEGER NOT NULL DEFAULT 0,
  reports_to INTEGER REFERENCES staff(staff_id),
  cpd_hrs INTEGER
);
CREATE TABLE visits (
  visit_id INTEGER PRIMARY KEY,
  pet_id INTEGER NOT NULL REFERENCES pets(pet_id),
  vet_id INTEGER NOT NULL REFERENCES staff(staff_id),
  booked_on TEXT NOT NULL,
  visit_at TEXT NOT NULL,
  kind TEXT NOT NULL,             -- check-up / vaccination / emergency / surgery / dental / follow-up
  status TEXT NOT NULL,           -- scheduled / completed / cancelled / no-show
  diagnosis TEXT,
  wt_kg REAL,
  fu_due TEXT                     -- follow-up due
);
CREATE TABLE services (
  service_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  category TEXT NOT NULL,
  list_price REAL NOT NULL,
  cost REAL NOT NULL,
  active INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE visit_items (
  item_id INTEGER PRIMARY KEY,
  visit_id INTEGER NOT NULL REFERENCES visits(visit_id),
  service_id INTEGER NOT NULL REFERENCES services(service_id),
  quantity INTEGER NOT NULL,
  price_each REAL NOT NULL
);
CREATE TABLE invoices (
  invoice_id INTEGER PRIMARY KEY,
  visit_id INTEGER NOT NULL UNIQUE REFERENCES visits(visit_id),
  issued_on TEXT NOT NULL,
  due_on TEXT NOT NULL,
  paid_on TEXT,
  amount REAL NOT NULL,
  status TEXT NOT NULL,           -- paid / open / written off
  pay_method TEXT
);
CREATE TABLE vaccinations (
  vacc_id INTEGER PRIMARY KEY,
  pet_id INTEGER NOT NULL REFERENCES pets(pet_id),
  vaccine TEXT NOT NULL,
  given_on TEXT NOT NULL,
  valid_until TEXT NOT NULL,
  given_by INTEGER NOT NULL REFERENCES staff(staff_id),
  batch TEXT
);
CREATE TABLE stock (
  stock_id INTEGER PRIMARY KEY,
  item TEXT NOT NULL,
  category TEXT NOT NULL,
  supplier TEXT,
  on_hand INTEGER NOT NULL,
  min_qty INTEGER NOT NULL,
  purchase_price REAL NOT NULL,
  retail_price REAL NOT NULL,
  expires_on TEXT,
  last_ordered_on TEXT
);
INSERT INTO owners VALUES (1,'Felix Foster','282 Juniper Ln','Redmond','541-555-5359','felix.foster@outlook.com','2023-01-18',1);
INSERT INTO owners VALUES (2,'Andrea Lindqvist','609 Willow Ct','Madras','541-555-9178','andrea.lindqvist@bendbroadband.com','2023-01-21',1);
INSERT INTO owners VALUES (3,'Ken Lindqvist','2807 Depot St','Prineville','541-555-8066',NULL,'2023-02-12',1);
INSERT INTO owners VALUES (4,'Felix McKinney','1011 Orchard Ave','Redmond','541-555-2037','felix.mckinney@bendbroadband.com','2023-03-11',1);
INSERT INTO owners VALUES (5,'Joanne Yamada','2640 Mill Creek Rd','Redmond','541-555-7836','joanne.yamada@gmail.com','2023-04-02',1);
INSERT INTO owners VALUES (6,'Nicole Lindqvist','2698 Cascade Dr','Sisters','541-555-0767','nicole.lindqvist@yahoo.com','2023-04-07',1);
INSERT INTO owners VALUES (7,'Hector Pruitt','1678 Cascade Dr','Prineville','541-555-5628','hector.pruitt@outlook.com','2023-04-27',1);
INSERT INTO owners VALUES (8,'Karen Coyle','2317 Alder St','Redmond','541-555-9065',NULL,'2023-05-10',1);
INSERT INTO owners VALUES (9,'Marta Salazar','2633 Depot St','Redmond','541-555-6008','marta.salazar@outlook.com','2023-06-08',1);
INSERT INTO owners VALUES (10,'Holly Nguyen',NULL,'Redmond','541-555-9395','holly.nguyen@bendbroadband.com','2023-06-16',1);
INSERT INTO owners VALUES (11,'Brian Pruitt','1679 Orchard Ave','Redmond','541-555-3404','brian.pruitt@yahoo.com','2023-06-30',1);
INSERT INTO owners VALUES (12,'Judy Pruitt','1321 Mill Creek Rd','Bend','541-555-9856','judy.pruitt@gmail.com','2023-07-25',1);
INSERT INTO owners VALUES (13,'Megan Salazar','1047 Alder St','Bend','541-555-8483','megan.salazar@outlook.com','2023-09-09',1);
INSERT INTO owners VALUES (14,'Steve Reyes','1394 Willow Ct','Redmond','541-555-6234','steve.reyes@outlook.com','2023-09-22',1);
INSERT INTO owners VALUES (15,'Carlos Granger','906 Highway 20','Prineville','541-555-3866','carlos.granger@yahoo.com','2023-10-26',1);
INSERT INTO owners VALUES (16,'Ines Foster','1229 Willow Ct','Redmond','541-555-5011','ines.foster@outlook.com','2023-11-15',0);
INSERT INTO owners VALUES (17,'Beverly Whitfield','256 Juniper Ln','Sisters','541-555-8851','beverly.whitfield@gmail.com','2023-11-30',1);
INSERT INTO owners VALUES (18,'Megan Baird','477 NE 3rd St','Bend','541-555-1479',NULL,'2023-12-19',1);
INSERT INTO owners VALUES (19,'Karen Delgado',NULL,'Madras','541-555-6003','karen.delgado@bendbroadband.com','2024-01-14',1);
INSERT INTO owners VALUES (20,'Dave Kowalski','1203 Mill Creek Rd','Redmond','541-555-0148','dave.kowalski@yahoo.com','2024-01-28',0);
INSERT INTO owners VALUES (21,'Karen Larsen','2139 Juniper Ln','Redmond','541-555-6858','karen.larsen@gmail.com','2024-02-07',1);
INSERT INTO owners VALUES (22,'Eric Hatch','2189 Highway 20','Prineville','541-555-5749',NULL,'2024-02-09',1);
INSERT INTO owners VALUES (23,'Walt Coyle','918 Cascade Dr','Prineville','541-555-1662','walt.coyle@bendbroadband.com','2024-02-26',1);
INSERT INTO owners VALUES (24,'Judy Hatch','840 NE 3rd St','Terrebonne','541-555-4491','judy.hatch@yahoo.com','2024-03-01',1);
INSERT INTO owners VALUES (25,'Curtis Coyle','929 Orchard Ave','Sisters','541-555-2085','curtis.coyle@outlook.com','2024-04-09',1);
INSERT INTO owners VALUES (26,'Raymond McKinney',NULL,'Redmond','541-555-8861','raymond.mckinney@gmail.com','2024-05-12',1);
INSERT INTO owners VALUES (27,'Steve Baird','2463 Sage Loop','Redmond','541-555-2966','steve.baird@gmail.com','2024-05-13',1);
INSERT INTO owners VALUES (28,'Neil Delgado','2426 NE 3rd St','Redmond','541-555-3348','neil.delgado@yahoo.com','2024-05-13',1);
INSERT INTO owners VALUES (29,'Doug Baird','1500 Orchard Ave','Prineville','541-555-8508','doug.baird@gmail.com','2024-05-28',1);
INSERT INTO owners VALUES (30,'Beverly Reyes','440 Highway 20','Redmond','541-555-0290','beverly.reyes@bendbroadband.com','2024-07-06',0);
INSERT INTO owners VALUES (31,'Denise Tran','2433 Juniper Ln','Redmond','541-555-7392','denise.tran@bendbroadband.com','2024-07-18',1);
INSERT INTO owners VALUES (32,'Steve Foster','1162 Sage Loop','Terrebonne','541-555-6567','steve.foster@yahoo.com','2024-11-03',1);
INSERT INTO owners VALUES (33,'Yuki Baird','2733 Depot St','Redmond','541-555-4656','yuki.baird@bendbroadband.com','2024-11-09',1);
INSERT INTO owners VALUES (34,'Dave Becker','2785 NE 3rd St','Prineville','541-555-8702','dave.becker@yahoo.com','2024-12-13',1);
INSERT INTO owners VALUES (35,'Ines Granger','303 Willow Ct','Redmond','541-555-5185','ines.granger@yahoo.com','2024-12-14',0);
INSERT INTO owners VALUES (36,'Claire Granger','1422 Alder St','Sisters','541-555-8621','claire.granger@gmail.com','2024-12-17',1);
INSERT INTO owners VALUES (37,'Doug Larsen','1673 Mill Creek Rd','Bend','541-555-2396','doug.larsen@yahoo.com','2024-12-21',1);
INSERT INTO owners VALUES (38,'Tanya Kowalski','1073 Alder St','Prineville','541-555-8928','tanya.kowalski@gmail.com','2024-12-25',1);
INSERT INTO owners VALUES (39,'Karen Abbott','1235 Highway 20','Prineville','541-555-4523','karen.abbott@yahoo.com','2024-12-26',1);
INSERT INTO owners VALUES (40,'Rosa Baird','1335 Juniper Ln','Bend','541-555-8693','rosa.baird@yahoo.com','2025-03-01',1);
INSERT INTO owners VALUES (41,'Greg Whitfield','1647 Alder St','Bend','541-555-9735','greg.whitfield@outlook.com','2025-04-13',0);
INSERT INTO owners VALUES (42,'Sheila Kowalski','988 Alder St','Sisters','541-555-4268','sheila.kowalski@outlook.com','2025-05-15',1);
INSERT INTO owners VALUES (43,'Ken Kowalski','852 Orchard Ave','Bend','541-555-9730','ken.kowalski@yahoo.com','2025-05-17',0);
INSERT INTO owners VALUES (44,'Raymond Larsen','1475 Mill Creek Rd','Redmond','541-555-5506','raymond.larsen@yahoo.com','2025-06-01',1);
INSERT INTO owners VALUES (45,'Yuki Reyes','520 Sage Loop','Terrebonne','541-555-6396','yuki.reyes@yahoo.com','2025-08-08',1);
INSERT INTO owners VALUES (46,'Rosa Foster','2722 Mill Creek Rd','Redmond','541-555-1231',NULL,'2025-09-12',1);
INSERT INTO owners VALUES (47,'Raymond Olsen',NULL,'Bend','541-555-3726','raymond.olsen@bendbroadband.com','2025-10-16',1);
INSERT INTO owners VALUES (48,'Omar Foster','373 Depot St','Bend','541-555-1583','omar.foster@gmail.com','2025-11-11',1);
INSERT INTO owners VALUES (49,'Sheila Ferris','864 Cascade Dr','Redmond','541-555-7621','sheila.ferris@yahoo.com','2025-11-25',1);
INSERT INTO owners VALUES (50,'Yuki Whitfield','898 Juniper Ln','Sisters','541-555-4463',NULL,'2026-01-07',1);
INSERT INTO owners VALUES (51,'Denise Pruitt','369 Alder St','Sisters','541-555-2593','denise.pruitt@gmail.com','2026-01-16',1);
INSERT INTO owners VALUES (52,'Yuki Pruitt','745 Sage Loop','Bend','541-555-3560','yuki.pruitt@yahoo.com','2026-01-27',1);
INSERT INTO owners VALUES (53,'Ken McKinney','1866 Mill Creek Rd','Redmond','541-555-1892',NULL,'2026-02-18',1);
INSERT INTO owners VALUES (54,'Carlos Lindqvist','2710 Sage Loop','Bend','541-555-2073','carlos.lindqvist@outlook.com','2026-03-27',1);
INSERT INTO owners VALUES (55,'Omar Lindqvist','2025 Alder St','Redmond','541-555-1414','omar.lindqvist@bendbroadband.com','2026-04-07',0);
INSERT INTO owners VALUES (56,'Andrea Delgado','504 NE 3rd St','Redmond','541-555-0596','andrea.delgado@gmail.com','2026-04-23',1);
INSERT INTO owners VALUES (57,'Linda Coyle','2688 Alder St','Prineville','541-555-1926','linda.coyle@outlook.com','2026-04-26',0);
INSERT INTO owners VALUES (58,'Megan Ferris','2128 Cascade Dr','Redmond','541-555-0998',NULL,'2026-05-10',0);
INSERT INTO owners VALUES (59,'Nicole Granger','160 Cascade Dr','Sisters','541-555-9950','nicole.granger@bendbroadband.com','2026-05-27',0);
INSERT INTO owners VALUES (60,'Luke Olsen','2368 Willow Ct','Redmond','541-555-5044','luke.olsen@gmail.com','2026-06-27',1);
INSERT INTO owners VALUES (61,'Greg Tran','627 Cascade Dr','Redmond','541-555-0896','greg.tran@yahoo.com','2026-06-30',1);
INSERT INTO owners VALUES (62,'Sheila Larsen','1965 Willow Ct','Sisters','541-555-0372','sheila.larsen@bendbroadband.com','2026-07-26',1);
INSERT INTO owners VALUES (63,'Claire Larsen','637 Alder St','Sisters','541-555-0413','claire.larsen@outlook.com','2026-08-13',1);
INSERT INTO owners VALUES (64,'Ken Moreno','1455 Depot St','Terrebonne','541-555-6188','ken.moreno@outlook.com','2026-08-14',0);
INSERT INTO owners VALUES (65,'Karen Becker','388 Highway 20','Sisters','541-555-1521','karen.becker@yahoo.com','2026-08-29',1);
INSERT INTO owners VALUES (66,'Felix Larsen','2469 Mill Creek Rd','Bend','541-555-0132','felix.larsen@outlook.com','2026-09-12',1);
INSERT INTO owners VALUES (67,'Yuki Abbott','2111 Depot St','Redmond','541-555-4233','yuki.abbott@gmail.com','2026-10-01',1);
INSERT INTO owners VALUES (68,'Ken Nguyen','2211 Sage Loop','Prineville','541-555-8624','ken.nguyen@gmail.com','2026-10-25',1);
INSERT INTO owners VALUES (69,'Dave Hatch','2381 Orchard Ave','Prineville','541-555-0811','dave.hatch@yahoo.com','2026-10-29',1);
INSERT INTO owners VALUES (70,'Joanne Hoffman','2237 Alder St','Redmond','541-555-5716','joanne.hoffman@outlook.com','2026-10-30',1);
INSERT INTO pets VALUES (1,1,'Kiwi','Dog','Beagle','M',1,'2015-02-09',NULL,'985145802128557','Embrace','2023-01-18');
INSERT INTO pets VALUES (2,2,'Finn','Dog','French Bulldog','F',1,'2013-03-14',NULL,'985157555174902',NULL,'2023-01-21');
INSERT INTO pets VALUES (3,2,'Bandit','Cat','Maine Coon','F',1,NULL,NULL,'985145038626306','Healthy Paws','2023-08-09');
INSERT INTO pets VALUES (4,2,'Salem','Dog','Heeler','F',0,'2024-03-21',NULL,'985150938347824','Healthy Paws','2024-06-04');
INSERT INTO pets VALUES (5,3,'Sadie','Dog','Mixed','F',1,'2015-03-06',NULL,'985120887634037','Nationwide','2023-02-12');
INSERT INTO pets VALUES (6,4,'Pepper','Cat','Domestic Shorthair','F',1,'2020-12-31',NULL,'985151169506647','Trupanion','2023-03-11');
INSERT INTO pets VALUES (7,4,'Olive','Dog','Heeler','M',1,'2015-06-01',NULL,'985112414580804',NULL,'2023-05-10');
INSERT INTO pets VALUES (8,5,'Max','Cat','Ragdoll','F',1,NULL,NULL,NULL,NULL,'2023-04-02');
INSERT INTO pets VALUES (9,6,'Maple','Cat','Maine Coon','F',0,NULL,NULL,NULL,NULL,'2023-04-07');
INSERT INTO pets VALUES (10,7,'Ziggy','Cat','Siamese','M',1,'2017-11-04','2024-02-24',NULL,NULL,'2023-04-27');
INSERT INTO pets VALUES (11,7,'Max','Dog','Mixed','M',1,'2015-05-19',NULL,NULL,NULL,'2023-04-27');
INSERT INTO pets VALUES (12,8,'Bandit','Dog','French Bulldog','F',1,'2017-11-17',NULL,NULL,NULL,'2023-05-10');
INSERT INTO pets VALUES (13,8,'Nala','Cat','Domestic Longhair','M',1,'2022-12-11',NULL,'985138369507314',NULL,'2023-05-10');
INSERT INTO pets VALUES (14,9,'Biscuit','Dog','Heeler','F',1,'2021-03-30',NULL,'985149927959243','Healthy Paws','2023-06-08');
INSERT INTO pets VALUES (15,9,'Rocky','Dog','Mixed','F',1,'2016-11-11',NULL,NULL,NULL,'2024-10-20');
INSERT INTO pets VALUES (16,10,'Hazel','Dog','Golden Retriever','M',1,'2022-05-12',NULL,'985128174825782',NULL,'2023-06-16');
INSERT INTO pets VALUES (17,10,'Cooper','Dog','Labrador Retriever','M',1,'2014-12-20',NULL,NULL,'Nationwide','2024-10-28');
INSERT INTO pets VALUES (18,11,'Scout','Dog','Golden Retriever','F',0,'2020-03-17',NULL,NULL,NULL,'2023-06-30');
INSERT INTO pets VALUES (19,13,'Pepper','Cat','Ragdoll','F',0,'2015-10-01',NULL,'985148261377402','Embrace','2023-09-09');
INSERT INTO pets VALUES (20,14,'Charlie','Dog','Beagle','M',0,'2023-07-24',NULL,NULL,'Nationwide','2023-09-22');
INSERT INTO pets VALUES (21,15,'Max','Dog','French Bulldog','F',0,'2023-08-27',NULL,'985112969053459','Trupanion','2023-10-26');
INSERT INTO pets VALUES (22,15,'Daisy','Reptile','Bearded Dragon','F',1,'2022-01-25',NULL,NULL,NULL,'2023-10-26');
INSERT INTO pets VALUES (23,15,'Shadow','Cat','Ragdoll','F',0,'2013-12-17','2024-05-29','985173758334233',NULL,'2023-10-26');
INSERT INTO pets VALUES (24,15,'Sadie','Dog','Mixed','M',0,'2020-07-13',NULL,'985160431288140',NULL,'2023-10-26');
INSERT INTO pets VALUES (25,16,'Rusty','Cat','Domestic Shorthair','F',1,'2020-08-02',NULL,NULL,'Nationwide','2023-11-15');
INSERT INTO pets VALUES (26,17,'Bandit','Cat','Domestic Shorthair','F',1,'2015-12-22',NULL,'985189882135714','Embrace','2023-11-30');
INSERT INTO pets VALUES (27,17,'Maple','Cat','Maine Coon','M',1,'2023-09-01',NULL,'985144462575429','Trupanion','2024-01-29');
INSERT INTO pets VALUES (28,17,'Pepper','Dog','Heeler','F',1,'2018-12-26',NULL,'985174548543398','Healthy Paws','2024-06-17');
INSERT INTO pets VALUES (29,17,'Sadie','Rabbit','Mini Rex','M',0,'2022-12-29',NULL,NULL,NULL,'2025-04-13');
INSERT INTO pets VALUES (30,18,'Nala','Rabbit','Holland Lop','F',0,'2022-06-30',NULL,NULL,NULL,'2023-12-19');
INSERT INTO pets VALUES (31,19,'Sadie','Dog','Heeler','F',0,'2023-10-31',NULL,'985194852415364','Embrace','2024-01-14');
INSERT INTO pets VALUES (32,20,'Luna','Dog','Heeler','F',0,'2023-11-29',NULL,'985116407062653',NULL,'2024-01-28');
INSERT INTO pets VALUES (33,20,'Tucker','Cat','Domestic Shorthair','M',1,'2018-10-06',NULL,'985169292419328','Healthy Paws','2024-03-28');
INSERT INTO pets VALUES (34,21,'Nala','Dog','Dachshund','F',1,'2021-11-29',NULL,'985132974845112','Trupanion','2024-02-07');
INSERT INTO pets VALUES (35,21,'Finn','Dog','German Shepherd','M',1,'2024-06-26',NULL,'985154290358119',NULL,'2024-08-25');
INSERT INTO pets VALUES (36,22,'Oliver','Dog','Mixed','F',0,'2016-03-02',NULL,'985176100200189',NULL,'2024-02-09');
INSERT INTO pets VALUES (37,22,'Max','Dog','Beagle','F',0,'2014-06-01','2024-10-02','985141748615740',NULL,'2024-04-09');
INSERT INTO pets VALUES (38,23,'Scout','Bird','Budgerigar','F',0,'2021-08-15',NULL,NULL,NULL,'2024-02-26');
INSERT INTO pets VALUES (39,24,'Sadie','Dog','German Shepherd','M',1,'2024-01-01',NULL,'985124763589089','Trupanion','2024-03-01');
INSERT INTO pets VALUES (40,24,'Pepper','Cat','Domestic Shorthair','M',0,'2021-01-16',NULL,'985144999897952',NULL,'2024-04-30');
INSERT INTO pets VALUES (41,24,'Rusty','Bird','Cockatiel','M',1,'2024-02-05',NULL,NULL,NULL,'2025-07-14');
INSERT INTO pets VALUES (42,25,'Ziggy','Dog','Labrador Retriever','F',1,'2014-06-01',NULL,'985192496455454',NULL,'2024-04-09');
INSERT INTO pets VALUES (43,26,'Milo','Dog','Golden Retriever','M',1,'2024-02-27',NULL,'985127560963303',NULL,'2024-05-12');
INSERT INTO pets VALUES (44,26,'Milo','Reptile','Leopard Gecko','M',0,'2022-02-19',NULL,NULL,NULL,'2024-11-28');
INSERT INTO pets VALUES (45,26,'Shadow','Cat','Ragdoll','F',0,'2014-07-04',NULL,'985102885852424',NULL,'2024-05-12');
INSERT INTO pets VALUES (46,26,'Moose','Dog','Golden Retriever','M',1,'2014-07-04','2024-09-24',NULL,NULL,'2024-05-12');
INSERT INTO pets VALUES (47,27,'Hazel','Cat','Domestic Longhair','F',1,NULL,NULL,NULL,NULL,'2024-05-13');
INSERT INTO pets VALUES (48,28,'Kiwi','Cat','Domestic Longhair','F',1,'2024-03-14',NULL,'985140285329254',NULL,'2024-05-13');
INSERT INTO pets VALUES (49,28,'Shadow','Cat','Maine Coon','F',1,'2024-08-21',NULL,'985143585390689',NULL,'2025-09-25');
INSERT INTO pets VALUES (50,28,'Moose','Dog','Labrador Retriever','F',0,'2019-06-09',NULL,'985193624222822','Trupanion','2024-11-29');
INSERT INTO pets VALUES (51,28,'Ziggy','Dog','Heeler','M',0,'2021-01-29','2026-05-27','985186843560411','Nationwide','2024-05-13');
INSERT INTO pets VALUES (52,29,'Nala','Cat','Domestic Longhair','F',1,'2021-02-13','2025-02-22',NULL,NULL,'2024-05-28');
INSERT INTO pets VALUES (53,29,'Gus','Rabbit','Holland Lop','M',0,'2024-03-27',NULL,NULL,NULL,'2024-12-14');
INSERT INTO pets VALUES (54,30,'Otis','Dog','Beagle','F',0,'2014-08-28',NULL,NULL,NULL,'2024-07-06');
INSERT INTO pets VALUES (55,31,'Rocky','Reptile','Bearded Dragon','F',0,'2023-10-09',NULL,NULL,NULL,'2024-07-18');
INSERT INTO pets VALUES (56,32,'Gus','Dog','Border Collie','M',0,'2024-09-04',NULL,'985198041873247',NULL,'2024-11-03');
INSERT INTO pets VALUES (57,33,'Ziggy','Bird','Cockatiel','F',0,'2023-01-24',NULL,NULL,NULL,'2024-11-09');
INSERT INTO pets VALUES (58,34,'Rocky','Dog','Heeler','F',0,'2021-08-31','2025-05-22','985121458749257',NULL,'2024-12-13');
INSERT INTO pets VALUES (59,34,'Moose','Cat','Domestic Shorthair','F',1,'2015-08-23',NULL,'985157681661628',NULL,'2025-07-01');
INSERT INTO pets VALUES (60,34,'Pepper','Cat','Domestic Shorthair','F',1,'2022-03-19',NULL,'985134316674367','Nationwide','2025-07-01');
INSERT INTO pets VALUES (61,35,'Clover','Cat','Domestic Longhair','M',0,'2019-06-24',NULL,'985102119203649',NULL,'2024-12-14');
INSERT INTO pets VALUES (62,36,'Otis','Dog','German Shepherd','F',1,'2023-11-13',NULL,NULL,NULL,'2024-12-17');
INSERT INTO pets VALUES (63,37,'Juno','Cat','Maine Coon','F',1,'2024-10-07',NULL,NULL,NULL,'2024-12-21');
INSERT INTO pets VALUES (64,37,'Hazel','Dog','Border Collie','M',1,'2024-07-24','2025-05-16',NULL,'Trupanion','2024-12-21');
INSERT INTO pets VALUES (65,38,'Peanut','Cat','Ragdoll','M',1,'2022-10-17',NULL,'985135616073778',NULL,'2024-12-25');
INSERT INTO pets VALUES (66,38,'Biscuit','Cat','Maine Coon','F',1,'2015-02-16',NULL,'985124790676035',NULL,'2024-12-25');
INSERT INTO pets VALUES (67,39,'Finn','Dog','Labrador Retriever','M',1,'2024-07-29',NULL,'985146127247730',NULL,'2024-12-26');
INSERT INTO pets VALUES (68,40,'Peanut','Dog','Dachshund','M',1,'2022-12-22',NULL,NULL,'Embrace','2025-03-01');
INSERT INTO pets VALUES (69,41,'Cooper','Cat','Domestic Shorthair','F',0,'2024-11-14',NULL,'985136136838079',NULL,'2025-04-13');
INSERT INTO pets VALUES (70,42,'Kiwi','Cat','Domestic Shorthair','M',0,'2025-02-14',NULL,'985165741775889',NULL,'2025-05-15');
INSERT INTO pets VALUES (71,42,'Max','Dog','French Bulldog','F',0,'2020-06-10',NULL,NULL,NULL,'2025-12-01');
INSERT INTO pets VALUES (72,43,'Mittens','Cat','Maine Coon','F',1,NULL,NULL,NULL,NULL,'2025-05-17');
INSERT INTO pets VALUES (73,44,'Daisy','Cat','Domestic Shorthair','M',1,'2023-03-24',NULL,'985155190793007',NULL,'2025-06-01');
INSERT INTO pets VALUES (74,46,'Charlie','Dog','Mixed','M',0,'2017-10-04',NULL,'985103107971362','Healthy Paws','2025-09-12');
INSERT INTO pets VALUES (75,46,'Shadow','Dog','German Shepherd','F',1,'2025-02-24','2026-06-10','985125408558886','Trupanion','2026-03-31');
INSERT INTO pets VALUES (76,46,'Willow','Cat','Domestic Shorthair','M',1,'2026-09-06',NULL,NULL,NULL,'2026-11-20');
INSERT INTO pets VALUES (77,47,'Rusty','Dog','Golden Retriever','F',1,'2025-08-02','2026-08-11','985168139366242',NULL,'2025-10-16');
INSERT INTO pets VALUES (78,48,'Moose','Dog','Golden Retriever','F',1,'2025-09-12',NULL,NULL,NULL,'2025-11-11');
INSERT INTO pets VALUES (79,49,'Peanut','Cat','Maine Coon','F',1,'2025-09-26','2026-04-19','985155974302756',NULL,'2025-11-25');
INSERT INTO pets VALUES (80,50,'Milo','Cat','Ragdoll','F',1,'2018-01-29',NULL,'985173862939616','Trupanion','2026-01-07');
INSERT INTO pets VALUES (81,50,'Juno','Dog','Dachshund','F',0,NULL,'2026-09-13',NULL,'Healthy Paws','2026-07-26');
INSERT INTO pets VALUES (82,50,'Ginger','Cat','Domestic Shorthair','M',1,'2021-05-30',NULL,'985127689529851','Embrace','2026-11-20');
INSERT INTO pets VALUES (83,51,'Rocky','Dog','Dachshund','M',0,'2016-03-09','2026-05-09','985131636159808',NULL,'2026-01-16');
INSERT INTO pets VALUES (84,52,'Gus','Cat','Siamese','F',1,'2018-02-18',NULL,NULL,NULL,'2026-01-27');
INSERT INTO pets VALUES (85,52,'Winston','Cat','Siamese','M',1,'2020-10-05',NULL,'985192297064534',NULL,'2026-03-28');
INSERT INTO pets VALUES (86,53,'Daisy','Reptile','Bearded Dragon','M',0,'2025-01-29',NULL,NULL,NULL,'2026-02-18');
INSERT INTO pets VALUES (87,54,'Ginger','Rabbit','Holland Lop','F',0,'2025-03-26',NULL,NULL,NULL,'2026-03-27');
INSERT INTO pets VALUES (88,54,'Tucker','Rabbit','Holland Lop','M',0,'2025-06-21',NULL,NULL,NULL,'2026-11-20');
INSERT INTO pets VALUES (89,54,'Pepper','Dog','Mixed','M',0,'2022-12-13',NULL,NULL,NULL,'2026-03-27');
INSERT INTO pets VALUES (90,55,'Shadow','Cat','Maine Coon','M',1,NULL,NULL,NULL,NULL,'2026-04-07');
INSERT INTO pets VALUES (91,55,'Max','Dog','Golden Retriever','M',0,'2026-05-27',NULL,'985157004412182',NULL,'2026-10-24');
INSERT INTO pets VALUES (92,55,'Nala','Dog','Heeler','F',1,'2026-01-07',NULL,'985179687503378','Nationwide','2026-06-06');
INSERT INTO pets VALUES (93,56,'Winston','Cat','Ragdoll','M',1,'2018-05-15',NULL,'985145757851423',NULL,'2026-04-23');
INSERT INTO pets VALUES (94,57,'Rocky','Dog','Border Collie','M',1,'2020-11-03',NULL,'985170743194955','Nationwide','2026-04-26');
INSERT INTO pets VALUES (95,59,'Ziggy','Dog','Beagle','F',1,'2025-12-28',NULL,'985164635539508',NULL,'2026-05-27');
INSERT INTO pets VALUES (96,59,'Gus','Dog','Beagle','F',1,'2025-12-28',NULL,NULL,NULL,'2026-05-27');
INSERT INTO pets VALUES (97,60,'Ginger','Bird','Cockatiel','F',0,'2024-07-22',NULL,NULL,NULL,'2026-06-27');
INSERT INTO pets VALUES (98,61,'Moose','Dog','Border Collie','M',1,'2026-04-16',NULL,'985117599742819',NULL,'2026-06-30');
INSERT INTO pets VALUES (99,61,'Bandit','Cat','Domestic Shorthair','M',1,'2024-09-11',NULL,'985184517156144',NULL,'2026-11-20');
INSERT INTO pets VALUES (100,62,'Ginger','Dog','Mixed','M',0,'2026-05-27',NULL,NULL,'Healthy Paws','2026-07-26');
INSERT INTO pets VALUES (101,62,'Bandit','Cat','Ragdoll','F',1,'2026-06-26',NULL,'985131216662742',NULL,'2026-09-24');
INSERT INTO pets VALUES (102,63,'Bandit','Dog','Mixed','F',1,'2026-05-15',NULL,'985169471579298',NULL,'2026-08-13');
INSERT INTO pets VALUES (103,63,'Cooper','Dog','Mixed','M',0,'2017-01-11',NULL,NULL,'Healthy Paws','2026-11-20');
INSERT INTO pets VALUES (104,64,'Hazel','Dog','Mixed','F',1,'2023-05-02',NULL,'985153092653791',NULL,'2026-08-14');
INSERT INTO pets VALUES (105,65,'Shadow','Cat','Ragdoll','F',1,'2026-06-30',NULL,'985109263887346','Healthy Paws','2026-08-29');
INSERT INTO pets VALUES (106,65,'Gus','Cat','Maine Coon','M',1,'2026-06-30',NULL,'985104214925541',NULL,'2026-08-29');
INSERT INTO pets VALUES (107,65,'Tucker','Dog','Beagle','F',1,'2017-01-11',NULL,'985100656696961','Trupanion','2026-11-20');
INSERT INTO pets VALUES (108,66,'Pepper','Cat','Domestic Shorthair','M',0,'2023-05-31',NULL,'985124067276717',NULL,'2026-09-12');
INSERT INTO pets VALUES (109,67,'Biscuit','Cat','Siamese','M',1,'2026-07-18',NULL,'985127777707550','Embrace','2026-10-01');
INSERT INTO pets VALUES (110,67,'Biscuit','Guinea Pig','Abyssinian','M',0,'2024-12-07',NULL,NULL,NULL,'2026-10-01');
INSERT INTO pets VALUES (111,67,'Oliver','Rabbit',NULL,'F',0,'2024-01-02',NULL,NULL,NULL,'2026-10-01');
INSERT INTO pets VALUES (112,68,'Finn','Cat','Maine Coon','F',0,'2026-05-28',NULL,NULL,NULL,'2026-10-25');
INSERT INTO pets VALUES (113,68,'Luna','Dog','Labrador Retriever','M',1,'2026-08-22',NULL,'985196530390372',NULL,'2026-11-20');
INSERT INTO pets VALUES (114,68,'Salem','Dog','Labrador Retriever','F',1,'2024-08-16',NULL,'985185861900919',NULL,'2026-10-25');
INSERT INTO pets VALUES (115,68,'Bella','Dog','Border Collie','F',0,'2026-07-27',NULL,'985159126632084',NULL,'2026-10-25');
INSERT INTO pets VALUES (116,69,'Finn','Dog','Mixed','F',0,'2023-07-17',NULL,'985169854104640',NULL,'2026-10-29');
INSERT INTO pets VALUES (117,70,'Rusty','Dog','Border Collie','M',1,'2016-12-21',NULL,'985191798127019','Embrace','2026-10-30');
INSERT INTO staff VALUES (1,'Omar Granger','practice manager','2023-01-03',NULL,8260,0,NULL,NULL);
INSERT INTO staff VALUES (2,'Dr. Luke Coyle','veterinarian','2023-01-03',NULL,5514.0,1,1,6);
INSERT INTO staff VALUES (3,'Dr. Nicole McKinney','veterinarian','2025-01-04',NULL,9070,0,1,0);
INSERT INTO staff VALUES (4,'Dr. Sheila Tran','veterinarian','2023-08-27',NULL,9210,0,1,NULL);
INSERT INTO staff VALUES (5,'Dr. Marta Larsen','veterinarian','2024-02-11',NULL,8630,0,1,30);
INSERT INTO staff VALUES (6,'Dr. Paula Hoffman','veterinarian','2024-07-09','2025-12-13',10620,0,1,18);
INSERT INTO staff VALUES (7,'Dr. Luke Reyes','veterinarian','2026-03-24',NULL,5610.0,1,1,18);
INSERT INTO staff VALUES (8,'Dr. Curtis McKinney','veterinarian','2025-03-01',NULL,5244.0,1,1,12);
INSERT INTO staff VALUES (9,'Judy Ferris','vet nurse','2023-01-02',NULL,2850.0,1,2,0);
INSERT INTO staff VALUES (10,'Raymond Pruitt','vet nurse','2025-11-06',NULL,3960,0,2,0);
INSERT INTO staff VALUES (11,'Neil Larsen','vet nurse','2025-12-03',NULL,4900,0,2,0);
INSERT INTO staff VALUES (12,'Rosa Reyes','vet nurse','2023-01-02',NULL,2628.0,1,2,24);
INSERT INTO staff VALUES (13,'Claire Hatch','vet nurse','2023-07-11',NULL,4000,0,2,12);
INSERT INTO staff VALUES (14,'Neil Granger','vet nurse','2024-09-19',NULL,4930,0,2,20);
INSERT INTO staff VALUES (15,'Eric Nguyen','vet nurse','2023-06-29',NULL,2772.0,1,2,12);
INSERT INTO staff VALUES (16,'Claire Pruitt','vet nurse','2025-10-10',NULL,5200,0,2,8);
INSERT INTO staff VALUES (17,'Denise Salazar','vet nurse','2023-07-12',NULL,5010,0,2,30);
INSERT INTO staff VALUES (18,'Karen Salazar','receptionist','2023-01-02',NULL,2010.0,1,1,NULL);
INSERT INTO staff VALUES (19,'Brian Foster','receptionist','2024-05-11',NULL,3170,0,1,NULL);
INSERT INTO staff VALUES (20,'Beverly Coyle','receptionist','2024-02-15',NULL,1818.0,1,1,NULL);
INSERT INTO staff VALUES (21,'Claire Delgado','receptionist','2025-08-23',NULL,2358.0,1,1,NULL);
INSERT INTO staff VALUES (22,'Beverly Hoffman','receptionist','2026-07-25',NULL,2394.0,1,1,NULL);
INSERT INTO staff VALUES (23,'Joanne Becker','groomer','2023-01-09',NULL,2960,0,1,NULL);
INSERT INTO staff VALUES (24,'Doug Hatch','groomer','2026-09-06',NULL,2990,0,1,NULL);
INSERT INTO staff VALUES (25,'Tanya McKinney','groomer','2023-05-24','2024-07-16',3350,0,1,NULL);
INSERT INTO staff VALUES (26,'Tanya Hatch','kennel assistant','2023-01-03',NULL,2920,0,9,NULL);
INSERT INTO staff VALUES (27,'Marta Kowalski','kennel assistant','2023-05-08',NULL,3280,0,9,NULL);
INSERT INTO staff VALUES (28,'Tanya Pruitt','kennel assistant','2024-07-28',NULL,2046.0,1,9,NULL);
INSERT INTO staff VALUES (29,'Carlos Ferris','kennel assistant','2024-07-12','2025-11-24',3260,0,9,NULL);
INSERT INTO services VALUES (1,'Consultation','Exam',62,18,1);
INSERT INTO services VALUES (2,'Emergency Consultation','Exam',145,52,1);
INSERT INTO services VALUES (3,'Recheck Exam','Exam',38,12,1);
INSERT INTO services VALUES (4,'Nail Trim','Grooming',22,6.5,1);
INSERT INTO services VALUES (5,'Bath & Brush','Grooming',48,19,1);
INSERT INTO services VALUES (6,'Microchip Implant','Procedure',55,21,1);
INSERT INTO services VALUES (7,'Vaccine Injection','Preventive',34,11.2,1);
INSERT INTO services VALUES (8,'Deworming Tablet','Preventive',14.5,5.1,1);
INSERT INTO services VALUES (9,'Flea & Tick Dose','Preventive',19,9.3,1);
INSERT INTO services VALUES (10,'Spay Surgery','Surgery',390,168,1);
INSERT INTO services VALUES (11,'Neuter Surgery','Surgery',285,121,1);
INSERT INTO services VALUES (12,'Mass Removal','Surgery',540,255,1);
INSERT INTO services VALUES (13,'Wound Repair','Surgery',260,104,1);
INSERT INTO services VALUES (14,'Dental Cleaning','Dental',310,128,1);
INSERT INTO services VALUES (15,'Tooth Extraction','Dental',85,31,1);
INSERT INTO services VALUES (16,'Blood Panel','Lab',118,64,1);
INSERT INTO services VALUES (17,'Urinalysis','Lab',46,20.5,1);
INSERT INTO services VALUES (18,'Fecal Test','Lab',35,13,1);
INSERT INTO services VALUES (19,'X-Ray View','Imaging',96,33,1);
INSERT INTO services VALUES (20,'Ultrasound','Imaging',210,74,0);
INSERT INTO services VALUES (21,'Antibiotic Course','Medication',41,17.4,1);
INSERT INTO services VALUES (22,'Pain Relief Course','Medication',36.5,14.8,1);
INSERT INTO services VALUES (23,'Ear Drops','Medication',24,10.2,1);
INSERT INTO services VALUES (24,'IV Fluids','Procedure',78,27,1);
INSERT INTO services VALUES (25,'Euthanasia','End of Life',165,58,1);
INSERT INTO services VALUES (26,'Cremation','End of Life',190,142,1);
INSERT INTO services VALUES (27,'Laser Therapy Session','Procedure',45,15,1);
INSERT INTO services VALUES (28,'Acupuncture Session','Procedure',68,40,0);
INSERT INTO visits VALUES (1,2,2,'2023-02-08','2023-02-10 08:30:00','check-up','no-show',NULL,NULL,NULL);
INSERT INTO visits VALUES (2,1,2,'2023-02-13','2023-02-14 15:15:00','check-up','completed','heart murmur',19.2,'2023-02-28');
INSERT INTO visits VALUES (3,1,2,'2023-02-19','2023-02-21 10:45:00','surgery','cancelled',NULL,NULL,NULL);
INSERT INTO visits VALUES (4,2,2,'2023-03-08','2023-03-10 17:30:00','vaccination','completed',NULL,38.7,NULL);
INSERT INTO visits VALUES (5,1,2,'2023-04-26','2023-04-28 09:30:00','dental','no-show',NULL,NULL,NULL);
INSERT INTO visits VALUES (6,7,2,'2023-06-19','2023-06-21 08:45:00','check-up','completed','healthy',10.6,NULL);
INSERT INTO visits VALUES (7,9,2,'2023-06-27','2023-07-01 14:30:00','check-up','completed','arthritis',2.9,NULL);
INSERT INTO visits VALUES (8,1,2,'2023-06-24','2023-07-15 14:45:00','check-up','cancelled',NULL,NULL,NULL);
INSERT INTO visits VALUES (9,3,2,'2023-08-11','2023-08-11 12:00:00','check-up','no-show',NULL,NULL,NULL);
INSERT INTO visits VALUES (10,13,4,'2023-09-22','2023-09-22 13:15:00','follow-up','completed','otitis externa',6.6,NULL);
INSERT INTO visits VALUES (11,9,4,'2023-10-29','2023-11-02 11:15:00','check-up','completed','healthy',2.8,NULL);
INSERT INTO visits VALUES (12,1,2,'2024-01-06','2024-01-06 11:15:00','emergency','completed','laceration',NULL,'2024-01-16');
INSERT INTO visits VALUES (13,11,2,'2024-01-12','2024-01-18 15:15:00','check-up','completed','arthritis',43.2,NULL);
INSERT INTO visits VALUES (14,20,2,'2024-01-20','2024-01-20 09:15:00','dental','completed','tartar',34.3,'2024-02-19');
INSERT INTO visits VALUES (15,12,4,'2024-02-17','2024-02-17 14:15:00','vaccination','completed','healthy',NULL,NULL);
INSERT INTO visits VALUES (16,11,4,'2024-04-16','2024-04-22 12:15:00','follow-up','no-show',NULL,NULL,NULL);
INSERT INTO visits VALUES (17,14,4,'2024-04-19','2024-05-10 15:45:00','check-up','completed','healthy',NULL,NULL);
INSERT INTO visits VALUES (18,6,2,'2024-05-08','2024-05-17 13:45:00','check-up','completed','dermatitis',3.0,NULL);
INSERT INTO visits VALUES (19,9,2,'2024-05-15','2024-05-24 14:45:00','vaccination','completed',NULL,3.1,NULL);
INSERT INTO visits VALUES (20,7,5,'2024-05-29','2024-05-29 12:45:00','check-up','completed','otitis externa',10.9,NULL);
INSERT INTO visits VALUES (21,32,2,'2024-06-13','2024-06-13 14:45:00','check-up','completed','dermatitis',17.4,NULL);
INSERT INTO visits VALUES (22,9,2,'2024-06-24','2024-06-24 15:15:00','emergency','completed','toxin ingestion',2.8,NULL);
INSERT INTO visits VALUES (23,36,2,'2024-06-22','2024-06-28 08:00:00','check-up','no-show',NULL,NULL,NULL);
INSERT INTO visits VALUES (24,45,2,'2024-06-27','2024-06-28 16:45:00','surgery','cancelled',NULL,NULL,NULL);
INSERT INTO visits VALUES (25,54,5,'2024-07-06','2024-07-06 09:45:00','vaccination','completed','healthy',10.3,NULL);
INSERT INTO visits VALUES (26,18,4,'2024-07-09','2024-07-22 14:30:00','check-up','no-show',NULL,NULL,NULL);
INSERT INTO visits VALUES (27,36,4,'2024-07-26','2024-07-27 16:45:00','vaccination','completed',NULL,26.1,NULL);
INSERT INTO visits VALUES (28,36,6,'2024-07-29','2024-07-31 10:45:00','check-up','completed','obesity',26.5,NULL);
INSERT INTO visits VALUES (29,20,4,'2024-08-28','2024-08-28 13:30:00','check-up','completed','otitis externa',31.4,NULL);
INSERT INTO visits VALUES (30,28,4,'2024-09-01','2024-09-05 10:00:00','dental','completed','fractured tooth',14.6,'2024-09-12');
INSERT INTO visits VALUES (31,36,6,'2024-09-05','2024-09-07 13:45:00','surgery','no-show',NULL,NULL,NULL);
INSERT INTO visits VALUES (32,35,4,'2024-09-04','2024-09-13 15:00:00','check-up','completed','arthritis',11.0,NULL);
INSERT INTO visits VALUES (33,36,6,'2024-09-07','2024-09-16 16:15:00','surgery','completed','lipoma',24.1,'2024-09-26');
INSERT INTO visits VALUES (34,11,4,'2024-10-07','2024-10-07 12:15:00','surgery','completed','routine sterilization',38.5,NULL);
INSERT INTO visits VALUES (35,32,2,'2024-11-29','2024-11-29 12:15:00','follow-up','completed','otitis externa',18.9,NULL);
INSERT INTO visits VALUES (36,28,4,'2024-12-06','2024-12-06 16:45:00','emergency','completed','gastroenteritis',NULL,'2024-12-16');
INSERT INTO visits VALUES (37,56,2,'2025-01-19','2025-02-01 09:45:00','check-up','completed','healthy',27.9,'2025-02-15');
INSERT INTO visits VALUES (38,36,5,'2025-03-16','2025-03-18 10:30:00','follow-up','completed','recovering well',24.4,NULL);
INSERT INTO visits VALUES (39,15,4,'2025-03-23','2025-03-24 14:15:00','check-up','no-show',NULL,NULL,NULL);
INSERT INTO visits VALUES (40,51,2,'2025-03-28','2025-04-01 15:45:00','follow-up','completed','otitis externa',28.3,NULL);
INSERT INTO visits VALUES (41,27,5,'2025-04-16','2025-05-07 14:00:00','check-up','completed','heart murmur',6.5,'2025-05-28');
INSERT INTO visits VALUES (42,32,2,'2025-06-04','2025-06-05 13:30:00','check-up','completed','healthy',17.1,NULL);
INSERT INTO visits VALUES (43,17,8,'2025-06-09','2025-06-13 10:15:00','surgery','completed','routine sterilization',25.8,'2025-07-13');
INSERT INTO visits VALUES (44,73,5,'2025-06-07','2025-06-13 11:45:00','check-up','completed','heart murmur',4.4,NULL);
INSERT INTO visits VALUES (45,3,2,'2025-05-26','2025-06-16 09:15:00','check-up','completed','healthy',6.4,'2025-06-26');
INSERT INTO visits VALUES (46,1,4,'2025-07-03','2025-07-03 17:00:00','emergency','completed','fracture',19.6,'2025-07-10');
INSERT INTO visits VALUES (47,65,2,'2025-07-01','2025-07-05 09:15:00','vaccination','completed','healthy',7.2,NULL);
INSERT INTO visits VALUES (48,17,2,'2025-07-01','2025-07-05 13:30:00','vaccination','completed',NULL,22.8,NULL);
INSERT INTO visits VALUES (49,54,2,'2025-07-02','2025-07-08 08:45:00','check-up','completed','otitis externa',10.5,NULL);
INSERT INTO visits VALUES (50,32,4,'2025-07-07','2025-07-08 13:30:00','vaccination','completed','healthy',17.1,NULL);
INSERT INTO visits VALUES (51,19,5,'2025-06-27','2025-07-10 10:15:00','vaccination','no-show',NULL,NULL,NULL);
INSERT INTO visits VALUES (52,12,2,'2025-07-15','2025-07-19 08:30:00','vaccination','completed',NULL,28.8,NULL);
INSERT INTO visits VALUES (53,54,5,'2025-07-26','2025-07-26 12:30:00','check-up','completed','arthritis',10.3,NULL);
INSERT INTO visits VALUES (54,29,8,'2025-08-03','2025-08-09 12:45:00','vaccination','completed',NULL,2.3,NULL);
INSERT INTO visits VALUES (55,73,4,'2025-08-15','2025-08-28 15:45:00','check-up','completed','healthy',4.4,NULL);
INSERT INTO visits VALUES (56,13,3,'2025-09-23','2025-09-23 11:30:00','emergency','completed','gastroenteritis',6.7,NULL);
INSERT INTO visits VALUES (57,53,2,'2025-10-08','2025-10-09 12:00:00','check-up','completed','heart murmur',NULL,'2025-10-16');
INSERT INTO visits VALUES (58,69,4,'2025-10-12','2025-10-18 09:45:00','check-up','completed','heart murmur',6.0,NULL);
INSERT INTO visits VALUES (59,43,5,'2025-11-05','2025-11-06 12:00:00','vaccination','completed','healthy',15.2,NULL);
INSERT INTO visits VALUES (60,63,4,'2025-10-25','2025-11-15 09:30:00','surgery','completed','routine sterilization',6.8,'2025-12-06');
INSERT INTO visits VALUES (61,36,2,'2025-11-26','2025-11-26 10:30:00','emergency','completed','toxin ingestion',25.1,'2025-12-06');
INSERT INTO visits VALUES (62,16,2,'2025-11-22','2025-11-28 09:15:00','check-up','completed','dermatitis',39.0,NULL);
INSERT INTO visits VALUES (63,2,3,'2025-12-25','2026-01-15 10:15:00','check-up','completed','dermatitis',36.8,NULL);
INSERT INTO visits VALUES (64,61,2,'2026-03-14','2026-03-14 17:15:00','vaccination','completed',NULL,3.1,NULL);
INSERT INTO visits VALUES (65,38,4,'2026-03-02','2026-03-23 09:45:00','check-up','completed','arthritis',0.06,NULL);
INSERT INTO visits VALUES (66,71,8,'2026-03-23','2026-03-23 16:15:00','dental','completed','tartar',11.5,'2026-03-30');
INSERT INTO visits VALUES (67,36,7,'2026-03-22','2026-03-24 09:15:00','follow-up','completed','recovering well',26.4,NULL);
INSERT INTO visits VALUES (68,53,5,'2026-04-05','2026-04-09 12:15:00','check-up','completed','healthy',NULL,NULL);
INSERT INTO visits VALUES (69,70,4,'2026-04-20','2026-04-20 09:15:00','emergency','completed','toxin ingestion',NULL,'2026-04-27');
INSERT INTO visits VALUES (70,20,3,'2026-04-23','2026-04-29 11:15:00','follow-up','completed',NULL,35.4,NULL);
INSERT INTO visits VALUES (71,45,4,'2026-05-08','2026-05-09 17:15:00','vaccination','completed','healthy',4.4,NULL);
INSERT INTO visits VALUES (72,32,7,'2026-05-29','2026-05-30 10:30:00','follow-up','completed','recovering well',18.5,NULL);
INSERT INTO visits VALUES (73,61,2,'2026-06-08','2026-06-17 16:15:00','dental','completed','tartar',NULL,'2026-06-27');
INSERT INTO visits VALUES (74,53,4,'2026-06-15','2026-06-17 17:15:00','surgery','completed','lipoma',1.52,'2026-07-08');
INSERT INTO visits VALUES (75,68,2,'2026-07-11','2026-07-17 17:45:00','vaccination','completed','healthy',29.5,NULL);
INSERT INTO visits VALUES (76,1,2,'2026-08-12','2026-08-18 14:00:00','check-up','completed','dermatitis',19.6,'2026-08-25');
INSERT INTO visits VALUES (77,71,2,'2026-07-31','2026-08-21 09:15:00','vaccination','completed',NULL,12.1,NULL);
INSERT INTO visits VALUES (78,90,2,'2026-08-15','2026-08-28 17:00:00','follow-up','cancelled',NULL,NULL,NULL);
INSERT INTO visits VALUES (79,53,3,'2026-09-07','2026-09-07 11:45:00','emergency','completed','laceration',1.36,'2026-09-14');
INSERT INTO visits VALUES (80,3,2,'2026-09-19','2026-09-19 17:15:00','vaccination','completed','healthy',6.7,NULL);
INSERT INTO visits VALUES (81,90,4,'2026-09-23','2026-09-23 11:45:00','emergency','completed','laceration',6.9,NULL);
INSERT INTO visits VALUES (82,15,2,'2026-09-08','2026-09-29 17:00:00','surgery','completed','routine sterilization',9.1,'2026-10-13');
INSERT INTO visits VALUES (83,73,3,'2026-09-26','2026-10-05 15:00:00','vaccination','completed',NULL,4.3,NULL);
INSERT INTO visits VALUES (84,63,4,'2026-10-15','2026-10-15 12:15:00','vaccination','no-show',NULL,NULL,NULL);
INSERT INTO visits VALUES (85,71,8,'2026-10-24','2026-10-26 12:30:00','vaccination','completed',NULL,10.7,NULL);
INSERT INTO visits VALUES (86,22,5,'2026-11-23','2026-11-24 11:30:00','check-up','scheduled',NULL,NULL,NULL);
INSERT INTO visits VALUES (87,4,2,'2026-11-17','2026-11-25 08:15:00','check-up','scheduled',NULL,NULL,NULL);
INSERT INTO visits VALUES (88,66,2,'2026-11-19','2026-11-25 12:15:00','check-up','scheduled',NULL,NULL,NULL);
INSERT INTO visits VALUES (89,73,4,'2026-11-19','2026-11-27 16:00:00','check-up','scheduled',NULL,NULL,NULL);
INSERT INTO visits VALUES (90,72,2,'2026-11-23','2026-11-28 11:30:00','check-up','scheduled',NULL,NULL,NULL);
INSERT INTO visits VALUES (91,30,5,'2026-11-17','2026-11-30 12:15:00','vaccination','scheduled',NULL,NULL,NULL);
INSERT INTO visit_items VALUES (1,2,1,1,54.5);
INSERT INTO visit_items VALUES (2,2,23,1,21.0);
INSERT INTO visit_items VALUES (3,4,1,1,54.5);
INSERT INTO visit_items VALUES (4,4,7,2,30.0);
INSERT INTO visit_items VALUES (5,6,1,1,54.5);
INSERT INTO visit_items VALUES (6,6,23,1,21.0);
INSERT INTO visit_items VALUES (7,7,1,1,54.5);
INSERT INTO visit_items VALUES (8,10,3,1,33.5);
INSERT INTO visit_items VALUES (9,10,27,1,39.5);
INSERT INTO visit_items VALUES (10,11,1,1,54.5);
INSERT INTO visit_items VALUES (11,12,2,1,133.5);
INSERT INTO visit_items VALUES (12,12,20,1,193.0);
INSERT INTO visit_items VALUES (13,13,1,1,57.0);
INSERT INTO visit_items VALUES (14,13,9,2,17.5);
INSERT INTO visit_items VALUES (15,13,8,1,13.5);
INSERT INTO visit_items VALUES (16,14,14,1,285.0);
INSERT INTO visit_items VALUES (17,14,15,1,78.0);
INSERT INTO visit_items VALUES (18,15,7,1,31.5);
INSERT INTO visit_items VALUES (19,15,8,1,13.5);
INSERT INTO visit_items VALUES (20,17,1,1,57.0);
INSERT INTO visit_items VALUES (21,17,16,1,108.5);
INSERT INTO visit_items VALUES (22,18,1,1,57.0);
INSERT INTO visit_items VALUES (23,18,9,1,17.5);
INSERT INTO visit_items VALUES (24,18,8,1,13.5);
INSERT INTO visit_items VALUES (25,19,7,2,31.5);
INSERT INTO visit_items VALUES (26,19,8,1,13.5);
INSERT INTO visit_items VALUES (27,20,1,1,57.0);
INSERT INTO visit_items VALUES (28,20,23,1,22.0);
INSERT INTO visit_items VALUES (29,21,1,1,57.0);
INSERT INTO visit_items VALUES (30,21,18,1,32.0);
INSERT INTO visit_items VALUES (31,22,2,1,133.5);
INSERT INTO visit_items VALUES (32,22,24,1,72.0);
INSERT INTO visit_items VALUES (33,22,16,1,108.5);
INSERT INTO visit_items VALUES (34,25,7,1,31.5);
INSERT INTO visit_items VALUES (35,27,7,1,31.5);
INSERT INTO visit_items VALUES (36,27,6,1,50.5);
INSERT INTO visit_items VALUES (37,28,1,1,57.0);
INSERT INTO visit_items VALUES (38,28,16,1,108.5);
INSERT INTO visit_items VALUES (39,29,1,1,57.0);
INSERT INTO visit_items VALUES (40,29,23,1,22.0);
INSERT INTO visit_items VALUES (41,30,14,1,285.0);
INSERT INTO visit_items VALUES (42,32,1,1,57.0);
INSERT INTO visit_items VALUES (43,32,23,1,22.0);
INSERT INTO visit_items VALUES (44,33,12,1,497.0);
INSERT INTO visit_items VALUES (45,33,22,1,33.5);
INSERT INTO visit_items VALUES (46,34,11,1,262.0);
INSERT INTO visit_items VALUES (47,34,22,1,33.5);
INSERT INTO visit_items VALUES (48,35,3,1,35.0);
INSERT INTO visit_items VALUES (49,35,17,1,42.5);
INSERT INTO visit_items VALUES (50,36,2,1,133.5);
INSERT INTO visit_items VALUES (51,36,13,1,239.0);
INSERT INTO visit_items VALUES (52,36,21,1,37.5);
INSERT INTO visit_items VALUES (53,37,1,1,59.5);
INSERT INTO visit_items VALUES (54,37,23,1,23.0);
INSERT INTO visit_items VALUES (55,38,3,1,36.5);
INSERT INTO visit_items VALUES (56,38,17,1,44.0);
INSERT INTO visit_items VALUES (57,40,3,1,36.5);
INSERT INTO visit_items VALUES (58,40,27,1,43.0);
INSERT INTO visit_items VALUES (59,41,1,1,59.5);
INSERT INTO visit_items VALUES (60,41,4,1,21.0);
INSERT INTO visit_items VALUES (61,42,1,1,59.5);
INSERT INTO visit_items VALUES (62,43,11,1,273.5);
INSERT INTO visit_items VALUES (63,43,22,1,35.0);
INSERT INTO visit_items VALUES (64,44,1,1,59.5);
INSERT INTO visit_items VALUES (65,44,18,1,33.5);
INSERT INTO visit_items VALUES (66,45,1,1,59.5);
INSERT INTO visit_items VALUES (67,46,2,1,139.0);
INSERT INTO visit_items VALUES (68,46,24,1,75.0);
INSERT INTO visit_items VALUES (69,46,16,1,113.5);
INSERT INTO visit_items VALUES (70,47,7,1,32.5);
INSERT INTO visit_items VALUES (71,47,8,1,14.0);
INSERT INTO visit_items VALUES (72,48,1,1,59.5);
INSERT INTO visit_items VALUES (73,48,7,1,32.5);
INSERT INTO visit_items VALUES (74,49,1,1,59.5);
INSERT INTO visit_items VALUES (75,49,18,1,33.5);
INSERT INTO visit_items VALUES (76,50,1,1,59.5);
INSERT INTO visit_items VALUES (77,50,7,1,32.5);
INSERT INTO visit_items VALUES (78,52,1,1,59.5);
INSERT INTO visit_items VALUES (79,52,7,1,32.5);
INSERT INTO visit_items VALUES (80,53,1,1,59.5);
INSERT INTO visit_items VALUES (81,54,7,2,32.5);
INSERT INTO visit_items VALUES (82,54,8,1,14.0);
INSERT INTO visit_items VALUES (83,55,1,1,59.5);
INSERT INTO visit_items VALUES (84,55,18,1,33.5);
INSERT INTO visit_items VALUES (85,56,2,1,139.0);
INSERT INTO visit_items VALUES (86,56,20,1,201.5);
INSERT INTO visit_items VALUES (87,57,1,1,59.5);
INSERT INTO visit_items VALUES (88,57,9,1,18.0);
INSERT INTO visit_items VALUES (89,57,8,1,14.0);
INSERT INTO visit_items VALUES (90,58,1,1,59.5);
INSERT INTO visit_items VALUES (91,58,9,2,18.0);
INSERT INTO visit_items VALUES (92,58,8,1,14.0);
INSERT INTO visit_items VALUES (93,59,7,1,32.5);
INSERT INTO visit_items VALUES (94,59,6,1,53.0);
INSERT INTO visit_items VALUES (95,60,10,1,374.5);
INSERT INTO visit_items VALUES (96,61,2,1,139.0);
INSERT INTO visit_items VALUES (97,61,19,2,92.0);
INSERT INTO visit_items VALUES (98,61,22,1,35.0);
INSERT INTO visit_items VALUES (99,62,1,1,59.5);
INSERT INTO visit_items VALUES (100,62,16,1,113.5);
INSERT INTO visit_items VALUES (101,63,1,1,62.0);
INSERT INTO visit_items VALUES (102,63,4,1,22.0);
INSERT INTO visit_items VALUES (103,64,7,1,34.0);
INSERT INTO visit_items VALUES (104,64,8,1,14.5);
INSERT INTO visit_items VALUES (105,65,1,1,62.0);
INSERT INTO visit_items VALUES (106,65,9,1,19.0);
INSERT INTO visit_items VALUES (107,65,8,1,14.5);
INSERT INTO visit_items VALUES (108,66,14,1,310.0);
INSERT INTO visit_items VALUES (109,67,3,1,38.0);
INSERT INTO visit_items VALUES (110,67,27,1,45.0);
INSERT INTO visit_items VALUES (111,68,1,1,62.0);
INSERT INTO visit_items VALUES (112,68,23,1,24.0);
INSERT INTO visit_items VALUES (113,69,2,1,145.0);
INSERT INTO visit_items VALUES (114,69,20,1,210.0);
INSERT INTO visit_items VALUES (115,70,3,1,38.0);
INSERT INTO visit_items VALUES (116,70,27,1,45.0);
INSERT INTO visit_items VALUES (117,71,7,2,34.0);
INSERT INTO visit_items VALUES (118,71,8,1,14.5);
INSERT INTO visit_items VALUES (119,72,3,1,38.0);
INSERT INTO visit_items VALUES (120,73,14,1,310.0);
INSERT INTO visit_items VALUES (121,74,12,1,540.0);
INSERT INTO visit_items VALUES (122,74,22,1,36.5);
INSERT INTO visit_items VALUES (123,75,7,1,34.0);
INSERT INTO visit_items VALUES (124,75,6,1,55.0);
INSERT INTO visit_items VALUES (125,76,1,1,62.0);
INSERT INTO visit_items VALUES (126,76,16,1,118.0);
INSERT INTO visit_items VALUES (127,77,7,1,34.0);
INSERT INTO visit_items VALUES (128,79,2,1,145.0);
INSERT INTO visit_items VALUES (129,79,24,1,78.0);
INSERT INTO visit_items VALUES (130,79,16,1,118.0);
INSERT INTO visit_items VALUES (131,80,7,1,34.0);
INSERT INTO visit_items VALUES (132,81,2,1,145.0);
INSERT INTO visit_items VALUES (133,81,24,1,78.0);
INSERT INTO visit_items VALUES (134,81,16,1,118.0);
INSERT INTO visit_items VALUES (135,82,10,1,390.0);
INSERT INTO visit_items VALUES (136,83,7,2,34.0);
INSERT INTO visit_items VALUES (137,83,6,1,55.0);
INSERT INTO visit_items VALUES (138,85,7,1,34.0);
INSERT INTO visit_items VALUES (139,85,6,1,55.0);
INSERT INTO invoices VALUES (1,2,'2023-02-14','2023-02-28','2023-02-14',75.5,'paid','card');
INSERT INTO invoices VALUES (2,4,'2023-03-10','2023-03-24','2023-03-10',114.5,'paid','card');
INSERT INTO invoices VALUES (3,6,'2023-06-22','2023-07-06','2023-06-30',75.5,'paid','card');
INSERT INTO invoices VALUES (4,7,'2023-07-01','2023-07-15',NULL,54.5,'open',NULL);
INSERT INTO invoices VALUES (5,10,'2023-09-22','2023-10-06','2023-09-22',73.0,'paid','card');
INSERT INTO invoices VALUES (6,11,'2023-11-02','2023-11-16','2023-11-02',54.5,'paid','card');
INSERT INTO invoices VALUES (7,12,'2024-01-06','2024-01-20',NULL,326.5,'written off',NULL);
INSERT INTO invoices VALUES (8,13,'2024-01-18','2024-02-01','2024-02-20',105.5,'paid','card');
INSERT INTO invoices VALUES (9,14,'2024-01-20','2024-02-03','2024-01-20',363.0,'paid','card');
INSERT INTO invoices VALUES (10,15,'2024-02-17','2024-03-02','2024-02-17',45.0,'paid','insurance');
INSERT INTO invoices VALUES (11,17,'2024-05-11','2024-05-25','2024-05-11',165.5,'paid','cash');
INSERT INTO invoices VALUES (12,18,'2024-05-17','2024-05-31','2024-05-17',88.0,'paid','insurance');
INSERT INTO invoices VALUES (13,19,'2024-05-24','2024-06-07',NULL,76.5,'open',NULL);
INSERT INTO invoices VALUES (14,20,'2024-05-29','2024-06-12','2024-07-01',79.0,'paid','card');
INSERT INTO invoices VALUES (15,21,'2024-06-14','2024-06-28','2024-06-14',89.0,'paid','card');
INSERT INTO invoices VALUES (16,22,'2024-06-24','2024-07-08',NULL,314.0,'open',NULL);
INSERT INTO invoices VALUES (17,25,'2024-07-06','2024-07-20','2024-07-06',31.5,'paid','cash');
INSERT INTO invoices VALUES (18,27,'2024-07-28','2024-08-11','2024-07-31',82.0,'paid','bank transfer');
INSERT INTO invoices VALUES (19,28,'2024-07-31','2024-08-14','2024-09-02',165.5,'paid','card');
INSERT INTO invoices VALUES (20,29,'2024-08-29','2024-09-12','2024-08-29',79.0,'paid','card');
INSERT INTO invoices VALUES (21,30,'2024-09-05','2024-09-19',NULL,285.0,'written off',NULL);
INSERT INTO invoices VALUES (22,32,'2024-09-14','2024-09-28','2024-09-14',79.0,'paid','card');
INSERT INTO invoices VALUES (23,33,'2024-09-16','2024-09-30','2024-09-16',530.5,'paid','insurance');
INSERT INTO invoices VALUES (24,34,'2024-10-07','2024-10-21','2024-10-07',295.5,'paid','card');
INSERT INTO invoices VALUES (25,35,'2024-11-29','2024-12-13','2024-11-29',77.5,'paid','cash');
INSERT INTO invoices VALUES (26,36,'2024-12-07','2024-12-21','2024-12-21',410.0,'paid','card');
INSERT INTO invoices VALUES (27,37,'2025-02-01','2025-02-15','2025-02-01',82.5,'paid','insurance');
INSERT INTO invoices VALUES (28,40,'2025-04-02','2025-04-16','2025-04-02',79.5,'paid','card');
INSERT INTO invoices VALUES (29,41,'2025-05-07','2025-05-21','2025-05-10',80.5,'paid','cash');
INSERT INTO invoices VALUES (30,42,'2025-06-05','2025-06-19',NULL,59.5,'written off',NULL);
INSERT INTO invoices VALUES (31,43,'2025-06-13','2025-06-27','2025-06-13',308.5,'paid','bank transfer');
INSERT INTO invoices VALUES (32,44,'2025-06-13','2025-06-27','2025-06-16',93.0,'paid','card');
INSERT INTO invoices VALUES (33,45,'2025-06-16','2025-06-30','2025-06-24',59.5,'paid','insurance');
INSERT INTO invoices VALUES (34,46,'2025-07-03','2025-07-17','2025-07-06',327.5,'paid','card');
INSERT INTO invoices VALUES (35,47,'2025-07-05','2025-07-19','2025-07-05',46.5,'paid','card');
INSERT INTO invoices VALUES (36,48,'2025-07-05','2025-07-19','2025-07-24',92.0,'paid','bank transfer');
INSERT INTO invoices VALUES (37,49,'2025-07-11','2025-07-25','2025-07-11',93.0,'paid','card');
INSERT INTO invoices VALUES (38,50,'2025-07-08','2025-07-22','2025-07-08',92.0,'paid','card');
INSERT INTO invoices VALUES (39,52,'2025-07-19','2025-08-02','2025-07-19',92.0,'paid','card');
INSERT INTO invoices VALUES (40,54,'2025-08-09','2025-08-23','2025-08-09',79.0,'paid','card');
INSERT INTO invoices VALUES (41,55,'2025-08-28','2025-09-11','2025-08-28',93.0,'paid','card');
INSERT INTO invoices VALUES (42,56,'2025-09-23','2025-10-07','2025-09-26',340.5,'paid','card');
INSERT INTO invoices VALUES (43,57,'2025-10-09','2025-10-23','2025-10-23',91.5,'paid','card');
INSERT INTO invoices VALUES (44,58,'2025-10-18','2025-11-01','2025-10-18',109.5,'paid','insurance');
INSERT INTO invoices VALUES (45,59,'2025-11-07','2025-11-21','2025-11-07',85.5,'paid','insurance');
INSERT INTO invoices VALUES (46,60,'2025-11-15','2025-11-29','2025-11-15',374.5,'paid','card');
INSERT INTO invoices VALUES (47,61,'2025-11-26','2025-12-10','2025-11-26',358.0,'paid','cash');
INSERT INTO invoices VALUES (48,62,'2025-11-28','2025-12-12','2025-11-28',173.0,'paid','card');
INSERT INTO invoices VALUES (49,63,'2026-01-15','2026-01-29','2026-01-29',84.0,'paid','card');
INSERT INTO invoices VALUES (50,65,'2026-03-24','2026-04-07','2026-03-24',95.5,'paid','cash');
INSERT INTO invoices VALUES (51,66,'2026-03-23','2026-04-06','2026-03-23',310.0,'paid','insurance');
INSERT INTO invoices VALUES (52,67,'2026-03-24','2026-04-07','2026-04-01',83.0,'paid','bank transfer');
INSERT INTO invoices VALUES (53,68,'2026-04-09','2026-04-23',NULL,86.0,'written off',NULL);
INSERT INTO invoices VALUES (54,69,'2026-04-23','2026-05-07','2026-04-23',355.0,'paid','card');
INSERT INTO invoices VALUES (55,70,'2026-04-29','2026-05-13','2026-04-29',83.0,'paid','card');
INSERT INTO invoices VALUES (56,71,'2026-05-09','2026-05-23','2026-05-28',82.5,'paid','card');
INSERT INTO invoices VALUES (57,72,'2026-05-30','2026-06-13','2026-05-30',38.0,'paid','card');
INSERT INTO invoices VALUES (58,73,'2026-06-17','2026-07-01','2026-06-17',310.0,'paid','cash');
INSERT INTO invoices VALUES (59,74,'2026-06-18','2026-07-02','2026-06-18',576.5,'paid','card');
INSERT INTO invoices VALUES (60,75,'2026-07-17','2026-07-31','2026-07-17',89.0,'paid','bank transfer');
INSERT INTO invoices VALUES (61,76,'2026-08-18','2026-09-01','2026-08-18',180.0,'paid','card');
INSERT INTO invoices VALUES (62,77,'2026-08-21','2026-09-04','2026-08-21',34.0,'paid','bank transfer');
INSERT INTO invoices VALUES (63,79,'2026-09-07','2026-09-21',NULL,341.0,'open',NULL);
INSERT INTO invoices VALUES (64,80,'2026-09-19','2026-10-03','2026-09-19',34.0,'paid','card');
INSERT INTO invoices VALUES (65,81,'2026-09-23','2026-10-07','2026-09-23',341.0,'paid','card');
INSERT INTO invoices VALUES (66,82,'2026-09-29','2026-10-13','2026-09-29',390.0,'paid','card');
INSERT INTO invoices VALUES (67,83,'2026-10-05','2026-10-19','2026-10-05',123.0,'paid','card');
INSERT INTO invoices VALUES (68,85,'2026-10-26','2026-11-09','2026-10-29',89.0,'paid','cash');
INSERT INTO vaccinations VALUES (1,1,'Bordetella','2023-02-07','2024-02-07',9,'X3564');
INSERT INTO vaccinations VALUES (2,5,'Rabies','2023-03-29','2024-03-28',9,'B7141');
INSERT INTO vaccinations VALUES (3,9,'Rabies','2023-04-07','2024-04-07',12,'B5944');
INSERT INTO vaccinations VALUES (4,9,'FeLV','2023-04-07','2024-04-07',9,'X6157');
INSERT INTO vaccinations VALUES (5,6,'FeLV','2023-04-25','2024-04-25',12,'T8669');
INSERT INTO vaccinations VALUES (6,10,'Rabies','2023-04-27','2024-04-27',9,'B6971');
INSERT INTO vaccinations VALUES (7,7,'Rabies','2023-05-10','2024-05-10',2,'K5193');
INSERT INTO vaccinations VALUES (8,7,'Leptospirosis','2023-05-10','2024-05-10',9,'T8421');
INSERT INTO vaccinations VALUES (9,11,'Rabies','2023-05-17','2024-05-17',9,'T5932');
INSERT INTO vaccinations VALUES (10,8,'FVRCP','2023-05-17','2024-05-17',9,'X6857');
INSERT INTO vaccinations VALUES (11,11,'Bordetella','2023-05-17','2024-05-17',12,'X3453');
INSERT INTO vaccinations VALUES (12,14,'Rabies','2023-06-08','2024-06-08',9,'A8962');
INSERT INTO vaccinations VALUES (13,14,'Bordetella','2023-06-08','2024-06-08',12,'K5050');
INSERT INTO vaccinations VALUES (14,18,'Rabies','2023-06-30','2024-06-28',12,'C4985');
INSERT INTO vaccinations VALUES (15,16,'Leptospirosis','2023-07-06','2024-07-06',9,'B3548');
INSERT INTO vaccinations VALUES (16,3,'FeLV','2023-08-29','2024-08-28',15,'T3754');
INSERT INTO vaccinations VALUES (17,19,'Rabies','2023-09-29','2024-09-28',15,'C9492');
INSERT INTO vaccinations VALUES (18,20,'Leptospirosis','2023-10-12','2024-10-12',15,'A5190');
INSERT INTO vaccinations VALUES (19,24,'Rabies','2023-10-26','2024-10-26',15,'K6522');
INSERT INTO vaccinations VALUES (20,23,'FeLV','2023-12-10','2024-12-10',12,'T4470');
INSERT INTO vaccinations VALUES (21,21,'Leptospirosis','2023-12-10','2024-12-10',12,'K1663');
INSERT INTO vaccinations VALUES (22,30,'RHDV2','2023-12-19','2024-12-19',9,'A8652');
INSERT INTO vaccinations VALUES (23,26,'Rabies','2023-12-20','2024-12-20',17,NULL);
INSERT INTO vaccinations VALUES (24,26,'FeLV','2023-12-20','2024-12-20',15,'C1482');
INSERT INTO vaccinations VALUES (25,27,'Rabies','2024-01-29','2025-01-28',12,'A4001');
INSERT INTO vaccinations VALUES (26,34,'DHPP','2024-02-07','2025-02-07',15,'A2191');
INSERT INTO vaccinations VALUES (27,36,'Rabies','2024-03-25','2025-03-25',2,'C6720');
INSERT INTO vaccinations VALUES (28,6,'FVRCP','2024-04-14','2025-04-14',9,'C4365');
INSERT INTO vaccinations VALUES (29,6,'Rabies','2024-04-14','2027-04-14',9,'K6316');
INSERT INTO vaccinations VALUES (30,39,'Rabies','2024-04-15','2025-04-15',17,'C4008');
INSERT INTO vaccinations VALUES (31,9,'Rabies','2024-04-18','2027-04-18',15,NULL);
INSERT INTO vaccinations VALUES (32,46,'Leptospirosis','2024-05-12','2025-05-12',2,'X9769');
INSERT INTO vaccinations VALUES (33,45,'FVRCP','2024-05-12','2025-05-12',2,'X5917');
INSERT INTO vaccinations VALUES (34,40,'FeLV','2024-05-20','2025-05-20',2,'C6594');
INSERT INTO vaccinations VALUES (35,40,'Rabies','2024-05-20','2025-05-20',15,'K7700');
INSERT INTO vaccinations VALUES (36,7,'Rabies','2024-05-21','2027-05-21',15,'C7963');
INSERT INTO vaccinations VALUES (37,43,'DHPP','2024-06-01','2025-06-01',2,'A4290');
INSERT INTO vaccinations VALUES (38,52,'Rabies','2024-06-17','2025-06-17',12,'A5315');
INSERT INTO vaccinations VALUES (39,28,'Bordetella','2024-06-17','2025-06-17',12,'K7980');
INSERT INTO vaccinations VALUES (40,28,'Rabies','2024-06-17','2025-06-17',2,'X1823');
INSERT INTO vaccinations VALUES (41,18,'Bordetella','2024-06-19','2025-06-19',12,'B7322');
INSERT INTO vaccinations VALUES (42,5,'Bordetella','2024-06-26','2025-06-26',15,NULL);
INSERT INTO vaccinations VALUES (43,51,'DHPP','2024-06-27','2025-06-27',9,'K2335');
INSERT INTO vaccinations VALUES (44,51,'Leptospirosis','2024-06-27','2025-06-27',9,'B4556');
INSERT INTO vaccinations VALUES (45,54,'Leptospirosis','2024-07-06','2025-07-06',15,'T2426');
INSERT INTO vaccinations VALUES (46,4,'Rabies','2024-07-19','2025-07-19',12,'X9975');
INSERT INTO vaccinations VALUES (47,4,'Bordetella','2024-07-19','2025-07-19',6,'K4042');
INSERT INTO vaccinations VALUES (48,35,'DHPP','2024-08-25','2025-08-25',12,'K4818');
INSERT INTO vaccinations VALUES (49,19,'Rabies','2024-10-10','2027-10-10',6,'T7712');
INSERT INTO vaccinations VALUES (50,19,'FVRCP','2024-10-10','2025-10-10',6,'B4503');
INSERT INTO vaccinations VALUES (51,20,'Rabies','2024-10-23','2027-10-23',9,'A3047');
INSERT INTO vaccinations VALUES (52,24,'Rabies','2024-10-25','2027-10-25',9,'A5013');
INSERT INTO vaccinations VALUES (53,24,'DHPP','2024-10-25','2025-10-25',6,'K9329');
INSERT INTO vaccinations VALUES (54,56,'DHPP','2024-11-03','2025-11-03',9,'A2403');
INSERT INTO vaccinations VALUES (55,15,'DHPP','2024-12-04','2025-12-04',9,'C8989');
INSERT INTO vaccinations VALUES (56,17,'Leptospirosis','2024-12-12','2025-12-12',4,'T8114');
INSERT INTO vaccinations VALUES (57,17,'Bordetella','2024-12-12','2025-12-12',12,'X4058');
INSERT INTO vaccinations VALUES (58,61,'FVRCP','2024-12-14','2025-12-14',15,'X3610');
INSERT INTO vaccinations VALUES (59,50,'Rabies','2024-12-19','2025-12-19',15,'C6842');
INSERT INTO vaccinations VALUES (60,50,'DHPP','2024-12-19','2025-12-19',9,'C5979');
INSERT INTO vaccinations VALUES (61,66,'FVRCP','2024-12-25','2025-12-25',5,'K3190');
INSERT INTO vaccinations VALUES (62,62,'Bordetella','2025-01-06','2026-01-06',17,'B4446');
INSERT INTO vaccinations VALUES (63,63,'FVRCP','2025-01-10','2026-01-10',12,'K8464');
INSERT INTO vaccinations VALUES (64,58,'Bordetella','2025-01-27','2026-01-27',12,'T3048');
INSERT INTO vaccinations VALUES (65,68,'Rabies','2025-03-01','2026-03-01',3,'X3240');
INSERT INTO vaccinations VALUES (66,39,'DHPP','2025-04-05','2026-04-05',4,'B2429');
INSERT INTO vaccinations VALUES (67,9,'FVRCP','2025-04-08','2026-04-08',14,'B1370');
INSERT INTO vaccinations VALUES (68,9,'Rabies','2025-04-08','2028-04-08',3,'X5468');
INSERT INTO vaccinations VALUES (69,69,'FeLV','2025-04-13','2026-04-13',12,'A2241');
INSERT INTO vaccinations VALUES (70,69,'FVRCP','2025-04-13','2026-04-13',2,NULL);
INSERT INTO vaccinations VALUES (71,29,'RHDV2','2025-04-13','2026-04-13',12,'A9981');
INSERT INTO vaccinations VALUES (72,6,'FVRCP','2025-04-26','2026-04-26',6,'B5233');
INSERT INTO vaccinations VALUES (73,36,'Leptospirosis','2025-05-04','2026-05-04',15,'X6906');
INSERT INTO vaccinations VALUES (74,36,'Bordetella','2025-05-04','2026-05-04',6,'T3781');
INSERT INTO vaccinations VALUES (75,43,'Rabies','2025-05-22','2028-05-22',3,'T8445');
INSERT INTO vaccinations VALUES (76,28,'Leptospirosis','2025-06-07','2026-06-07',3,'X3582');
INSERT INTO vaccinations VALUES (77,73,'Rabies','2025-06-08','2026-06-08',17,'A5662');
INSERT INTO vaccinations VALUES (78,40,'FVRCP','2025-06-29','2026-06-28',3,'T4423');
INSERT INTO vaccinations VALUES (79,59,'Rabies','2025-07-01','2026-07-01',5,'A6415');
INSERT INTO vaccinations VALUES (80,11,'Rabies','2025-07-07','2028-07-07',9,'T6704');
INSERT INTO vaccinations VALUES (81,35,'Leptospirosis','2025-08-15','2026-08-15',3,'K4149');
INSERT INTO vaccinations VALUES (82,74,'DHPP','2025-09-12','2026-09-12',6,NULL);
INSERT INTO vaccinations VALUES (83,49,'FVRCP','2025-09-25','2026-09-25',5,'T8316');
INSERT INTO vaccinations VALUES (84,77,'Leptospirosis','2025-10-16','2026-10-16',12,'C8936');
INSERT INTO vaccinations VALUES (85,77,'DHPP','2025-10-16','2026-10-16',12,'X6755');
INSERT INTO vaccinations VALUES (86,19,'FeLV','2025-11-19','2026-11-19',9,NULL);
INSERT INTO vaccinations VALUES (87,79,'FVRCP','2025-11-25','2026-11-25',3,NULL);
INSERT INTO vaccinations VALUES (88,79,'Rabies','2025-11-25','2026-11-25',15,'X3029');
INSERT INTO vaccinations VALUES (89,71,'DHPP','2025-12-08','2026-12-08',6,'A5619');
INSERT INTO vaccinations VALUES (90,17,'Rabies','2025-12-12','2028-12-12',9,'A9837');
INSERT INTO vaccinations VALUES (91,61,'FeLV','2025-12-14','2026-12-14',12,'B1735');
INSERT INTO vaccinations VALUES (92,50,'DHPP','2025-12-19','2026-12-19',10,NULL);
INSERT INTO vaccinations VALUES (93,66,'FeLV','2026-01-06','2027-01-06',3,'X1350');
INSERT INTO vaccinations VALUES (94,15,'Bordetella','2026-01-13','2027-01-13',15,'B3436');
INSERT INTO vaccinations VALUES (95,15,'Leptospirosis','2026-01-13','2027-01-13',3,'B4317');
INSERT INTO vaccinations VALUES (96,83,'Rabies','2026-01-16','2027-01-16',13,'T1019');
INSERT INTO vaccinations VALUES (97,84,'Rabies','2026-01-27','2027-01-27',16,'K7231');
INSERT INTO vaccinations VALUES (98,80,'FeLV','2026-01-27','2027-01-27',15,'K7492');
INSERT INTO vaccinations VALUES (99,84,'FeLV','2026-01-27','2027-01-27',9,'T3201');
INSERT INTO vaccinations VALUES (100,68,'Leptospirosis','2026-03-13','2027-03-13',17,'K9906');
INSERT INTO vaccinations VALUES (101,87,'RHDV2','2026-04-03','2027-04-03',9,'X9397');
INSERT INTO vaccinations VALUES (102,63,'FVRCP','2026-04-10','2027-04-10',17,'X4544');
INSERT INTO vaccinations VALUES (103,63,'FeLV','2026-04-10','2027-04-10',8,'X3993');
INSERT INTO vaccinations VALUES (104,89,'Bordetella','2026-04-16','2027-04-16',14,'K9392');
INSERT INTO vaccinations VALUES (105,85,'FVRCP','2026-04-17','2027-04-17',2,'T9038');
INSERT INTO vaccinations VALUES (106,9,'FeLV','2026-04-20','2027-04-20',4,NULL);
INSERT INTO vaccinations VALUES (107,75,'Leptospirosis','2026-04-20','2027-04-20',13,'K1256');
INSERT INTO vaccinations VALUES (108,75,'Rabies','2026-04-20','2027-04-20',3,'T9728');
INSERT INTO vaccinations VALUES (109,94,'Rabies','2026-04-26','2027-04-26',9,'B3274');
INSERT INTO vaccinations VALUES (110,93,'FeLV','2026-06-07','2027-06-07',13,'K1808');
INSERT INTO vaccinations VALUES (111,95,'Bordetella','2026-06-16','2027-06-16',9,NULL);
INSERT INTO vaccinations VALUES (112,43,'Rabies','2026-07-01','2029-07-01',3,'K9965');
INSERT INTO vaccinations VALUES (113,43,'Leptospirosis','2026-07-01','2027-07-01',15,NULL);
INSERT INTO vaccinations VALUES (114,39,'Rabies','2026-07-04','2029-07-04',17,'X3949');
INSERT INTO vaccinations VALUES (115,11,'Leptospirosis','2026-07-07','2027-07-07',12,'T4994');
INSERT INTO vaccinations VALUES (116,11,'Rabies','2026-07-07','2029-07-07',12,'A7973');
INSERT INTO vaccinations VALUES (117,40,'Rabies','2026-07-11','2029-07-11',11,'B3791');
INSERT INTO vaccinations VALUES (118,29,'RHDV2','2026-07-12','2027-07-12',8,'B9148');
INSERT INTO vaccinations VALUES (119,92,'Leptospirosis','2026-07-21','2027-07-21',15,NULL);
INSERT INTO vaccinations VALUES (120,92,'Bordetella','2026-07-21','2027-07-21',17,'K4373');
INSERT INTO vaccinations VALUES (121,36,'DHPP','2026-08-02','2027-08-02',4,NULL);
INSERT INTO vaccinations VALUES (122,36,'Rabies','2026-08-02','2029-08-02',14,'A5979');
INSERT INTO vaccinations VALUES (123,59,'FeLV','2026-08-10','2027-08-10',3,'X2090');
INSERT INTO vaccinations VALUES (124,4,'Leptospirosis','2026-08-12','2027-08-12',16,'C9240');
INSERT INTO vaccinations VALUES (125,35,'DHPP','2026-08-15','2027-08-15',9,'B6400');
INSERT INTO vaccinations VALUES (126,70,'FVRCP','2026-08-20','2027-08-20',9,'C8931');
INSERT INTO vaccinations VALUES (127,70,'FeLV','2026-08-20','2027-08-20',15,'T4596');
INSERT INTO vaccinations VALUES (128,54,'Bordetella','2026-08-27','2027-08-27',5,'C9988');
INSERT INTO vaccinations VALUES (129,105,'Rabies','2026-08-29','2027-08-28',2,NULL);
INSERT INTO vaccinations VALUES (130,106,'Rabies','2026-08-29','2027-08-28',5,'K2697');
INSERT INTO vaccinations VALUES (131,73,'FVRCP','2026-09-06','2027-09-06',3,'A2351');
INSERT INTO vaccinations VALUES (132,81,'Rabies','2026-09-09','2027-09-09',12,'C9482');
INSERT INTO vaccinations VALUES (133,74,'Leptospirosis','2026-10-22','2027-10-22',8,'T1819');
INSERT INTO vaccinations VALUES (134,74,'Rabies','2026-10-22','2029-10-22',17,'A1899');
INSERT INTO vaccinations VALUES (135,116,'DHPP','2026-10-29','2027-10-28',2,NULL);
INSERT INTO vaccinations VALUES (136,117,'DHPP','2026-10-30','2027-10-28',11,'X6980');
INSERT INTO vaccinations VALUES (137,101,'Rabies','2026-11-08','2027-11-08',4,'A6486');
INSERT INTO vaccinations VALUES (138,109,'Rabies','2026-11-15','2027-11-15',16,'X1009');
INSERT INTO vaccinations VALUES (139,111,'RHDV2','2026-11-15','2027-11-15',17,'C2084');
INSERT INTO vaccinations VALUES (140,99,'Rabies','2026-11-20','2027-11-20',16,'A7548');
INSERT INTO stock VALUES (1,'Amoxicillin 250mg (100 ct)','Medication',NULL,15,10,14.2,29.9,'2026-11-29','2025-10-18');
INSERT INTO stock VALUES (2,'Carprofen 75mg (60 ct)','Medication','Patterson Veterinary',3,6,31.5,58,'2026-09-13',NULL);
INSERT INTO stock VALUES (3,'Gabapentin 100mg (90 ct)','Medication','Patterson Veterinary',3,6,11.8,26,'2027-04-30','2025-10-13');
INSERT INTO stock VALUES (4,'Prednisone 5mg (100 ct)','Medication','Covetrus',3,6,9.4,22.5,'2026-08-31','2025-10-06');
INSERT INTO stock VALUES (5,'Metronidazole 250mg (50 ct)','Medication','Covetrus',12,6,12.6,27,'2026-11-09','2026-08-19');
INSERT INTO stock VALUES (6,'Otomax Ear Ointment','Medication','Patterson Veterinary',1,2,13.1,24,'2027-01-14',NULL);
INSERT INTO stock VALUES (7,'Apoquel 5.4mg (30 ct)','Medication','Patterson Veterinary',9,6,58.3,84,'2026-08-08','2026-01-20');
INSERT INTO stock VALUES (8,'Rabies Vaccine 10-dose','Vaccine','Patterson Veterinary',15,2,62,190,'2027-11-16','2025-09-25');
INSERT INTO stock VALUES (9,'DHPP Vaccine 25-dose','Vaccine','Covetrus',30,2,148,420,'2026-10-08','2026-06-30');
INSERT INTO stock VALUES (10,'FVRCP Vaccine 25-dose','Vaccine','MWI Animal Health',7,5,139,395,'2027-08-02','2026-04-29');
INSERT INTO stock VALUES (11,'Bordetella Oral 25-dose','Vaccine','MWI Animal Health',4,2,121,360,'2027-08-24','2025-12-07');
INSERT INTO stock VALUES (12,'RHDV2 Vaccine 5-dose','Vaccine','MWI Animal Health',22,4,71,150,'2026-11-08','2025-11-24');
INSERT INTO stock VALUES (13,'Hill''s k/d Dry Cat 4lb','Food','MWI Animal Health',1,6,21.4,31.99,'2027-09-13','2025-10-17');
INSERT INTO stock VALUES (14,'Hill''s i/d Dry Dog 8.5lb','Food',NULL,7,6,34.8,49.99,'2026-09-30','2025-12-28');
INSERT INTO stock VALUES (15,'Royal Canin Urinary SO 6.6lb','Food','Covetrus',3,5,38.2,54.5,'2026-10-23','2025-10-10');
INSERT INTO stock VALUES (16,'Purina HA Hydrolyzed 16lb','Food','Patterson Veterinary',4,4,66.9,92,'2028-05-25','2026-05-20');
INSERT INTO stock VALUES (17,'Timothy Hay 40oz','Food','MWI Animal Health',12,6,7.7,12.99,'2027-10-31','2026-04-26');
INSERT INTO stock VALUES (18,'NexGard 24-60lb (3 mo)','Parasite Control','Covetrus',1,6,52.5,79,'2028-06-08','2026-06-11');
INSERT INTO stock VALUES (19,'Revolution Cat (6 mo)','Parasite Control','Patterson Veterinary',30,4,84.1,118,'2027-07-01','2026-08-10');
INSERT INTO stock VALUES (20,'Heartgard Plus 26-50lb (6 mo)','Parasite Control','Covetrus',1,2,38.9,61,'2028-01-05','2025-11-28');
INSERT INTO stock VALUES (21,'Seresto Collar Large Dog','Parasite Control','Covetrus',30,4,41.2,64.99,'2028-06-05','2026-02-18');
INSERT INTO stock VALUES (22,'Suture Kit 3-0','Consumables','Covetrus',4,5,4.6,9.5,NULL,NULL);
INSERT INTO stock VALUES (23,'Exam Gloves M (100 ct)','Consumables','Patterson Veterinary',9,2,7.9,7.9,NULL,'2026-08-28');
INSERT INTO stock VALUES (24,'Syringes 3ml (100 ct)','Consumables','MWI Animal Health',30,6,11.2,19,NULL,'2026-05-11');
INSERT INTO stock VALUES (25,'IV Catheter 22G (50 ct)','Consumables',NULL,9,4,46,70,NULL,'2026-03-02');
INSERT INTO stock VALUES (26,'E-Collar Medium','Accessories','Patterson Veterinary',12,2,5.2,14,NULL,'2026-11-06');
INSERT INTO stock VALUES (27,'Nylon Leash','Accessories','Patterson Veterinary',30,4,3.9,12.5,NULL,'2026-04-13');
INSERT INTO stock VALUES (28,'Cat Carrier','Accessories',NULL,1,5,18.4,39.99,NULL,'2025-09-14');
INSERT INTO stock VALUES (29,'Dental Chews 28 ct','Food','Patterson Veterinary',5,2,15.3,25.99,'2028-07-13','2026-02-16');
INSERT INTO stock VALUES (30,'Calming Diffuser','Accessories','Patterson Veterinary',7,10,13.7,28,NULL,'2025-10-14');
COMMIT;
PRAGMA foreign_keys=ON;
