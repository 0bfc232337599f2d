// What a project has of something, as a list that is searched here: it is a few thousand at most.
import { fill, h, icon } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { longList } from "../long-list.js";
import { beginning } from "../long-text.js";
import { acting, enter } from "./changes.js";

const PAGE = 1000;
const MOST = 20_000;
const SHOWN = 50;

/**
 * Everything of a list that the service gives in pages, the latest first.
 * @param {import("../../main.js").Context} context @param {string} path @param {string} key where the answer has its items
 * @param {Record<string, string>} [query]
 * @returns {Promise<Record<string, any>[]>}
 */
export async function everything({ api, project, signal }, path, key, query = {}) {
  /** @type {Record<string, any>[]} */
  const found = [];
  for (;;) {
    const page = await api.get(path, { project_id: project, limit: PAGE, offset: found.length, ...query }, signal);
    found.push(...page[key]);
    if (!page[key].length || found.length >= Math.min(page.total, MOST)) return found.reverse();
  }
}

/**
 * A list with a search, of which more is shown when it is asked for.
 * @param {object} given
 * @param {Record<string, any>[]} given.items
 * @param {(item: any) => string} given.textOf what is searched
 * @param {(item: any) => HTMLElement} given.line
 * @param {(count: number) => string} given.count
 * @param {string} given.search the name of the search
 * @param {{words: string}} given.state what is searched for; kept across reloads by whoever keeps this
 */
export function collection({ items, textOf, line, count, search, state }) {
  const texts = items.map((item) => textOf(item).toLowerCase());
  const input = h("input", { class: "input", type: "search", placeholder: search, "aria-label": search, value: state.words });
  const told = h("span", { class: "small muted", role: "status" });
  const list = h("ul", { class: "list card is-bare" });
  const none = h("p", { class: "empty" }, t("keep.none"));
  const { more, show } = longList(list, line, SHOWN, "");
  input.addEventListener("input", () => {
    state.words = input.value;
    filter();
  });
  filter();

  function filter() {
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    const found = items.filter((_, at) => words.every((word) => texts[at].includes(word)));
    told.textContent = count(found.length);
    none.hidden = found.length > 0;
    list.hidden = found.length === 0;
    show(found);
  }
  const tools = h("div", { class: "row keep-search", role: "search" }, items.length > 5 && input, told);
  return h("div", { class: "stack" }, tools, list, none, more);
}

/** @param {{question: string, act: () => Promise<unknown>, action?: string, working?: string, style?: string}} remove @param {string} name @param {HTMLElement} place */
function taking({ question, act, action = t("delete"), working = t("keep.deleting"), style = "is-small is-danger" }, name, place) {
  return acting({ label: [action], name: t("keep.of", { action, name }), style, working, place, act, sure: { question, action } });
}

/**
 * A line that may be changed in its place, and removed.
 * @param {object} given
 * @param {string} given.id
 * @param {string} given.name what it is called, for readers and questions
 * @param {import("../../lib/dom.js").Child[]} given.main
 * @param {(place: HTMLElement) => import("../../lib/dom.js").Child[]} [given.actions] further ones; `place` shows what they do
 * @param {(close: () => void) => HTMLElement} [given.edit]
 * @param {import("./form-draft.js").FormDraft} [given.draft] of `edit`: where it is there, that is open already
 * @param {{question: string, act: () => Promise<unknown>, action?: string, working?: string, style?: string}} [given.remove] taking it away, or undoing it
 */
export function entry({ id, name, main, actions = () => [], edit, draft, remove }) {
  const line = h("li", { class: "keep-entry", dataset: { id } });
  const place = h("div", { class: "keep-place" });
  const short = beginning(name);
  const change = edit && h("button", { class: "button is-small keep-edit", type: "button", "aria-label": t("keep.of", { action: t("edit"), name: short }), onclick: open }, icon("edit"), t("edit"));
  const erase = remove && taking(remove, short, place);
  if (edit && draft?.isThere) fill(line, edit(close));
  else show();

  function show() {
    fill(line, h("div", { class: "list-main" }, main), h("div", { class: "row keep-actions" }, actions(place), change, erase), place);
  }

  function open() {
    fill(line, edit?.(close));
    enter(line);
  }

  function close() {
    show();
    // After a change the list is made anew, and has another line for the same.
    const now = line.isConnected ? line : document.querySelector(`.keep-entry[data-id="${CSS.escape(id)}"]`);
    now?.querySelector(".keep-edit")?.focus();
  }
  return line;
}
