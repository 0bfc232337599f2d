// The first rows of a table, and how many there are: read when they are looked at, with the rights of whoever looks.
import { fill, h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { attempt, loading } from "../notes.js";
import { resultTable } from "../result-table.js";

const SHOWN = 20;
// Where a name stands between other marks than those of the standard.
const BACKTICKS = new Set(["mysql", "mariadb", "bigquery", "hive", "spark", "databricks", "doris", "starrocks"]);

/** @param {import("../../main.js").Context} context @param {import("./data.js").Model} model @param {import("./data.js").Table} table @returns {HTMLElement} */
export function rowsPanel({ api, project, signal }, model, table) {
  const name = quoted(table.name, model.facts.dialect);
  const run = (/** @type {string} */ sql, /** @type {number} */ limit) => api.send("POST", "/v1/sql-runs", { project_id: project, sql, limit }, { signal });

  /** @param {import("../result-table.js").Data} found */
  function shown(found) {
    const { rows } = found;
    if (!rows.length) return h("p", { class: "empty" }, t("model.rows.none"));
    const told = h("span", { class: "small muted", role: "status" }, t(rows.length < SHOWN ? "rows" : "model.rows.first", { count: rows.length }));
    const problem = h("div");
    const count = rows.length === SHOWN && h("button", { class: "button is-small", type: "button", onclick: counted }, t("model.rows.count"));

    function counted() {
      attempt(count, problem, async () => {
        const all = await run(`SELECT COUNT(*) AS n FROM ${name}`, 1);
        fill(told, t("model.rows.of", { shown: rows.length, count: Number(all.rows[0][0]) }));
        count.remove();
      }, { signal });
    }
    return [h("div", { class: "row" }, told, count), problem, h("div", { class: "card is-bare" }, resultTable(found))];
  }
  return loading(() => run(`SELECT * FROM ${name} LIMIT ${SHOWN}`, SHOWN), shown).element;
}

/** A name as a statement has it, whatever stands in it. @param {string} name @param {string} dialect */
function quoted(name, dialect) {
  const mark = BACKTICKS.has(dialect) ? "`" : '"';
  return mark + name.replaceAll(mark, mark + mark) + mark;
}
