// A project without a model: what to do about that, and how far it is where something is being done.
import { h, icon } from "../../lib/dom.js";
import { pause } from "../../lib/events.js";
import { t } from "../../lib/text.js";
import { uploadForm } from "./upload.js";

// Milliseconds between two looks whether somebody else has sent a model.
const WAIT = 4000;

/**
 * @param {import("../../main.js").Context} context @param {boolean} isBusy whether one is being prepared, and that shown
 * @param {() => void} onModel told when there is a model
 * @returns {HTMLElement}
 */
export function emptyModel(context, isBusy, onModel) {
  const head = h("header", { class: "page-head" }, h("h1", null, t(isBusy ? "model.coming" : "model.empty")), h("p", null, t(isBusy ? "model.coming.hint" : "model.empty.hint")));
  const own = isBusy ? null : uploadForm(context);
  const element = h("div", { class: "page" }, head, own && h("div", { class: "card" }, own), !isBusy && h("div", { class: "card stack" }, steps(context)));
  watch(context, element, onModel).catch(() => {});
  return element;
}

/** @param {import("../../main.js").Context} context */
function steps({ session, project }) {
  if (!session.may("admin")) return h("p", null, t("model.empty.ask"));
  const docs = h("a", { class: "button", href: "/docs", target: "_blank", rel: "noopener" }, icon("link"), t("model.empty.docs"));
  const route = `POST /v1/semantics-preparations?project_id=${encodeURIComponent(project)}`;
  return [h("p", null, t("model.empty.send")), h("p", { class: "model-command" }, h("code", null, route)), h("div", { class: "row" }, docs)];
}

/** Until it is shown no more. @param {import("../../main.js").Context} context @param {HTMLElement} element @param {() => void} onModel */
async function watch({ api, project, signal }, element, onModel) {
  do {
    await pause(WAIT, signal);
    if (document.hidden) continue;
    // Where the service is away it is looked at again.
    const { projects } = await api.get("/v1/projects", {}, signal).catch(() => ({ projects: [] }));
    if (projects.some((/** @type {{id: string, has_model: boolean}} */ one) => one.id === project && one.has_model)) return onModel();
  } while (element.isConnected);
}
