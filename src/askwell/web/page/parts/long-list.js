// Lists that may be of any length: their beginning, and more when it is asked for.
import { fill, h } from "../lib/dom.js";
import { t } from "../lib/text.js";

/**
 * @template Item
 * @param {HTMLElement} list what the lines stand in
 * @param {(item: Item) => HTMLElement} line
 * @param {number} page how many lines are shown at once
 * @param {string} [style] of the button
 * @returns {{more: HTMLElement, show: (items: Item[]) => void}} `more` stands below the list; `show` puts these items in it
 */
export function longList(list, line, page, style = "is-small") {
  const button = h("button", { class: `button ${style}`, type: "button", onclick: next }, t("more"));
  /** @type {Item[]} */
  let all = [];
  let shown = 0;

  /** @param {Item[]} items */
  function show(items) {
    all = items;
    shown = 0;
    fill(list);
    next();
  }

  function next() {
    list.append(...all.slice(shown, shown + page).map(line));
    shown += page;
    button.hidden = shown >= all.length;
  }
  return { more: h("div", { class: "row" }, button), show };
}
