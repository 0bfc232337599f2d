PRAGMA foreign_keys=ON;
BEGIN;

CREATE TABLE venues (
  venue_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  street TEXT,
  city TEXT NOT NULL,
  kind TEXT NOT NULL,              -- theatre, arena, club, hall, open air
  capacity INTEGER NOT NULL,
  step_free INTEGER NOT NULL DEFAULT 0,
  contract_since TEXT,
  contract_until TEXT
);
CREATE TABLE performers (
  performer_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  act_type TEXT NOT NULL,
  genre TEXT,
  country TEXT NOT NULL,
  agent_email TEXT
);
CREATE TABLE events (
  event_id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  category TEXT NOT NULL,
  venue_id INTEGER NOT NULL REFERENCES venues(venue_id),
  announced_on TEXT NOT NULL,
  on_sale_on TEXT NOT NULL,
  starts_at TEXT NOT NULL,
  status TEXT NOT NULL,            -- on sale, played, cancelled, postponed
  min_age INTEGER
);
CREATE TABLE lineups (
  event_id INTEGER NOT NULL REFERENCES events(event_id),
  performer_id INTEGER NOT NULL REFERENCES performers(performer_id),
  billing TEXT NOT NULL,           -- headliner, support
  set_minutes INTEGER,
  PRIMARY KEY (event_id, performer_id)
);
CREATE TABLE customers (
  customer_id INTEGER PRIMARY KEY,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  email TEXT,
  city TEXT,
  birth_date TEXT,
  joined_on TEXT NOT NULL,
  last_seen_on TEXT,
  newsletter INTEGER NOT NULL DEFAULT 0,
  tier TEXT NOT NULL DEFAULT 'standard'
);
CREATE TABLE promotions (
  promo_id INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  label TEXT,
  pct_off INTEGER NOT NULL,
  valid_from TEXT NOT NULL,
  valid_to TEXT,
  max_uses INTEGER,
  members_only INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers(customer_id),
  placed_at TEXT NOT NULL,
  paid_at TEXT,
  chan TEXT NOT NULL,              -- web, app, phone, box office
  delivery TEXT,
  status TEXT NOT NULL,            -- paid, pending, cancelled
  promo_id INTEGER REFERENCES promotions(promo_id)
);
CREATE TABLE ticket_lines (
  line_id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders(order_id),
  event_id INTEGER NOT NULL REFERENCES events(event_id),
  seat_class TEXT NOT NULL,
  qty INTEGER NOT NULL,
  unit_price REAL NOT NULL,        -- charged per ticket, discount already taken off
  promoter_cut REAL NOT NULL       -- what we owe the promoter per ticket
);
CREATE TABLE refunds (
  refund_id INTEGER PRIMARY KEY,
  line_id INTEGER NOT NULL REFERENCES ticket_lines(line_id),
  requested_on TEXT NOT NULL,
  decided_on TEXT,
  paid_out_on TEXT,
  amount REAL NOT NULL,
  rsn TEXT NOT NULL,
  outcome TEXT                     -- approved, rejected; NULL = still open
);
CREATE TABLE reviews (
  review_id INTEGER PRIMARY KEY,
  event_id INTEGER NOT NULL REFERENCES events(event_id),
  customer_id INTEGER NOT NULL REFERENCES customers(customer_id),
  stars INTEGER NOT NULL,
  remark TEXT,
  posted_on TEXT NOT NULL
);
INSERT INTO venues VALUES (1, 'The Lantern', '88 Mill Lane', 'Leeds', 'club', 420, 1, '2023-05-21', '2026-09-28');
INSERT INTO venues VALUES (2, 'Corn Exchange Hall', '138 Market Place', 'Leeds', 'hall', 1350, 1, '2024-03-16', NULL);
INSERT INTO venues VALUES (3, 'Riverside Arena', '130 King Street', 'Newcastle', 'arena', 8200, 1, '2023-06-11', NULL);
INSERT INTO venues VALUES (4, 'Palace Theatre', '5 High Street', 'Manchester', 'theatre', 1540, 1, '2024-09-30', NULL);
INSERT INTO venues VALUES (5, 'Albion Ballroom', '32 High Street', 'Manchester', 'hall', 1900, 1, '2024-11-04', NULL);
INSERT INTO venues VALUES (6, 'Cotton Club Ancoats', '140 Station Road', 'Manchester', 'club', 350, 0, '2023-10-12', '2026-07-01');
INSERT INTO venues VALUES (7, 'Harbour Stage', '92 Bridge Street', 'Liverpool', 'open air', 6000, 0, '2023-04-13', '2026-04-28');
INSERT INTO venues VALUES (8, 'Royal Playhouse', '50 Castle Street', 'Liverpool', 'theatre', 1180, 0, '2023-12-02', NULL);
INSERT INTO venues VALUES (9, 'The Hatch', '78 Bridge Street', 'Sheffield', 'club', 280, 1, '2025-04-15', '2026-09-28');
INSERT INTO venues VALUES (10, 'Crucible Yard', NULL, 'Sheffield', 'open air', 3200, 0, '2023-03-18', '2026-07-01');
INSERT INTO venues VALUES (11, 'Castle Green', '20 Wharf Road', 'Nottingham', 'open air', 4500, 1, '2024-07-15', '2026-05-01');
INSERT INTO venues VALUES (12, 'Theatre Royal', '55 Castle Street', 'Nottingham', 'theatre', 1120, 1, '2023-09-27', '2026-05-01');
INSERT INTO venues VALUES (13, 'St Anne''s Hall', '71 Mill Lane', 'York', 'hall', 640, 0, '2024-08-25', NULL);
INSERT INTO venues VALUES (14, 'Grand Opera House', '87 Market Place', 'York', 'theatre', 980, 1, '2023-10-06', NULL);
INSERT INTO venues VALUES (15, 'Foundry Arena', '64 Wharf Road', 'Birmingham', 'arena', 11500, 1, '2023-08-13', '2026-11-28');
INSERT INTO venues VALUES (16, 'Old Rep', NULL, 'Birmingham', 'theatre', 390, 1, '2024-11-30', NULL);
INSERT INTO venues VALUES (17, 'Symphony Rooms', '74 Station Road', 'Birmingham', 'hall', 2200, 1, '2023-04-01', '2026-09-15');
INSERT INTO venues VALUES (18, 'Basement 12', '25 Market Place', 'Bristol', 'club', 240, 0, '2023-04-07', '2026-08-28');
INSERT INTO venues VALUES (19, 'Floating Harbour Park', '30 King Street', 'Bristol', 'open air', 5200, 1, '2025-03-18', '2026-09-15');
INSERT INTO venues VALUES (20, 'Hippodrome', '33 Station Road', 'Bristol', 'theatre', 1900, 1, '2024-12-04', '2026-06-28');
INSERT INTO venues VALUES (21, 'City Chambers', '14 Wharf Road', 'Edinburgh', 'hall', 760, 1, '2024-09-14', NULL);
INSERT INTO venues VALUES (22, 'Lyceum', '9 Station Road', 'Edinburgh', 'theatre', 650, 0, '2023-12-13', '2026-09-01');
INSERT INTO venues VALUES (23, 'Clyde Arena', '50 Castle Street', 'Glasgow', 'arena', 9700, 1, '2024-09-28', NULL);
INSERT INTO venues VALUES (24, 'Barrow Lane', '101 King Street', 'Glasgow', 'club', 500, 1, '2024-11-25', '2026-09-01');
INSERT INTO venues VALUES (25, 'Empire', '54 High Street', 'Hull', 'theatre', 1020, 1, '2023-06-18', '2026-02-28');
INSERT INTO venues VALUES (26, 'Seafront Pavilion', '129 Castle Street', 'Hull', 'hall', 880, 1, '2023-04-02', NULL);
INSERT INTO performers VALUES (1, 'Paper Lanterns', 'band', 'indie', 'UK', 'bookings@northstaragents.example');
INSERT INTO performers VALUES (2, 'Maeve Doran', 'solo artist', 'folk', 'Ireland', 'bookings@helmtalent.example');
INSERT INTO performers VALUES (3, 'The Tin Miners', 'band', 'rock', 'UK', 'bookings@curtaincall.example');
INSERT INTO performers VALUES (4, 'Oslo Strings', 'orchestra', 'classical', 'Norway', NULL);
INSERT INTO performers VALUES (5, 'Harlow Theatre Company', 'theatre company', NULL, 'UK', 'bookings@helmtalent.example');
INSERT INTO performers VALUES (6, 'Priya Nair', 'comedian', NULL, 'UK', 'bookings@curtaincall.example');
INSERT INTO performers VALUES (7, 'Velvet Motorway', 'band', 'rock', 'USA', 'bookings@bluenote.example');
INSERT INTO performers VALUES (8, 'DJ Kestrel', 'solo artist', 'electronic', 'UK', 'bookings@northstaragents.example');
INSERT INTO performers VALUES (9, 'Cantabile Chamber Orchestra', 'orchestra', 'classical', 'UK', 'bookings@helmtalent.example');
INSERT INTO performers VALUES (10, 'Red Kite Players', 'theatre company', NULL, 'UK', 'bookings@northstaragents.example');
INSERT INTO performers VALUES (11, 'Sunday Kitchen', 'band', 'pop', 'UK', NULL);
INSERT INTO performers VALUES (12, 'Tomas Vidal', 'solo artist', 'jazz', 'Spain', 'bookings@bluenote.example');
INSERT INTO performers VALUES (13, 'Glasshouse Quartet', 'band', 'jazz', 'UK', 'bookings@bluenote.example');
INSERT INTO performers VALUES (14, 'Bryony Webb', 'comedian', NULL, 'UK', NULL);
INSERT INTO performers VALUES (15, 'Nordlys', 'band', 'electronic', 'Norway', 'bookings@curtaincall.example');
INSERT INTO performers VALUES (16, 'Ida Falk', 'solo artist', 'pop', 'Sweden', 'bookings@bluenote.example');
INSERT INTO performers VALUES (17, 'Northern Stage Collective', 'theatre company', NULL, 'UK', 'bookings@northstaragents.example');
INSERT INTO performers VALUES (18, 'The Brass Foxes', 'band', 'jazz', 'UK', 'bookings@northstaragents.example');
INSERT INTO performers VALUES (19, 'Callum Reid', 'comedian', NULL, 'UK', NULL);
INSERT INTO performers VALUES (20, 'Marble Arch Ensemble', 'theatre company', NULL, 'UK', 'bookings@helmtalent.example');
INSERT INTO performers VALUES (21, 'Lowtide', 'band', 'indie', 'Australia', 'bookings@curtaincall.example');
INSERT INTO performers VALUES (22, 'Sofia Marchetti', 'solo artist', 'classical', 'Italy', 'bookings@helmtalent.example');
INSERT INTO performers VALUES (23, 'Hallam Philharmonic', 'orchestra', 'classical', 'UK', 'bookings@helmtalent.example');
INSERT INTO performers VALUES (24, 'Crooked Spires', 'band', 'folk', 'UK', NULL);
INSERT INTO performers VALUES (25, 'Jem Okafor', 'solo artist', 'soul', 'UK', NULL);
INSERT INTO performers VALUES (26, 'Static Parade', 'band', 'rock', 'USA', NULL);
INSERT INTO performers VALUES (27, 'Ruby Lin', 'solo artist', 'pop', 'Canada', 'bookings@bluenote.example');
INSERT INTO performers VALUES (28, 'Moonlight Matinee', 'theatre company', NULL, 'Ireland', 'bookings@bluenote.example');
INSERT INTO performers VALUES (29, 'Ollie Grant', 'comedian', NULL, 'UK', 'bookings@bluenote.example');
INSERT INTO performers VALUES (30, 'Copper Coast', 'band', 'folk', 'Ireland', 'bookings@helmtalent.example');
INSERT INTO performers VALUES (31, 'Les Enfants du Nord', 'theatre company', NULL, 'France', NULL);
INSERT INTO performers VALUES (32, 'Vera Stahl', 'solo artist', 'electronic', 'Germany', 'bookings@northstaragents.example');
INSERT INTO performers VALUES (33, 'The Umbrella Men', 'band', 'indie', 'UK', 'bookings@helmtalent.example');
INSERT INTO performers VALUES (34, 'Dana Whitlock', 'comedian', NULL, 'USA', 'bookings@helmtalent.example');
INSERT INTO performers VALUES (35, 'Saltmarsh', 'band', 'folk', 'UK', 'bookings@curtaincall.example');
INSERT INTO performers VALUES (36, 'Big Hearted Liars', 'band', 'rock', 'UK', 'bookings@curtaincall.example');
INSERT INTO performers VALUES (37, 'Opal & Finn', 'band', 'pop', 'UK', 'bookings@northstaragents.example');
INSERT INTO performers VALUES (38, 'Hester Bloom', 'solo artist', 'folk', 'UK', 'bookings@curtaincall.example');
INSERT INTO events VALUES (1, 'Crooked Spires – Autumn Tour', 'concert', 23, '2023-01-06', '2023-01-18', '2023-06-16 19:00', 'postponed', 14);
INSERT INTO events VALUES (2, 'Opal & Finn', 'concert', 11, '2023-03-01', '2023-03-17', '2023-07-20 19:00', 'played', NULL);
INSERT INTO events VALUES (3, 'The Cherry Thief', 'theatre', 22, '2023-03-20', '2023-04-04', '2023-08-05 19:00', 'played', NULL);
INSERT INTO events VALUES (4, 'Velvet Motorway & Friends', 'concert', 24, '2023-06-14', '2023-06-24', '2023-08-22 19:00', 'played', 16);
INSERT INTO events VALUES (5, 'Velvet Motorway & Friends', 'concert', 21, '2023-05-28', '2023-06-10', '2023-09-02 19:00', 'postponed', 16);
INSERT INTO events VALUES (6, 'Static Parade', 'concert', 7, '2023-06-27', '2023-07-22', '2023-10-02 19:00', 'played', 16);
INSERT INTO events VALUES (7, 'Maeve Doran – Summer Session', 'concert', 18, '2023-07-11', '2023-08-10', '2023-10-03 20:00', 'played', 16);
INSERT INTO events VALUES (8, 'The Tin Miners', 'concert', 10, '2023-05-03', '2023-05-26', '2023-10-18 20:00', 'played', 16);
INSERT INTO events VALUES (9, 'Steel City Stories', 'musical', 12, '2023-05-30', '2023-06-12', '2023-10-21 20:30', 'played', NULL);
INSERT INTO events VALUES (10, 'The Last Ferry', 'theatre', 8, '2023-08-17', '2023-08-24', '2023-10-30 20:30', 'played', NULL);
INSERT INTO events VALUES (11, 'Opal & Finn – Summer Session', 'concert', 23, '2023-08-13', '2023-08-30', '2023-11-19 20:00', 'played', 16);
INSERT INTO events VALUES (12, 'The Glass Orchard', 'theatre', 8, '2023-10-13', '2023-10-23', '2023-12-04 20:30', 'played', NULL);
INSERT INTO events VALUES (13, 'Macbeth', 'theatre', 8, '2023-09-29', '2023-10-02', '2024-01-10 14:30', 'postponed', 8);
INSERT INTO events VALUES (14, 'Tomas Vidal & Friends', 'concert', 13, '2023-10-25', '2023-11-03', '2024-02-02 20:00', 'played', NULL);
INSERT INTO events VALUES (15, 'Film Music Night: Oslo Strings', 'classical', 22, '2023-12-04', '2023-12-31', '2024-02-15 20:00', 'cancelled', NULL);
INSERT INTO events VALUES (16, 'Ollie Grant: Live', 'comedy', 6, '2023-10-02', '2023-10-15', '2024-02-19 19:30', 'played', 18);
INSERT INTO events VALUES (17, 'Ollie Grant: Still Talking', 'comedy', 14, '2024-01-26', '2024-02-10', '2024-03-30 19:30', 'played', NULL);
INSERT INTO events VALUES (18, 'Paper Lanterns', 'concert', 19, '2023-11-20', '2023-12-11', '2024-04-04 21:00', 'played', NULL);
INSERT INTO events VALUES (19, 'Ollie Grant on Tour', 'comedy', 5, '2023-11-26', '2023-12-02', '2024-04-15 19:30', 'cancelled', 14);
INSERT INTO events VALUES (20, 'Glasshouse Quartet – Album Launch', 'concert', 19, '2023-12-01', '2023-12-28', '2024-04-18 21:00', 'played', 16);
INSERT INTO events VALUES (21, 'Steel City Stories', 'musical', 4, '2023-12-12', '2023-12-24', '2024-05-03 20:00', 'played', NULL);
INSERT INTO events VALUES (22, 'Film Music Night: Hallam Philharmonic', 'classical', 2, '2024-03-07', '2024-03-13', '2024-07-27 14:30', 'played', 8);
INSERT INTO events VALUES (23, 'Dana Whitlock: Live', 'comedy', 24, '2024-03-30', '2024-04-15', '2024-07-31 20:30', 'played', NULL);
INSERT INTO events VALUES (24, 'The Lighthouse Keeper', 'theatre', 16, '2024-05-09', '2024-05-21', '2024-10-08 20:30', 'played', NULL);
INSERT INTO events VALUES (25, 'An Evening with Oslo Strings', 'classical', 8, '2024-06-17', '2024-06-22', '2024-10-24 19:30', 'played', 8);
INSERT INTO events VALUES (26, 'Paper Lanterns – Summer Session', 'concert', 3, '2024-07-23', '2024-07-27', '2024-11-04 21:00', 'played', 14);
INSERT INTO events VALUES (27, 'Jem Okafor – Autumn Tour', 'concert', 19, '2024-07-03', '2024-07-22', '2024-11-07 21:00', 'played', 18);
INSERT INTO events VALUES (28, 'Neon Nights', 'musical', 14, '2024-06-27', '2024-07-25', '2024-11-19 14:30', 'played', NULL);
INSERT INTO events VALUES (29, 'Velvet Motorway – Summer Session', 'concert', 21, '2024-07-19', '2024-08-04', '2024-12-30 19:00', 'played', NULL);
INSERT INTO events VALUES (30, 'The Brass Foxes & Friends', 'concert', 6, '2024-11-01', '2024-11-18', '2025-01-29 20:00', 'played', 18);
INSERT INTO events VALUES (31, 'Glasshouse Quartet – Autumn Tour', 'concert', 5, '2024-08-16', '2024-09-12', '2025-01-30 21:00', 'played', NULL);
INSERT INTO events VALUES (32, 'Nordlys & Friends', 'concert', 13, '2024-12-12', '2024-12-31', '2025-02-19 21:00', 'played', NULL);
INSERT INTO events VALUES (33, 'Winter Gala: Hallam Philharmonic', 'classical', 21, '2024-10-13', '2024-11-05', '2025-03-30 20:00', 'played', NULL);
INSERT INTO events VALUES (34, 'Paper Lanterns', 'concert', 5, '2025-01-09', '2025-01-18', '2025-04-29 20:00', 'played', 16);
INSERT INTO events VALUES (35, 'Hamlet', 'theatre', 4, '2025-03-03', '2025-03-21', '2025-05-02 19:00', 'played', NULL);
INSERT INTO events VALUES (36, 'Mozart and More: Cantabile Chamber Orchestra', 'classical', 12, '2025-04-02', '2025-04-16', '2025-05-26 20:00', 'cancelled', 8);
INSERT INTO events VALUES (37, 'Twelfth Night', 'theatre', 8, '2025-02-08', '2025-02-15', '2025-06-12 19:30', 'played', 12);
INSERT INTO events VALUES (38, 'Twelfth Night', 'theatre', 22, '2025-03-20', '2025-04-18', '2025-06-14 14:30', 'played', NULL);
INSERT INTO events VALUES (39, 'The Lighthouse Keeper', 'theatre', 22, '2025-03-22', '2025-04-09', '2025-06-21 14:30', 'played', NULL);
INSERT INTO events VALUES (40, 'Crooked Spires – Autumn Tour', 'concert', 15, '2025-03-30', '2025-04-21', '2025-07-23 19:00', 'played', NULL);
INSERT INTO events VALUES (41, 'An Inspector Recalls', 'theatre', 20, '2025-04-05', '2025-04-14', '2025-08-13 19:30', 'played', 12);
INSERT INTO events VALUES (42, 'The Glass Orchard', 'theatre', 8, '2025-04-07', '2025-04-11', '2025-08-16 19:00', 'played', NULL);
INSERT INTO events VALUES (43, 'Daughters of the Mill', 'theatre', 12, '2025-05-30', '2025-06-10', '2025-08-28 19:30', 'postponed', 12);
INSERT INTO events VALUES (44, 'Callum Reid: Still Talking', 'comedy', 22, '2025-06-29', '2025-07-12', '2025-09-04 19:00', 'played', 18);
INSERT INTO events VALUES (45, 'The Tin Miners', 'concert', 19, '2025-06-16', '2025-06-22', '2025-10-03 20:00', 'played', NULL);
INSERT INTO events VALUES (46, 'An Inspector Recalls', 'theatre', 12, '2025-08-23', '2025-09-17', '2025-12-07 19:30', 'played', 8);
INSERT INTO events VALUES (47, 'Velvet Motorway – Summer Session', 'concert', 10, '2025-09-02', '2025-09-23', '2025-12-24 21:00', 'played', NULL);
INSERT INTO events VALUES (48, 'Dana Whitlock on Tour', 'comedy', 4, '2025-07-26', '2025-08-19', '2026-01-10 19:30', 'played', 16);
INSERT INTO events VALUES (49, 'Sunday Kitchen & Friends', 'concert', 18, '2025-11-20', '2025-12-01', '2026-01-29 21:00', 'played', NULL);
INSERT INTO events VALUES (50, 'Winter Gala: Cantabile Chamber Orchestra', 'classical', 8, '2025-09-06', '2025-09-25', '2026-02-05 14:30', 'played', 8);
INSERT INTO events VALUES (51, 'Opal & Finn Live', 'concert', 10, '2025-12-08', '2026-01-06', '2026-02-18 19:00', 'played', 14);
INSERT INTO events VALUES (52, 'Film Music Night: Oslo Strings', 'classical', 8, '2025-12-10', '2026-01-01', '2026-02-23 14:30', 'played', NULL);
INSERT INTO events VALUES (53, 'Sunday Kitchen – Summer Session', 'concert', 3, '2025-10-18', '2025-11-01', '2026-02-24 21:00', 'played', NULL);
INSERT INTO events VALUES (54, 'Steel City Stories', 'musical', 14, '2026-01-02', '2026-01-08', '2026-03-10 20:30', 'played', 8);
INSERT INTO events VALUES (55, 'Callum Reid – Work in Progress', 'comedy', 16, '2025-12-19', '2026-01-13', '2026-03-16 20:00', 'played', 18);
INSERT INTO events VALUES (56, 'Tomas Vidal – Autumn Tour', 'concert', 6, '2026-01-22', '2026-02-04', '2026-04-02 19:00', 'played', NULL);
INSERT INTO events VALUES (57, 'Ida Falk – Album Launch', 'concert', 1, '2026-01-30', '2026-02-16', '2026-04-08 19:00', 'played', 18);
INSERT INTO events VALUES (58, 'Bryony Webb – Work in Progress', 'comedy', 26, '2026-01-24', '2026-02-10', '2026-05-13 19:30', 'cancelled', NULL);
INSERT INTO events VALUES (59, 'Paper Lanterns – Album Launch', 'concert', 18, '2025-12-31', '2026-01-26', '2026-06-09 19:00', 'played', 18);
INSERT INTO events VALUES (60, 'The Last Ferry', 'theatre', 4, '2026-04-06', '2026-04-11', '2026-06-19 19:00', 'played', NULL);
INSERT INTO events VALUES (61, 'Copper Coast – Autumn Tour', 'concert', 21, '2026-02-26', '2026-03-21', '2026-06-21 21:00', 'played', NULL);
INSERT INTO events VALUES (62, 'DJ Kestrel Live', 'concert', 5, '2026-04-19', '2026-05-10', '2026-06-28 19:00', 'played', NULL);
INSERT INTO events VALUES (63, 'Oliver''s Choice', 'musical', 16, '2026-04-17', '2026-05-05', '2026-07-13 19:30', 'played', NULL);
INSERT INTO events VALUES (64, 'Vera Stahl – Autumn Tour', 'concert', 26, '2026-05-05', '2026-06-01', '2026-08-19 21:00', 'played', NULL);
INSERT INTO events VALUES (65, 'Sofia Marchetti – Album Launch', 'concert', 26, '2026-05-21', '2026-06-20', '2026-09-01 19:00', 'played', 16);
INSERT INTO events VALUES (66, 'The Tin Miners & Friends', 'concert', 18, '2026-07-18', '2026-08-03', '2026-09-15 21:00', 'played', 16);
INSERT INTO events VALUES (67, 'Priya Nair: Live', 'comedy', 2, '2026-06-08', '2026-06-22', '2026-09-28 20:30', 'played', NULL);
INSERT INTO events VALUES (68, 'The Tin Miners – Album Launch', 'concert', 11, '2026-05-06', '2026-05-14', '2026-10-01 21:00', 'played', NULL);
INSERT INTO events VALUES (69, 'Crooked Spires – Album Launch', 'concert', 17, '2026-07-10', '2026-08-06', '2026-10-03 20:00', 'postponed', 14);
INSERT INTO events VALUES (70, 'The Tin Miners & Friends', 'concert', 24, '2026-08-24', '2026-08-28', '2026-10-17 19:00', 'played', NULL);
INSERT INTO events VALUES (71, 'Priya Nair – Work in Progress', 'comedy', 16, '2026-07-18', '2026-07-25', '2026-10-29 14:30', 'played', 18);
INSERT INTO events VALUES (72, 'An Inspector Recalls', 'theatre', 16, '2026-09-01', '2026-09-19', '2026-11-07 19:30', 'played', 8);
INSERT INTO events VALUES (73, 'Hamlet', 'theatre', 12, '2026-09-24', '2026-09-30', '2026-11-12 20:30', 'played', 12);
INSERT INTO events VALUES (74, 'Sofia Marchetti', 'concert', 18, '2026-09-09', '2026-09-29', '2026-11-14 21:00', 'played', NULL);
INSERT INTO events VALUES (75, 'The Tin Miners', 'concert', 24, '2026-09-18', '2026-10-14', '2026-11-24 19:00', 'on sale', 14);
INSERT INTO events VALUES (76, 'Maeve Doran – Album Launch', 'concert', 21, '2026-09-27', '2026-10-05', '2026-11-25 19:00', 'on sale', 14);
INSERT INTO events VALUES (77, 'Daughters of the Mill', 'theatre', 12, '2026-08-19', '2026-09-13', '2026-11-26 20:00', 'cancelled', NULL);
INSERT INTO events VALUES (78, 'Tomas Vidal – Album Launch', 'concert', 3, '2026-08-13', '2026-08-25', '2026-11-27 20:00', 'postponed', 16);
INSERT INTO events VALUES (79, 'Vera Stahl – Autumn Tour', 'concert', 3, '2026-06-06', '2026-06-30', '2026-11-27 19:00', 'on sale', 18);
INSERT INTO events VALUES (80, 'Film Music Night: Cantabile Chamber Orchestra', 'classical', 26, '2026-07-06', '2026-08-02', '2026-11-28 19:00', 'on sale', 8);
INSERT INTO events VALUES (81, 'The Bakery on Ash Lane', 'musical', 20, '2026-06-30', '2026-07-13', '2026-11-28 19:30', 'on sale', 8);
INSERT INTO events VALUES (82, 'Lowtide – Album Launch', 'concert', 1, '2026-07-15', '2026-07-20', '2026-11-29 20:00', 'postponed', NULL);
INSERT INTO events VALUES (83, 'Nordlys – Album Launch', 'concert', 11, '2026-07-06', '2026-08-02', '2026-11-30 21:00', 'on sale', 18);
INSERT INTO events VALUES (84, 'An Inspector Recalls', 'theatre', 4, '2026-06-30', '2026-07-05', '2026-11-30 19:00', 'on sale', 8);
INSERT INTO lineups VALUES (1, 24, 'headliner', 90);
INSERT INTO lineups VALUES (2, 37, 'headliner', 75);
INSERT INTO lineups VALUES (2, 26, 'support', NULL);
INSERT INTO lineups VALUES (3, 28, 'headliner', NULL);
INSERT INTO lineups VALUES (4, 7, 'headliner', 90);
INSERT INTO lineups VALUES (4, 37, 'support', 30);
INSERT INTO lineups VALUES (5, 7, 'headliner', 90);
INSERT INTO lineups VALUES (6, 26, 'headliner', 90);
INSERT INTO lineups VALUES (6, 2, 'support', 45);
INSERT INTO lineups VALUES (7, 2, 'headliner', 60);
INSERT INTO lineups VALUES (7, 26, 'support', 40);
INSERT INTO lineups VALUES (8, 3, 'headliner', 75);
INSERT INTO lineups VALUES (8, 18, 'support', 30);
INSERT INTO lineups VALUES (9, 28, 'headliner', NULL);
INSERT INTO lineups VALUES (10, 17, 'headliner', 150);
INSERT INTO lineups VALUES (11, 37, 'headliner', 75);
INSERT INTO lineups VALUES (11, 3, 'support', 30);
INSERT INTO lineups VALUES (12, 10, 'headliner', NULL);
INSERT INTO lineups VALUES (13, 5, 'headliner', 130);
INSERT INTO lineups VALUES (14, 12, 'headliner', 90);
INSERT INTO lineups VALUES (14, 33, 'support', 40);
INSERT INTO lineups VALUES (14, 13, 'support', 30);
INSERT INTO lineups VALUES (15, 4, 'headliner', 120);
INSERT INTO lineups VALUES (16, 29, 'headliner', 75);
INSERT INTO lineups VALUES (17, 29, 'headliner', 75);
INSERT INTO lineups VALUES (17, 14, 'support', 25);
INSERT INTO lineups VALUES (18, 1, 'headliner', 90);
INSERT INTO lineups VALUES (18, 30, 'support', 45);
INSERT INTO lineups VALUES (18, 13, 'support', 40);
INSERT INTO lineups VALUES (19, 29, 'headliner', 75);
INSERT INTO lineups VALUES (20, 13, 'headliner', 75);
INSERT INTO lineups VALUES (21, 17, 'headliner', 130);
INSERT INTO lineups VALUES (22, 23, 'headliner', 60);
INSERT INTO lineups VALUES (23, 34, 'headliner', 120);
INSERT INTO lineups VALUES (23, 6, 'support', 20);
INSERT INTO lineups VALUES (24, 20, 'headliner', 150);
INSERT INTO lineups VALUES (25, 4, 'headliner', 120);
INSERT INTO lineups VALUES (26, 1, 'headliner', 90);
INSERT INTO lineups VALUES (26, 33, 'support', 30);
INSERT INTO lineups VALUES (26, 13, 'support', NULL);
INSERT INTO lineups VALUES (27, 25, 'headliner', 90);
INSERT INTO lineups VALUES (27, 8, 'support', 40);
INSERT INTO lineups VALUES (28, 31, 'headliner', NULL);
INSERT INTO lineups VALUES (29, 7, 'headliner', 90);
INSERT INTO lineups VALUES (29, 25, 'support', NULL);
INSERT INTO lineups VALUES (30, 18, 'headliner', 120);
INSERT INTO lineups VALUES (30, 16, 'support', 40);
INSERT INTO lineups VALUES (31, 13, 'headliner', 60);
INSERT INTO lineups VALUES (31, 8, 'support', 45);
INSERT INTO lineups VALUES (32, 15, 'headliner', 120);
INSERT INTO lineups VALUES (32, 11, 'support', 45);
INSERT INTO lineups VALUES (33, 23, 'headliner', 90);
INSERT INTO lineups VALUES (34, 1, 'headliner', 75);
INSERT INTO lineups VALUES (35, 10, 'headliner', 150);
INSERT INTO lineups VALUES (36, 9, 'headliner', 60);
INSERT INTO lineups VALUES (37, 28, 'headliner', NULL);
INSERT INTO lineups VALUES (38, 31, 'headliner', 150);
INSERT INTO lineups VALUES (39, 31, 'headliner', NULL);
INSERT INTO lineups VALUES (40, 24, 'headliner', 75);
INSERT INTO lineups VALUES (40, 33, 'support', 45);
INSERT INTO lineups VALUES (41, 20, 'headliner', 150);
INSERT INTO lineups VALUES (42, 10, 'headliner', 130);
INSERT INTO lineups VALUES (43, 5, 'headliner', 150);
INSERT INTO lineups VALUES (44, 19, 'headliner', 60);
INSERT INTO lineups VALUES (44, 34, 'support', 25);
INSERT INTO lineups VALUES (45, 3, 'headliner', 90);
INSERT INTO lineups VALUES (45, 30, 'support', 40);
INSERT INTO lineups VALUES (46, 20, 'headliner', 130);
INSERT INTO lineups VALUES (47, 7, 'headliner', 90);
INSERT INTO lineups VALUES (47, 25, 'support', 45);
INSERT INTO lineups VALUES (48, 34, 'headliner', 60);
INSERT INTO lineups VALUES (48, 6, 'support', 15);
INSERT INTO lineups VALUES (49, 11, 'headliner', 60);
INSERT INTO lineups VALUES (50, 9, 'headliner', 60);
INSERT INTO lineups VALUES (51, 37, 'headliner', 90);
INSERT INTO lineups VALUES (51, 32, 'support', NULL);
INSERT INTO lineups VALUES (51, 13, 'support', NULL);
INSERT INTO lineups VALUES (52, 4, 'headliner', 90);
INSERT INTO lineups VALUES (53, 11, 'headliner', 90);
INSERT INTO lineups VALUES (53, 37, 'support', 45);
INSERT INTO lineups VALUES (53, 32, 'support', 30);
INSERT INTO lineups VALUES (54, 31, 'headliner', NULL);
INSERT INTO lineups VALUES (55, 19, 'headliner', 75);
INSERT INTO lineups VALUES (55, 6, 'support', 25);
INSERT INTO lineups VALUES (56, 12, 'headliner', 60);
INSERT INTO lineups VALUES (57, 16, 'headliner', 120);
INSERT INTO lineups VALUES (57, 25, 'support', 45);
INSERT INTO lineups VALUES (57, 22, 'support', NULL);
INSERT INTO lineups VALUES (58, 14, 'headliner', 90);
INSERT INTO lineups VALUES (58, 29, 'support', 20);
INSERT INTO lineups VALUES (59, 1, 'headliner', 90);
INSERT INTO lineups VALUES (59, 24, 'support', 45);
INSERT INTO lineups VALUES (60, 17, 'headliner', NULL);
INSERT INTO lineups VALUES (61, 30, 'headliner', 120);
INSERT INTO lineups VALUES (61, 15, 'support', NULL);
INSERT INTO lineups VALUES (61, 22, 'support', 45);
INSERT INTO lineups VALUES (62, 8, 'headliner', 120);
INSERT INTO lineups VALUES (62, 2, 'support', 40);
INSERT INTO lineups VALUES (62, 33, 'support', 30);
INSERT INTO lineups VALUES (63, 5, 'headliner', 150);
INSERT INTO lineups VALUES (64, 32, 'headliner', 120);
INSERT INTO lineups VALUES (65, 22, 'headliner', 60);
INSERT INTO lineups VALUES (65, 16, 'support', 45);
INSERT INTO lineups VALUES (66, 3, 'headliner', 90);
INSERT INTO lineups VALUES (66, 37, 'support', 40);
INSERT INTO lineups VALUES (67, 6, 'headliner', 60);
INSERT INTO lineups VALUES (68, 3, 'headliner', 75);
INSERT INTO lineups VALUES (68, 15, 'support', 30);
INSERT INTO lineups VALUES (69, 24, 'headliner', 120);
INSERT INTO lineups VALUES (69, 26, 'support', NULL);
INSERT INTO lineups VALUES (69, 30, 'support', NULL);
INSERT INTO lineups VALUES (70, 3, 'headliner', 120);
INSERT INTO lineups VALUES (70, 13, 'support', 30);
INSERT INTO lineups VALUES (71, 6, 'headliner', 90);
INSERT INTO lineups VALUES (72, 20, 'headliner', NULL);
INSERT INTO lineups VALUES (73, 31, 'headliner', NULL);
INSERT INTO lineups VALUES (74, 22, 'headliner', 90);
INSERT INTO lineups VALUES (74, 7, 'support', NULL);
INSERT INTO lineups VALUES (75, 3, 'headliner', 75);
INSERT INTO lineups VALUES (75, 13, 'support', 40);
INSERT INTO lineups VALUES (76, 2, 'headliner', 120);
INSERT INTO lineups VALUES (76, 15, 'support', 40);
INSERT INTO lineups VALUES (77, 17, 'headliner', 130);
INSERT INTO lineups VALUES (78, 12, 'headliner', 60);
INSERT INTO lineups VALUES (78, 8, 'support', NULL);
INSERT INTO lineups VALUES (78, 22, 'support', NULL);
INSERT INTO lineups VALUES (79, 32, 'headliner', 120);
INSERT INTO lineups VALUES (79, 33, 'support', 45);
INSERT INTO lineups VALUES (79, 16, 'support', 40);
INSERT INTO lineups VALUES (80, 9, 'headliner', 90);
INSERT INTO lineups VALUES (81, 10, 'headliner', 150);
INSERT INTO lineups VALUES (82, 21, 'headliner', 60);
INSERT INTO lineups VALUES (83, 15, 'headliner', 120);
INSERT INTO lineups VALUES (83, 11, 'support', NULL);
INSERT INTO lineups VALUES (84, 31, 'headliner', 130);
INSERT INTO customers VALUES (1, 'Oscar', 'Foster', 'oscar.foster@inbox.example', 'Glasgow', '1953-08-25', '2023-01-09', '2026-04-26', 0, 'standard');
INSERT INTO customers VALUES (2, 'Kieran', 'Walsh', 'kieran.walsh@post.example', 'Birmingham', '1993-09-07', '2023-01-15', '2025-05-11', 0, 'standard');
INSERT INTO customers VALUES (3, 'Marcus', 'Chen', 'marcus.chen@post.example', 'Newcastle', '1954-01-20', '2023-01-19', '2025-07-17', 1, 'standard');
INSERT INTO customers VALUES (4, 'Poppy', 'Ackroyd', 'poppy.ackroyd@inbox.example', 'Leeds', NULL, '2023-01-22', '2024-06-16', 0, 'standard');
INSERT INTO customers VALUES (5, 'Imogen', 'Hargreaves', 'imogen.hargreaves@post.example', 'Leeds', '1961-10-06', '2023-02-06', '2025-05-11', 1, 'standard');
INSERT INTO customers VALUES (6, 'Ewan', 'Barker', 'ewan.barker@inbox.example', 'Newcastle', NULL, '2023-02-16', '2026-10-03', 0, 'standard');
INSERT INTO customers VALUES (7, 'Ravi', 'Greenwood', 'ravi.greenwood@post.example', 'Bristol', '1981-09-03', '2023-02-19', '2026-09-22', 1, 'standard');
INSERT INTO customers VALUES (8, 'Yusuf', 'Thompson', 'yusuf.thompson@post.example', NULL, '1963-03-09', '2023-02-23', '2024-12-20', 1, 'platinum');
INSERT INTO customers VALUES (9, 'Toby', 'Kaur', 'toby.kaur@mailbox.example', 'Birmingham', '1951-01-25', '2023-03-12', NULL, 1, 'standard');
INSERT INTO customers VALUES (10, 'Zara', 'Barker', 'zara.barker@mailbox.example', 'Birmingham', NULL, '2023-03-19', '2024-08-14', 1, 'platinum');
INSERT INTO customers VALUES (11, 'Ewan', 'Greenwood', 'ewan.greenwood@inbox.example', 'Hull', '1989-09-15', '2023-04-19', NULL, 0, 'gold');
INSERT INTO customers VALUES (12, 'Aisha', 'Novak', 'aisha.novak@inbox.example', 'Newcastle', '1990-05-12', '2023-04-22', '2025-10-05', 1, 'standard');
INSERT INTO customers VALUES (13, 'Amelia', 'Murphy', 'amelia.murphy@mailbox.example', 'Edinburgh', '1964-01-20', '2023-05-08', '2026-11-10', 1, 'standard');
INSERT INTO customers VALUES (14, 'Holly', 'Barker', 'holly.barker@post.example', 'Leeds', '1997-08-30', '2023-06-29', '2024-08-11', 0, 'standard');
INSERT INTO customers VALUES (15, 'Tess', 'Doyle', 'tess.doyle@inbox.example', 'Hull', '1972-08-20', '2023-07-04', '2026-09-22', 1, 'standard');
INSERT INTO customers VALUES (16, 'Chloe', 'Patel', NULL, 'Birmingham', '1986-08-28', '2023-07-05', '2025-07-02', 1, 'standard');
INSERT INTO customers VALUES (17, 'Lewis', 'Robinson', 'lewis.robinson@inbox.example', 'Sheffield', '2004-01-12', '2023-07-09', '2026-09-10', 1, 'gold');
INSERT INTO customers VALUES (18, 'Kieran', 'Novak', 'kieran.novak@inbox.example', 'Birmingham', '1999-11-27', '2023-08-02', NULL, 1, 'standard');
INSERT INTO customers VALUES (19, 'Callum', 'Whitaker', 'callum.whitaker@post.example', 'Liverpool', NULL, '2023-08-03', '2024-08-28', 1, 'platinum');
INSERT INTO customers VALUES (20, 'Megan', 'Clegg', 'megan.clegg@inbox.example', 'Manchester', NULL, '2023-08-25', '2025-08-08', 1, 'standard');
INSERT INTO customers VALUES (21, 'Mohammed', 'Rossi', 'mohammed.rossi@inbox.example', 'Leeds', '1993-12-24', '2023-08-28', '2025-11-13', 0, 'standard');
INSERT INTO customers VALUES (22, 'Noah', 'Robinson', 'noah.robinson@post.example', 'Sheffield', NULL, '2023-09-12', '2026-11-11', 0, 'standard');
INSERT INTO customers VALUES (23, 'Amelia', 'Okonkwo', 'amelia.okonkwo@post.example', 'Manchester', '1950-10-30', '2023-09-22', '2025-10-22', 1, 'standard');
INSERT INTO customers VALUES (24, 'George', 'Armitage', 'george.armitage@mailbox.example', 'Birmingham', '1978-10-29', '2023-09-26', NULL, 0, 'standard');
INSERT INTO customers VALUES (25, 'Yusuf', 'Novak', 'yusuf.novak@mailbox.example', 'Leeds', '1987-11-29', '2023-10-07', '2026-07-08', 0, 'gold');
INSERT INTO customers VALUES (26, 'Victor', 'Murphy', 'victor.murphy@mailbox.example', 'Bristol', '1975-04-14', '2023-10-08', '2026-08-14', 1, 'gold');
INSERT INTO customers VALUES (27, 'Megan', 'Rossi', 'megan.rossi@mailbox.example', 'Sheffield', '1990-05-03', '2023-11-02', '2024-10-26', 0, 'standard');
INSERT INTO customers VALUES (28, 'Marcus', 'Ashworth', 'marcus.ashworth@inbox.example', 'Liverpool', '1995-12-20', '2023-11-09', '2026-08-27', 1, 'standard');
INSERT INTO customers VALUES (29, 'Leo', 'Lindqvist', 'leo.lindqvist@mailbox.example', 'Edinburgh', '1949-07-13', '2023-11-23', '2025-07-28', 1, 'standard');
INSERT INTO customers VALUES (30, 'Stephen', 'Thompson', 'stephen.thompson@mailbox.example', 'York', '2003-12-04', '2023-11-29', '2026-10-23', 1, 'standard');
INSERT INTO customers VALUES (31, 'Toby', 'Murphy', 'toby.murphy@inbox.example', 'Birmingham', '1995-10-02', '2023-12-21', '2025-01-02', 0, 'standard');
INSERT INTO customers VALUES (32, 'Noah', 'Chen', 'noah.chen@inbox.example', 'Hull', NULL, '2023-12-22', NULL, 1, 'standard');
INSERT INTO customers VALUES (33, 'Jack', 'Begum', 'jack.begum@inbox.example', 'Nottingham', '1985-08-01', '2024-02-11', '2026-09-25', 0, 'standard');
INSERT INTO customers VALUES (34, 'Megan', 'Begum', 'megan.begum@mailbox.example', 'Manchester', '1976-11-20', '2024-03-19', '2024-04-02', 1, 'standard');
INSERT INTO customers VALUES (35, 'Noah', 'Whitaker', NULL, 'Sheffield', '1950-06-04', '2024-03-24', '2025-02-01', 1, 'standard');
INSERT INTO customers VALUES (36, 'Yusuf', 'MacDonald', 'yusuf.macdonald@post.example', NULL, '1969-06-23', '2024-04-03', '2026-03-17', 0, 'standard');
INSERT INTO customers VALUES (37, 'Amelia', 'Hussain', 'amelia.hussain@mailbox.example', 'Bristol', '1950-12-06', '2024-05-07', NULL, 0, 'standard');
INSERT INTO customers VALUES (38, 'Joan', 'Robinson', 'joan.robinson@inbox.example', 'Leeds', NULL, '2024-05-12', '2026-07-18', 1, 'gold');
INSERT INTO customers VALUES (39, 'Zara', 'Okonkwo', 'zara.okonkwo@post.example', 'Birmingham', '1965-05-22', '2024-05-18', NULL, 1, 'standard');
INSERT INTO customers VALUES (40, 'Leo', 'MacDonald', 'leo.macdonald@inbox.example', 'Leeds', '1968-01-22', '2024-06-09', '2026-02-27', 1, 'standard');
INSERT INTO customers VALUES (41, 'George', 'Lindqvist', 'george.lindqvist@post.example', 'Birmingham', NULL, '2024-06-11', '2026-09-06', 1, 'standard');
INSERT INTO customers VALUES (42, 'Poppy', 'Doyle', 'poppy.doyle@inbox.example', NULL, '2006-05-15', '2024-07-04', '2025-04-25', 0, 'standard');
INSERT INTO customers VALUES (43, 'Ewan', 'Ackroyd', 'ewan.ackroyd@post.example', 'Liverpool', '1978-07-18', '2024-07-14', '2026-05-06', 0, 'standard');
INSERT INTO customers VALUES (44, 'Victor', 'Ackroyd', 'victor.ackroyd@post.example', 'Bristol', NULL, '2024-07-30', '2024-12-25', 1, 'standard');
INSERT INTO customers VALUES (45, 'Amelia', 'Armitage', 'amelia.armitage@post.example', 'Manchester', '1996-10-30', '2024-08-18', '2026-11-18', 1, 'standard');
INSERT INTO customers VALUES (46, 'Callum', 'Foster', 'callum.foster@mailbox.example', 'Liverpool', '1973-05-25', '2024-08-19', NULL, 1, 'standard');
INSERT INTO customers VALUES (47, 'Tess', 'Sykes', 'tess.sykes@mailbox.example', 'Leeds', '1989-05-01', '2024-08-21', '2026-11-05', 1, 'standard');
INSERT INTO customers VALUES (48, 'Ewan', 'MacDonald', 'ewan.macdonald@mailbox.example', 'Glasgow', NULL, '2024-08-26', NULL, 0, 'standard');
INSERT INTO customers VALUES (49, 'Ewan', 'Lindqvist', 'ewan.lindqvist@inbox.example', 'Leeds', NULL, '2024-09-02', '2026-08-10', 1, 'platinum');
INSERT INTO customers VALUES (50, 'Patrick', 'Novak', 'patrick.novak@inbox.example', 'Manchester', '2002-04-30', '2024-09-23', '2026-04-11', 0, 'standard');
INSERT INTO customers VALUES (51, 'Beatrice', 'Hussain', 'beatrice.hussain@inbox.example', 'Glasgow', '1949-03-04', '2024-10-08', '2026-02-27', 1, 'platinum');
INSERT INTO customers VALUES (52, 'Samuel', 'Clegg', 'samuel.clegg@inbox.example', 'Manchester', '1955-07-24', '2024-10-27', '2026-09-27', 1, 'gold');
INSERT INTO customers VALUES (53, 'Hassan', 'Walsh', 'hassan.walsh@inbox.example', 'York', '1972-05-11', '2024-10-29', NULL, 1, 'standard');
INSERT INTO customers VALUES (54, 'Stephen', 'Murphy', 'stephen.murphy@inbox.example', 'Leeds', '1995-12-15', '2024-10-31', NULL, 1, 'standard');
INSERT INTO customers VALUES (55, 'Joan', 'Kaur', 'joan.kaur@mailbox.example', 'Birmingham', '1948-05-19', '2024-11-01', '2026-11-07', 1, 'standard');
INSERT INTO customers VALUES (56, 'Isla', 'MacDonald', 'isla.macdonald@inbox.example', 'Birmingham', NULL, '2024-11-22', '2025-12-27', 0, 'standard');
INSERT INTO customers VALUES (57, 'Tess', 'Novak', 'tess.novak@post.example', 'Birmingham', '1984-10-06', '2024-11-24', '2026-07-28', 0, 'standard');
INSERT INTO customers VALUES (58, 'Oscar', 'Hussain', 'oscar.hussain@mailbox.example', 'Nottingham', '1998-12-15', '2025-01-30', '2026-11-12', 1, 'standard');
INSERT INTO customers VALUES (59, 'Stephen', 'Robinson', 'stephen.robinson@post.example', 'Manchester', NULL, '2025-02-09', '2026-02-18', 0, 'gold');
INSERT INTO customers VALUES (60, 'Elin', 'Hussain', 'elin.hussain@inbox.example', 'Leeds', '1954-04-16', '2025-03-29', '2026-09-17', 1, 'gold');
INSERT INTO customers VALUES (61, 'Chloe', 'Chen', 'chloe.chen@post.example', 'York', '1974-04-10', '2025-05-03', NULL, 1, 'standard');
INSERT INTO customers VALUES (62, 'Yusuf', 'Armitage', 'yusuf.armitage@mailbox.example', 'Newcastle', '1980-03-07', '2025-05-06', '2026-02-21', 1, 'standard');
INSERT INTO customers VALUES (63, 'Holly', 'Greenwood', 'holly.greenwood@post.example', 'York', '1993-01-12', '2025-05-09', '2026-10-02', 0, 'platinum');
INSERT INTO customers VALUES (64, 'Tess', 'Dawson', 'tess.dawson@post.example', 'Newcastle', '2001-01-24', '2025-05-11', NULL, 1, 'standard');
INSERT INTO customers VALUES (65, 'Zara', 'Patel', 'zara.patel@inbox.example', 'Manchester', NULL, '2025-06-03', '2025-06-12', 0, 'standard');
INSERT INTO customers VALUES (66, 'Holly', 'Patel', 'holly.patel@mailbox.example', 'Birmingham', NULL, '2025-06-06', '2026-05-22', 1, 'standard');
INSERT INTO customers VALUES (67, 'Holly', 'Fletcher', 'holly.fletcher@post.example', 'Leeds', '1993-01-29', '2025-07-16', '2025-11-05', 0, 'standard');
INSERT INTO customers VALUES (68, 'Tess', 'Hussain', 'tess.hussain@inbox.example', 'Sheffield', '1962-11-14', '2025-07-18', '2026-09-25', 1, 'standard');
INSERT INTO customers VALUES (69, 'Beatrice', 'Murphy', 'beatrice.murphy@post.example', 'Leeds', '1969-01-02', '2025-08-19', '2025-11-18', 0, 'standard');
INSERT INTO customers VALUES (70, 'Beatrice', 'Rossi', 'beatrice.rossi@post.example', 'Glasgow', '1979-08-14', '2025-09-01', '2026-06-24', 0, 'gold');
INSERT INTO customers VALUES (71, 'Holly', 'Kaur', 'holly.kaur@inbox.example', 'Manchester', NULL, '2025-09-21', '2025-12-31', 0, 'standard');
INSERT INTO customers VALUES (72, 'Ravi', 'Kaur', 'ravi.kaur@mailbox.example', 'Leeds', '1981-03-05', '2025-10-12', '2026-11-01', 0, 'gold');
INSERT INTO customers VALUES (73, 'Ewan', 'Rossi', 'ewan.rossi@post.example', 'Hull', NULL, '2025-12-10', '2026-11-08', 1, 'gold');
INSERT INTO customers VALUES (74, 'Nadia', 'Bell', 'nadia.bell@post.example', 'Newcastle', NULL, '2025-12-21', '2026-09-21', 1, 'standard');
INSERT INTO customers VALUES (75, 'Niamh', 'Hargreaves', 'niamh.hargreaves@inbox.example', 'York', NULL, '2025-12-29', '2026-06-01', 1, 'gold');
INSERT INTO customers VALUES (76, 'Lewis', 'Ackroyd', 'lewis.ackroyd@post.example', 'Bristol', '1986-02-15', '2026-01-22', '2026-08-23', 1, 'standard');
INSERT INTO customers VALUES (77, 'Megan', 'Pearson', 'megan.pearson@mailbox.example', 'Manchester', '1996-12-23', '2026-01-31', '2026-09-02', 1, 'standard');
INSERT INTO customers VALUES (78, 'Grace', 'Barker', 'grace.barker@mailbox.example', 'Glasgow', '1960-11-24', '2026-04-06', '2026-09-07', 0, 'platinum');
INSERT INTO customers VALUES (79, 'Freya', 'Rossi', 'freya.rossi@post.example', 'Newcastle', NULL, '2026-04-11', '2026-11-02', 1, 'standard');
INSERT INTO customers VALUES (80, 'Freya', 'Walsh', 'freya.walsh@inbox.example', 'Leeds', '1953-06-26', '2026-04-17', NULL, 0, 'standard');
INSERT INTO customers VALUES (81, 'Tess', 'Rossi', 'tess.rossi@inbox.example', 'Nottingham', '1983-01-10', '2026-05-05', '2026-09-18', 0, 'standard');
INSERT INTO customers VALUES (82, 'Leo', 'Sykes', 'leo.sykes@post.example', 'Leeds', '1998-07-23', '2026-05-19', NULL, 0, 'standard');
INSERT INTO customers VALUES (83, 'Holly', 'Begum', 'holly.begum@post.example', 'York', NULL, '2026-05-21', '2026-11-18', 1, 'platinum');
INSERT INTO customers VALUES (84, 'Imogen', 'Murphy', 'imogen.murphy@post.example', 'Liverpool', NULL, '2026-05-23', '2026-11-17', 1, 'standard');
INSERT INTO customers VALUES (85, 'Leo', 'Hussain', 'leo.hussain@post.example', 'Bristol', '1972-05-02', '2026-06-17', '2026-11-13', 0, 'standard');
INSERT INTO customers VALUES (86, 'Grace', 'Robinson', 'grace.robinson@mailbox.example', 'Hull', '1948-03-26', '2026-07-09', '2026-08-09', 0, 'standard');
INSERT INTO customers VALUES (87, 'Lewis', 'Sykes', 'lewis.sykes@mailbox.example', 'Leeds', '1989-04-01', '2026-07-09', '2026-08-15', 1, 'standard');
INSERT INTO customers VALUES (88, 'Aisha', 'Thompson', 'aisha.thompson@inbox.example', 'Hull', NULL, '2026-07-16', '2026-10-28', 1, 'standard');
INSERT INTO customers VALUES (89, 'Mohammed', 'Patel', 'mohammed.patel@inbox.example', 'Birmingham', '1996-03-10', '2026-07-17', '2026-11-14', 1, 'gold');
INSERT INTO customers VALUES (90, 'Noah', 'Okonkwo', NULL, 'Newcastle', NULL, '2026-08-20', '2026-09-02', 1, 'gold');
INSERT INTO customers VALUES (91, 'Freya', 'Hussain', 'freya.hussain@inbox.example', 'Sheffield', '1999-01-21', '2026-09-05', '2026-09-19', 0, 'gold');
INSERT INTO customers VALUES (92, 'Chloe', 'MacDonald', 'chloe.macdonald@inbox.example', NULL, '1992-06-01', '2026-10-21', '2026-10-31', 0, 'gold');
INSERT INTO customers VALUES (93, 'Isla', 'Greenwood', 'isla.greenwood@mailbox.example', 'York', '1992-04-26', '2026-10-28', '2026-11-22', 1, 'gold');
INSERT INTO customers VALUES (94, 'Jack', 'Kaur', 'jack.kaur@post.example', 'Leeds', '1983-02-17', '2026-11-11', NULL, 0, 'standard');
INSERT INTO customers VALUES (95, 'Elin', 'Whitaker', 'elin.whitaker@mailbox.example', 'York', '1986-08-02', '2026-11-14', NULL, 0, 'gold');
INSERT INTO promotions VALUES (1, 'SPRING23', 'Spring sale', 10, '2023-03-01', '2023-04-30', NULL, 0);
INSERT INTO promotions VALUES (2, 'STUDENT', 'Student discount', 15, '2023-01-15', NULL, 100, 0);
INSERT INTO promotions VALUES (3, 'SUMMER23', 'Summer nights', 10, '2023-06-01', '2023-08-31', 100, 0);
INSERT INTO promotions VALUES (4, 'BLACKFRI23', 'Black Friday 2023', 25, '2023-11-20', '2023-11-30', 200, 0);
INSERT INTO promotions VALUES (5, 'WELCOME5', 'New customer', 5, '2023-01-10', NULL, NULL, 0);
INSERT INTO promotions VALUES (6, 'NYSALE24', 'January sale', 20, '2024-01-02', '2024-01-31', 500, 0);
INSERT INTO promotions VALUES (7, 'VALENTINE24', 'Two for Valentine''s', 14, '2024-02-01', '2024-02-14', 200, 0);
INSERT INTO promotions VALUES (8, 'SPRING24', 'Spring sale', 10, '2024-03-01', '2024-04-30', 50, 0);
INSERT INTO promotions VALUES (9, 'PRIDE24', 'Pride weekend', 10, '2024-06-14', '2024-06-30', NULL, 0);
INSERT INTO promotions VALUES (10, 'SUMMER24', 'Summer nights', 15, '2024-06-01', '2024-08-31', 200, 0);
INSERT INTO promotions VALUES (11, 'FRESHERS24', 'Freshers'' week', 20, '2024-09-16', '2024-10-06', 100, 0);
INSERT INTO promotions VALUES (12, 'BLACKFRI24', 'Black Friday 2024', 30, '2024-11-25', '2024-12-01', 200, 0);
INSERT INTO promotions VALUES (13, 'GOLD10', 'Gold members', 10, '2024-01-01', NULL, 100, 1);
INSERT INTO promotions VALUES (14, 'PLAT20', 'Platinum members', 20, '2024-01-01', NULL, 500, 1);
INSERT INTO promotions VALUES (15, 'NYSALE25', 'January sale', 20, '2025-01-02', '2025-01-31', 500, 0);
INSERT INTO promotions VALUES (16, 'EASTER25', 'Easter treat', 12, '2025-04-14', '2025-04-27', 50, 0);
INSERT INTO promotions VALUES (17, 'SUMMER25', 'Summer nights', 15, '2025-06-01', '2025-08-31', 500, 0);
INSERT INTO promotions VALUES (18, 'COMEDY25', 'Comedy month', 10, '2025-10-01', '2025-10-31', 500, 0);
INSERT INTO promotions VALUES (19, 'BLACKFRI25', 'Black Friday 2025', 30, '2025-11-24', '2025-11-30', NULL, 0);
INSERT INTO promotions VALUES (20, 'NYSALE26', 'January sale', 15, '2026-01-02', '2026-01-31', NULL, 0);
INSERT INTO promotions VALUES (21, 'MUM26', 'Mother''s Day', 10, '2026-03-09', '2026-03-15', NULL, 0);
INSERT INTO promotions VALUES (22, 'SUMMER26', 'Summer nights', 10, '2026-06-01', '2026-08-31', 200, 0);
INSERT INTO promotions VALUES (23, 'BACKTOWORK', 'Corporate partners', 8, '2025-09-01', NULL, 200, 0);
INSERT INTO promotions VALUES (24, 'AUTUMN26', 'Autumn leaves', 12, '2026-09-15', '2026-11-30', 200, 0);
INSERT INTO promotions VALUES (25, 'BLACKFRI26', 'Black Friday 2026', 30, '2026-11-23', '2026-11-30', 200, 0);
INSERT INTO promotions VALUES (26, 'LASTMIN', 'Last minute seats', 35, '2026-10-01', '2026-11-30', 50, 0);
INSERT INTO orders VALUES (1, 2, '2023-03-22 16:50:16', '2023-03-22 16:52:16', 'app', 'post', 'paid', NULL);
INSERT INTO orders VALUES (2, 8, '2023-05-24 14:33:02', '2023-05-24 14:42:02', 'app', NULL, 'paid', NULL);
INSERT INTO orders VALUES (3, 2, '2023-06-07 17:10:14', '2023-06-07 17:12:14', 'app', NULL, 'paid', 5);
INSERT INTO orders VALUES (4, 7, '2023-06-08 12:55:30', '2023-06-08 12:57:30', 'app', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (5, 16, '2023-07-08 15:05:53', '2023-07-08 15:10:53', 'box office', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (6, 17, '2023-08-22 21:27:34', '2023-08-22 21:30:34', 'web', 'collect', 'paid', 5);
INSERT INTO orders VALUES (7, 7, '2023-09-08 17:07:46', '2023-09-08 17:09:46', 'app', 'post', 'paid', NULL);
INSERT INTO orders VALUES (8, 25, '2023-10-07 15:47:42', '2023-10-07 15:50:42', 'web', 'post', 'paid', NULL);
INSERT INTO orders VALUES (9, 22, '2023-10-22 11:32:01', '2023-10-22 11:41:01', 'web', 'e-ticket', 'paid', 5);
INSERT INTO orders VALUES (10, 25, '2023-11-27 21:56:49', '2023-12-06 23:25:49', 'box office', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (11, 12, '2024-01-20 20:32:22', '2024-01-20 20:41:22', 'phone', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (12, 21, '2024-03-13 22:24:11', '2024-03-13 22:26:11', 'box office', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (13, 4, '2024-04-05 10:50:45', '2024-04-05 10:59:45', 'box office', 'collect', 'paid', 8);
INSERT INTO orders VALUES (14, 26, '2024-04-14 19:57:19', '2024-04-14 19:58:19', 'box office', 'collect', 'paid', 2);
INSERT INTO orders VALUES (15, 22, '2024-04-27 09:39:36', '2024-04-27 09:48:36', 'app', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (16, 28, '2024-04-29 20:01:41', '2024-04-29 20:03:41', 'web', NULL, 'paid', NULL);
INSERT INTO orders VALUES (17, 20, '2024-05-10 09:35:03', '2024-05-10 09:40:03', 'phone', NULL, 'paid', NULL);
INSERT INTO orders VALUES (18, 30, '2024-06-11 12:55:41', '2024-06-11 12:57:41', 'box office', 'collect', 'paid', 2);
INSERT INTO orders VALUES (19, 20, '2024-06-23 12:52:17', '2024-06-23 12:54:17', 'phone', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (20, 33, '2024-07-13 19:23:36', '2024-07-13 19:26:36', 'web', 'collect', 'paid', 5);
INSERT INTO orders VALUES (21, 20, '2024-08-05 17:53:29', '2024-08-05 17:55:29', 'box office', 'collect', 'paid', 5);
INSERT INTO orders VALUES (22, 10, '2024-08-14 12:47:51', '2024-08-16 15:05:51', 'box office', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (23, 30, '2024-11-07 16:45:30', '2024-11-07 16:46:30', 'app', NULL, 'paid', NULL);
INSERT INTO orders VALUES (24, 13, '2024-11-12 14:01:18', '2024-11-12 14:04:18', 'web', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (25, 5, '2024-11-23 09:25:34', '2024-11-23 09:27:34', 'web', 'e-ticket', 'paid', 5);
INSERT INTO orders VALUES (26, 47, '2024-11-23 14:32:56', '2024-11-23 14:33:56', 'app', NULL, 'paid', 2);
INSERT INTO orders VALUES (27, 42, '2024-12-07 17:03:52', '2024-12-07 17:06:52', 'web', 'post', 'paid', NULL);
INSERT INTO orders VALUES (28, 42, '2024-12-20 11:46:28', '2024-12-20 11:47:28', 'box office', 'collect', 'paid', 5);
INSERT INTO orders VALUES (29, 25, '2025-01-05 10:36:26', '2025-01-05 10:45:26', 'phone', NULL, 'paid', NULL);
INSERT INTO orders VALUES (30, 21, '2025-01-06 12:34:28', '2025-01-06 12:37:28', 'web', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (31, 57, '2025-01-06 15:48:05', '2025-01-06 15:49:05', 'app', NULL, 'paid', NULL);
INSERT INTO orders VALUES (32, 36, '2025-01-13 14:52:33', '2025-01-13 15:01:33', 'phone', 'e-ticket', 'paid', 2);
INSERT INTO orders VALUES (33, 45, '2025-01-16 11:34:20', '2025-01-16 11:37:20', 'box office', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (34, 13, '2025-02-06 16:12:50', '2025-02-06 16:14:50', 'box office', 'collect', 'paid', 2);
INSERT INTO orders VALUES (35, 45, '2025-03-25 18:51:25', '2025-03-25 19:00:25', 'web', 'post', 'paid', NULL);
INSERT INTO orders VALUES (36, 16, '2025-03-26 17:07:30', '2025-03-28 20:18:30', 'phone', 'post', 'paid', NULL);
INSERT INTO orders VALUES (37, 36, '2025-04-07 16:37:09', '2025-04-07 16:42:09', 'app', NULL, 'paid', NULL);
INSERT INTO orders VALUES (38, 25, '2025-04-22 13:54:41', '2025-04-27 17:15:41', 'app', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (39, 2, '2025-05-11 09:03:24', '2025-05-11 09:12:24', 'app', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (40, 25, '2025-07-01 11:27:02', '2025-07-01 11:28:02', 'web', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (41, 16, '2025-07-02 10:16:43', '2025-07-02 10:17:43', 'web', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (42, 49, '2025-07-09 09:57:29', NULL, 'web', 'e-ticket', 'cancelled', NULL);
INSERT INTO orders VALUES (43, 25, '2025-09-07 16:26:21', '2025-09-07 16:29:21', 'box office', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (44, 62, '2025-09-13 22:34:00', '2025-09-17 23:01:00', 'web', 'post', 'paid', 2);
INSERT INTO orders VALUES (45, 51, '2025-09-15 19:38:34', '2025-09-20 23:22:34', 'app', 'post', 'paid', NULL);
INSERT INTO orders VALUES (46, 70, '2025-09-18 10:10:38', '2025-09-18 10:11:38', 'web', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (47, 36, '2025-09-21 21:00:04', '2025-09-21 21:01:04', 'phone', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (48, 12, '2025-10-05 19:49:36', '2025-10-05 19:52:36', 'box office', 'collect', 'paid', 23);
INSERT INTO orders VALUES (49, 69, '2025-10-18 22:48:03', '2025-10-18 22:50:03', 'app', NULL, 'paid', 18);
INSERT INTO orders VALUES (50, 25, '2025-10-21 20:49:19', '2025-10-21 20:51:19', 'app', 'e-ticket', 'paid', 23);
INSERT INTO orders VALUES (51, 72, '2025-10-25 12:20:36', '2025-10-25 12:29:36', 'app', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (52, 17, '2025-10-31 09:35:26', '2025-10-31 09:37:26', 'box office', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (53, 49, '2025-11-01 12:17:39', '2025-11-01 12:19:39', 'web', 'e-ticket', 'paid', 14);
INSERT INTO orders VALUES (54, 15, '2025-11-10 13:55:57', '2025-11-10 13:57:57', 'web', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (55, 21, '2025-11-13 09:13:09', '2025-11-13 09:14:09', 'web', NULL, 'paid', 2);
INSERT INTO orders VALUES (56, 25, '2025-12-12 08:03:54', '2025-12-12 08:05:54', 'web', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (57, 7, '2025-12-19 10:58:00', '2025-12-19 11:00:00', 'web', NULL, 'paid', 23);
INSERT INTO orders VALUES (58, 49, '2025-12-21 16:28:22', '2025-12-21 16:31:22', 'app', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (59, 47, '2025-12-26 10:31:31', '2025-12-29 11:47:31', 'web', NULL, 'paid', 23);
INSERT INTO orders VALUES (60, 47, '2025-12-26 12:12:18', '2025-12-26 12:15:18', 'phone', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (61, 51, '2026-02-14 08:47:50', '2026-02-17 11:28:50', 'phone', 'collect', 'paid', 23);
INSERT INTO orders VALUES (62, 51, '2026-02-19 10:22:10', '2026-02-28 14:32:10', 'web', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (63, 51, '2026-02-27 20:52:02', NULL, 'box office', 'collect', 'cancelled', 14);
INSERT INTO orders VALUES (64, 36, '2026-03-17 09:22:44', '2026-03-17 09:24:44', 'box office', 'collect', 'paid', 5);
INSERT INTO orders VALUES (65, 7, '2026-03-20 17:50:08', '2026-03-20 17:51:08', 'web', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (66, 50, '2026-04-11 16:40:47', '2026-04-15 17:46:47', 'web', NULL, 'paid', 5);
INSERT INTO orders VALUES (67, 73, '2026-04-22 18:05:27', '2026-04-22 18:10:27', 'app', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (68, 43, '2026-05-06 15:04:11', '2026-05-06 15:13:11', 'phone', NULL, 'paid', NULL);
INSERT INTO orders VALUES (69, 26, '2026-05-11 14:28:45', '2026-05-16 16:17:45', 'box office', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (70, 22, '2026-05-11 20:19:52', NULL, 'app', 'e-ticket', 'pending', 23);
INSERT INTO orders VALUES (71, 30, '2026-05-21 13:04:58', '2026-05-21 13:13:58', 'app', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (72, 30, '2026-05-23 09:16:44', '2026-05-26 11:21:44', 'web', 'post', 'paid', NULL);
INSERT INTO orders VALUES (73, 75, '2026-06-01 15:35:07', '2026-06-01 15:37:07', 'phone', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (74, 70, '2026-06-24 15:31:33', '2026-06-29 18:39:33', 'web', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (75, 55, '2026-07-10 16:54:35', '2026-07-10 16:56:35', 'app', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (76, 38, '2026-07-18 12:11:59', NULL, 'phone', 'e-ticket', 'pending', NULL);
INSERT INTO orders VALUES (77, 33, '2026-08-13 10:59:18', '2026-08-13 11:02:18', 'phone', 'e-ticket', 'paid', 2);
INSERT INTO orders VALUES (78, 26, '2026-08-14 21:11:04', NULL, 'app', 'collect', 'cancelled', 13);
INSERT INTO orders VALUES (79, 76, '2026-08-23 10:57:05', '2026-08-23 11:06:05', 'app', NULL, 'paid', NULL);
INSERT INTO orders VALUES (80, 33, '2026-08-27 19:10:48', '2026-09-05 23:02:48', 'phone', 'e-ticket', 'paid', 22);
INSERT INTO orders VALUES (81, 77, '2026-09-02 22:17:21', '2026-09-02 22:22:21', 'app', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (82, 17, '2026-09-10 15:23:39', '2026-09-13 17:29:39', 'web', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (83, 81, '2026-09-11 21:04:36', '2026-09-11 21:09:36', 'app', 'collect', 'paid', 23);
INSERT INTO orders VALUES (84, 74, '2026-09-13 10:11:11', '2026-09-13 10:13:11', 'web', NULL, 'paid', NULL);
INSERT INTO orders VALUES (85, 60, '2026-09-17 20:30:33', '2026-09-17 20:31:33', 'app', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (86, 15, '2026-09-22 17:32:48', NULL, 'web', 'e-ticket', 'cancelled', NULL);
INSERT INTO orders VALUES (87, 7, '2026-09-22 17:49:37', '2026-09-29 19:01:37', 'phone', 'post', 'paid', 23);
INSERT INTO orders VALUES (88, 33, '2026-09-25 18:56:23', '2026-10-01 23:43:23', 'web', 'collect', 'paid', 5);
INSERT INTO orders VALUES (89, 68, '2026-09-25 20:25:45', '2026-10-03 23:17:45', 'box office', 'collect', 'paid', 23);
INSERT INTO orders VALUES (90, 52, '2026-09-27 12:08:27', '2026-09-27 12:11:27', 'web', 'e-ticket', 'paid', 2);
INSERT INTO orders VALUES (91, 63, '2026-10-02 13:50:40', '2026-10-02 13:51:40', 'app', 'e-ticket', 'paid', 26);
INSERT INTO orders VALUES (92, 30, '2026-10-03 19:53:37', '2026-10-03 19:56:37', 'web', 'e-ticket', 'paid', 26);
INSERT INTO orders VALUES (93, 30, '2026-10-23 20:54:56', '2026-10-27 00:23:56', 'app', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (94, 79, '2026-11-02 21:25:35', NULL, 'app', 'post', 'pending', NULL);
INSERT INTO orders VALUES (95, 47, '2026-11-05 15:18:11', '2026-11-05 15:19:11', 'web', 'post', 'paid', NULL);
INSERT INTO orders VALUES (96, 55, '2026-11-07 18:07:36', '2026-11-07 18:16:36', 'app', 'post', 'paid', 23);
INSERT INTO orders VALUES (97, 73, '2026-11-08 10:13:01', '2026-11-08 10:18:01', 'app', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (98, 13, '2026-11-10 22:52:50', '2026-11-10 22:57:50', 'web', NULL, 'paid', NULL);
INSERT INTO orders VALUES (99, 22, '2026-11-11 18:23:00', '2026-11-11 18:28:00', 'web', 'post', 'paid', NULL);
INSERT INTO orders VALUES (100, 58, '2026-11-12 13:03:21', NULL, 'box office', 'collect', 'pending', 24);
INSERT INTO orders VALUES (101, 85, '2026-11-13 21:08:00', '2026-11-13 21:13:00', 'web', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (102, 89, '2026-11-14 10:08:44', '2026-11-14 10:17:44', 'app', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (103, 45, '2026-11-18 10:22:54', '2026-11-22 23:31:05', 'web', 'e-ticket', 'paid', NULL);
INSERT INTO orders VALUES (104, 83, '2026-11-18 16:22:16', '2026-11-18 16:23:16', 'box office', 'collect', 'paid', NULL);
INSERT INTO orders VALUES (105, 93, '2026-11-22 20:17:06', '2026-11-22 20:19:06', 'box office', 'collect', 'paid', NULL);
INSERT INTO ticket_lines VALUES (1, 1, 1, 'VIP', 4, 130.0, 97.5);
INSERT INTO ticket_lines VALUES (2, 1, 2, 'standing', 4, 43.0, 32.25);
INSERT INTO ticket_lines VALUES (3, 2, 2, 'VIP', 1, 90.5, 67.88);
INSERT INTO ticket_lines VALUES (4, 3, 3, 'circle', 1, 41.8, 30.8);
INSERT INTO ticket_lines VALUES (5, 3, 1, 'seated', 2, 58.9, 46.5);
INSERT INTO ticket_lines VALUES (6, 3, 2, 'VIP', 2, 85.97, 72.4);
INSERT INTO ticket_lines VALUES (7, 4, 2, 'VIP', 5, 90.5, 67.88);
INSERT INTO ticket_lines VALUES (8, 5, 8, 'VIP', 6, 96.5, 72.38);
INSERT INTO ticket_lines VALUES (9, 6, 7, 'standing', 5, 26.6, 19.6);
INSERT INTO ticket_lines VALUES (10, 7, 8, 'VIP', 2, 96.5, 77.2);
INSERT INTO ticket_lines VALUES (11, 7, 7, 'standing', 3, 28.0, 22.4);
INSERT INTO ticket_lines VALUES (12, 8, 8, 'VIP', 2, 96.5, 67.55);
INSERT INTO ticket_lines VALUES (13, 8, 9, 'box', 3, 75.0, 52.5);
INSERT INTO ticket_lines VALUES (14, 9, 16, 'standing', 2, 24.7, 21.32);
INSERT INTO ticket_lines VALUES (15, 9, 11, 'VIP', 1, 133.47, 115.21);
INSERT INTO ticket_lines VALUES (16, 10, 13, 'circle', 4, 36.0, 25.2);
INSERT INTO ticket_lines VALUES (17, 11, 21, 'balcony', 1, 30.0, 24.6);
INSERT INTO ticket_lines VALUES (18, 12, 21, 'circle', 4, 40.0, 30.0);
INSERT INTO ticket_lines VALUES (19, 13, 19, 'balcony', 2, 22.5, 20.5);
INSERT INTO ticket_lines VALUES (20, 14, 22, 'stalls', 1, 41.65, 39.2);
INSERT INTO ticket_lines VALUES (21, 15, 23, 'standing', 8, 23.0, 18.86);
INSERT INTO ticket_lines VALUES (22, 16, 22, 'stalls', 4, 49.0, 34.3);
INSERT INTO ticket_lines VALUES (23, 16, 21, 'stalls', 2, 48.0, 39.36);
INSERT INTO ticket_lines VALUES (24, 17, 22, 'stalls', 5, 49.0, 34.3);
INSERT INTO ticket_lines VALUES (25, 17, 23, 'standing', 1, 23.0, 17.25);
INSERT INTO ticket_lines VALUES (26, 18, 24, 'balcony', 4, 30.6, 28.8);
INSERT INTO ticket_lines VALUES (27, 18, 23, 'standing', 6, 19.55, 17.25);
INSERT INTO ticket_lines VALUES (28, 19, 24, 'stalls', 2, 57.5, 47.15);
INSERT INTO ticket_lines VALUES (29, 20, 24, 'box', 1, 73.15, 61.6);
INSERT INTO ticket_lines VALUES (30, 21, 25, 'circle', 2, 39.9, 33.6);
INSERT INTO ticket_lines VALUES (31, 21, 29, 'stalls', 2, 43.23, 34.12);
INSERT INTO ticket_lines VALUES (32, 22, 26, 'standing', 3, 55.0, 41.25);
INSERT INTO ticket_lines VALUES (33, 22, 24, 'balcony', 6, 36.0, 25.2);
INSERT INTO ticket_lines VALUES (34, 23, 27, 'VIP', 4, 103.0, 84.46);
INSERT INTO ticket_lines VALUES (35, 24, 33, 'stalls', 2, 48.0, 33.6);
INSERT INTO ticket_lines VALUES (36, 25, 30, 'standing', 4, 19.0, 14.0);
INSERT INTO ticket_lines VALUES (37, 26, 31, 'stalls', 1, 39.95, 32.9);
INSERT INTO ticket_lines VALUES (38, 27, 31, 'balcony', 4, 29.0, 20.3);
INSERT INTO ticket_lines VALUES (39, 28, 29, 'balcony', 2, 27.07, 22.8);
INSERT INTO ticket_lines VALUES (40, 28, 33, 'balcony', 2, 28.5, 21.0);
INSERT INTO ticket_lines VALUES (41, 29, 33, 'balcony', 2, 30.0, 22.5);
INSERT INTO ticket_lines VALUES (42, 30, 30, 'standing', 2, 20.0, 15.0);
INSERT INTO ticket_lines VALUES (43, 30, 33, 'balcony', 2, 30.0, 24.0);
INSERT INTO ticket_lines VALUES (44, 31, 30, 'standing', 3, 20.0, 16.0);
INSERT INTO ticket_lines VALUES (45, 32, 30, 'standing', 2, 17.0, 14.0);
INSERT INTO ticket_lines VALUES (46, 33, 32, 'stalls', 4, 39.5, 31.6);
INSERT INTO ticket_lines VALUES (47, 34, 33, 'stalls', 3, 40.8, 38.4);
INSERT INTO ticket_lines VALUES (48, 35, 37, 'balcony', 3, 36.0, 29.52);
INSERT INTO ticket_lines VALUES (49, 36, 35, 'balcony', 4, 35.0, 26.25);
INSERT INTO ticket_lines VALUES (50, 37, 35, 'balcony', 2, 35.0, 28.7);
INSERT INTO ticket_lines VALUES (51, 37, 34, 'balcony', 2, 25.5, 17.85);
INSERT INTO ticket_lines VALUES (52, 38, 39, 'circle', 4, 36.0, 28.8);
INSERT INTO ticket_lines VALUES (53, 38, 34, 'balcony', 8, 25.5, 19.12);
INSERT INTO ticket_lines VALUES (54, 39, 39, 'box', 3, 57.5, 40.25);
INSERT INTO ticket_lines VALUES (55, 39, 40, 'standing', 2, 62.0, 43.4);
INSERT INTO ticket_lines VALUES (56, 40, 45, 'VIP', 2, 94.5, 70.88);
INSERT INTO ticket_lines VALUES (57, 40, 40, 'VIP', 4, 130.0, 97.5);
INSERT INTO ticket_lines VALUES (58, 40, 42, 'box', 1, 70.5, 56.4);
INSERT INTO ticket_lines VALUES (59, 41, 45, 'standing', 1, 45.0, 36.0);
INSERT INTO ticket_lines VALUES (60, 42, 45, 'VIP', 2, 94.5, 66.15);
INSERT INTO ticket_lines VALUES (61, 43, 48, 'circle', 1, 47.0, 32.9);
INSERT INTO ticket_lines VALUES (62, 44, 45, 'VIP', 3, 80.33, 77.49);
INSERT INTO ticket_lines VALUES (63, 45, 48, 'circle', 2, 47.0, 38.54);
INSERT INTO ticket_lines VALUES (64, 46, 46, 'stalls', 4, 55.0, 38.5);
INSERT INTO ticket_lines VALUES (65, 46, 48, 'stalls', 2, 56.5, 45.2);
INSERT INTO ticket_lines VALUES (66, 47, 45, 'standing', 2, 45.0, 36.0);
INSERT INTO ticket_lines VALUES (67, 48, 48, 'circle', 2, 43.24, 37.6);
INSERT INTO ticket_lines VALUES (68, 49, 48, 'stalls', 2, 50.85, 42.38);
INSERT INTO ticket_lines VALUES (69, 50, 46, 'box', 4, 67.62, 55.12);
INSERT INTO ticket_lines VALUES (70, 51, 50, 'circle', 2, 48.0, 33.6);
INSERT INTO ticket_lines VALUES (71, 52, 50, 'circle', 2, 48.0, 39.36);
INSERT INTO ticket_lines VALUES (72, 52, 46, 'box', 2, 73.5, 55.12);
INSERT INTO ticket_lines VALUES (73, 53, 53, 'VIP', 3, 104.0, 106.6);
INSERT INTO ticket_lines VALUES (74, 54, 48, 'box', 2, 75.0, 61.5);
INSERT INTO ticket_lines VALUES (75, 55, 46, 'circle', 4, 39.1, 36.8);
INSERT INTO ticket_lines VALUES (76, 55, 53, 'standing', 6, 52.7, 49.6);
INSERT INTO ticket_lines VALUES (77, 56, 50, 'circle', 2, 48.0, 39.36);
INSERT INTO ticket_lines VALUES (78, 57, 48, 'box', 2, 69.0, 61.5);
INSERT INTO ticket_lines VALUES (79, 57, 50, 'balcony', 2, 33.12, 29.52);
INSERT INTO ticket_lines VALUES (80, 57, 53, 'VIP', 2, 119.6, 97.5);
INSERT INTO ticket_lines VALUES (81, 58, 53, 'seated', 1, 62.0, 50.84);
INSERT INTO ticket_lines VALUES (82, 59, 53, 'VIP', 2, 119.6, 106.6);
INSERT INTO ticket_lines VALUES (83, 59, 48, 'stalls', 2, 51.98, 42.38);
INSERT INTO ticket_lines VALUES (84, 60, 48, 'box', 2, 75.0, 60.0);
INSERT INTO ticket_lines VALUES (85, 61, 54, 'balcony', 1, 25.76, 22.4);
INSERT INTO ticket_lines VALUES (86, 62, 54, 'circle', 4, 37.0, 27.75);
INSERT INTO ticket_lines VALUES (87, 63, 59, 'standing', 2, 22.4, 22.96);
INSERT INTO ticket_lines VALUES (88, 63, 58, 'stalls', 4, 31.6, 31.6);
INSERT INTO ticket_lines VALUES (89, 64, 56, 'standing', 1, 19.0, 16.0);
INSERT INTO ticket_lines VALUES (90, 64, 58, 'stalls', 2, 37.52, 31.6);
INSERT INTO ticket_lines VALUES (91, 65, 56, 'standing', 4, 20.0, 16.4);
INSERT INTO ticket_lines VALUES (92, 66, 59, 'standing', 1, 26.6, 21.0);
INSERT INTO ticket_lines VALUES (93, 67, 58, 'balcony', 1, 25.0, 20.5);
INSERT INTO ticket_lines VALUES (94, 68, 61, 'balcony', 1, 31.0, 25.42);
INSERT INTO ticket_lines VALUES (95, 68, 58, 'balcony', 6, 25.0, 20.0);
INSERT INTO ticket_lines VALUES (96, 69, 63, 'box', 4, 77.0, 63.14);
INSERT INTO ticket_lines VALUES (97, 69, 58, 'stalls', 1, 39.5, 32.39);
INSERT INTO ticket_lines VALUES (98, 70, 58, 'balcony', 1, 23.0, 17.5);
INSERT INTO ticket_lines VALUES (99, 71, 68, 'standing', 2, 50.0, 41.0);
INSERT INTO ticket_lines VALUES (100, 71, 61, 'stalls', 2, 49.0, 36.75);
INSERT INTO ticket_lines VALUES (101, 72, 61, 'balcony', 4, 31.0, 25.42);
INSERT INTO ticket_lines VALUES (102, 72, 59, 'standing', 2, 28.0, 22.4);
INSERT INTO ticket_lines VALUES (103, 73, 62, 'balcony', 5, 26.0, 18.2);
INSERT INTO ticket_lines VALUES (104, 74, 68, 'VIP', 2, 105.0, 86.1);
INSERT INTO ticket_lines VALUES (105, 75, 65, 'stalls', 3, 36.0, 25.2);
INSERT INTO ticket_lines VALUES (106, 76, 65, 'balcony', 3, 22.5, 15.75);
INSERT INTO ticket_lines VALUES (107, 76, 79, 'seated', 2, 62.0, 46.5);
INSERT INTO ticket_lines VALUES (108, 76, 64, 'stalls', 3, 43.0, 34.4);
INSERT INTO ticket_lines VALUES (109, 77, 64, 'stalls', 1, 36.55, 35.26);
INSERT INTO ticket_lines VALUES (110, 77, 81, 'box', 2, 59.92, 56.4);
INSERT INTO ticket_lines VALUES (111, 77, 82, 'standing', 3, 17.0, 15.0);
INSERT INTO ticket_lines VALUES (112, 78, 65, 'stalls', 2, 32.4, 25.2);
INSERT INTO ticket_lines VALUES (113, 79, 82, 'standing', 4, 20.0, 15.0);
INSERT INTO ticket_lines VALUES (114, 80, 65, 'balcony', 6, 20.25, 16.88);
INSERT INTO ticket_lines VALUES (115, 81, 80, 'balcony', 2, 23.0, 18.86);
INSERT INTO ticket_lines VALUES (116, 82, 67, 'balcony', 5, 23.0, 17.25);
INSERT INTO ticket_lines VALUES (117, 83, 78, 'seated', 3, 50.6, 45.1);
INSERT INTO ticket_lines VALUES (118, 84, 66, 'standing', 3, 25.0, 18.75);
INSERT INTO ticket_lines VALUES (119, 85, 81, 'balcony', 2, 33.0, 23.1);
INSERT INTO ticket_lines VALUES (120, 86, 71, 'stalls', 1, 47.0, 38.54);
INSERT INTO ticket_lines VALUES (121, 87, 82, 'standing', 1, 18.4, 15.0);
INSERT INTO ticket_lines VALUES (122, 87, 71, 'stalls', 2, 43.24, 38.54);
INSERT INTO ticket_lines VALUES (123, 88, 79, 'VIP', 4, 123.5, 91.0);
INSERT INTO ticket_lines VALUES (124, 89, 82, 'standing', 1, 18.4, 16.4);
INSERT INTO ticket_lines VALUES (125, 89, 78, 'standing', 2, 50.6, 38.5);
INSERT INTO ticket_lines VALUES (126, 90, 80, 'stalls', 2, 31.45, 29.6);
INSERT INTO ticket_lines VALUES (127, 91, 84, 'stalls', 2, 30.55, 37.6);
INSERT INTO ticket_lines VALUES (128, 92, 81, 'stalls', 2, 34.45, 43.46);
INSERT INTO ticket_lines VALUES (129, 92, 71, 'balcony', 2, 18.85, 21.75);
INSERT INTO ticket_lines VALUES (130, 93, 77, 'circle', 2, 42.0, 33.6);
INSERT INTO ticket_lines VALUES (131, 94, 80, 'balcony', 4, 23.0, 16.1);
INSERT INTO ticket_lines VALUES (132, 95, 78, 'VIP', 4, 115.5, 80.85);
INSERT INTO ticket_lines VALUES (133, 95, 81, 'circle', 1, 44.0, 33.0);
INSERT INTO ticket_lines VALUES (134, 95, 75, 'standing', 4, 23.0, 18.4);
INSERT INTO ticket_lines VALUES (135, 96, 78, 'standing', 2, 50.6, 44.0);
INSERT INTO ticket_lines VALUES (136, 97, 73, 'circle', 6, 40.0, 32.8);
INSERT INTO ticket_lines VALUES (137, 97, 75, 'standing', 4, 23.0, 16.1);
INSERT INTO ticket_lines VALUES (138, 98, 73, 'box', 1, 64.0, 44.8);
INSERT INTO ticket_lines VALUES (139, 99, 77, 'balcony', 2, 31.5, 23.62);
INSERT INTO ticket_lines VALUES (140, 100, 79, 'VIP', 1, 114.4, 104.0);
INSERT INTO ticket_lines VALUES (141, 101, 83, 'standing', 1, 51.0, 38.25);
INSERT INTO ticket_lines VALUES (142, 102, 81, 'circle', 2, 44.0, 30.8);
INSERT INTO ticket_lines VALUES (143, 103, 81, 'box', 2, 70.5, 57.81);
INSERT INTO ticket_lines VALUES (144, 103, 77, 'circle', 2, 42.0, 29.4);
INSERT INTO ticket_lines VALUES (145, 104, 79, 'VIP', 6, 130.0, 106.6);
INSERT INTO ticket_lines VALUES (146, 105, 83, 'standing', 6, 51.0, 41.82);
INSERT INTO ticket_lines VALUES (147, 105, 84, 'stalls', 2, 47.0, 35.25);
INSERT INTO ticket_lines VALUES (148, 105, 79, 'seated', 2, 62.0, 46.5);
INSERT INTO refunds VALUES (1, 5, '2023-06-15', '2023-06-22', '2023-06-24', 117.8, 'event postponed', 'approved');
INSERT INTO refunds VALUES (2, 1, '2023-06-17', '2023-06-23', '2023-06-26', 520.0, 'event postponed', 'approved');
INSERT INTO refunds VALUES (3, 3, '2023-07-10', '2023-07-12', NULL, 90.5, 'changed mind', 'rejected');
INSERT INTO refunds VALUES (4, 10, '2023-10-05', '2023-10-16', '2023-10-25', 96.5, 'illness', 'approved');
INSERT INTO refunds VALUES (5, 16, '2024-01-24', '2024-02-05', '2024-02-26', 144.0, 'event postponed', 'approved');
INSERT INTO refunds VALUES (6, 19, '2024-04-06', '2024-04-17', '2024-04-20', 45.0, 'event cancelled', 'approved');
INSERT INTO refunds VALUES (7, 18, '2024-05-03', '2024-05-12', NULL, 160.0, 'bought twice', 'rejected');
INSERT INTO refunds VALUES (8, 23, '2024-05-08', '2024-05-18', NULL, 48.0, 'bad view', 'rejected');
INSERT INTO refunds VALUES (9, 20, '2024-06-15', '2024-06-28', NULL, 41.65, 'changed mind', 'rejected');
INSERT INTO refunds VALUES (10, 26, '2024-07-01', '2024-07-12', '2024-07-29', 91.8, 'illness', 'approved');
INSERT INTO refunds VALUES (11, 34, '2024-11-08', '2024-11-10', '2024-11-19', 103.0, 'illness', 'approved');
INSERT INTO refunds VALUES (12, 41, '2025-01-28', '2025-02-07', '2025-02-11', 60.0, 'bought twice', 'approved');
INSERT INTO refunds VALUES (13, 57, '2025-07-12', '2025-07-24', NULL, 260.0, 'bought twice', 'rejected');
INSERT INTO refunds VALUES (14, 62, '2025-10-13', '2025-10-19', '2025-11-08', 240.99, 'travel', 'approved');
INSERT INTO refunds VALUES (15, 64, '2025-12-14', '2025-12-19', '2026-01-06', 220.0, 'changed mind', 'approved');
INSERT INTO refunds VALUES (16, 74, '2026-01-28', '2026-02-03', NULL, 75.0, 'bought twice', 'rejected');
INSERT INTO refunds VALUES (17, 90, '2026-04-17', '2026-05-01', '2026-05-20', 75.04, 'event cancelled', 'approved');
INSERT INTO refunds VALUES (18, 95, '2026-05-06', '2026-05-10', '2026-05-19', 150.0, 'event cancelled', 'approved');
INSERT INTO refunds VALUES (19, 97, '2026-05-22', '2026-05-30', '2026-06-12', 39.5, 'event cancelled', 'approved');
INSERT INTO refunds VALUES (20, 93, '2026-06-02', '2026-06-05', '2026-06-22', 25.0, 'event cancelled', 'approved');
INSERT INTO refunds VALUES (21, 104, '2026-07-18', '2026-07-18', '2026-08-08', 105.0, 'travel', 'approved');
INSERT INTO refunds VALUES (22, 109, '2026-09-06', '2026-09-11', NULL, 36.55, 'bought twice', 'rejected');
INSERT INTO refunds VALUES (23, 116, '2026-09-11', '2026-09-18', NULL, 23.0, 'illness', 'rejected');
INSERT INTO refunds VALUES (24, 117, '2026-09-14', '2026-09-28', '2026-10-14', 151.8, 'event postponed', 'approved');
INSERT INTO refunds VALUES (25, 111, '2026-09-17', '2026-10-01', '2026-10-04', 51.0, 'event postponed', 'approved');
INSERT INTO refunds VALUES (26, 113, '2026-09-19', '2026-09-28', '2026-10-10', 80.0, 'event postponed', 'approved');
INSERT INTO refunds VALUES (27, 122, '2026-09-25', '2026-10-02', '2026-10-15', 43.24, 'illness', 'approved');
INSERT INTO refunds VALUES (28, 124, '2026-10-05', '2026-10-16', '2026-10-17', 18.4, 'event postponed', 'approved');
INSERT INTO refunds VALUES (29, 128, '2026-10-05', NULL, NULL, 68.9, 'changed mind', NULL);
INSERT INTO refunds VALUES (30, 125, '2026-11-09', '2026-11-22', NULL, 101.2, 'event postponed', 'approved');
INSERT INTO refunds VALUES (31, 121, '2026-11-21', NULL, NULL, 18.4, 'event postponed', NULL);
INSERT INTO refunds VALUES (32, 148, '2026-11-22', NULL, NULL, 124.0, 'illness', NULL);
INSERT INTO reviews VALUES (1, 2, 8, 4, NULL, '2023-07-26');
INSERT INTO reviews VALUES (2, 2, 2, 4, NULL, '2023-07-26');
INSERT INTO reviews VALUES (3, 3, 2, 5, NULL, '2023-08-15');
INSERT INTO reviews VALUES (4, 7, 17, 3, NULL, '2023-10-10');
INSERT INTO reviews VALUES (5, 7, 7, 5, 'Loved every minute', '2023-10-10');
INSERT INTO reviews VALUES (6, 8, 7, 3, 'Fine', '2023-10-20');
INSERT INTO reviews VALUES (7, 8, 16, 4, NULL, '2023-10-24');
INSERT INTO reviews VALUES (8, 9, 25, 2, NULL, '2023-11-01');
INSERT INTO reviews VALUES (9, 16, 22, 4, 'Brilliant night', '2024-02-23');
INSERT INTO reviews VALUES (10, 21, 12, 2, 'Disappointing', '2024-05-14');
INSERT INTO reviews VALUES (11, 22, 26, 3, NULL, '2024-08-01');
INSERT INTO reviews VALUES (12, 23, 22, 1, 'Too loud', '2024-08-01');
INSERT INTO reviews VALUES (13, 22, 20, 3, 'Okay, bit pricey', '2024-08-02');
INSERT INTO reviews VALUES (14, 22, 28, 4, 'Loved every minute', '2024-08-07');
INSERT INTO reviews VALUES (15, 23, 30, 3, NULL, '2024-08-10');
INSERT INTO reviews VALUES (16, 23, 20, 5, 'Brilliant night', '2024-08-12');
INSERT INTO reviews VALUES (17, 24, 10, 4, 'Sound was superb', '2024-10-09');
INSERT INTO reviews VALUES (18, 24, 33, 4, 'Lovely venue', '2024-10-11');
INSERT INTO reviews VALUES (19, 24, 20, 2, NULL, '2024-10-15');
INSERT INTO reviews VALUES (20, 25, 20, 1, NULL, '2024-10-25');
INSERT INTO reviews VALUES (21, 26, 10, 4, 'Lovely venue', '2024-11-08');
INSERT INTO reviews VALUES (22, 27, 30, 4, 'Loved every minute', '2024-11-10');
INSERT INTO reviews VALUES (23, 31, 47, 3, 'Decent show', '2025-01-30');
INSERT INTO reviews VALUES (24, 30, 57, 2, 'Too loud', '2025-02-07');
INSERT INTO reviews VALUES (25, 32, 45, 4, 'Brilliant night', '2025-02-19');
INSERT INTO reviews VALUES (26, 33, 13, 4, 'Would go again', '2025-04-04');
INSERT INTO reviews VALUES (27, 35, 16, 3, NULL, '2025-05-13');
INSERT INTO reviews VALUES (28, 40, 2, 5, 'Loved every minute', '2025-07-31');
INSERT INTO reviews VALUES (29, 40, 25, 5, 'Would go again', '2025-08-01');
INSERT INTO reviews VALUES (30, 42, 25, 4, 'Brilliant night', '2025-08-26');
INSERT INTO reviews VALUES (31, 45, 16, 3, 'Okay, bit pricey', '2025-10-05');
INSERT INTO reviews VALUES (32, 45, 36, 1, NULL, '2025-10-09');
INSERT INTO reviews VALUES (33, 45, 25, 2, 'Seat was behind a pillar', '2025-10-12');
INSERT INTO reviews VALUES (34, 45, 62, 4, 'Lovely venue', '2025-10-14');
INSERT INTO reviews VALUES (35, 46, 21, 3, NULL, '2025-12-07');
INSERT INTO reviews VALUES (36, 46, 70, 5, 'Lovely venue', '2025-12-14');
INSERT INTO reviews VALUES (37, 48, 15, 3, NULL, '2026-01-14');
INSERT INTO reviews VALUES (38, 48, 69, 4, 'Sound was superb', '2026-01-15');
INSERT INTO reviews VALUES (39, 48, 51, 4, 'Loved every minute', '2026-01-17');
INSERT INTO reviews VALUES (40, 48, 47, 1, NULL, '2026-01-19');
INSERT INTO reviews VALUES (41, 48, 70, 3, NULL, '2026-01-20');
INSERT INTO reviews VALUES (42, 48, 12, 4, 'Brilliant night', '2026-01-20');
INSERT INTO reviews VALUES (43, 50, 25, 5, NULL, '2026-02-08');
INSERT INTO reviews VALUES (44, 50, 7, 5, NULL, '2026-02-08');
INSERT INTO reviews VALUES (45, 50, 72, 5, 'Sound was superb', '2026-02-17');
INSERT INTO reviews VALUES (46, 50, 17, 5, NULL, '2026-02-17');
INSERT INTO reviews VALUES (47, 53, 47, 3, 'Okay, bit pricey', '2026-02-28');
INSERT INTO reviews VALUES (48, 53, 7, 3, NULL, '2026-03-03');
INSERT INTO reviews VALUES (49, 53, 49, 4, 'Sound was superb', '2026-03-08');
INSERT INTO reviews VALUES (50, 54, 51, 4, NULL, '2026-03-10');
INSERT INTO reviews VALUES (51, 56, 36, 5, 'Would go again', '2026-04-05');
INSERT INTO reviews VALUES (52, 56, 7, 5, NULL, '2026-04-12');
INSERT INTO reviews VALUES (53, 59, 30, 3, 'Decent show', '2026-06-12');
INSERT INTO reviews VALUES (54, 59, 50, 5, 'Brilliant night', '2026-06-18');
INSERT INTO reviews VALUES (55, 61, 43, 5, NULL, '2026-06-21');
INSERT INTO reviews VALUES (56, 61, 30, 4, 'Sound was superb', '2026-07-02');
INSERT INTO reviews VALUES (57, 62, 75, 5, NULL, '2026-07-06');
INSERT INTO reviews VALUES (58, 63, 26, 3, NULL, '2026-07-14');
INSERT INTO reviews VALUES (59, 64, 33, 3, 'Decent show', '2026-08-20');
INSERT INTO reviews VALUES (60, 65, 55, 4, 'Would go again', '2026-09-10');
INSERT INTO reviews VALUES (61, 66, 74, 5, 'Brilliant night', '2026-09-20');
INSERT INTO reviews VALUES (62, 68, 70, 2, 'Disappointing', '2026-10-06');
INSERT INTO reviews VALUES (63, 68, 30, 5, NULL, '2026-10-09');
INSERT INTO reviews VALUES (64, 71, 7, 5, NULL, '2026-10-30');
INSERT INTO reviews VALUES (65, 71, 30, 4, 'Lovely venue', '2026-11-06');
INSERT INTO reviews VALUES (66, 73, 73, 4, NULL, '2026-11-12');
COMMIT;
