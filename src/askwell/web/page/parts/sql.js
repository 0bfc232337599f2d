// SQL to read, and to change and run again.
import { fill, h, icon, isSent } from "../lib/dom.js";
import { readable } from "../lib/format.js";
import { formatted, sqlTokens } from "../lib/sql-tokens.js";
import { t } from "../lib/text.js";
import { attempt, copy, progress, say } from "./notes.js";

// Longer statements are shown in one colour: pieces by the ten thousand would take the browser a while.
const COLOURED = 60_000;

/**
 * @typedef {object} Given
 * @property {string} sql over the semantic model
 * @property {string} [planned] what the database ran
 * @property {(sql: string, signal: AbortSignal) => Promise<void>} [onRun] runs what was changed, until the signal; raises why that does not work
 * @property {boolean} [isUnrun] whether it has not been run, and can be as it is
 * @property {import("../lib/dom.js").Child} [beside] what else can be done, among its buttons
 */

/** @param {Given} given @returns {HTMLElement} */
export function sqlView({ sql, planned, onRun, isUnrun, beside }) {
  const place = h("div", { class: "sql" });
  const isOther = planned !== undefined && planned.trim() !== sql.trim();
  let isPlanned = false;
  /** What was changed and left without a run; "" where nothing was. */
  let kept = "";
  show();

  function show() {
    const shown = formatted(isPlanned && planned ? planned : sql);
    const which = isOther && h("div", { class: "row", role: "group", "aria-label": t("sql.which") }, choice(false, t("sql.model")), choice(true, t("sql.planned")));
    const run = onRun && isUnrun && !isPlanned && h("button", { class: "button is-small", type: "button", onclick: () => change().ran() }, t("sql.run"));
    const edit = onRun && !isPlanned && h("button", { class: "button is-small sql-change", type: "button", onclick: change }, icon("edit"), t("edit"));
    const copies = h("button", { class: "button is-small", type: "button", onclick: () => copy(shown) }, icon("copy"), t("copy"));
    fill(place, h("div", { class: "sql-tools row" }, which || null, h("span", { class: "sql-gap" }), beside, run, edit, copies), coloured(shown));
  }

  /** @param {boolean} ofPlan @param {string} label */
  function choice(ofPlan, label) {
    const choose = () => {
      isPlanned = ofPlan;
      show();
      /** @type {HTMLElement | null} */ (place.querySelector('[aria-pressed="true"]'))?.focus();
    };
    return h("button", { class: "button is-small", type: "button", "aria-pressed": String(isPlanned === ofPlan), onclick: choose }, label);
  }

  function change() {
    let running = new AbortController();
    const problem = h("div");
    const field = h("textarea", { class: "input code sql-field", rows: Math.min(20, formatted(sql).split("\n").length + 2), spellcheck: "false", "aria-label": t("sql.field"), "aria-describedby": "sql-keys" }, kept || formatted(sql));
    const run = h("button", { class: "button is-main is-small", type: "button", onclick: ran }, t("sql.run"));
    const back = h("button", { class: "button is-small", type: "button", onclick: () => leave("") }, t("cancel"));
    field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (!isSent(event)) return;
      event.preventDefault();
      ran();
    });
    const left = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      leave(field.value === formatted(sql) ? "" : field.value);
    };
    fill(place, h("div", { class: "sql-edit", onkeydown: left }, field, h("div", { class: "row" }, run, back, h("span", { class: "small muted", id: "sql-keys" }, t("sql.keys"))), problem));
    field.focus();

    /** @param {string} text what is shown when it is changed again; "" for the statement as it was */
    function leave(text) {
      running.abort();
      kept = text;
      show();
      /** @type {HTMLElement | null} */ (place.querySelector(".sql-change"))?.focus();
      say(t(text ? "sql.kept" : "sql.cancelled"), place);
    }

    function ran() {
      if (!field.value.trim() || run.ariaDisabled) return;
      running = new AbortController();
      const { signal } = running;
      say(t("sql.running"), place);
      attempt(run, problem, async () => onRun?.(field.value, signal), { working: progress(t("sql.running")), signal });
    }
    return { ran };
  }
  return place;
}

/** @param {string} sql */
function coloured(sql) {
  const shown = readable(sql);
  const pieces = sql.length > COLOURED ? [shown] : sqlTokens(shown).map(({ kind, text }) => (kind === "other" || kind === "space" ? text : h("span", { class: `sql-${kind === "text" ? "string" : kind}` }, text)));
  return h("pre", { class: "sql-text", tabindex: "0", dir: "ltr", role: "group", "aria-label": "SQL" }, h("code", null, pieces));
}
