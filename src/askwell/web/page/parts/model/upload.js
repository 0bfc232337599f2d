// A file of one's own as a project: chosen or dropped, sent, and looked at.
import { fill, h } from "../../lib/dom.js";
import { ago } from "../../lib/format.js";
import { addressOf } from "../../lib/router.js";
import { t } from "../../lib/text.js";
import { upload } from "../../lib/uploads.js";
import { confirmed } from "../dialog.js";
import { fileDrop } from "../file-drop.js";
import { attempt, failure, loading, note, toast } from "../notes.js";
import { rememberPreparation } from "./preparation.js";

const ENDINGS = ".db,.sqlite,.sqlite3,.duckdb,.ddb,.csv,.tsv,.tab";

/** @param {Pick<import("../../main.js").Context, "api" | "signal">} context @param {string} project */
export async function deleteUpload({ api, signal }, project) {
  await api.send("DELETE", `/v1/uploads/${encodeURIComponent(project)}`, undefined, { signal });
  dispatchEvent(new CustomEvent("askwell-projects", { detail: project }));
}

/**
 * The end of a project that was sent.
 * @param {import("../../main.js").Context} context
 * @returns {HTMLElement | null} null where whoever uses the page may not end it
 */
export function removal({ api, session, project, signal }) {
  if (!session.settings.takesUploads || !session.may("admin")) return null;
  const problem = h("div");
  const own = async () => {
    const { projects } = await api.get("/v1/projects", {}, signal);
    return projects.find((/** @type {{id: string, sent_at?: string}} */ one) => one.id === project && one.sent_at);
  };
  return loading(own, (sent) => sent && [h("div", { class: "row" }, h("button", { class: "button is-danger", type: "button", onclick: remove }, t("model.upload.remove")), h("span", { class: "small muted" }, t("model.upload.sent", { when: ago(sent.sent_at) }))), problem]).element;

  /** @param {Event} event */
  async function remove({ currentTarget: button }) {
    if (!(await confirmed(t("model.upload.remove.sure", { project }), t("delete")))) return;
    await attempt(/** @type {HTMLElement} */ (button), problem, async () => {
      await deleteUpload({ api, signal }, project);
      toast(t("model.upload.removed"));
    });
  }
}

/**
 * @param {import("../../main.js").Context} context
 * @returns {HTMLElement | null} null where whoever uses the page may not send files
 */
export function uploadForm(context) {
  const { api, session } = context;
  if (!session.settings.takesUploads || !session.may("admin")) return null;
  const most = session.settings.mostMegabytes;
  const name = h("input", { class: "input", maxlength: 40, autocomplete: "off" });
  const words = [h("span", null, t("model.upload.choose")), h("small", { class: "muted" }, t("model.upload.kinds"), " ", t("uploads.most", { most }))];
  const choice = fileDrop({ accept: ENDINGS, words, onFiles: ([file]) => send(file) });
  const state = h("div", { class: "stack" });
  const element = h("div", { class: "stack" }, h("h2", null, t("model.upload")), choice.element, h("label", { class: "field" }, h("span", null, t("model.upload.name"), " ", h("small", null, t("optional"))), name), state);

  /** @param {File} file */
  async function send(file) {
    if (file.size > most * 2 ** 20) {
      fill(state, note("bad", t("uploads.large", { name: file.name, most })));
      return;
    }
    const stopped = new AbortController();
    const told = h("p", { class: "small", role: "status" }, t("model.upload.sending", { file: file.name }));
    const bar = h("span");
    const progress = h("div", { class: "progress", role: "progressbar", "aria-label": t("model.upload.sending", { file: file.name }) }, bar);
    fill(state, told, progress, h("div", { class: "row" }, h("button", { class: "button is-small", type: "button", onclick: () => stopped.abort() }, t("cancel"))));
    choice.input.disabled = true;
    const form = new FormData();
    form.append("file", file);
    if (name.value.trim()) form.append("project_id", name.value.trim());
    /** @param {number} part */
    const onPart = (part) => {
      bar.style.setProperty("--part", part < 1 ? `${100 * part}%` : "30%");
      progress.setAttribute("aria-valuenow", String(Math.round(100 * part)));
      progress.classList.toggle("is-open", part === 1);
      if (part === 1) fill(told, t("model.upload.reading"));
    };
    try {
      const begun = await upload(api, "/v1/uploads", form, { onPart, signal: AbortSignal.any([context.signal, stopped.signal]) });
      rememberPreparation(begun.project_id, begun.mdl_hash);
      dispatchEvent(new CustomEvent("askwell-projects"));
      location.assign(addressOf(begun.project_id, "model"));
    } catch (error) {
      fill(state, stopped.signal.aborted ? null : failure(error));
    } finally {
      choice.input.disabled = false;
    }
  }
  return element;
}
