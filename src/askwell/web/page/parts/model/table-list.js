// The tables of a model beside what is shown: searched, and only those in sight in the document.
import { fill, h } from "../../lib/dom.js";
import { sliced } from "../../lib/slices.js";
import { t } from "../../lib/text.js";
import { AT_REST, say } from "../notes.js";
import { shownKind, shownName } from "./data.js";
import { marked, SearchIndex, whereFound, wordsOf } from "./search.js";
import { isSameName, kindBadge, kindCounts, KINDS } from "./words.js";

/** @typedef {import("./data.js").Table} Table */

// The heights of a line and of a heading as styles/model.css has them, and how much more than fits is there, in pixels.
const LINE = 52;
const HEADING = 36;
const MORE = 6 * LINE;

/** A heading, or a table by its place among those that are shown. @typedef {{top: number, heading: string, count: number, at: -1} | {top: number, at: number}} Row */

/**
 * @param {import("../../main.js").Context} context
 * @param {import("./data.js").Model} model
 * @param {{onSearch: (words: string[]) => void, onSkip: () => void, search: string}} how `onSkip` goes to what is shown beside the list
 * @returns {{element: HTMLElement, choose: (name: string) => void, searched: () => string}}
 */
export function tableList(context, model, { onSearch, onSkip, search }) {
  const index = new SearchIndex(model.tables);
  const field = h("input", { class: "input", type: "search", placeholder: t("model.search"), "aria-label": t("model.search"), value: search, "aria-keyshortcuts": "/" });
  const count = h("p", { class: "small muted" });
  const skip = h("a", { class: "button is-small tables-skip", href: "#view", onclick: skipped }, t("model.skip"));
  const items = h("ul", { class: "tables-items", "aria-label": t("model.tables") });
  const scroller = h("div", { class: "tables-scroll" }, items);
  const element = h("div", { class: "tables" }, h("div", { class: "tables-head" }, field, count, skip), scroller);
  const byKind = KINDS.flatMap((kind) => model.tables.filter((table) => shownKind(table) === kind));
  let [found, words, chosen] = [byKind, wordsOf(search), ""];
  /** @type {Row[]} */
  let rows = [];
  let wait = 0;
  let isInSight = false;

  sliced(index.fill(), context.signal).catch(() => {});
  field.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(typed, model.tables.length > 500 ? 80 : 0);
  });
  scroller.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(() => (isInSight ? draw() : begin())).observe(scroller);
  element.addEventListener("keydown", moved);

  function typed() {
    searched();
    say(count.textContent ?? "", element, AT_REST);
  }

  /** @param {Event} event */
  function skipped(event) {
    event.preventDefault();
    onSkip();
  }

  function searched() {
    words = wordsOf(field.value);
    // What is found stands by how well it fits; all that there is, by what it is.
    found = words.length ? index.search(words) : byKind;
    fill(count, words.length ? t("model.found", { count: found.length }) : kindCounts(found).join(", "));
    items.style.blockSize = `${arrange()}px`;
    scroller.scrollTop = 0;
    draw();
    onSearch(words);
  }

  /** Where each line and heading stands; how high all of them are. */
  function arrange() {
    rows = [];
    let top = 0;
    found.forEach((table, at) => {
      if (!words.length && (at === 0 || shownKind(table) !== shownKind(found[at - 1]))) {
        rows.push({ top, heading: t(`model.kinds.${shownKind(table)}`), count: byKind.filter((one) => shownKind(one) === shownKind(table)).length, at: -1 });
        top += HEADING;
      }
      rows.push({ top, at });
      top += LINE;
    });
    return top;
  }

  /** The first row that ends below a height. @param {number} height */
  function rowAt(height) {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].top + LINE <= height) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function draw() {
    const inSight = rows.slice(rowAt(scroller.scrollTop - MORE), rowAt(scroller.scrollTop + scroller.clientHeight + MORE) + 1);
    const focused = /** @type {HTMLElement | null} */ (document.activeElement?.closest(".tables-item"))?.dataset.at;
    // What has the focus stays, or the next key would go nowhere.
    const held = focused === undefined ? -1 : Number(focused);
    const kept = held >= 0 && inSight.every((row) => row.at !== held) && rows.find((row) => row.at === held);
    if (kept) inSight.push(kept);
    fill(items, inSight.map((row) => ("heading" in row ? heading(row) : item(found[row.at], row))));
    link(held)?.focus({ preventScroll: true });
  }

  /** @param {{top: number, heading: string, count: number}} row */
  function heading({ top, heading: text, count: many }) {
    return h("li", { class: "tables-kind", style: { "--top": `${top}px` } }, h("strong", null, text, " ", h("span", { class: "muted" }, many.toLocaleString())));
  }

  /** @param {Table} table @param {{top: number, at: number}} row */
  function item(table, { top, at }) {
    const where = words.length ? whereFound(table, words) : null;
    const second = where ? h("span", { class: "tables-second" }, whereText(where), h("bdi", null, marked(where.text, words))) : secondLine(table);
    const name = h("span", { class: "tables-name", dir: "auto" }, marked(shownName(table).slice(0, 200), words));
    const head = h("span", { class: "tables-first" }, name, words.length > 0 && kindBadge(table));
    const target = h("a", { class: "tables-link", href: context.address("model", table.name), "aria-current": table.name === chosen ? "page" : null }, head, second);
    return h("li", { class: "tables-item", dataset: { at }, style: { "--top": `${top}px` }, "aria-posinset": at + 1, "aria-setsize": found.length }, target);
  }

  /** @param {Table} table */
  function secondLine(table) {
    const own = table.display_name && !isSameName(table.display_name, table.name) ? marked(table.name.slice(0, 200), words) : null;
    return h("span", { class: "tables-second" }, own && [h("code", null, own), " · "].flat(), t("model.columns", { count: table.columns.length }));
  }

  /** @param {number} at @returns {HTMLElement | null} */
  function link(at) {
    return items.querySelector(`[data-at="${at}"] > a`);
  }

  /** Arrows go from line to line, also from the search field. @param {KeyboardEvent} event */
  function moved(event) {
    const on = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".tables-item"));
    const at = on ? Number(on.dataset.at) : -1;
    const steps = new Map([["ArrowDown", at + 1], ["ArrowUp", at - 1]]);
    if (on) steps.set("Home", 0).set("End", found.length - 1).set("PageDown", Math.min(at + 10, found.length - 1)).set("PageUp", Math.max(at - 10, 0));
    const to = steps.get(event.key);
    if (event.key === "Enter" && !on && found.length) context.go("model", found[0].name);
    if (to === undefined || to >= found.length || (to < 0 && !on)) return;
    event.preventDefault();
    if (to < 0) field.focus();
    else show(to)?.focus({ preventScroll: true });
  }

  /** Only what is in sight can be scrolled to what was chosen. */
  function begin() {
    isInSight = scroller.clientHeight > 0;
    choose(chosen);
  }

  /** Bring a line into sight. @param {number} at */
  function show(at) {
    const top = rows.find((row) => row.at === at)?.top ?? 0;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + LINE > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + LINE - scroller.clientHeight;
    draw();
    return link(at);
  }

  /** @param {string} name */
  function choose(name) {
    chosen = name;
    const at = found.findIndex((table) => table.name === name);
    if (at < 0) draw();
    else show(at);
  }

  searched();
  return { element, choose, searched: () => field.value };
}

/** @param {import("./search.js").Found} found */
function whereText({ place, column }) {
  return `${column ? `${column} · ` : ""}${t(/** @type {any} */ (`model.in.${place}`))} `;
}
