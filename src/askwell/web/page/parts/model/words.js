// What a model's parts are called on the page.
import { h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { longText } from "../long-text.js";
import { shownKind } from "./data.js";
import { marked } from "./search.js";

/** @typedef {import("./data.js").Join} Join */

/** What a table is, where it is no plain one. @param {import("./data.js").Table} table */
export function kindBadge(table) {
  const kind = shownKind(table);
  return kind === "model" ? null : h("span", { class: "badge is-accent" }, t(`model.kind.${kind}`));
}

/** The kinds of tables, in the order in which they are shown. */
export const KINDS = /** @type {const} */ (["model", "view", "metric", "cube"]);

/** How many there are of each kind, in words. @param {import("./data.js").Table[]} tables @returns {string[]} */
export function kindCounts(tables) {
  const counts = KINDS.map((kind) => [kind, tables.filter((table) => shownKind(table) === kind).length]);
  const texts = counts.filter(([, count]) => count).map(([kind, count]) => t(/** @type {any} */ (`model.count.${kind}`), { count }));
  return texts.length ? texts : [t("model.count.none")];
}

/** Whether two names are one, but for spaces and case. @param {string} one @param {string} other */
export function isSameName(one, other) {
  return bare(one) === bare(other);
}

/** @param {string} name */
function bare(name) {
  return name.replace(/[\s_-]+/g, "").toLowerCase();
}

/** @param {Join} join */
export function pairsText(join) {
  return join.pairs.map(([left, right]) => `${join.left}.${left} = ${join.right}.${right}`).join(", ") || join.name;
}

/** @param {Join} join */
export function cardinality(join) {
  return t(/** @type {any} */ (`model.${join.cardinality.toLowerCase()}`));
}

/** A join in one line of words. @param {Join} join */
export function joinText(join) {
  return [pairsText(join), cardinality(join), join.is_inferred ? t("model.inferred") : ""].filter(Boolean).join(" · ");
}

/** A text that may be long, with the words that were searched for marked. @param {string} text @param {string[]} words */
export function markedText(text, words) {
  return longText(text, { tag: "span", show: (part) => marked(part, words) });
}
