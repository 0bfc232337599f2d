// What became of a question, in the few words that screen readers say when it has.
import { cellText, heading, isNumeric, oneValue } from "../lib/format.js";
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
  return oneValue(data) ?? sentence(data);
}

/** @typedef {{columns: import("../lib/format.js").Column[], rows: unknown[][], truncated: boolean}} Data */

/** What rows come to, in a sentence. @param {Data} data */
export function sentence(data) {
  const { columns, rows, truncated } = data;
  if (rows.length === 0) return t("rows.none");
  if (rows.length === 1 && !truncated) return beginning(cells(data), MOST);
  const count = t(truncated ? "rows.more" : "rows", { count: rows.length });
  const highest = isDrawnFirst(data) && rows.filter(([, value]) => value !== null).sort((one, other) => Number(other[1]) - Number(one[1]))[0];
  if (!highest) return `${count[0].toUpperCase()}${count.slice(1)}.`;
  const [name, value] = highest.map((cell, at) => (cell === null ? t("null") : cellText(cell, columns[at]).slice(0, MOST)));
  // Not of letters that stand for words: GDP.
  const what = heading(columns[1]).replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
  return t("sentence.highest", { count, what, name, value });
}

// So many groups are seen at once in a chart, and so few moments are no line.
const GROUPS = { least: 2, most: 20 };
const MOMENTS = 3;
const TIME = /DATE|TIME/i;
const PERIOD = /^\d{4}(-\d\d|-?[QW]\d)/;

/** Whether rows are seen better drawn than read: a number over time, or of a few groups. @param {Data} data */
export function isDrawnFirst({ columns, rows, truncated }) {
  if (columns.length !== 2 || truncated || isNumeric(columns[0]) || !isNumeric(columns[1])) return false;
  const isTime = TIME.test(columns[0].type) || rows.every(([one]) => one === null || PERIOD.test(String(one)));
  return isTime ? rows.length >= MOMENTS : rows.length >= GROUPS.least && rows.length <= GROUPS.most;
}

/** One row in words, as far as it may be said. @param {Data} data */
function cells({ columns, rows: [row] }) {
  const said = columns.slice(0, MOST).map((column, at) => {
    const value = row[at] === null ? t("null") : cellText(row[at], column).slice(0, MOST);
    return t("outcome.cell", { name: heading(column), value });
  });
  return `${said.join(", ")}.`;
}
