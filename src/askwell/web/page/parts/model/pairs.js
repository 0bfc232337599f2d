// The questions with verified SQL that read a table.
import { h, icon } from "../../lib/dom.js";
import { sqlTokens } from "../../lib/sql-tokens.js";
import { t } from "../../lib/text.js";
import { loading } from "../notes.js";
import { draftQuestion } from "../question-box.js";

// As many as the service gives at once.
const MOST = 1000;

/** @param {import("../../main.js").Context} context @param {import("./data.js").Table} table @returns {HTMLElement} */
export function pairsPanel(context, table) {
  const read = () => context.api.get("/v1/sql-pairs", { project_id: context.project, limit: MOST }, context.signal);
  return loading(read, ({ sql_pairs: all }) => {
    const own = all.filter((/** @type {{sql: string}} */ one) => reads(one.sql, table.name));
    if (!own.length) return h("p", { class: "empty" }, t("model.pairs.none"));
    return h("ul", { class: "list card is-bare" }, own.map((/** @type {{sql: string, question: string}} */ one) => item(context, one)));
  }).element;
}

/** @param {string} sql @param {string} table */
function reads(sql, table) {
  const name = table.toLowerCase();
  if (!sql.toLowerCase().includes(name)) return false;
  return sqlTokens(sql).some((token) => token.text.replace(/^["`[]|["`\]]$/g, "").toLowerCase() === name);
}

/** @param {import("../../main.js").Context} context @param {{sql: string, question: string}} pair */
function item(context, pair) {
  const ask = h("button", { class: "button is-small", type: "button", onclick: () => draftQuestion(context, pair.question) }, icon("ask"), t("ask"));
  const sql = h("details", { class: "small" }, h("summary", null, t("tab.sql")), h("pre", { class: "scrolls keeps-lines", tabindex: "0" }, pair.sql));
  return h("li", null, h("div", { class: "list-main" }, h("p", { dir: "auto" }, pair.question.slice(0, 1000)), sql), ask);
}
