// The page: who uses it, where it is, and the frame around the view.
import { fill, h, icon } from "./lib/dom.js";
import { voices } from "./lib/layer.js";
import { ServiceError } from "./lib/errors.js";
import { followed, mayLeave } from "./lib/leaving.js";
import { addressOf, placeOf } from "./lib/router.js";
import { serviceSettings, Session } from "./lib/session.js";
import { browser, tab } from "./lib/storage.js";
import { LANGUAGE, t } from "./lib/text.js";
import { nextTheme, useTheme } from "./lib/theme.js";
import { letMarkupBeEmptied } from "./lib/trusted.js";
import { beginning } from "./parts/long-text.js";
import { failure, say, toast, toastError } from "./parts/notes.js";
import { isUnlisted, projectChoice } from "./parts/project-choice.js";
import { signIn } from "./views/sign-in.js";

/**
 * What a view is made with, besides what questions are asked with.
 * @typedef {object} Place
 * @property {Session} session
 * @property {string[]} rest the parts of the address behind the view's name
 * @property {(heard: (rest: string[]) => void) => void} onMoved told of other such parts, for as long as the view is shown
 * @property {(view: string, ...rest: string[]) => void} go to another place in the project
 * @property {(view: string, ...rest: string[]) => string} address of another place in the project
 * @property {(place: string) => void} title says what is shown, for tabs and the browser's history
 * @property {Pick<Storage, "getItem" | "setItem">} storage what is kept as long as the tab is open
 */
/** @typedef {Omit<import("./parts/ask-card.js").Asking, "session" | "address" | "storage"> & Place} Context */

/** A view's module gives this: the element to show. @typedef {(context: Context) => HTMLElement} View */

/**
 * @typedef {object} Entry
 * @property {() => Promise<{view: View}>} load
 * @property {import("./lib/session.js").Role} role who may see it
 * @property {boolean} [needsModel]
 * @property {Parameters<typeof icon>[0]} icon
 * @property {Parameters<typeof t>[0]} name
 */

/** @type {Record<string, Entry>} */
const VIEWS = {
  ask: { load: () => import("./views/ask.js"), role: "ask", icon: "ask", name: "place.ask" },
  history: { load: () => import("./views/history.js"), role: "ask", icon: "history", name: "place.history" },
  model: { load: () => import("./views/model.js"), role: "ask", icon: "model", name: "place.model" },
  chat: { load: () => import("./views/chat.js"), role: "ask", needsModel: true, icon: "chat", name: "place.chat" },
  keep: { load: () => import("./views/keep.js"), role: "curate", icon: "keep", name: "place.keep" },
};

// Under which name the browser remembers the project that was chosen.
const LAST = "askwell.project";

const session = new Session(serviceSettings());
const view = h("main", { class: "view", id: "view", tabindex: "-1" });
const side = h("nav", { class: "side", id: "places", "aria-label": t("places") });
const [brandAbove, brandBeside] = [brand(), brand()];
const away = h("div", { class: "away", role: "status", hidden: true }, t("away.now"));
/** Where there is room for one of both, whether the places are shown in the place of the view. */
let isMenuOpen = false;
const opener = h("button", { class: "button is-plain icon-button", type: "button", "aria-label": t("places"), "aria-controls": "places", "aria-expanded": "false", onclick: () => openMenu(!isMenuOpen) }, icon("menu"));
let leaving = new AbortController();
/** What is shown now: the view with who uses it, so that only another one is made anew. */
let shown = "";
/** What is shown, in words, and what the project's database is called: both stand in the title. */
let [titled, database] = ["", ""];
/** Nothing has been shown before: the focus stays where browsers begin. */
let isFirst = true;

new ResizeObserver(() => document.documentElement.style.setProperty("--away", `${away.getBoundingClientRect().height}px`)).observe(away);
useTheme();
letMarkupBeEmptied();
document.documentElement.lang = LANGUAGE;
start();

async function start() {
  session.addEventListener("changed", () => {
    shown = "";
    show();
  });
  session.addEventListener("answered", () => (away.hidden = true));
  addEventListener("hashchange", (event) => followed(event, show));
  // A sign-in that was refused cannot be tried again by its own address.
  if (session.refusal) history.replaceState(null, "", "/");
  const before = session.placeBefore();
  if (before) history.replaceState(null, "", before);
  try {
    await session.begin();
    if (session.refusal) toast(session.refusal.text);
  } catch (error) {
    page(h("main", { class: "page" }, failure(error, () => location.reload())));
  }
}

async function show() {
  if (session.me === null) {
    leaving.abort();
    isFirst = false;
    page(signIn(session));
    return;
  }
  if (!view.isConnected) frame();
  leaveRefused();
  const place = here();
  const entry = VIEWS[place.view];
  places(place);
  openMenu(false);
  const key = JSON.stringify([place.project, place.view]);
  if (key === shown) {
    // Views follow the rest of their address themselves.
    view.dispatchEvent(new CustomEvent("moved", { detail: place.rest }));
    return;
  }
  shown = key;
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  /** @type {Context} */
  const context = {
    api: session.api,
    session,
    project: place.project,
    rest: place.rest,
    onMoved: (heard) => view.addEventListener("moved", (/** @type {Event} */ event) => heard(/** @type {CustomEvent<string[]>} */ (event).detail), { signal }),
    go: (name, ...rest) => location.assign(addressOf(place.project, name, ...rest)),
    address: (name, ...rest) => addressOf(place.project, name, ...rest),
    title: (words) => signal.aborted || title(words, database),
    away: tellAway,
    storage: tab,
    signal,
  };
  title(t(entry.name), database);
  try {
    const { view: make } = await entry.load();
    // It may have moved on meanwhile.
    context.rest = here().rest;
    if (!signal.aborted) fill(view, make(context));
  } catch (error) {
    // What a module cannot be loaded for is the way to the service.
    const why = error instanceof TypeError ? new ServiceError(0, {}) : error;
    if (!signal.aborted) fill(view, h("div", { class: "page" }, failure(why, () => location.reload())));
  }
  if (signal.aborted) return;
  view.setAttribute("aria-label", t(entry.name));
  // What led here may be gone, and readers are to say where they are.
  if (!isFirst && !view.contains(document.activeElement)) view.focus({ preventScroll: true });
  isFirst = false;
}

/** A link may lead to what is not for everybody: there questions are asked instead. */
function leaveRefused() {
  const { project, view: name } = placeOf(location.hash);
  if (!Object.hasOwn(VIEWS, name) || session.may(VIEWS[name].role)) return;
  history.replaceState(null, "", addressOf(project || home(), "ask"));
  toast(t("place.refused"));
}

/** Put this in the place of the whole page. @param {...HTMLElement} parts */
function page(...parts) {
  const { toasts, voice } = voices(document.body);
  fill(document.body, parts, toasts, voice);
}

/** @param {boolean} isAway */
function tellAway(isAway) {
  if (isAway && away.hidden) say(t("away.now"));
  away.hidden = !isAway;
}

/** The place that the address names; where it names none, or one that whoever uses the page has no part in, where questions are asked. */
function here() {
  const place = placeOf(location.hash);
  const isThere = Object.hasOwn(VIEWS, place.view) && session.may(VIEWS[place.view].role);
  const shownThere = isThere ? { view: place.view, rest: place.rest } : { view: "ask", rest: [] };
  return { project: place.project || home(), ...shownThere };
}

/** The project that is shown where the address names none: the last one that was chosen, or one that there is. */
function home() {
  const own = session.me?.projects ?? null;
  const last = browser.getItem(LAST);
  if (own !== null) return oneOf(own, last);
  // Those who may see all: found out meanwhile.
  const supposed = last ?? "default";
  projects().then((found) => {
    const known = oneOf(found.map((one) => one.id), last);
    if (known !== supposed && !placeOf(location.hash).project) location.replace(addressOf(known, "ask"));
  });
  return supposed;
}

/** @param {string[]} ids @param {string | null} last */
function oneOf(ids, last) {
  return [last, "default"].find((id) => id !== null && ids.includes(id)) ?? ids[0] ?? "default";
}

function frame() {
  const top = h("header", { class: "top" }, brandAbove, opener);
  const skip = h("a", { class: "skip", href: "#view", onclick: skipped }, t("skip"));
  const shell = h("div", { class: "shell" }, top, side, view);
  side.addEventListener("click", (/** @type {Event} */ event) => /** @type {Element} */ (event.target).closest("a") && openMenu(false));
  page(skip, away, shell);
}

// From wherever it is pressed, as what leads past the places is beside them.
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || !isMenuOpen) return;
  openMenu(false);
  opener.focus();
});
// There is room for both.
matchMedia("(min-width: 52rem)").addEventListener("change", () => openMenu(false));

/** @param {boolean} isOpen */
function openMenu(isOpen) {
  isMenuOpen = isOpen;
  side.classList.toggle("is-open", isOpen);
  opener.setAttribute("aria-expanded", String(isOpen));
  fill(opener, icon(isOpen ? "close" : "menu"));
  // It is below the places then.
  view.inert = isOpen;
}

/** @param {Event} event */
function skipped(event) {
  event.preventDefault();
  openMenu(false);
  view.focus();
}

/** The name of the page, which leads to where questions are asked in the project, and what that asks. */
function brand() {
  const { href } = /** @type {HTMLLinkElement} */ (document.querySelector('link[rel="icon"]'));
  return h("a", { class: "brand" }, h("img", { src: href, alt: "" }), h("span", { class: "brand-words" }, "Askwell", h("small", { class: "brand-of", dir: "auto" })));
}

/** @param {string} words what is shown @param {string} of what the database is called */
function title(words, of) {
  [titled, database] = [words, of];
  const place = beginning(words, 60);
  document.title = of ? t("title.of", { place, of: beginning(of, 60) }) : t("title", { place });
}

/** Say which database is asked: by its name, or else by the project's, where somebody chose that. @param {string} project */
async function nameDatabase(project) {
  const own = (await projects()).find((one) => one.id === project);
  if (here().project !== project) return;
  const name = own?.database ?? (project === "default" ? "" : project);
  title(titled, name);
  for (const one of [brandAbove, brandBeside]) {
    fill(one.querySelector(".brand-of"), name);
    one.title = [...new Set([name, project === "default" ? "" : project])].filter(Boolean).join(" · ");
  }
}

/** What the list of places is made of; it is made anew only for another project or person, as a focus in it would be lost. */
let listed = "";

/** @param {import("./lib/router.js").Place} place */
function places(place) {
  const key = JSON.stringify([place.project, session.me]);
  if (key === listed) {
    for (const link of side.querySelectorAll("a.place")) link.ariaCurrent = link.getAttribute("href") === addressOf(place.project, place.view) ? "page" : null;
    return;
  }
  listed = key;
  const visible = Object.entries(VIEWS).filter(([, { role, needsModel }]) => session.may(role) && (!needsModel || session.settings.hasModel));
  const links = visible.map(([name, entry]) => h("a", { class: "place", href: addressOf(place.project, name), "aria-current": name === place.view && "page" }, icon(entry.icon), t(entry.name)));
  for (const one of [brandAbove, brandBeside]) one.href = addressOf(place.project, "ask");
  nameDatabase(place.project);
  leaveUnknown(place.project);
  fill(side, brandBeside, h("div", { class: "places" }, links), h("div", { class: "side-end" }, projectChoice(place.project, projects(), toProject), theme(), who()));
}

/** @type {Promise<{id: string, database?: string}[]> | null} */
let known = null;
session.addEventListener("changed", () => {
  known = null;
  listed = "";
});
// Told with the id of a project that was deleted.
addEventListener("askwell-projects", (event) => {
  const { detail: deleted } = /** @type {CustomEvent<string | undefined>} */ (event);
  known = null;
  listed = "";
  if (deleted && deleted === here().project) leaveProject(deleted);
  else places(here());
});

/** Where the address names a project that is gone or somebody else's, go to one that there is. @param {string} project */
async function leaveUnknown(project) {
  const listedNow = await projects();
  if (!listedNow.length || listedNow.some(({ id }) => id === project)) return;
  if (placeOf(location.hash).project !== project || (await isUnlisted(session.api, project))) return;
  if (placeOf(location.hash).project !== project) return;
  toast(t("project.unknown", { project }));
  leaveProject(project);
}

/** @param {string} project the one that somebody has chosen */
function toProject(project) {
  browser.setItem(LAST, project);
  location.assign(addressOf(project, here().view));
}

/** To another project than this one, at the same place. @param {string} project */
async function leaveProject(project) {
  const ids = (await projects()).map(({ id }) => id).filter((id) => id !== project);
  const { view: name, rest } = here();
  // Questions and tables are of their project; the sections of keeping order are in each.
  location.replace(addressOf(oneOf(ids, browser.getItem(LAST)), name, ...(name === "keep" ? rest : [])));
}

/** The projects that whoever uses the page may choose from; none where that cannot be found out. */
function projects() {
  known ??= session.api.get("/v1/projects").then((found) => found.projects, () => []);
  return known;
}

function theme() {
  const button = h("button", { class: "button is-plain is-small side-button", type: "button", onclick: () => (nextTheme(), label()) });
  const label = () => fill(button, icon("sun"), t(/** @type {any} */ (`theme.${document.documentElement.dataset.theme ?? "system"}`)));
  label();
  return button;
}

async function signOut() {
  if (await mayLeave()) await session.signOut().catch(toastError);
}

function who() {
  if (!session.isClosed || session.me === null) return null;
  const out = h("button", { class: "button is-small", type: "button", onclick: signOut }, t("sign.out"));
  return h("div", { class: "row is-apart" }, h("span", { class: "small", title: t(`role.${session.me.role}`) }, icon("user"), " ", h("bdi", null, session.me.name)), out);
}
