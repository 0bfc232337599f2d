CREATE TABLE stations (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE bikes (id INTEGER PRIMARY KEY, kind TEXT, bought_on DATE);
CREATE TABLE riders (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, email TEXT, "mobile no" TEXT);
CREATE TABLE rentals (
  id INTEGER PRIMARY KEY, rider_id INTEGER, bike_id INTEGER, from_station_id INTEGER, to_station_id INTEGER,
  started_on DATE, minutes INTEGER, price REAL, synced_at INTEGER, app_log TEXT
);
CREATE TABLE repairs (bike_id INTEGER, number INTEGER, cost REAL, PRIMARY KEY (bike_id, number));
INSERT INTO stations VALUES (1, 'Opera', 'Vienna'), (2, 'Prater', 'Vienna'), (3, 'Castle', 'Graz');
INSERT INTO bikes VALUES (1, 'city', '2024-03-01'), (2, 'e-bike', '2024-05-01'), (3, 'cargo', '2025-02-01');
INSERT INTO riders VALUES (1, 'Ida', 'Berg', 'ida@example.org', '1'), (2, 'Max', 'Horn', 'max@example.org', '2');
INSERT INTO rentals VALUES
  (1, 1, 1, 1, 2, '2026-01-05', 30, 3.0, 0, '{}'), (2, 1, 2, 2, 1, '2026-01-06', 90, 12.5, 0, '{}'),
  (3, 2, 2, 3, 3, '2026-02-01', 15, 2.5, 0, '{}');
INSERT INTO repairs VALUES (1, 1, 40.0), (1, 2, 15.0), (2, 1, 99.0);
