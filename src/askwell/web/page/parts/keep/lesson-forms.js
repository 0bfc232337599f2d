// What a lesson says: in words, and as fields of a form.
import { h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { beginning, folded } from "../long-text.js";
import { sqlView } from "../sql.js";
import { field } from "./changes.js";

/** @typedef {"table_mapping" | "column_mapping" | "metric" | "error_pattern" | "query_pattern"} Kind */
/** @typedef {{id: string, kind: Kind, body: Record<string, any>, origin: string, status: "candidate" | "active" | "retired" | "refused", confidence: number, uses: number, successes: number, created_at: string, note?: string, source_ask_id?: string, problem?: string}} Lesson */

/** The fields of each kind: `optional` may be left out, of those that are `either` one is said. */
const FIELDS = /** @type {const} */ ({
  table_mapping: [{ name: "said", most: 80 }, { name: "table", most: 128 }],
  column_mapping: [{ name: "said", most: 80 }, { name: "column", most: 257 }],
  metric: [{ name: "said", most: 80 }, { name: "formula", most: 1000, isCode: true }, { name: "table", most: 128, optional: true }],
  query_pattern: [{ name: "question_like", most: 500 }, { name: "advice", most: 500, optional: true }, { name: "sql", most: 4000, isCode: true, optional: true }],
  error_pattern: [{ name: "error_like", most: 500 }, { name: "cause", most: 500 }, { name: "fix", most: 500 }],
});

export const KINDS = /** @type {Kind[]} */ (Object.keys(FIELDS));

/** A lesson in words. @param {Lesson} lesson */
export function lessonText({ kind, body }) {
  const values = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, beginning(String(value ?? ""), 300)]));
  if (body.transformation_rule) return ruleText(body.transformation_rule);
  if (kind === "query_pattern") return t(body.sql ? "lesson.query.sql" : "lesson.query.advice", values);
  return t(`lesson.${kind}`, values);
}

/** @param {{add_prefix?: string, strip_prefix?: string, strip_schema?: string}} rule */
function ruleText({ add_prefix: now = "", strip_prefix: before = "", strip_schema: schema = "" }) {
  const called = beginning(`${schema}${schema && "."}${before}`);
  return called ? t("lesson.rule", { called, now: beginning(now) }) : t("lesson.prefix", { prefix: beginning(now) });
}

/** The SQL of a lesson, where it has some. @param {Lesson} lesson */
export function lessonSql({ kind, body }) {
  const sql = kind === "query_pattern" ? body.sql : null;
  return sql ? folded(h("code", null, beginning(sql, 160)), () => sqlView({ sql })) : null;
}

/** Whether what it says can be changed here. @param {Lesson} lesson */
export function isEditable({ kind, body }) {
  return kind in FIELDS && !body.transformation_rule;
}

/**
 * The fields of a kind, and what stands in them.
 * @param {Kind} kind
 * @param {Record<string, any>} [body]
 */
export function bodyFields(kind, body = {}) {
  const inputs = FIELDS[kind].map((one) => {
    const how = { class: `input${"isCode" in one ? " code" : ""}`, maxlength: one.most, required: !("optional" in one), dir: "isCode" in one ? "ltr" : "auto", spellcheck: "isCode" in one ? "false" : null };
    const input = one.most > 260 ? h("textarea", { ...how, rows: one.most > 500 ? 4 : 2 }, body[one.name] ?? "") : h("input", { ...how, value: body[one.name] ?? "" });
    return { name: one.name, input, element: field(t(`lesson.field.${one.name}`), input, "optional" in one && kind === "metric" ? t("optional") : "") };
  });
  const read = () => Object.fromEntries(inputs.map(({ name, input }) => [name, input.value.trim()]).filter(([, value]) => value));
  return { elements: inputs.map(({ element }) => element), read };
}
