-- A co-operative of beekeepers: who keeps which hives where, what inspections find, what is harvested and sold.
CREATE TABLE keepers (
  keeper_id INTEGER PRIMARY KEY, full_name VARCHAR NOT NULL, village VARCHAR NOT NULL, member_type VARCHAR NOT NULL,
  joined_on DATE NOT NULL, phone VARCHAR);
INSERT INTO keepers SELECT i,
  ['Agda Norén', 'Bertil Falk', 'Cajsa Lund', 'Dagny Roos', 'Einar Holm', 'Frida Berg', 'Gösta Ek', 'Hedda Sand', 'Ivar Dahl',
   'Jorunn Vik', 'Knut Aasen', 'Liv Moen', 'Magnhild Strand', 'Njål Haug', 'Oddny Lie', 'Peder Krogh', 'Ragna Tveit',
   'Sigrid Bakke', 'Torleif Nes', 'Unni Foss', 'Vemund Rud', 'Ylva Brandt'][i],
  pick(['Askvoll', 'Brekke', 'Dale', 'Eikefjord', 'Leirvik'], 'village', i),
  CASE WHEN roll('type', i, 10) < 7 THEN 'full' ELSE 'associate' END,
  day('2016-03-01', 'joined', i, 3000), CASE WHEN i % 5 <> 0 THEN '57 8' || (1000 + i * 37) END
FROM range(1, 23) AS t(i);

CREATE TABLE apiaries (
  apiary_id INTEGER PRIMARY KEY, apiary_name VARCHAR NOT NULL, keeper_id INTEGER NOT NULL REFERENCES keepers (keeper_id),
  terrain VARCHAR NOT NULL, altitude_m INTEGER NOT NULL);
INSERT INTO apiaries SELECT i,
  pick(['North', 'Upper', 'Lower', 'Old', 'Far', 'Mill', 'Church'], 'first', i) || ' '
    || ['Slope', 'Ridge', 'Meadow', 'Wood', 'Bend'][1 + i % 5] || ' ' || i,
  CASE WHEN i <= 15 THEN i ELSE 1 + roll('owner', i, 17) END,
  pick(['heath', 'orchard', 'forest', 'meadow'], 'terrain', i), 20 + roll('altitude', i, 640)
FROM range(1, 31) AS t(i);

CREATE TABLE hives (
  hive_id INTEGER PRIMARY KEY, hive_code VARCHAR NOT NULL, apiary_id INTEGER NOT NULL REFERENCES apiaries (apiary_id),
  hive_kind VARCHAR NOT NULL, set_up_on DATE NOT NULL, retired_on DATE);
INSERT INTO hives SELECT i, 'H-' || lpad(CAST(i AS VARCHAR), 3, '0'), 1 + roll('apiary', i, 28),
  pick(['Langstroth', 'Langstroth', 'Dadant', 'Top bar'], 'kind', i), day('2019-04-01', 'set up', i, 1600),
  CASE WHEN roll('retired', i, 8) = 0 THEN day('2024-02-01', 'retired on', i, 500) END
FROM range(1, 161) AS t(i);

CREATE TABLE inspections (
  inspection_id INTEGER PRIMARY KEY, hive_id INTEGER NOT NULL REFERENCES hives (hive_id), inspected_on DATE NOT NULL,
  inspector_id INTEGER NOT NULL REFERENCES keepers (keeper_id), mite_count INTEGER, queen_seen BOOLEAN NOT NULL);
INSERT INTO inspections SELECT i, 1 + roll('hive', i, 150), day('2024-03-15', 'inspected', i, 560),
  1 + roll('inspector', i, 19), CASE WHEN roll('counted', i, 9) > 0 THEN roll('mites', i, 31) END, roll('queen', i, 10) < 7
FROM range(1, 901) AS t(i);

CREATE TABLE harvests (
  harvest_id INTEGER PRIMARY KEY, hive_id INTEGER NOT NULL REFERENCES hives (hive_id), harvested_on DATE NOT NULL,
  honey_type VARCHAR NOT NULL, weight_kg DOUBLE NOT NULL);
INSERT INTO harvests SELECT i, 1 + roll('from', i, 140),
  CASE WHEN i % 2 = 0 THEN day('2024-06-10', 'harvest', i, 95) ELSE day('2025-06-05', 'harvest', i, 100) END,
  pick(['heather', 'blossom', 'blossom', 'forest', 'chestnut'], 'honey', i), 4 + roll('weight', i, 260) / 10
FROM range(1, 421) AS t(i);

CREATE TABLE market_sales (
  sale_id INTEGER PRIMARY KEY, sold_on DATE NOT NULL, market VARCHAR NOT NULL, honey_type VARCHAR NOT NULL,
  jars INTEGER NOT NULL, price_per_jar DOUBLE NOT NULL);
INSERT INTO market_sales SELECT i, day('2024-08-01', 'sold', i, 480),
  pick(['Harbour Square', 'Old Station', 'Web shop', 'Sunday Fair'], 'market', i),
  pick(['heather', 'blossom', 'forest', 'chestnut'], 'sold honey', i), 1 + roll('jars', i, 24),
  [9.5, 6.5, 7.25, 8.75][list_position(['heather', 'blossom', 'forest', 'chestnut'],
    pick(['heather', 'blossom', 'forest', 'chestnut'], 'sold honey', i))] + roll('extra', i, 3) / 2
FROM range(1, 601) AS t(i);
