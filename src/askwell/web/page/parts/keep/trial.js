// Trying the SQL of a verified question before it is saved, with values for its parameters.
import { fill, h, isEntered } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { note } from "../notes.js";
import { resultTable } from "../result-table.js";
import { acting, field } from "./changes.js";

/** @typedef {import("./verified.js").Parameter} Parameter */

const ROWS = 20;

/**
 * A button that runs the SQL, and what comes of it. Parameters without a default get fields when it is pressed.
 * @param {import("../../main.js").Context} context @param {HTMLTextAreaElement} sql @param {() => Parameter[]} parameters
 * @returns {HTMLElement}
 */
export function trial({ api, project, signal }, sql, parameters) {
  const state = h("div", { class: "stack", "aria-live": "polite" });
  const rows = h("div", { class: "stack" });
  const values = valueFields(() => button.click());
  const button = acting({ label: [t("verified.try")], working: t("verified.trying"), place: state, act });

  async function act() {
    fill(rows);
    if (!sql.value.trim()) return sql.focus();
    const all = parameters();
    values.show(all.filter((one) => one.default === undefined));
    if (values.isMissing()) return;
    const body = { project_id: project, sql: sql.value, limit: ROWS, parameters: all, values: values.read() };
    const ran = await api.send("POST", "/v1/sql-runs", body, { signal });
    const notes = [...ran.repairs, ...ran.warnings].map((/** @type {string} */ one) => note("warn", one));
    fill(rows, notes, ran.rows.length ? resultTable(ran) : h("p", { class: "muted" }, t("verified.try.none")));
  }
  return h("div", { class: "stack" }, h("div", { class: "row" }, button), values.element, state, rows);
}

/** Fields for values to try; one that was there before has its value still. @param {() => void} onEnter */
function valueFields(onEnter) {
  const element = h("fieldset", { class: "stack parameters", hidden: true, onkeydown: entered });
  /** @type {Map<string, {input: HTMLInputElement, row: HTMLElement}>} */
  const known = new Map();
  /** @type {Parameter[]} */
  let shown = [];

  /** @param {KeyboardEvent} event */
  function entered(event) {
    if (!isEntered(event)) return;
    // It would save the form.
    event.preventDefault();
    onEnter();
  }

  /** @param {Parameter} one */
  function rowOf({ name, type, required }) {
    // It keeps nobody from saving the form.
    const forgiven = () => input.setCustomValidity("");
    const input = h("input", { class: "input", maxlength: 1000, dir: "auto", autocomplete: "off", oninput: forgiven, onblur: forgiven });
    const made = known.get(name) ?? { input, row: field(`:${name}`, input, required ? type : `${type} ${t("optional")}`) };
    known.set(name, made);
    return made;
  }

  /** @param {Parameter[]} parameters */
  function show(parameters) {
    shown = parameters;
    element.hidden = shown.length === 0;
    fill(element, h("legend", null, t("verified.try.values")), shown.map((one) => rowOf(one).row));
  }

  /** Whether a value is needed that is not there; then the browser says so. */
  function isMissing() {
    const open = shown.find((one) => one.required && !rowOf(one).input.value.trim());
    if (!open) return false;
    const { input } = rowOf(open);
    input.setCustomValidity(t("verified.try.missing", { name: `:${open.name}` }));
    return !input.reportValidity();
  }

  const read = () => Object.fromEntries(shown.map((one) => [one.name, valueOf(one, rowOf(one).input.value.trim())]).filter(([, value]) => value !== ""));
  return { element, show, isMissing, read };
}

/** @param {Parameter} one @param {string} said */
function valueOf({ type }, said) {
  return said && type.startsWith("LIST") ? said.split(",").map((part) => part.trim()).filter(Boolean) : typed(said, type);
}

/** A value as JSON has it. Digits that JavaScript would round stay text. @param {string} said @param {string} type */
export function typed(said, type) {
  if (type === "BOOLEAN") return /^(true|yes|1)$/i.test(said) ? true : /^(false|no|0)$/i.test(said) ? false : said;
  if (/^(BIGINT|INTEGER|DOUBLE)/.test(type) && String(Number(said)) === said) return Number(said);
  return said;
}
