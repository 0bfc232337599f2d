// The head of a section: what it is, what it is for, and what can be done there.
import { h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";

/** @param {string} name of the section, by which its texts are called @param {...import("../../lib/dom.js").Child} actions */
export function sectionHead(name, ...actions) {
  const words = h("div", { class: "keep-head-words" }, h("h2", { class: "for-readers" }, t(/** @type {any} */ (`keep.${name}`))), h("p", { class: "muted" }, t(/** @type {any} */ (`${name}.hint`))));
  return h("header", { class: "row is-apart keep-head" }, words, actions.length > 0 && h("div", { class: "row" }, actions));
}
