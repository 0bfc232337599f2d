// What a chart can be drawn as: its kind, what its amounts are of, which amounts, and what they are split by.
import { h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";

const KINDS = /** @type {const} */ (["bar", "line", "area", "pie", "grouped_bar", "stacked_bar", "multi_line"]);
const PLACES = /** @type {const} */ (["category", "value", "split"]);
// Kinds that say nothing without a split; what becomes of a chart that gets one, or loses it.
const NEEDS_SPLIT = new Set(["grouped_bar", "stacked_bar", "multi_line"]);
const SPLIT = /** @type {Record<string, string>} */ ({ bar: "stacked_bar", line: "multi_line" });
const WHOLE = /** @type {Record<string, string>} */ ({ grouped_bar: "bar", stacked_bar: "bar", multi_line: "line" });

/** @typedef {{columns: import("../../lib/format.js").Column[], rows: unknown[][]}} Data */
/** @typedef {{kind: string, category: string, value: string, split: string}} Drawn columns by what they stand for; "" is left to the service */

export class Controls {
  /** @param {Data} data @param {(wanted: Record<string, string>) => void} onChange told what `adjustment_option` says */
  constructor(data, onChange) {
    const names = data.columns.map((column) => column.name);
    this.names = new Set(names);
    /** @type {Drawn} what is drawn, and so what the fields go back to */
    this.drawn = { kind: "", category: "", value: "", split: "" };
    const offered = KINDS.filter((kind) => names.length > 2 || !NEEDS_SPLIT.has(kind));
    const amounts = names.filter((_, at) => isAmount(data.rows, at));
    const auto = /** @type {[string, string]} */ (["", t("chart.auto")]);
    this.kind = choice(t("chart.kind"), KINDS.map((kind) => [kind, t(`chart.${kind}`)]));
    for (const option of this.kind.select.options) option.hidden = !offered.includes(/** @type {any} */ (option.value));
    this.places = {
      category: choice(t("chart.category"), [auto, ...paired(names)]),
      value: choice(t("chart.value"), [auto, ...paired(amounts.length ? amounts : names)]),
      split: choice(t("chart.split"), [auto, ...paired(names)]),
    };
    this.places.split.label.hidden = names.length < 3;
    this.canSplit = names.length > 2;
    this.element = h("div", { class: "chart-choices" }, this.kind.label, PLACES.map((place) => this.places[place].label));
    this.kind.select.addEventListener("change", () => onChange(this.#wanted("kind")));
    for (const place of PLACES) this.places[place].select.addEventListener("change", () => onChange(this.#wanted(place)));
  }

  /** Show how a chart is drawn. @param {string} kind @param {Record<string, any>} schema */
  show(kind, schema) {
    this.#put({ kind, ...columnsOf(kind, schema.encoding ?? {}, this.names) });
  }

  /** What was wanted cannot be drawn: the fields say again what is. */
  back() {
    this.#put(this.drawn);
  }

  /** @param {Drawn} drawn */
  #put(drawn) {
    this.drawn = drawn;
    for (const option of this.kind.select.options) if (option.value === drawn.kind) option.hidden = false;
    this.kind.select.value = drawn.kind;
    for (const place of PLACES) this.places[place].select.value = drawn[place];
    // Several amounts are told apart without a column.
    this.places.split.select.options[0].textContent = t(NEEDS_SPLIT.has(drawn.kind) && !drawn.split ? "chart.auto" : "chart.whole");
    this.places.split.label.hidden = !this.canSplit || drawn.kind === "pie";
  }

  /** What the fields say now, as the service is asked for it. @param {"kind" | "category" | "value" | "split"} changed */
  #wanted(changed) {
    const { select: kind } = this.kind;
    const chosen = changed === "kind" ? "" : this.places[changed].select.value;
    // A column stands in one place: what stood there changes places with it.
    for (const place of PLACES) {
      const { select } = this.places[place];
      if (place !== changed && chosen !== "" && select.value === chosen) select.value = this.drawn[/** @type {"category"} */ (changed)];
      if (select.selectedIndex < 0) select.value = "";
    }
    const split = this.places.split.select;
    if (changed === "split") kind.value = (split.value ? SPLIT : WHOLE)[kind.value] ?? kind.value;
    else if (!NEEDS_SPLIT.has(kind.value) && kind.value !== "area") split.value = "";
    const wanted = { chart_type: kind.value, category: this.places.category.select.value, value: this.places.value.select.value, color: split.value };
    return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== ""));
  }
}

/**
 * Which columns stand for what in a chart, whichever way it lies.
 * @param {string} kind @param {Record<string, any>} encoding @param {Set<string>} names
 */
function columnsOf(kind, encoding, names) {
  const { x, y, theta, color } = encoding;
  const isSideways = x?.type === "quantitative" && y?.type !== "quantitative";
  const [category, value] = kind === "pie" ? [color, theta] : isSideways ? [y, x] : [x, y];
  const own = (/** @type {any} */ channel) => {
    const name = unescaped(channel?.field ?? "");
    return names.has(name) ? name : "";
  };
  return { category: own(category), value: own(value), split: kind === "pie" || color?.field === category?.field ? "" : own(color) };
}

/** Vega-Lite escapes dots and brackets in the names of fields. @param {string} field */
export function unescaped(field) {
  return field.replace(/\\([.[\]\\'])/g, "$1");
}

/** Whether a column holds numbers, also those that come as text. @param {unknown[][]} rows @param {number} at */
function isAmount(rows, at) {
  const known = rows.map((row) => row[at]).filter((value) => value !== null);
  return known.length > 0 && known.every((value) => typeof value !== "boolean" && value !== "" && Number.isFinite(Number(value)));
}

/** @param {string[]} names @returns {[string, string][]} */
function paired(names) {
  return names.map((name) => [name, name]);
}

/** @param {string} name @param {[string, string][]} options */
function choice(name, options) {
  const select = /** @type {HTMLSelectElement} */ (h("select", { class: "input chart-select" }, options.map(([id, label]) => h("option", { value: id }, label))));
  return { select, label: h("label", { class: "chart-choice small" }, h("span", null, name), select) };
}
