// Documents of words: what there is, what stands in each, and whether a question finds it.
import { fill, h, icon } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { chosen, tabs } from "../dialog.js";
import { fileDrop } from "../file-drop.js";
import { beginning, folded, longText } from "../long-text.js";
import { attempt, failure, loading, note } from "../notes.js";
import { acting, field, sectionHead, working } from "./changes.js";
import { everything, kept } from "./collection.js";

/** @typedef {{id: string, title: string, source: string, format: string, tags: string[], bytes: number, chunks: number, status: "indexing" | "indexed" | "failed", created_at: string, error?: {message: string, hint?: string}}} Document */

const MOST_BYTES = 20 * 1024 * 1024;
const ACCEPTED = ".md,.markdown,.txt,.html,.htm,.pdf,.docx,.docm,.csv";
const PAGE = 20;
const EVENTS = "/v1/documents/events";
// How often it is looked whether documents that are being read have been, in milliseconds.
const LOOKS = 2000;

/** @type {import("../../views/keep.js").Section} */
export function section(context) {
  const { api, project, signal } = context;
  const coming = h("div", { class: "stack" });
  let look = 0;
  const textOf = (/** @type {Document} */ one) => [one.title, one.source, ...one.tags].join("\n");
  const all = kept(context, "documents", { from: ["/v1/documents", "documents"], textOf, line, form, style: "", show });
  const words = [h("span", null, h("strong", null, t("documents.choose")), " ", t("documents.drop")), h("small", { class: "muted" }, t("documents.formats"))];
  const drop = fileDrop({ accept: ACCEPTED, multiple: true, words, onFiles: take });
  signal.addEventListener("abort", () => clearTimeout(look));

  /** @param {Document[]} found */
  function show(found) {
    clearTimeout(look);
    if (found.some((one) => one.status === "indexing")) look = setTimeout(all.list.reload, LOOKS);
    return all.listed(found);
  }

  /** @param {Document} one @returns {import("./collection.js").Line} */
  function line(one) {
    const badge = { indexing: ["is-accent", t("documents.indexing")], failed: ["is-bad", t("state.failed")], indexed: ["", t("documents.chunks", { count: one.chunks })] }[one.status];
    const facts = [one.format.toUpperCase(), size(one.bytes), new Date(one.created_at).toLocaleDateString()].join(" · ");
    // What was written here has no file: the service calls it by this name.
    const source = one.source && one.source !== one.title && one.source !== "text.md" && h("span", { class: "small muted", dir: "auto" }, beginning(one.source, 120));
    return {
      name: one.title,
      main: [
        h("p", { class: "keep-title", dir: "auto" }, beginning(one.title, 128)),
        h("div", { class: "row" }, h("span", { class: `badge ${badge[0]}` }, badge[1]), h("span", { class: "small muted" }, facts), source, one.tags.map((tag) => h("span", { class: "chip" }, tag))),
        one.error && note("bad", one.error.message, one.error.hint ?? ""),
        one.chunks > 0 && folded(t("documents.holds"), () => chunks(one)),
      ],
      actions: (where) => [h("button", { class: "button is-small", type: "button", "aria-label": t("keep.of", { action: t("documents.replace"), name: beginning(one.title) }), onclick: () => choose(one, where) }, t("documents.replace"))],
      remove: { question: t("documents.delete", { title: beginning(one.title) }), act: () => all.change("DELETE", undefined, { at: `/v1/documents/${encodeURIComponent(one.id)}`, query: { project_id: project }, follow: EVENTS }) },
    };
  }

  /** Choose a file that takes the place of a document. @param {Document} one @param {HTMLElement} where */
  function choose(one, where) {
    const input = h("input", { type: "file", accept: ACCEPTED, onchange: () => takeOne(input.files[0], where, one) });
    input.click();
  }

  /** What stands in a document, a page at a time. @param {Document} one */
  function chunks(one) {
    const path = `/v1/documents/${encodeURIComponent(one.id)}/chunks`;
    const page = (/** @type {number} */ offset) => api.get(path, { project_id: project, limit: PAGE, offset }, signal);
    return loading(() => page(0), (found) => {
      const items = h("ol", { class: "passages" }, found.chunks.map(plain));
      const where = h("div");
      const more = acting({
        label: [t("more")],
        working: t("loading"),
        place: where,
        act: async () => {
          const next = await page(items.children.length);
          items.append(...next.chunks.map(plain));
          more.hidden = items.children.length >= next.total || !next.chunks.length;
        },
      });
      more.hidden = items.children.length >= found.total;
      return [items, where, h("div", { class: "row" }, more)];
    }).element;
  }

  function form() {
    const title = h("input", { class: "input", required: true, maxlength: 128, dir: "auto" });
    const text = h("textarea", { class: "input", rows: 10, required: true, dir: "auto" });
    const tags = h("input", { class: "input", maxlength: 1000 });
    const act = () => all.change("POST", { title: title.value.trim(), text: text.value, tags: tags.value.split(",").map((/** @type {string} */ tag) => tag.trim()).filter(Boolean) }, { follow: EVENTS });
    return { fields: [field(t("documents.title"), title), field(t("documents.text"), text, t("documents.text.hint")), field(t("documents.tags"), tags, t("documents.tags.hint"))], act };
  }

  /** Which document a file becomes; null where it is not to be sent. @param {File} one */
  async function placeFor(one) {
    const same = (await everything(context, "/v1/documents", "documents")).find((other) => other.id === idOf(one) || other.source === one.name);
    if (!same) return { id: idOf(one) };
    const answer = await replaced(one.name, same);
    if (answer === "both") return {};
    return answer === "replace" ? placeOf(same) : null;
  }

  /** @param {File} one @param {Record<string, string>} said */
  function formOf(one, said) {
    const body = new FormData();
    for (const [name, value] of Object.entries({ project_id: project, ...said })) body.append(name, value);
    body.append("file", one);
    return body;
  }

  /** Files one after the other, each with a line that says how far it is. @param {File[]} files */
  async function take(files) {
    const lines = files.map((one) => h("div", null, h("p", { class: "small muted" }, t("documents.waits", { name: one.name }))));
    coming.append(...lines);
    for (const [at, one] of files.entries()) await takeOne(one, lines[at]);
  }

  /** @param {File} one @param {HTMLElement} where @param {Document} [before] in whose place it comes; else this is asked where there is one of its name */
  async function takeOne(one, where, before) {
    if (one.size > MOST_BYTES) {
      fill(where, note("bad", t("documents.large", { name: one.name, size: size(one.size) })));
      return;
    }
    fill(where, working(t("documents.reading", { name: one.name })));
    try {
      const said = before ? placeOf(before) : await placeFor(one);
      if (said) await all.change("POST", formOf(one, said), { follow: EVENTS });
      fill(where);
    } catch (error) {
      if (!signal.aborted) fill(where, h("p", { class: "small" }, h("strong", null, one.name)), failure(error, () => takeOne(one, where, before)));
    }
  }

  const own = h("div", { class: "stack documents-all" }, drop.element, coming, all.list.element);
  const panels = tabs(t("keep.documents"), [
    { id: "all", label: [t("documents.all")], make: () => own },
    { id: "search", label: [icon("search"), t("documents.ask")], make: () => search(context) },
  ]);
  return h("div", { class: "stack" }, sectionHead("documents", all.add), all.place, h("div", { class: "card keep-tabbed" }, panels));
}

/** What takes the place of a document is called as that was. @param {Record<string, any>} before @returns {Record<string, string>} */
function placeOf({ id, title, tags }) {
  return { id, title, tags: tags.join(",") };
}

/** What a file's document is called, also by `askwell docs add`: a file of the same name takes its place. @param {File} file */
function idOf({ name }) {
  return [...name.replace(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, " ").trim()].slice(0, 128).join("") || "document";
}

/** Ask whether a file takes the place of a document of its name. @param {string} name @param {Record<string, any>} before */
function replaced(name, before) {
  const question = t("documents.replace.sure", { name, day: new Date(before.created_at).toLocaleDateString() });
  return chosen(t("documents.replace"), question, [[t("documents.both"), "both"], [t("documents.replace"), "replace", "is-main"]]);
}

/** What a question finds. @param {import("../../main.js").Context} context */
function search({ api, project, signal }) {
  const words = h("input", { class: "input", type: "search", required: true, maxlength: 10_000, "aria-label": t("documents.question"), placeholder: t("documents.question") });
  const found = h("div", { class: "stack", "aria-live": "polite" });
  const button = h("button", { class: "button is-main" }, t("documents.find"));

  /** @param {Event} event */
  function sent(event) {
    event.preventDefault();
    attempt(button, found, async () => {
      const { passages } = await api.send("POST", "/v1/documents/search", { project_id: project, query: words.value, top_k: 10 }, { signal });
      const items = passages.map((/** @type {any} */ one) => passage(one, h("strong", { dir: "auto" }, one.title), h("span", { class: "badge" }, t("documents.score", { percent: Math.round(one.score * 100) }))));
      fill(found, items.length ? h("ol", { class: "passages" }, items) : h("p", { class: "empty" }, t("documents.nothing")));
    }, { working: working(t("documents.finding")), signal });
  }
  return h("div", { class: "stack" }, h("form", { class: "row keep-search", role: "search", onsubmit: sent }, words, button), found);
}

/** @param {{locator: string, text: string}} one @param {...import("../../lib/dom.js").Child} head */
function passage(one, ...head) {
  return h("li", null, h("div", { class: "row small" }, head, h("span", { class: "muted", dir: "auto" }, beginning(one.locator, 200))), longText(one.text));
}

/** A passage of its own document. @param {{locator: string, text: string}} one */
function plain(one) {
  return passage(one);
}

/** @param {number} bytes */
function size(bytes) {
  const units = /** @type {[number, string][]} */ ([[1e6, "MB"], [1e3, "kB"], [1, "B"]]);
  const [unit, name] = units.find(([least]) => bytes >= least) ?? units[2];
  return `${(bytes / unit).toLocaleString(undefined, { maximumFractionDigits: unit === 1e6 ? 1 : 0 })} ${name}`;
}
