CREATE TABLE Depot(DepotId integer primary key, DepotName text, City text, Country text, Capacity integer);
INSERT INTO Depot VALUES
(1, 'Rotterdam Hub', 'Rotterdam', 'Netherlands', 50),
(2, 'Hamburg Hub', 'Hamburg', 'Germany', 75),
(3, 'Lyon Hub', 'Lyon', 'France', 100),
(4, 'Graz Hub', 'Graz', 'Austria', 125);
CREATE TABLE Driver(DriverId integer primary key, DriverName text, LicenceClass text, HiredOn date, DepotId integer references Depot(DepotId), MonthlyWage numeric);
INSERT INTO Driver VALUES
(1, 'Ben Maier 1', 'B', '2011-05-02', 2, 2437),
(2, 'Clara Olsen 2', 'C', '2012-05-03', 3, 2474),
(3, 'David Keller 3', 'A', '2013-05-04', 4, 2511),
(4, 'Eva Huber 4', 'B', '2014-05-05', 1, 2548),
(5, 'Felix Maier 5', 'C', '2015-05-06', 2, 2585),
(6, 'Anna Olsen 6', 'A', '2016-05-07', 3, 2622),
(7, 'Ben Keller 7', 'B', '2017-05-08', 4, 2659),
(8, 'Clara Huber 8', 'C', '2018-05-09', 1, 2696),
(9, 'David Maier 9', 'A', '2019-05-01', 2, 2733),
(10, 'Eva Olsen 10', 'B', '2020-05-02', 3, 2770),
(11, 'Felix Keller 11', 'C', '2021-05-03', 4, 2807),
(12, 'Anna Huber 12', 'A', '2022-05-04', 1, 2844);
CREATE TABLE Vehicle(VehicleId integer primary key, PlateNumber text, Model text, VehicleType text, PurchaseDate date, PurchasePrice numeric, Mileage integer, DepotId integer references Depot(DepotId), OutOfService boolean);
INSERT INTO Vehicle VALUES
(1, 'HH-101', 'Sprinter', 'van', '2016-02-11', 31777, 7350, 2, 0),
(2, 'HH-102', 'Daily', 'van', '2017-02-11', 33554, 14700, 3, 0),
(3, 'HH-103', 'TGX', 'truck', '2018-02-11', 35331, 22050, 4, 0),
(4, 'HH-104', 'Actros', 'truck', '2019-02-11', 37108, 29400, 1, 0),
(5, 'HH-105', 'Sprinter', 'van', '2020-02-11', 38885, 36750, 2, 0),
(6, 'HH-106', 'Daily', 'van', '2021-02-11', 40662, 44100, 3, 0),
(7, 'HH-107', 'TGX', 'truck', '2022-02-11', 42439, 51450, 4, 0),
(8, 'HH-108', 'Actros', 'truck', '2023-02-11', 44216, 58800, 1, 1),
(9, 'HH-109', 'Sprinter', 'van', '2015-02-11', 45993, 66150, 2, 0),
(10, 'HH-110', 'Daily', 'van', '2016-02-11', 47770, 73500, 3, 0);
CREATE TABLE Client(ClientId integer primary key, ClientName text, Industry text, Country text, ContactEmail text);
INSERT INTO Client VALUES
(1, 'Client 1 Ltd', 'Pharma', 'Germany', 'c1@x.example'),
(2, 'Client 2 Ltd', 'Food', 'France', 'c2@x.example'),
(3, 'Client 3 Ltd', 'Steel', 'Austria', 'c3@x.example'),
(4, 'Client 4 Ltd', 'Retail', 'Netherlands', 'c4@x.example'),
(5, 'Client 5 Ltd', 'Pharma', 'Germany', 'c5@x.example'),
(6, 'Client 6 Ltd', 'Food', 'France', 'c6@x.example'),
(7, 'Client 7 Ltd', 'Steel', 'Austria', 'c7@x.example'),
(8, 'Client 8 Ltd', 'Retail', 'Netherlands', 'c8@x.example'),
(9, 'Client 9 Ltd', 'Pharma', 'Germany', 'c9@x.example'),
(10, 'Client 10 Ltd', 'Food', 'France', 'c10@x.example'),
(11, 'Client 11 Ltd', 'Steel', 'Austria', 'c11@x.example'),
(12, 'Client 12 Ltd', 'Retail', 'Netherlands', 'c12@x.example');
CREATE TABLE Delivery(DeliveryId integer primary key, ClientId integer references Client(ClientId), DriverId integer references Driver(DriverId), VehicleId integer references Vehicle(VehicleId), FromDepotId integer references Depot(DepotId), ToDepotId integer references Depot(DepotId), PickedUpAt datetime, DeliveredAt datetime, WeightKg numeric, DistanceKm integer, Price numeric, Status text);
INSERT INTO Delivery VALUES
(15, 4, 6, 2, 4, 1, '2022-04-05 08:00:00', '2022-04-06 10:00:00', 974, 356, 3366, 'delivered'),
(31, 3, 10, 2, 4, 2, '2023-08-05 08:00:00', '2023-08-06 10:00:00', 920, 368, 1529, 'delivered'),
(59, 11, 5, 1, 4, 2, '2024-12-05 08:00:00', '2024-12-06 10:00:00', 1652, 176, 3736, 'cancelled'),
(60, 11, 1, 10, 1, 4, '2022-01-05 08:00:00', '2022-01-06 10:00:00', 778, 674, 3470, 'delivered'),
(69, 8, 2, 2, 2, 1, '2022-10-05 08:00:00', '2022-10-06 10:00:00', 1007, 323, 3760, 'cancelled'),
(98, 12, 7, 7, 3, 2, '2024-03-05 08:00:00', '2024-03-06 10:00:00', 53, 711, 2445, 'in transit'),
(99, 7, 11, 7, 4, 3, '2022-04-05 08:00:00', NULL, 1853, 593, 1577, 'in transit'),
(100, 1, 3, 6, 1, 4, '2023-05-05 08:00:00', '2023-05-06 10:00:00', 1894, 122, 3841, 'in transit'),
(117, 12, 2, 8, 2, 1, '2022-10-05 08:00:00', NULL, 528, 42, 742, 'delivered'),
(122, 8, 6, 3, 3, 1, '2024-03-05 08:00:00', '2024-03-06 10:00:00', 1521, 636, 327, 'cancelled'),
(130, 7, 11, 8, 3, 2, '2023-11-05 08:00:00', '2023-11-06 10:00:00', 154, 746, 1316, 'delivered'),
(134, 5, 1, 10, 3, 1, '2024-03-05 08:00:00', '2024-03-06 10:00:00', 738, 539, 1887, 'delivered'),
(154, 4, 4, 8, 3, 1, '2023-11-05 08:00:00', '2023-11-06 10:00:00', 1400, 553, 3785, 'cancelled'),
(156, 9, 10, 9, 1, 4, '2022-01-05 08:00:00', '2022-01-06 10:00:00', 1674, 776, 89, 'cancelled'),
(171, 5, 4, 1, 4, 1, '2022-04-05 08:00:00', NULL, 7, 153, 3654, 'in transit'),
(288, 8, 9, 10, 1, 3, '2022-01-05 08:00:00', NULL, 146, 222, 3283, 'cancelled'),
(9001, 11, 1, 10, 1, 4, '2022-01-05 08:00:00', '2022-01-06 10:00:00', 785, 674, 3481, 'delivered');
CREATE TABLE FuelLog(FuelLogId integer primary key, VehicleId integer references Vehicle(VehicleId), FilledOn date, Liters numeric, TotalCost numeric);
INSERT INTO FuelLog VALUES
(2, 4, '2024-03-09', 261, 121),
(4, 6, '2024-05-09', 138, 400),
(5, 1, '2024-06-09', 194, 84),
(6, 5, '2024-07-09', 33, 487),
(11, 5, '2024-12-09', 31, 415),
(14, 3, '2024-03-09', 204, 37),
(19, 8, '2024-08-09', 255, 343),
(22, 7, '2024-11-09', 54, 431),
(26, 7, '2024-03-09', 292, 287),
(27, 6, '2024-04-09', 193, 211),
(28, 6, '2024-05-09', 35, 334),
(30, 8, '2024-07-09', 262, 317),
(37, 7, '2024-02-09', 41, 158);
