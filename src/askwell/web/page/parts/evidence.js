// Why an answer can be believed, or cannot: everything that is known of how it came about.
import { h } from "../lib/dom.js";
import { dollars, duration } from "../lib/format.js";
import { t } from "../lib/text.js";
import { citations } from "./citations.js";
import { reasons } from "./sql-check.js";

/** @param {Record<string, any>} result @param {import("./ask-card.js").Asking} context */
export function evidence(result, context) {
  const tables = result.retrieved_tables ?? [];
  const source = sourceOf(result);
  const link = (/** @type {string} */ table) => {
    const href = context.address("model", table);
    return href === null ? h("span", { class: "chip" }, table) : h("a", { class: "chip", href }, table);
  };
  const rows = /** @type {[string, import("../lib/dom.js").Child | import("../lib/dom.js").Child[]][]} */ ([
    [t("evidence.source"), explained(source === null ? null : [source, `${source}.hint`])],
    [t("evidence.sure"), result.verdict && explained([`sure.${result.verdict}`, `sure.${result.verdict}.hint`])],
    [t("evidence.findings"), reasons(result.findings?.filter((/** @type {{message: string}} */ one) => !result.warnings?.includes(one.message)))],
    [t("evidence.plan"), result.sql_generation_reasoning && h("p", { class: "keeps-lines", dir: "auto" }, result.sql_generation_reasoning)],
    [t("evidence.intent"), result.intent_reasoning],
    [t("assumptions"), list(result.assumptions)],
    [t("evidence.repairs"), list(result.repairs)],
    [t("evidence.lessons"), list(result.lessons_used?.map((/** @type {{note: string}} */ one) => one.note))],
    [t("evidence.learnt"), list(result.lessons_learnt?.map((/** @type {{note: string}} */ one) => one.note))],
    [t("citations"), citations(result)],
    [t("evidence.tables"), tables.length > 0 && h("div", { class: "row" }, tables.map(link))],
    [t("evidence.time"), times(result.timings)],
    [t("evidence.usage"), usage(result.usage)],
    [t("evidence.id"), result.trace_id && h("code", null, result.trace_id)],
  ]);
  const known = rows.filter(([, value]) => value);
  return h("dl", { class: "facts" }, known.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}

/** What a badge of the answer says, and what that means. @param {string[] | null} keys */
function explained(keys) {
  return keys && keys.map((key) => t(/** @type {any} */ (key))).join(". ");
}

/** The text of who answered; null where that is not known. @param {{sql_source?: string}} result */
export function sourceOf({ sql_source: source = "llm" }) {
  return ["history", "view", "rules", "llm"].includes(source) ? `source.${source}` : null;
}

/** @param {string[] | undefined} all */
function list(all) {
  return all?.length ? h("ul", { class: "plain" }, all.map((one) => h("li", { dir: "auto" }, one))) : null;
}

/** @param {{stage: string, ms: number}[] | undefined} all */
function times(all) {
  if (!all?.length) return null;
  const most = Math.max(...all.map((one) => one.ms), 1);
  const bar = (/** @type {number} */ ms) => h("span", { class: "time-bar", style: { "--part": `${(100 * ms) / most}%` } });
  return h("ul", { class: "plain times" }, all.map((one) => h("li", null, h("span", null, one.stage), bar(one.ms), h("span", { class: "muted" }, duration(one.ms)))));
}

/** @param {Record<string, any> | undefined} used */
function usage(used) {
  if (!used) return null;
  if (!used.llm_calls) return t("usage.none");
  return t("usage", { calls: used.llm_calls, prompt: used.prompt_tokens, completion: used.completion_tokens, usd: dollars(used.cost_usd) });
}
