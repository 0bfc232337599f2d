// What became of a question, in the few words that screen readers say when it has.
import { oneValue } from "../lib/format.js";
import { t } from "../lib/text.js";
import { beginning } from "./long-text.js";

/**
 * Empty while it goes on, and for what is an alarm already where it stands.
 * @param {import("./ask-card.js").Result} result @param {string} words what is said in words
 */
export function outcome(result, words) {
  const { status, error = {}, clarification } = result;
  if (status === "awaiting_correction") return t("outcome.asked", { question: clarification?.question ?? "" });
  if (status === "stopped") return t("stopped");
  if (status === "failed") return error.code === "OTHERS" ? "" : [error.message ?? t("failed"), error.hint].filter(Boolean).join(" ");
  return status === "finished" ? t("outcome", { what: figures(result, words) }) : "";
}

/** @param {import("./ask-card.js").Result} result @param {string} words */
function figures({ type, data }, words) {
  if (type === "GENERAL") return beginning(words, 200);
  if (!data) return t("tab.sql");
  if (data.rows.length === 0) return t("rows.none");
  return oneValue(data) ?? t(data.truncated ? "rows.more" : "rows", { count: data.rows.length });
}
