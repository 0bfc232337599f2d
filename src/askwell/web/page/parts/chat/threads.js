// The threads of a project, the last used first: to open, rename and delete.
import { h, icon } from "../../lib/dom.js";
import { ago } from "../../lib/format.js";
import { t } from "../../lib/text.js";
import { confirmed, dialog, menu } from "../dialog.js";
import { attempt, loading, toastError } from "../notes.js";

const PAGE = 30;

/** @typedef {{id: string, title: string, updated_at: string}} Thread */

/**
 * @param {import("../../main.js").Context} context
 * @param {{onDeleted: (id: string) => void}} heard
 * @returns {{element: HTMLElement, reload: () => Promise<void>, mark: (id: string) => void, changed: (id: string) => string}} `changed` tells when a thread was used last, as far as the list knows
 */
export function threadList(context, { onDeleted }) {
  const { api, project, signal } = context;
  let [chosen, count] = ["", PAGE];
  /** @type {Thread[]} */
  let known = [];
  const list = loading(load, show);

  async function load() {
    const found = await api.get("/v1/threads", { project_id: project, limit: count }, signal);
    known = found.threads;
    return found;
  }

  /** @param {{threads: Thread[], total: number}} found */
  function show({ threads, total }) {
    if (!threads.length) return h("p", { class: "small muted" }, t("chat.none"));
    const more = () => {
      count += PAGE;
      list.reload();
    };
    const rest = total > threads.length && h("button", { class: "button is-small", type: "button", onclick: more }, t("more"));
    return [h("ul", { class: "chat-list" }, threads.map(item)), rest];
  }

  /** @param {Thread} thread */
  function item(thread) {
    const title = thread.title || t("chat.untitled");
    const link = h("a", { class: "place chat-link", href: context.address("chat", thread.id), "aria-current": thread.id === chosen ? "page" : null, dataset: { thread: thread.id } }, h("span", { class: "chat-title", dir: "auto" }, title), h("small", { class: "muted" }, ago(thread.updated_at)));
    const actions = menu([icon("more")], [
      { text: t("rename"), act: () => rename(thread) },
      { text: t("delete"), act: () => remove(thread, title) },
    ], { name: t("chat.actions", { title }) });
    return h("li", { class: "chat-item" }, link, actions);
  }

  /** @param {Thread} thread */
  function rename(thread) {
    const field = h("input", { class: "input", maxlength: 200, value: thread.title, required: true });
    const problem = h("div");
    const save = h("button", { class: "button is-main" }, t("save"));
    const form = h("form", { class: "stack", onsubmit: renamed }, h("label", { class: "field" }, h("span", null, t("chat.title")), field), problem, h("div", { class: "dialog-end" }, save));
    const shown = dialog(t("rename"), [form], []);
    field.select();

    /** @param {Event} event */
    function renamed(event) {
      event.preventDefault();
      attempt(save, problem, async () => {
        await api.send("PATCH", `/v1/threads/${encodeURIComponent(thread.id)}`, { title: field.value.trim(), project_id: project });
        shown.close();
        list.reload();
      });
    }
  }

  /** @param {Thread} thread @param {string} title */
  async function remove(thread, title) {
    if (!(await confirmed(t("chat.delete", { title }), t("delete")))) return;
    try {
      await api.send("DELETE", `/v1/threads/${encodeURIComponent(thread.id)}`, undefined, { query: { project_id: project } });
      onDeleted(thread.id);
      list.reload();
    } catch (error) {
      toastError(error);
    }
  }

  /** @param {string} id */
  function mark(id) {
    chosen = id;
    for (const link of list.element.querySelectorAll("a")) link.ariaCurrent = link.dataset.thread === id ? "page" : null;
  }
  return { element: list.element, reload: list.reload, mark, changed: (id) => known.find((one) => one.id === id)?.updated_at ?? "" };
}
