// Texts that may be of any length: their beginning, and the rest when it is asked for.
import { fill, h } from "../lib/dom.js";
import { t } from "../lib/text.js";

// What is shown of a text at first.
const BEGINNING = 300;
// A text that is longer than this is shown in parts even when it is asked for: the browser has to lay it out.
const PART = 50_000;

/**
 * @param {string} text
 * @param {{tag?: string, class?: string, most?: number, show?: (part: string) => import("../lib/dom.js").Child | import("../lib/dom.js").Child[]}} [how] `most` is how much is shown at first, `show` makes what is shown of a part
 * @returns {HTMLElement}
 */
export function longText(text, { tag = "p", class: style = "", most = BEGINNING, show = (part) => part } = {}) {
  const element = h(tag, { class: `keeps-lines ${style}`, dir: "auto" });
  put(text.length > most * 1.2 ? most : text.length);

  /** @param {number} length */
  function put(length) {
    const rest = text.length - length;
    const more = h("button", { class: "button is-small is-plain", type: "button", onclick: () => put(Math.min(text.length, length + PART)) }, t("text.rest", { count: rest }));
    fill(element, [show(text.slice(0, length))].flat(), rest > 0 && ["… ", more]);
  }
  return element;
}

/** The beginning of a text on one line, for names and titles. @param {string} text @param {number} [most] */
export function beginning(text, most = 80) {
  const line = text.slice(0, most * 4).replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/**
 * Something that is made when it is first opened.
 * @param {import("../lib/dom.js").Child | import("../lib/dom.js").Child[]} summary
 * @param {() => import("../lib/dom.js").Child} make
 */
export function folded(summary, make) {
  const element = h("details", { class: "folded" }, h("summary", null, summary));
  element.addEventListener("toggle", () => element.append(h("div", { class: "folded-body" }, make())), { once: true });
  return element;
}
