-- What the rows of the databases here are made of: nothing is random, each choice is a hash of what it is about.
CREATE TEMP MACRO roll(topic, id, sides) AS CAST(md5_number_lower(topic || ':' || id) % sides AS INTEGER);
CREATE TEMP MACRO pick(choices, topic, id) AS choices[1 + roll(topic, id, len(choices))];
CREATE TEMP MACRO day(first, topic, id, days) AS CAST(first AS DATE) + roll(topic, id, days);
