-- A food bank with several depots: who gives what, and which households get it.
CREATE TABLE depots (depot_id INTEGER PRIMARY KEY, depot_name VARCHAR NOT NULL, district VARCHAR NOT NULL);
INSERT INTO depots VALUES (1, 'Tanner Street', 'East'), (2, 'Chapel Hall', 'North'), (3, 'The Old Dairy', 'South'), (4, 'Weir Lane', 'West');

CREATE TABLE donors (donor_id INTEGER PRIMARY KEY, donor_name VARCHAR NOT NULL, donor_kind VARCHAR NOT NULL);
INSERT INTO donors SELECT i,
  ['Greenleaf Market', 'Hill Farm', 'Crumb Bakery', 'Dovecote Market', 'Sorrel Farm', 'Mrs Abernathy', 'Baker Bros', 'Nettle Farm',
   'Corner Market', 'Mr Okafor', 'Rye and Co', 'Long Field Farm', 'Family Tran', 'Bridge Market', 'The Scone Room', 'Ms Delgado'][i],
  ['supermarket', 'farm', 'bakery', 'supermarket', 'farm', 'private', 'bakery', 'farm', 'supermarket', 'private', 'bakery', 'farm',
   'private', 'supermarket', 'bakery', 'private'][i]
FROM range(1, 17) AS t(i);

CREATE TABLE food_items (
  item_id INTEGER PRIMARY KEY, item_name VARCHAR NOT NULL, food_group VARCHAR NOT NULL, kg_per_unit DOUBLE NOT NULL);
INSERT INTO food_items VALUES (1, 'Baked beans', 'tinned', 0.4), (2, 'Tomatoes in a tin', 'tinned', 0.4), (3, 'Tuna', 'tinned', 0.2),
  (4, 'Carrots', 'fresh', 1.0), (5, 'Apples', 'fresh', 1.5), (6, 'Potatoes', 'fresh', 2.5), (7, 'White loaf', 'bread', 0.8),
  (8, 'Rye loaf', 'bread', 0.75), (9, 'Rice', 'dry', 1.0), (10, 'Pasta', 'dry', 0.5), (11, 'Lentils', 'dry', 0.5), (12, 'Oats', 'dry', 0.75),
  (13, 'Milk', 'dairy', 1.0), (14, 'Butter', 'dairy', 0.25), (15, 'Cheddar', 'dairy', 0.4), (16, 'Saffron', 'dry', 0.01);

CREATE TABLE volunteers (
  volunteer_id INTEGER PRIMARY KEY, full_name VARCHAR NOT NULL, depot_id INTEGER NOT NULL REFERENCES depots (depot_id),
  hours_per_week INTEGER NOT NULL, started_on DATE NOT NULL);
INSERT INTO volunteers SELECT i,
  ['Amara', 'Benedict', 'Chidi', 'Delphine', 'Emeka', 'Fatou', 'Gwen', 'Hilde', 'Ismael', 'Jadwiga', 'Kofi', 'Leonie'][1 + i % 12] || ' '
    || ['Abara', 'Brook', 'Cisse', 'Dunne', 'Eze'][1 + i % 5],
  1 + roll('depot', i, 4), 2 + roll('hours', i, 15), day('2019-01-05', 'started', i, 2200)
FROM range(1, 41) AS t(i);

CREATE TABLE donations (
  donation_id INTEGER PRIMARY KEY, donor_id INTEGER NOT NULL REFERENCES donors (donor_id),
  depot_id INTEGER NOT NULL REFERENCES depots (depot_id), received_on DATE NOT NULL);
INSERT INTO donations SELECT i, 1 + roll('donor', i, 15), 1 + roll('to', i, 4), day('2024-01-02', 'received', i, 640)
FROM range(1, 401) AS t(i);

CREATE TABLE donation_lines (
  donation_id INTEGER NOT NULL REFERENCES donations (donation_id), item_id INTEGER NOT NULL REFERENCES food_items (item_id),
  units INTEGER NOT NULL, best_before DATE, PRIMARY KEY (donation_id, item_id));
INSERT INTO donation_lines SELECT DISTINCT ON (d, item) d, item, 5 + roll('units', n, 60),
  CASE WHEN item <> 9 THEN day('2024-03-01', 'best', n, 700) END
FROM (SELECT n, 1 + n % 400 AS d, 1 + roll('item', n, 15) AS item FROM range(1200) AS t(n)) ORDER BY d, item, n;

CREATE TABLE households (
  household_id INTEGER PRIMARY KEY, district VARCHAR NOT NULL, adults INTEGER NOT NULL, children INTEGER NOT NULL,
  registered_on DATE NOT NULL, diet VARCHAR);
INSERT INTO households SELECT i, pick(['East', 'North', 'South', 'West'], 'district', i), 1 + roll('adults', i, 3),
  greatest(0, roll('children', i, 6) - 1), day('2023-02-01', 'registered', i, 900),
  CASE roll('diet', i, 6) WHEN 0 THEN 'vegetarian' WHEN 1 THEN 'halal' WHEN 2 THEN 'gluten-free' END
FROM range(1, 181) AS t(i);

CREATE TABLE parcels (
  parcel_id INTEGER PRIMARY KEY, household_id INTEGER NOT NULL REFERENCES households (household_id),
  depot_id INTEGER NOT NULL REFERENCES depots (depot_id), packed_by INTEGER NOT NULL REFERENCES volunteers (volunteer_id),
  given_on DATE NOT NULL, outcome VARCHAR NOT NULL);
INSERT INTO parcels SELECT i, 1 + roll('household', i, 165), 1 + roll('from', i, 4), 1 + roll('packer', i, 36),
  day('2024-01-08', 'given', i, 630), pick(['collected', 'collected', 'collected', 'delivered', 'missed'], 'outcome', i)
FROM range(1, 701) AS t(i);

CREATE TABLE parcel_lines (
  parcel_id INTEGER NOT NULL REFERENCES parcels (parcel_id), item_id INTEGER NOT NULL REFERENCES food_items (item_id),
  units INTEGER NOT NULL, PRIMARY KEY (parcel_id, item_id));
INSERT INTO parcel_lines SELECT DISTINCT ON (p, item) p, item, 1 + roll('given units', n, 4)
FROM (SELECT n, 1 + n % 700 AS p, 1 + roll('given item', n, 15) AS item FROM range(2800) AS t(n)) ORDER BY p, item, n;
