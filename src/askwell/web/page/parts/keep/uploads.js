// Files that became projects: which there are, sending another, and deleting them.
import { h } from "../../lib/dom.js";
import { ago } from "../../lib/format.js";
import { addressOf } from "../../lib/router.js";
import { t } from "../../lib/text.js";
import { uploadForm } from "../model/upload.js";
import { loading } from "../notes.js";
import { collection, entry } from "./collection.js";
import { sectionHead } from "./section-head.js";

/** @typedef {{id: string, sent_at: string}} Upload */

/** @type {import("../../views/keep.js").Section} */
export function section(context) {
  const { api, signal } = context;
  const state = { words: "" };
  const list = loading(() => api.get("/v1/projects", {}, signal), show);

  /** @param {{projects: (Upload | {id: string, sent_at?: undefined})[]}} found */
  function show({ projects }) {
    const sent = /** @type {Upload[]} */ (projects.filter((one) => one.sent_at)).sort((one, other) => other.sent_at.localeCompare(one.sent_at));
    if (!sent.length) return h("p", { class: "empty" }, t("uploads.empty"));
    return collection({ items: sent, textOf: (one) => one.id, line, count: (count) => t("uploads.count", { count }), search: t("uploads.search"), state });
  }

  /** @param {Upload} one */
  function line(one) {
    return entry({
      id: one.id,
      name: one.id,
      main: [h("a", { class: "list-link", href: addressOf(one.id, "model") }, one.id), h("p", { class: "small muted" }, t("model.upload.sent", { when: ago(one.sent_at) }))],
      remove: { question: t("model.upload.remove.sure", { project: one.id }), act: () => remove(one) },
    });
  }

  /** @param {Upload} one */
  async function remove(one) {
    await api.send("DELETE", `/v1/uploads/${encodeURIComponent(one.id)}`, undefined, { signal });
    dispatchEvent(new CustomEvent("askwell-projects", { detail: one.id }));
    await list.reload();
  }
  return h("div", { class: "stack" }, sectionHead("uploads"), h("div", { class: "card" }, uploadForm(context)), list.element);
}
