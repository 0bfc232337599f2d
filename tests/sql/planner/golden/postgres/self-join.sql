WITH "mdl_staff" AS NOT MATERIALIZED (
  SELECT
    "staff"."id" AS "id",
    "staff"."boss_id" AS "boss_id",
    "staff"."name" AS "name"
  FROM "staff"
)
SELECT
  a.name
FROM "mdl_staff" AS a
JOIN "mdl_staff" AS b
  ON a.boss_id = b.id
