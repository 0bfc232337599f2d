// What a project has of something, as a list that is searched here: it is a few thousand at most.
import { fill, h, icon } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { longList } from "../long-list.js";
import { beginning } from "../long-text.js";
import { loading, note } from "../notes.js";
import { acting, become, changed, choice, editor, enter, opener, saveAgain, sectionHead, Undecided } from "./changes.js";
import { FormDraft } from "./form-draft.js";

/** @typedef {import("../../lib/dom.js").Child} Child */
/** @typedef {{question: string, act: () => Promise<unknown>, action?: string, working?: string, style?: string}} Removal taking an entry away, or undoing it */
/**
 * An entry as a line.
 * @typedef {object} Line
 * @property {string} name what it is called, for readers and questions
 * @property {Child[]} main
 * @property {(place: HTMLElement) => Child[]} [actions] further ones; `place` shows what they do
 * @property {boolean} [isChanged] whether it can be changed
 * @property {Removal} [remove]
 */

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
 * A section of what there is of something: its list, and a form for more of it. Its texts are called by its name.
 * @param {import("../../main.js").Context} context
 * @param {"verified" | "instructions" | "lessons" | "documents" | "uploads" | "keys"} name
 * @param {object} given
 * @param {[path: string, key: string]} [given.from] where it is, and where the answer has its items
 * @param {() => Promise<any>} [given.load] where it does not come in pages
 * @param {(one: any) => string} given.textOf what is searched
 * @param {(one: any) => Line} given.line
 * @param {(one: any, close: () => void) => {fields: Child[], act: () => Promise<unknown>, action?: string}} [given.form] of an entry, or of another one where it is null
 * @param {string} [given.style] of the button that opens it
 * @param {(found: any) => Child[] | Child} [given.show] shows what was loaded, where that is no list
 */
export function kept(context, name, { from: [path, key] = ["", ""], load = () => everything(context, path, key), textOf, line, form, style, show }) {
  // What is searched for is kept while the list is loaded anew.
  const state = { words: "" };
  const place = h("div");
  const draftOf = (/** @type {any} */ one) => new FormDraft(context, name, one?.id);
  const list = loading(load, show ?? ((/** @type {any[]} */ items) => listed(items)));
  const add = form && opener(place, text("add"), (close) => edited(form, null, close), { style, draft: draftOf(null) });

  /** @param {string} which */
  function text(which) {
    return t(/** @type {any} */ (`${name}.${which}`));
  }

  /** @param {any[]} items @param {string} [none] what is said where there are none */
  function listed(items, none = text("empty")) {
    return items.length ? collection(name, items, { textOf, line: entry, state }) : h("p", { class: "empty" }, none);
  }

  /** @param {any} one */
  function entry(one) {
    const { isChanged, ...said } = line(one);
    const edit = form && isChanged ? (/** @type {() => void} */ close) => edited(form, one, close) : undefined;
    return entryOf(one.id, { ...said, edit, draft: draftOf(one) });
  }

  /** @param {NonNullable<typeof form>} make @param {any} one @param {() => void} close */
  function edited(make, one, close) {
    return editor({ title: text(one ? "edit" : "add"), action: t("save"), ...make(one, close), onClose: close, draft: draftOf(one) });
  }

  /**
   * A function that finds out, before an entry is saved, what it is by now, undefined where it was deleted. It raises
   * `Undecided` where that is not what it was when it was opened, until somebody saves it anyway.
   * @param {any} opened @param {() => void} close
   * @param {object} given
   * @param {(now: any) => Child} given.tell shows what it is now
   * @param {(one: any) => unknown} [given.part] what people change of it, where it changes by itself too
   * @param {typeof become} [given.said]
   */
  function lookedAgain(opened, close, { tell, part = (one) => one, said = become }) {
    let isAgreed = opened === null;
    const anyway = choice(t("keep.anyway"), (event) => {
      isAgreed = true;
      saveAgain(event);
    });
    const theirs = async () => {
      draftOf(opened).forget();
      close();
      await list.reload();
    };
    return async () => {
      const now = opened && (await everything(context, path, key)).find(({ id }) => id === opened.id);
      const isSame = now && JSON.stringify(part(now)) === JSON.stringify(part(opened));
      if (isAgreed || isSame) return { now, isSame };
      const { text: words, leave } = said(now);
      throw new Undecided(note("warn", words, "", anyway, choice(leave, theirs)), now && tell(now));
    };
  }

  /** Change something, and show the list as it is then. @param {"POST" | "DELETE"} method @param {Parameters<typeof changed>[3]["body"]} body @param {Partial<Parameters<typeof changed>[3]> & {at?: string}} [more] */
  async function change(method, body, { at = path, ...more } = {}) {
    const end = await changed(context, method, at, { body: body instanceof FormData ? body : body && { project_id: context.project, ...body }, ...more });
    await list.reload();
    return end;
  }

  /** All of it. @param {Child[]} [actions] @param {...Child} below the form */
  function section(actions = [], ...below) {
    return h("div", { class: "stack" }, sectionHead(name, ...[add, ...actions].filter(Boolean)), place, below, list.element);
  }
  return { list, listed, entry, draftOf, lookedAgain, change, state, add, place, section };
}

/**
 * A list with a search, of which more is shown when it is asked for.
 * @param {string} name @param {any[]} items
 * @param {{textOf: (item: any) => string, line: (item: any) => HTMLElement, state: {words: string}}} given
 */
function collection(name, items, { textOf, line, state }) {
  const search = t(/** @type {any} */ (`${name}.search`));
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
    told.textContent = t(/** @type {any} */ (`${name}.count`), { count: found.length });
    none.hidden = found.length > 0;
    list.hidden = found.length === 0;
    show(found);
  }
  const tools = h("div", { class: "row keep-search", role: "search" }, items.length > 5 && input, told);
  return h("div", { class: "stack" }, tools, list, none, more);
}

/** @param {Removal} remove @param {string} name @param {HTMLElement} place */
function taking({ question, act, action = t("delete"), working = t("keep.deleting"), style = "is-small is-danger" }, name, place) {
  return acting({ label: [action], name: t("keep.of", { action, name }), style, working, place, act, sure: { question, action } });
}

/**
 * A line that may be changed in its place, and removed.
 * @param {string} id
 * @param {Line & {edit?: (close: () => void) => HTMLElement, draft: FormDraft}} given where the draft is there, the form is open already
 */
function entryOf(id, { name, main, actions = () => [], edit, draft, remove }) {
  const line = h("li", { class: "keep-entry", dataset: { id } });
  const place = h("div", { class: "keep-place" });
  const short = beginning(name);
  const change = edit && h("button", { class: "button is-small keep-edit", type: "button", "aria-label": t("keep.of", { action: t("edit"), name: short }), onclick: open }, icon("edit"), t("edit"));
  const erase = remove && taking(remove, short, place);
  if (edit && draft.isThere) fill(line, edit(close));
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
