// The columns of a table: what each is, where it leads, what it holds, and what it is called.
import { fill, h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { longList } from "../long-list.js";
import { AT_REST, say } from "../notes.js";
import { shownName } from "./data.js";
import { fields } from "./editing.js";
import { marked, wordsOf } from "./search.js";
import { isSameName, markedText } from "./words.js";

/** @typedef {import("./data.js").Column} Column */
/** @typedef {import("./data.js").Table} Table */
/**
 * @typedef {object} Shown
 * @property {import("../../main.js").Context} context @property {import("./data.js").Model} model @property {Table} table
 * @property {string[]} words those that are searched for
 * @property {import("./draft.js").Draft | null} draft where the texts are being changed
 * @property {() => void} onChange
 */

const PAGE = 100;
const FILTERED_FROM = 15;
const VALUES = 6;
const LONG_VALUE = 60;

/** @param {Shown} shown @returns {HTMLElement} */
export function columnsPanel(shown) {
  const { table, words } = shown;
  const links = keyLinks(shown);
  const list = h("ul", { class: "columns card is-bare", "aria-label": t("model.tab.columns") });
  const filter = h("input", { class: "input", type: "search", placeholder: t("model.columns.filter"), "aria-label": t("model.columns.filter"), oninput: filtered });
  let wanted = words;
  const { more, show } = longList(list, (/** @type {Column} */ column) => item({ ...shown, words: wanted }, column, links), PAGE);

  function filtered() {
    const own = wordsOf(filter.value);
    const found = own.length ? table.columns.filter((column) => own.every((word) => textOf(column).includes(word))) : table.columns;
    wanted = own.length ? own : words;
    show(found);
    if (!found.length) fill(list, h("li", { class: "empty" }, t("model.columns.none")));
    say(found.length ? t("model.columns", { count: found.length }) : t("model.columns.none"), list, AT_REST);
  }
  show(table.columns);
  return h("div", { class: "stack" }, table.columns.length > FILTERED_FROM && filter, list, more);
}

/** @param {Column} column */
function textOf(column) {
  return [column.name, column.display_name, column.description, ...column.synonyms].filter(Boolean).join("\n").toLowerCase();
}

/** The tables that the columns of a table lead to. @param {Shown} shown */
function keyLinks({ model, table }) {
  /** @type {Map<string, string[]>} */
  const links = new Map();
  for (const join of model.joinsFrom(table.name)) {
    // The one side has no column of its own for it.
    if (join.cardinality === "ONE_TO_MANY") continue;
    for (const [column] of join.pairs) {
      const targets = links.get(column) ?? [];
      if (!targets.includes(join.right)) links.set(column, [...targets, join.right]);
    }
  }
  return links;
}

/** @param {Shown} shown @param {Column} column @param {Map<string, string[]>} links */
function item(shown, column, links) {
  const { context, model, table, words, draft, onChange } = shown;
  const isKey = table.primary_key.includes(column.name);
  const display = column.display_name && !isSameName(column.display_name, column.name);
  const targets = (links.get(column.name) ?? []).map((name) => h("a", { class: "small", href: context.address("model", name), dir: "auto" }, "→ ", shownName(/** @type {Table} */ (model.byName.get(name)))));
  const name = h(
    "div",
    { class: "column-name" },
    h("code", { class: "column-code", dir: "auto" }, marked(column.name.slice(0, 300), words)),
    !draft && display && h("span", { class: "small muted", dir: "auto" }, marked(String(column.display_name).slice(0, 300), words)),
  );
  const facts = h(
    "div",
    { class: "column-facts small muted" },
    h("span", { class: "column-type" }, column.type.slice(0, 80)),
    column.unit && h("span", { class: "badge", title: t("model.unit") }, h("bdi", null, column.unit.slice(0, 40))),
    isKey && h("span", { class: "badge is-accent" }, t("model.key")),
    column.role !== "plain" && h("span", { class: "badge" }, t(/** @type {any} */ (`model.role.${column.role}`))),
    targets,
  );
  const isEdited = draft && table.kind !== "view";
  const texts = isEdited ? fields(draft, column, column.name, onChange) : said(column, words);
  const held = [column.expression && h("p", { class: "column-expression" }, h("code", null, markedText(column.expression, words))), values(column, words)];
  return h("li", { class: `column${isEdited ? " is-edited" : ""}` }, name, facts, h("div", { class: "column-texts" }, texts, held));
}

/** @param {Column} column @param {string[]} words */
function said(column, words) {
  return [
    column.description && h("p", { class: "keeps-lines" }, markedText(column.description, words)),
    synonyms(column, words),
  ];
}

/** @param {Column | Table} one @param {string[]} words */
export function synonyms(one, words) {
  if (!one.synonyms.length) return null;
  return h("p", { class: "small" }, h("span", { class: "muted" }, t("model.also"), " "), h("span", { dir: "auto" }, marked(one.synonyms.join(", ").slice(0, 2000), words)));
}

/** Some of what a column holds. @param {Column} column @param {string[]} words */
function values({ values: all = [] }, words) {
  if (!all.length) return null;
  const list = h("ul", { class: "row values", "aria-label": t("model.values") });
  const chip = (/** @type {string} */ value) => h("li", { class: "chip", dir: "auto", title: value.length > LONG_VALUE ? value : null }, marked(value.length > LONG_VALUE ? `${value.slice(0, LONG_VALUE)}…` : value, words));
  const rest = all.length - VALUES;
  const more = rest > 0 && h("li", null, h("button", { class: "chip", type: "button", onclick: () => fill(list, all.map(chip)), "aria-label": t("model.values.more", { count: rest }) }, `+${rest}`));
  fill(list, all.slice(0, VALUES).map(chip), more);
  return list;
}
