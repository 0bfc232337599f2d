// A model that is being prepared: how far that is, until it is done.
import { fill, h } from "../../lib/dom.js";
import { ServiceError } from "../../lib/errors.js";
import { events } from "../../lib/events.js";
import { tab } from "../../lib/storage.js";
import { t } from "../../lib/text.js";
import { note, told } from "../notes.js";

const STAGES = ["checking", "sampling", "indexing"];

/** @param {string} project */
const key = (project) => `askwell.preparing.${project}`;

/**
 * Remember in this tab what is being prepared, so that it is followed again after a reload.
 * @param {string} project @param {string} label @param {string} [table] the one that was described
 */
export function rememberPreparation(project, label, table = "") {
  tab.setItem(key(project), JSON.stringify([label, table]));
}

/** The label of what is being prepared, and the table that was described. @param {string} project @returns {[string, string] | null} */
export function rememberedPreparation(project) {
  return JSON.parse(tab.getItem(key(project)) ?? "null");
}

/**
 * Follow the preparation of a label. The element shows how far it is, and why it failed.
 * @param {import("../../main.js").Context} context @param {string} label
 * @param {{onEnd: (isFinished: boolean) => void}} told
 * @returns {HTMLElement}
 */
export function preparation(context, label, { onEnd }) {
  const words = h("p", { class: "small", role: "status" }, t("model.preparing"));
  const bar = h("span");
  const progress = h("div", { class: "progress is-open", role: "progressbar", "aria-label": t("model.preparing") }, bar);
  const element = h("div", { class: "preparation card stack" }, words, progress);
  follow().catch((error) => context.signal.aborted || ended(false, gone(error) ? null : failed(told(error))));

  async function follow() {
    const path = `/v1/semantics-preparations/${encodeURIComponent(label)}`;
    const query = new URLSearchParams({ project_id: context.project });
    let last = null;
    for await (const event of events(context.api, `${path}/events?${query}`, { signal: context.signal, onAway: context.away })) {
      last = event.data;
      show(last.progress);
    }
    if (!last || last.status === "indexing") last = await context.api.get(`${path}/status`, { project_id: context.project }, context.signal);
    ended(last.status === "finished", last.status === "finished" ? null : failed({ text: last.error?.message ?? t("model.failed"), more: last.error?.hint ?? "" }));
  }

  /** @param {{done: number, total: number, stage: string} | undefined} now */
  function show(now) {
    if (!now) return;
    const stage = STAGES.includes(now.stage) ? t(/** @type {any} */ (`model.stage.${now.stage}`)) : t("model.preparing");
    fill(words, now.total ? t("model.progress", { stage, done: now.done, total: now.total }) : stage);
    progress.classList.toggle("is-open", !now.total);
    if (!now.total) return;
    progress.setAttribute("aria-valuenow", String(Math.round((100 * now.done) / now.total)));
    bar.style.setProperty("--part", `${(100 * now.done) / now.total}%`);
  }

  /** @param {{text: string, more: string}} why */
  function failed({ text, more }) {
    return note("bad", t("model.failed"), `${text} ${more}`.trim().slice(0, 2000));
  }

  /** @param {boolean} isFinished @param {HTMLElement | null} problem */
  function ended(isFinished, problem) {
    tab.removeItem(key(context.project));
    if (problem) element.replaceWith(problem);
    else element.remove();
    onEnd(isFinished);
  }
  return element;
}

/** Whether nothing is known of it any more. @param {unknown} error */
function gone(error) {
  return error instanceof ServiceError && error.status === 404;
}
