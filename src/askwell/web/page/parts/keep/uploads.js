// Files that became projects: which there are, sending another, and deleting them.
import { h } from "../../lib/dom.js";
import { ago } from "../../lib/format.js";
import { addressOf } from "../../lib/router.js";
import { t } from "../../lib/text.js";
import { deleteUpload, uploadForm } from "../model/upload.js";
import { kept } from "./collection.js";

/** @typedef {{id: string, sent_at: string}} Upload */

/** @type {import("../../views/keep.js").Section} */
export function section(context) {
  const all = kept(context, "uploads", { load, textOf: ({ id }) => id, line });

  /** @returns {Promise<Upload[]>} the latest first */
  async function load() {
    const { projects } = await context.api.get("/v1/projects", {}, context.signal);
    return projects.filter((/** @type {Upload} */ one) => one.sent_at).sort((/** @type {Upload} */ one, /** @type {Upload} */ other) => other.sent_at.localeCompare(one.sent_at));
  }

  /** @param {Upload} one */
  function line({ id, sent_at: sent }) {
    const act = async () => {
      await deleteUpload(context, id);
      await all.list.reload();
    };
    return {
      name: id,
      main: [h("a", { class: "list-link", href: addressOf(id, "model") }, id), h("p", { class: "small muted" }, t("model.upload.sent", { when: ago(sent) }))],
      remove: { question: t("model.upload.remove.sure", { project: id }), act },
    };
  }
  return all.section([], h("div", { class: "card" }, uploadForm(context)));
}
