-- A house that hires costumes out to stages. No keys are declared, as in many databases that have grown.
CREATE TABLE companies (id INTEGER, name VARCHAR, town VARCHAR, kind VARCHAR);
INSERT INTO companies SELECT i,
  ['Lantern Players', 'Saint Olave School', 'The Gilded Flea', 'Quayside Opera', 'Hollow Oak Troupe', 'Brightwater College',
   'Paper Moon Ensemble', 'Tin Roof Stage', 'Larkspur Academy', 'The Night Watch', 'Cobble Lane Amateurs', 'Velvet Curtain',
   'Mapledown Primary', 'Red Barn Players', 'Thistle and Thread', 'Northgate Revue', 'The Quiet House', 'Ferryman Stage'][i],
  pick(['Ashbourne', 'Carrick', 'Dunmere', 'Elmstow', 'Wexcombe'], 'town', i),
  CASE WHEN i IN (2, 6, 9, 13) THEN 'school' WHEN roll('kind', i, 3) = 0 THEN 'professional' ELSE 'amateur' END
FROM range(1, 19) AS t(i);

CREATE TABLE costumes (
  id INTEGER, label VARCHAR, era VARCHAR, size VARCHAR, day_rate DECIMAL(8, 2), bought_year INTEGER, condition INTEGER,
  retired BOOLEAN);
INSERT INTO costumes SELECT i,
  pick(['Velvet', 'Linen', 'Striped', 'Embroidered', 'Beaded', 'Woollen'], 'cloth', i) || ' '
    || pick(['cloak', 'gown', 'doublet', 'waistcoat', 'uniform', 'tunic', 'tailcoat'], 'piece', i) || ' ' || i,
  pick(['Medieval', 'Tudor', 'Victorian', 'Twenties', 'Modern'], 'era', i), pick(['S', 'M', 'M', 'L', 'XL'], 'size', i),
  6 + roll('rate', i, 120) / 4, 2008 + roll('year', i, 17), 1 + roll('condition', i, 5), roll('gone', i, 12) = 0
FROM range(1, 221) AS t(i);

CREATE TABLE productions (id INTEGER, title VARCHAR, company_id INTEGER, director VARCHAR, opens_on DATE, closes_on DATE);
INSERT INTO productions SELECT i,
  pick(['The Winter', 'A Borrowed', 'The Last', 'One Crooked', 'The Silver'], 'article', i) || ' '
    || pick(['Crown', 'Sparrow', 'Letter', 'Harvest', 'Mirror', 'Engine'], 'noun', i) || ' ' || i,
  1 + roll('company', i, 16), pick(['Ada Penrose', 'Corin Vale', 'Iseult Marsh', 'Jago Trent', 'Merryn Hale'], 'director', i),
  day('2024-01-10', 'opens', i, 600), day('2024-01-10', 'opens', i, 600) + 3 + roll('runs', i, 40)
FROM range(1, 61) AS t(i);

CREATE TABLE hires (
  id INTEGER, production_id INTEGER, costume_id INTEGER, out_on DATE, due_on DATE, back_on DATE, fee DECIMAL(8, 2),
  deposit DECIMAL(8, 2));
INSERT INTO hires SELECT h.i, p.id, c.id, p.opens_on - 7, p.closes_on + 3,
  CASE WHEN roll('kept', h.i, 20) > 0 THEN p.closes_on + 3 + roll('late', h.i, 9) - 5 END,
  c.day_rate * (p.closes_on - p.opens_on), c.day_rate * 5
FROM range(1, 501) AS h(i) JOIN productions AS p ON p.id = 1 + roll('production', h.i, 55)
JOIN costumes AS c ON c.id = 1 + roll('costume', h.i, 200);

CREATE TABLE repairs (
  id INTEGER, costume_id INTEGER, fault VARCHAR, seamstress VARCHAR, reported_on DATE, done_on DATE, cost DECIMAL(8, 2));
INSERT INTO repairs SELECT i, 1 + roll('mended', i, 180), pick(['torn', 'stained', 'missing button', 'broken zip'], 'fault', i),
  pick(['Orla Finch', 'Petra Weld', 'Rosalind Tye'], 'seamstress', i), day('2024-02-01', 'reported', i, 580),
  CASE WHEN roll('still open', i, 7) > 0 THEN day('2024-02-01', 'reported', i, 580) + 1 + roll('took', i, 20) END,
  5 + roll('cost', i, 180) / 4
FROM range(1, 181) AS t(i);
