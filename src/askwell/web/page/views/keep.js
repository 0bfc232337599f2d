// Keeping a project in order: what did not work, what it knows, what it costs, and whether it is well. Each part has an
// address of its own and is loaded when it is looked at.
import { fill, h, useStyle } from "../lib/dom.js";
import { t } from "../lib/text.js";
import { failure } from "../parts/notes.js";
import { working } from "../parts/keep/changes.js";

/** What a section's module gives; the context's signal is aborted when the section is left. @typedef {(context: import("../main.js").Context) => HTMLElement} Section */

/** @type {[string, () => Promise<{section: Section}>][]} */
const SECTIONS = [
  ["failures", () => import("../parts/keep/failures.js")],
  ["verified", () => import("../parts/keep/verified.js")],
  ["instructions", () => import("../parts/keep/instructions.js")],
  ["lessons", () => import("../parts/keep/lessons.js")],
  ["documents", () => import("../parts/keep/documents.js")],
  ["usage", () => import("../parts/keep/usage.js")],
  ["health", () => import("../parts/keep/health.js")],
  ["uploads", () => import("../parts/keep/uploads.js")],
  ["keys", () => import("../parts/keep/keys.js")],
];

/** @param {import("../main.js").Context} context @returns {HTMLElement} */
export function view(context) {
  const { session, signal } = context;
  /** @type {Record<string, boolean>} */
  const isThere = { keys: session.settings.takesKeys, uploads: session.settings.takesUploads };
  const sections = SECTIONS.filter(([name]) => !(name in isThere) || (isThere[name] && session.may("admin")));
  const links = new Map(sections.map(([name]) => [name, h("a", { class: "tab", href: context.address("keep", name) }, nameOf(name))]));
  const bar = h("nav", { class: "tabs-line", "aria-label": t("keep.sections") }, h("div", { class: "tabs keep-tabs" }, [...links.values()]));
  const body = h("div", { class: "keep-body", tabindex: "-1" });
  const element = h("div", { class: "page", hidden: true }, h("header", { class: "page-head" }, h("h1", null, t("place.keep"))), bar, body);
  let leaving = new AbortController();
  let shown = "";

  context.onMoved(show);
  signal.addEventListener("abort", () => leaving.abort());
  useStyle("keep.css").then(() => {
    element.hidden = false;
    requestAnimationFrame(scrolled);
  });
  show(context.rest);

  /** @param {string[]} rest */
  async function show(rest) {
    const [name, load] = sections.find(([one]) => one === rest[0]) ?? sections[0];
    if (name === shown) return;
    shown = name;
    leaving.abort();
    leaving = new AbortController();
    const own = { ...context, rest: rest.slice(1), signal: leaving.signal };
    for (const [one, link] of links) link.ariaCurrent = one === name ? "page" : null;
    scrolled();
    own.title(nameOf(name));
    fill(body, working(t("loading")));
    try {
      const { section } = await load();
      if (!own.signal.aborted) fill(body, section(own));
    } catch (error) {
      if (!own.signal.aborted) fill(body, failure(error, () => location.reload()));
    }
  }

  /** Where the screen is narrow, the name of what is shown may stand outside of the row. */
  function scrolled() {
    links.get(shown).scrollIntoView({ block: "nearest", inline: "center" });
  }
  return element;
}

/** @param {string} section */
function nameOf(section) {
  return t(/** @type {any} */ (`keep.${section}`));
}
