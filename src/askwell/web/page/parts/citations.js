// The passages of documents that an answer names by marks such as [1].
import { h } from "../lib/dom.js";
import { t } from "../lib/text.js";

/** @param {Record<string, any>} result */
export function citations(result) {
  const all = result.citations ?? [];
  if (!all.length) return null;
  const items = all.map((/** @type {any} */ one) =>
    h("li", null, h("strong", null, `[${one.n}] ${one.title}`), " ", h("span", { class: "muted" }, one.locator), h("blockquote", { dir: "auto" }, one.quote)),
  );
  return h("ol", { class: "citations", "aria-label": t("citations") }, items);
}
