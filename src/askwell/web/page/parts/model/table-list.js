// The tables of a model beside what is shown: by what they are, or those that are searched for.
import { fill, h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { longList } from "../long-list.js";
import { AT_REST, say } from "../notes.js";
import { shownKind, shownName } from "./data.js";
import { marked, searcher, whereFound, wordsOf } from "./search.js";
import { isSameName, kindBadge, kindCounts, KINDS } from "./words.js";

/** @typedef {import("./data.js").Table} Table */

const PAGE = 1000;

/**
 * @param {import("../../main.js").Context} context
 * @param {import("./data.js").Model} model
 * @param {{onSearch: (words: string[]) => void, onSkip: () => void, search: string}} how `onSkip` goes to what is shown beside the list
 * @returns {{element: HTMLElement, choose: (name: string) => void, searched: () => string}}
 */
export function tableList(context, model, { onSearch, onSkip, search: before }) {
  const search = searcher(model.tables);
  const field = h("input", { class: "input", type: "search", placeholder: t("model.search"), "aria-label": t("model.search"), value: before, "aria-keyshortcuts": "/" });
  const count = h("p", { class: "small muted" });
  const skip = h("a", { class: "button is-small tables-skip", href: "#view", onclick: skipped }, t("model.skip"));
  const items = h("ul", { class: "tables-items", "aria-label": t("model.tables") });
  const { more, show } = longList(items, line, PAGE);
  const element = h("div", { class: "tables", onkeydown: moved }, h("div", { class: "tables-head" }, field, count, skip), h("div", { class: "tables-scroll" }, items, more));
  const byKind = KINDS.map((kind) => model.tables.filter((table) => shownKind(table) === kind)).filter((all) => all.length > 0);
  let [words, chosen, wait] = [wordsOf(before), "", 0];

  field.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(typed, model.tables.length > 500 ? 80 : 0);
  });

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
    const found = words.length ? search(words) : byKind.flat();
    fill(count, words.length ? t("model.found", { count: found.length }) : kindCounts(found).join(", "));
    show(words.length ? found : byKind.flatMap((all) => [{ kind: shownKind(all[0]), count: all.length }, ...all]));
    onSearch(words);
  }

  /** A table, or what stands above those of a kind. @param {Table | {kind: ReturnType<typeof shownKind>, count: number}} one */
  function line(one) {
    if ("name" in one) return item(one);
    return h("li", { class: "tables-kind" }, h("strong", null, t(`model.kinds.${one.kind}`), " ", h("span", { class: "muted" }, one.count.toLocaleString())));
  }

  /** @param {Table} table */
  function item(table) {
    const where = words.length ? whereFound(table, words) : null;
    const second = where ? h("span", { class: "tables-second" }, whereText(where), h("bdi", null, marked(where.text, words))) : secondLine(table);
    const name = h("span", { class: "tables-name", dir: "auto" }, marked(shownName(table).slice(0, 200), words));
    const head = h("span", { class: "tables-first" }, name, words.length > 0 && kindBadge(table));
    const isChosen = table.name === chosen;
    return h("li", { class: "tables-item" }, h("a", { class: "tables-link", href: context.address("model", table.name), "aria-current": isChosen ? "page" : null }, head, second));
  }

  /** @param {Table} table */
  function secondLine(table) {
    const own = table.display_name && !isSameName(table.display_name, table.name) ? marked(table.name.slice(0, 200), words) : null;
    return h("span", { class: "tables-second" }, own && [h("code", null, own), " · "].flat(), t("model.columns", { count: table.columns.length }));
  }

  /** Arrows go from line to line, also from the search field. @param {KeyboardEvent} event */
  function moved(event) {
    const all = /** @type {HTMLElement[]} */ ([...items.querySelectorAll("a")]);
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const steps = new Map([["ArrowDown", at + 1], ["ArrowUp", at - 1]]);
    if (at >= 0) steps.set("Home", 0).set("End", all.length - 1).set("PageDown", Math.min(at + 10, all.length - 1)).set("PageUp", Math.max(at - 10, 0));
    const to = steps.get(event.key);
    if (event.key === "Enter" && event.target === field) all[0]?.click();
    if (to === undefined || to >= all.length || (to < 0 && at < 0)) return;
    event.preventDefault();
    (all[to] ?? field).focus();
  }

  /** @param {string} name */
  function choose(name) {
    chosen = name;
    const address = context.address("model", name);
    const links = /** @type {HTMLElement[]} */ ([...items.querySelectorAll("a")]);
    for (const one of links) one.ariaCurrent = one.getAttribute("href") === address ? "page" : null;
    requestAnimationFrame(() => items.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }));
  }

  searched();
  return { element, choose, searched: () => field.value };
}

/** @param {import("./search.js").Found} found */
function whereText({ place, column }) {
  return `${column ? `${column} · ` : ""}${t(/** @type {any} */ (`model.in.${place}`))} `;
}
