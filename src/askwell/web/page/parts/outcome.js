// What became of a question, in the few words that screen readers say when it has.
import { cellText, oneValue } from "../lib/format.js";
import { t } from "../lib/text.js";
import { beginning } from "./long-text.js";

// So many letters are said of an answer.
const MOST = 200;

/**
 * Why a question has no answer; `reasons` are what speaks against the statement that was written, if that is why.
 * @param {import("./ask-card.js").Result} result @returns {{text: string, reasons: import("./sql-check.js").Finding[], hint: string}}
 */
export function why({ error = {}, invalid_sql: sql, findings }) {
  const reasons = (sql && findings) || [];
  return { text: reasons.length ? `${t("unanswered")}.` : (error.message ?? t("failed")), reasons, hint: error.hint ?? "" };
}

/**
 * Empty while it goes on, and for what is an alarm already where it stands.
 * @param {import("./ask-card.js").Result} result @param {string} words what is said in words
 */
export function outcome(result, words) {
  const { status, error = {}, clarification } = result;
  if (status === "awaiting_correction") return t("outcome.asked", { question: clarification?.question ?? "" });
  if (status === "stopped") return t("stopped");
  if (status === "failed") return error.code === "OTHERS" ? "" : inWords(why(result));
  return status === "finished" ? t("outcome", { what: figures(result, words) }) : "";
}

/** @param {ReturnType<typeof why>} said */
function inWords({ text, reasons, hint }) {
  return [text, ...reasons.map((one) => one.message), hint].filter(Boolean).join(" ");
}

/** @param {import("./ask-card.js").Result} result @param {string} words */
function figures({ type, data }, words) {
  if (type === "GENERAL") return beginning(words, MOST);
  if (!data) return t("tab.sql");
  if (data.rows.length === 0) return t("rows.none");
  if (data.rows.length === 1 && !data.truncated) return oneValue(data) ?? beginning(cells(data), MOST);
  return t(data.truncated ? "rows.more" : "rows", { count: data.rows.length });
}

/** One row in words, as far as it may be said. @param {{columns: import("../lib/format.js").Column[], rows: unknown[][]}} data */
function cells({ columns, rows: [row] }) {
  const said = columns.slice(0, MOST).map((column, at) => {
    const value = row[at] === null ? t("null") : cellText(row[at], column).slice(0, MOST);
    return t("outcome.cell", { name: column.name.replaceAll("_", " "), value });
  });
  return said.join(", ");
}
