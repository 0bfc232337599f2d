WITH "mdl_items" AS NOT MATERIALIZED (
  SELECT
    "__source"."line_1" AS "line",
    "tags_3"."tags_3" AS "tag_count"
  FROM (
    SELECT
      "base"."line" AS "line_1",
      CAST(LENGTH(CAST("base".oid AS TEXT)) AS TEXT) || ':' || CAST("base".oid AS TEXT) || CAST(LENGTH(CAST("base"."line" AS TEXT)) AS TEXT) || ':' || CAST("base"."line" AS TEXT) AS "value_4",
      "base".oid AS "order_id_5"
    FROM (
      SELECT
        order_id AS oid,
        line,
        qty
      FROM items
      WHERE
        qty > 0
    ) AS "base"
  ) AS "__source"
  LEFT JOIN (
    SELECT
      "__source"."value_4" AS "value_4",
      COUNT("n1"."tag_2") AS "tags_3"
    FROM (
      SELECT
        "base"."line" AS "line_1",
        CAST(LENGTH(CAST("base".oid AS TEXT)) AS TEXT) || ':' || CAST("base".oid AS TEXT) || CAST(LENGTH(CAST("base"."line" AS TEXT)) AS TEXT) || ':' || CAST("base"."line" AS TEXT) AS "value_4",
        "base".oid AS "order_id_5"
      FROM (
        SELECT
          order_id AS oid,
          line,
          qty
        FROM items
        WHERE
          qty > 0
      ) AS "base"
    ) AS "__source"
    LEFT JOIN (
      SELECT
        "tags"."line" AS "line_7",
        "tags"."order_id" AS "order_id_6",
        "tags"."tag" AS "tag_2"
      FROM "tags"
    ) AS "n1"
      ON "n1"."order_id_6" = "__source"."order_id_5"
      AND "n1"."line_7" = "__source"."line_1"
    GROUP BY
      "__source"."value_4"
  ) AS "tags_3"
    ON "tags_3"."value_4" = "__source"."value_4"
)
SELECT
  line,
  tag_count
FROM "mdl_items" AS Items
